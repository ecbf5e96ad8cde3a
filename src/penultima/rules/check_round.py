"""What can be wrong with calls, passes, shown hands and the end of a round."""

from typing import Final

from penultima.cards import DEMAND, NOBODY, REVERSE, SKIP, TAKE
from penultima.rules.actions import (
    ANSWER,
    BEGUN,
    DECISION_LIMIT,
    DRAWN,
    GIVING,
    GOING_ON,
    HOLDING,
    JUDGE,
    MATCH_OVER,
    NAME,
    OPEN,
    OVER,
    RACING,
    STACK,
    SWAPPING,
    TALLY,
    TURN,
)
from penultima.rules.check_pending import is_turned
from penultima.rules.legal import can_play
from penultima.rules.pile import left_to_draw, next_seat, top
from penultima.rules.schema import Game, Ruleset
from penultima.rules.score import best_score, hand_points, highest_score

BAD_CALL: Final = 64  # called without holding so few cards, or where nobody calls
BAD_END: Final = 128  # over, winners, phase disagree, or an empty hand plays on
BAD_PASSES: Final = 16384  # passed although there was a card to draw or to play
BAD_SCORES: Final = 32768  # points at which the match would be over, or that hands contradict
BAD_LIMIT: Final = 65536  # more decisions than a round has (Q22)
BAD_START: Final = 131072  # a color is to be named, but not as at the start of a round
BAD_SHOWN: Final = 262144  # a hand shown that nobody can have been shown
BAD_EXPOSED: Final = 524288  # exposed without one card, or longer than a miss can be caught


def round_faults(rules: Ruleset, game: Game) -> int:
    """The faults of the round as a whole, as bits."""
    faults = 0
    if not _calls_fit(rules, game):
        faults |= BAD_CALL
    if not _exposures_fit(rules, game):
        faults |= BAD_EXPOSED
    if not _passes_fit(rules, game):
        faults |= BAD_PASSES
    if not _decisions_fit(rules, game):
        faults |= BAD_LIMIT
    if game.phase == NAME and not _start_fits(game):
        faults |= BAD_START
    if not _shown_fits(rules, game):
        faults |= BAD_SHOWN
    if not _end_fits(rules, game):
        return faults | BAD_END
    if not _scores_fit(rules, game):
        faults |= BAD_SCORES
    return faults


def _dealt_one(rules: Ruleset, game: Game) -> bool:
    """Whether everybody began with one card and a duty to call, and nobody has played yet (G1)."""
    return rules.hand_size == 1 and rules.call_duty == HOLDING and is_turned(game)


def _calls_fit(rules: Ruleset, game: Game) -> bool:
    """Q11: with two cards on one's own turn, before playing; else with one."""
    if game.called and (
        rules.auto_call
        or game.phase == OVER
        or (game.phase == NAME and not _dealt_one(rules, game))
    ):
        return False
    may_announce = TURN <= game.phase <= STACK
    for seat in range(game.seats):
        if game.called >> seat & 1:
            two = game.counts[seat] == 2 and seat == game.turn and may_announce
            if not (two or game.counts[seat] == 1):
                return False
    return True


def _exposures_fit(rules: Ruleset, game: Game) -> bool:
    """G2, Q10: with one card, not called; and where the window closes, only the last player."""
    if game.exposed == 0:
        return True
    if rules.auto_call or game.phase == OVER or game.exposed & game.called:
        return False
    for seat in range(game.seats):
        if game.exposed >> seat & 1 and game.counts[seat] != 1:
            return False
    if _dealt_one(rules, game):
        return True
    if is_turned(game):
        return False
    if rules.catch_window == OPEN:
        return True
    if game.passes or (game.phase == DRAWN and rules.catch_window == BEGUN):
        return False
    number = rules.number[top(rules, game)]
    if rules.seven_zero and game.phase != SWAPPING and (number == 7 or number == 0):
        return True  # hands have changed places (H2)
    return not game.exposed & ~_last_players(rules, game)


def _last_players(rules: Ruleset, game: Game) -> int:
    """Who can have put down the top card, as bits, while nobody has begun a turn since."""
    face = top(rules, game)
    effect = rules.effect[face]
    phase = game.phase
    if phase == GIVING or phase == RACING or phase == SWAPPING:
        return 1 << game.turn
    before = 1 << next_seat(game, game.turn, -1)
    second = 1 << next_seat(game, game.turn, -2)
    if phase == STACK or phase == JUDGE or phase == ANSWER:
        return before
    if effect == DEMAND:  # its answer has begun a turn
        return 0
    if effect == TAKE:
        # A bluffer keeps a single card only where there is nothing left to draw.
        return second | before if rules.challengeable[face] else second
    if effect == SKIP or (effect == REVERSE and game.seats == 2):
        return second
    return before


