"""The end of a round, the points, and the end of the match."""

from penultima.cards import NOBODY, NOTHING
from penultima.rules.actions import MATCH_OVER, OVER, ROUND_OVER, TALLY, WORD
from penultima.rules.bits import lowest_bit
from penultima.rules.notes import BLOCKED, SCORED, WON_MATCH, WON_ROUND, note
from penultima.rules.schema import Game, Ruleset, Trace


def hand_points(rules: Ruleset, game: Game, seat: int) -> int:
    points = 0
    for word in range(len(rules.wild)):
        bits = game.held[seat][word]
        while bits:
            kind = word * WORD + lowest_bit(bits)
            bits &= bits - 1
            points += game.hands[seat][kind] * rules.points[kind]
    return points


def clear_pending(game: Game) -> None:
    """Nothing is pending any more."""
    game.due = 0
    game.by = NOBODY
    game.guilty = -1
    game.drawn = NOTHING
    game.choice = 0
    game.dropped = 0


def end_round(rules: Ruleset, game: Game, trace: Trace, winner: int) -> None:
    """Count the hands and add the points; `winner` NOBODY: the round is blocked (Q16, Q22)."""
    clear_pending(game)
    game.phase = OVER
    game.over = ROUND_OVER
    game.turn = game.dealer
    game.called = 0
    game.exposed = 0
    game.jump = 0
    game.winners = 0
    total = 0
    for seat in range(game.seats):
        points = hand_points(rules, game, seat)
        total += points
        if rules.scoring == TALLY:  # P3
            game.scores[seat] += points
            note(trace, SCORED, seat, points, 0)
    if winner == NOBODY:
        note(trace, BLOCKED, NOBODY, 0, 0)
    else:
        game.winners = 1 << winner
        note(trace, WON_ROUND, winner, total, 0)
        if rules.scoring != TALLY:
            game.scores[winner] += total  # P1
    _end_match(rules, game, trace)


def highest_score(game: Game) -> int:
    highest = game.scores[0]
    for seat in range(1, game.seats):
        highest = max(highest, game.scores[seat])
    return highest


def best_score(rules: Ruleset, game: Game) -> int:
    """The score that wins: under the tally the lowest (P3)."""
    best = game.scores[0]
    for seat in range(1, game.seats):
        score = game.scores[seat]
        if (score < best) == (rules.scoring == TALLY) and score != best:
            best = score
    return best


def _end_match(rules: Ruleset, game: Game, trace: Trace) -> None:
    """P2: the target wins. P3: the target ends the match, and the lowest total wins it."""
    if highest_score(game) < rules.target:
        return
    best = best_score(rules, game)
    game.over = MATCH_OVER
    game.winners = 0
    for seat in range(game.seats):
        if game.scores[seat] == best:
            game.winners |= 1 << seat
            note(trace, WON_MATCH, seat, best, 0)
