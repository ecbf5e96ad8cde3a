"""What can be wrong with all that waits on the card on top: who put it down, the cards due, guilt.

What came before is not asked for: hands of any size and discard piles of any depth are taken as
they are, and only what contradicts itself is a fault.
"""

from typing import Final

from penultima.cards import DEMAND, GIVE_AWAY, NOBODY, NOTHING, RACE, TAKE
from penultima.rules.actions import (
    ANSWER,
    DRAWN,
    FOUR_ON_TWO,
    GIVING,
    JUDGE,
    NAME,
    OFF,
    PENALTY,
    RACING,
    REFLEX,
    STACK,
    SWAPPING,
    TURN,
    WORD,
)
from penultima.rules.legal import can_play, holds_color
from penultima.rules.pile import in_discard, next_seat, top
from penultima.rules.schema import Game, Ruleset

BAD_PHASE: Final = 16  # something is pending in a phase that does not wait for it
BAD_TOP: Final = 256  # the card on top does not bring the phase about
BAD_BY: Final = 512  # the pending card was put down by somebody else
BAD_DUE: Final = 1024  # more or fewer cards are due than the cards put down ask for
BAD_GUILT: Final = 2048  # the verdict does not agree with the hand
BAD_JUMP: Final = 4096  # a jump-in is open where none can be, or closed where it must be open
BAD_CHOICE: Final = 8192  # the hand says otherwise whether something could be played


def pending_faults(rules: Ruleset, game: Game) -> int:
    """The faults of what is pending, as bits."""
    phase = game.phase
    faults = 0
    if not _is_clear(game):
        faults |= BAD_PHASE
    if not _top_fits(rules, game):
        faults |= BAD_TOP
    if not _player_fits(game):
        return faults | BAD_BY
    if not _due_fits(rules, game):
        faults |= BAD_DUE
    if not _guilt_fits(rules, game):
        faults |= BAD_GUILT
    if not _jump_fits(rules, game):
        faults |= BAD_JUMP
    if phase == DRAWN and not faults & BAD_PHASE and not _choice_fits(rules, game):
        faults |= BAD_CHOICE
    return faults


def is_turned(game: Game) -> bool:
    """Whether the top card is the one that was turned at the start: nothing has been played."""
    return game.discards == 1 and game.renewals == 0


def _is_clear(game: Game) -> bool:
    """What belongs to one phase is empty in the others."""
    if (game.phase == DRAWN) != (game.drawn != NOTHING) or (game.choice and game.phase != DRAWN):
        return False
    if game.phase == DRAWN and not (
        0 <= game.drawn < len(game.shown)
        and game.hands[game.turn][game.drawn] > 0
        and game.counts[game.turn] > 1
    ):
        return False
    if game.dropped and game.phase != RACING:
        return False
    if game.phase == RACING:  # the race goes on while two have still to drop (A11)
        racers = 0
        for seat in range(game.seats):
            dropped = game.dropped >> seat & 1
            if dropped and game.counts[seat] == 0:
                return False
            if game.counts[seat] > 0 and not dropped:
                racers += 1
        return racers >= 2
    return True


def _top_fits(rules: Ruleset, game: Game) -> bool:
    face = top(rules, game)
    effect = rules.effect[face]
    phase = game.phase
    if phase == NAME:  # S8, S9
        return face >= rules.colored and effect != TAKE and is_turned(game)
    if is_turned(game) and STACK <= phase <= SWAPPING:
        return False
    if phase == ANSWER:
        return effect == DEMAND
    if phase == STACK:
        return effect == TAKE and rules.stacking != OFF
    if phase == JUDGE:
        return rules.challengeable[face] != 0 and not rules.no_bluffing
    if phase == GIVING:
        return effect == GIVE_AWAY
    if phase == RACING:
        return effect == RACE and rules.race == REFLEX
    if phase == SWAPPING:
        return rules.seven_zero != 0 and rules.number[face] == 7
    return True


def _player_fits(game: Game) -> bool:
    """The pending card is the last seat's, or that of the seat on turn."""
    phase = game.phase
    if phase == STACK or phase == JUDGE:
        return game.by == next_seat(game, game.turn, -1)
    if phase == GIVING or phase == RACING or phase == SWAPPING:
        return game.by == game.turn
    return game.by == NOBODY


def _due_fits(rules: Ruleset, game: Game) -> bool:
    amount = rules.amount[top(rules, game)]
    phase = game.phase
    if phase == ANSWER or phase == RACING:
        return game.due == amount
    if phase == GIVING:
        return 0 < game.due <= amount
    if phase == JUDGE:
        if rules.stacking == OFF:
            return game.due == amount
        # Only a last card cannot be stacked on (H1).
        return game.counts[game.by] == 0 and _adds_up(rules, game)
    if phase == STACK:
        return _adds_up(rules, game)
    return game.due == 0


