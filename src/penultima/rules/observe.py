"""What a seat knows. Bots, environments and views get this and nothing else."""

from penultima.cards import NOBODY, NOTHING
from penultima.rules.pile import top
from penultima.rules.schema import Game, Ruleset, Seen


def observe(rules: Ruleset, game: Game, seat: int, seen: Seen) -> None:
    """Write what `seat` knows into `seen`; NOBODY is a spectator."""
    seen.seat = seat
    seen.seats = game.seats
    seen.phase = game.phase
    seen.turn = game.turn
    seen.direction = game.direction
    seen.color = game.color
    seen.top = top(rules, game)
    seen.dealer = game.dealer
    seen.by = game.by
    seen.due = game.due
    seen.jump = game.jump
    seen.passes = game.passes
    seen.over = game.over
    seen.pile = game.pile
    seen.discards = game.discards
    seen.decisions = game.decisions
    seen.renewals = game.renewals
    seen.round = game.round
    seen.called = game.called
    seen.exposed = game.exposed
    seen.dropped = game.dropped
    seen.winners = game.winners
    for kind in range(rules.kinds):
        seen.gone[kind] = 0
    for card in range(rules.cards - game.discards, rules.cards):
        seen.gone[game.deck[card]] += 1
    for other in range(game.seats):
        seen.counts[other] = game.counts[other]
        seen.scores[other] = game.scores[other]
        for color in range(rules.colors):
            seen.lacked[other][color] = game.lacked[other][color]
    _own(rules, game, seat, seen)


def _own(rules: Ruleset, game: Game, seat: int, seen: Seen) -> None:
    """What is for this seat alone: its hand, the card it drew, the hand it was shown (A6)."""
    seat_on_turn = seat == game.turn
    seen.drawn = game.drawn if seat_on_turn else NOTHING
    seen.choice = game.choice if seat_on_turn else 0
    challenger = seat != NOBODY and seat == game.shown_to
    seen.shown_of = game.shown_of if challenger else NOBODY
    for kind in range(rules.kinds):
        seen.shown[kind] = game.shown[kind] if challenger else 0
        seen.hand[kind] = game.hands[seat][kind] if seat != NOBODY else 0
    for word in range(len(rules.wild)):
        seen.held[word] = game.held[seat][word] if seat != NOBODY else 0