def _passes_fit(rules: Ruleset, game: Game) -> bool:
    """Q16: passed in a row, with nothing to draw and nothing that could rightly be played."""
    if game.passes == 0:
        return True
    if not 0 < game.passes <= game.seats or left_to_draw(game) > 0:
        return False
    if game.phase == OVER:
        return game.passes == game.seats or game.decisions == DECISION_LIMIT
    if game.phase != TURN or game.passes == game.seats:
        return False
    effect = rules.effect[top(rules, game)]
    first = game.passes  # it may have passed on a demand or a stack, whatever it held
    if effect == DEMAND or effect == TAKE:
        first -= 1
    for place in range(1, first + 1):
        if can_play(rules, game, next_seat(game, game.turn, -place)):
            return False
    return True


def _decisions_fit(rules: Ruleset, game: Game) -> bool:
    """Q22: the limit ends the round, but what a last card has started is still settled."""
    over_limit = game.decisions - DECISION_LIMIT
    if game.phase == NAME:
        return game.decisions <= (game.seats if _dealt_one(rules, game) else 0)
    if over_limit < 0:
        return True
    amount = rules.amount[top(rules, game)]
    if game.phase == OVER:
        if game.winners == 0 or game.passes:
            return over_limit == 0
        return over_limit <= amount + 2 * game.seats
    if game.by == NOBODY or game.counts[game.by] > 0:
        return False
    settled = game.seats  # late calls and catches
    if game.phase == GIVING:
        settled += amount - game.due
    elif game.phase == RACING:
        settled += game.seats
    return over_limit <= settled


def _start_fits(game: Game) -> bool:
    """S8 to S11: the dealer's left names the color of the turned card."""
    return (
        game.direction == 1 and game.turn == (game.dealer + 1) % game.seats and game.shown_of == -1
    )


def _shown_fits(rules: Ruleset, game: Game) -> bool:
    """A6: what is left of a hand shown to another seat."""
    possible = False
    for kind in range(rules.kinds):
        if rules.challengeable[kind] and not rules.no_bluffing:
            possible = True
        most = game.hands[game.shown_of][kind] if game.shown_of != NOBODY else 0
        if not 0 <= game.shown[kind] <= most:
            return False
    if game.shown_of == NOBODY or game.shown_to == NOBODY:
        return game.shown_of == game.shown_to
    return possible and (game.shown_of != game.shown_to or rules.seven_zero != 0)


def _end_fits(rules: Ruleset, game: Game) -> bool:
    """G4: who has no cards has won; only what a last card started is settled first."""
    empty = 0
    for seat in range(game.seats):
        if game.counts[seat] == 0:
            empty |= 1 << seat
    if (game.phase == OVER) != (game.over != GOING_ON):
        return False
    if game.phase != OVER:
        settles = game.phase == JUDGE or game.phase == GIVING or game.phase == RACING
        return not game.winners and (empty == 0 or (settles and empty == 1 << game.by))
    if empty & (empty - 1) or game.turn != game.dealer:
        return False
    if empty == 0:  # Q16, Q22: blocked
        if game.passes != game.seats and game.decisions != DECISION_LIMIT:
            return False
        if game.over == MATCH_OVER and rules.scoring != TALLY:
            return False
    elif game.passes:
        return False
    return game.over == MATCH_OVER or game.winners == empty


def _scores_fit(rules: Ruleset, game: Game) -> bool:
    """P: the target ends the match, and the points of a round are those of the hands."""
    if (highest_score(game) >= rules.target) != (game.over == MATCH_OVER):
        return False
    total = 0
    for seat in range(game.seats):
        if game.scores[seat] < 0:
            return False
        total += hand_points(rules, game, seat)
    if game.phase != OVER:
        return True
    best = best_score(rules, game)
    for seat in range(game.seats):
        gained = 0
        if rules.scoring == TALLY:  # P3
            gained = hand_points(rules, game, seat)
        elif game.counts[seat] == 0:  # P1
            gained = total
        if not 0 <= game.scores[seat] - gained < rules.target:
            return False
        won = game.winners >> seat & 1 == 1
        if game.over == MATCH_OVER and won != (game.scores[seat] == best):
            return False
    return True