def _adds_up(rules: Ruleset, game: Game) -> bool:
    """Whether cards can have been stacked to so many, the top one included (H1)."""
    face = top(rules, game)
    if face < rules.colored:
        rest = game.due - rules.amount[face]
        return rest == 0 or _colored_makes(rules, game, face, rest, 1)
    rest = game.due
    for _ in range(_most_stacked(rules, game, face)):
        rest -= rules.amount[face]
        if rest == 0:
            return True
        if rules.stacking == FOUR_ON_TWO:
            for kind in range(rules.colored):
                if rules.effect[kind] == TAKE and _colored_makes(rules, game, kind, rest, 0):
                    return True
    return False


def _colored_makes(rules: Ruleset, game: Game, face: int, due: int, taken: int) -> bool:
    """Whether draw cards of one symbol, less those taken already, can make exactly so many."""
    amount = rules.amount[face]
    cards = -taken
    total = -taken * amount
    same = True
    for kind in range(rules.colored):
        bit = rules.same_symbol[face][kind // WORD] >> (kind % WORD) & 1
        if bit and rules.effect[kind] == TAKE:
            cards += _most_stacked(rules, game, kind)
            total += _most_stacked(rules, game, kind) * rules.amount[kind]
            same = same and rules.amount[kind] == amount
    if due <= 0 or due > total:
        return False
    return not same or due % amount == 0


def _most_stacked(rules: Ruleset, game: Game, kind: int) -> int:
    """How many cards of a kind can be in the stack: those in no hand.

    If the pile has been renewed since the stack began, they may have come round more than once:
    then every discard is a draw card.
    """
    number = rules.count[kind]
    if game.renewals > 0:
        card = 0
        while card < game.discards:
            if rules.effect[game.deck[in_discard(rules, game, card)]] != TAKE:
                break
            card += 1
        if card == game.discards:
            return game.due
    for seat in range(game.seats):
        number -= game.hands[seat][kind]
    return number


def _guilt_fits(rules: Ruleset, game: Game) -> bool:
    """Q5: whether it was a bluff goes by the color of the card beneath, where that is known."""
    face = top(rules, game)
    pending = game.phase == STACK or game.phase == JUDGE
    if not (pending and rules.challengeable[face]) or rules.no_bluffing:
        return game.guilty == -1
    if game.guilty != 0 and game.guilty != 1:
        return False
    by = game.by
    below = -1
    if game.discards > 1:
        below = rules.color[game.deck[in_discard(rules, game, 1)]]
    held = 0
    lacked = 0
    for color in range(rules.colors):
        if below < 0 or below == color:
            if holds_color(rules, game, by, color):
                held += 1
            else:
                lacked += 1
    if game.guilty:
        return held > 0
    return lacked > 0 or _may_have_been_caught(rules, game, by, below)


def _may_have_been_caught(rules: Ruleset, game: Game, seat: int, color: int) -> bool:
    """Whether the one card left after the play need not be of that color: the others came later."""
    count = game.counts[seat]
    if rules.auto_call or not 1 < count <= 1 + PENALTY:
        return False
    of_color = 0
    for kind in range(rules.colored):
        if rules.color[kind] == color or color < 0:
            of_color += game.hands[seat][kind]
    return color < 0 or of_color < count


def _jump_fits(rules: Ruleset, game: Game) -> bool:
    """H3: from the play of a colored card, never the turned one, until the next turn begins."""
    phase = game.phase
    if not rules.jump_in or top(rules, game) >= rules.colored or is_turned(game):
        return game.jump == 0
    if phase == TURN:
        return not (game.jump and game.passes)
    waits = phase == ANSWER or phase == STACK or GIVING <= phase <= SWAPPING
    return (game.jump != 0) == waits


def _choice_fits(rules: Ruleset, game: Game) -> bool:
    """T4: whether the rest of the hand could be played."""
    if rules.forced_play and game.choice:
        return False
    return (game.choice != 0) == could_play_before(rules, game)


def could_play_before(rules: Ruleset, game: Game) -> bool:
    """Whether the seat on turn could rightly play anything before it drew its card."""
    seat, kind = game.turn, game.drawn
    held = game.held[seat][kind // WORD]
    if game.hands[seat][kind] == 1:
        game.held[seat][kind // WORD] = held & ~(1 << (kind % WORD))
    found = can_play(rules, game, seat)
    game.held[seat][kind // WORD] = held
    return found
