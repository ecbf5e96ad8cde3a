"""What a seat knows. Bots, environments and views get this and nothing else."""

from penultima.cards import NOBODY, NOTHING
from penultima.rules.actions import WORD
from penultima.rules.bits import lowest_bit
from penultima.rules.pile import in_discard, lacking, top
from penultima.rules.schema import Game, Ruleset, Seen


def observe(rules: Ruleset, game: Game, seat: int, seen: Seen) -> None:
    """Write what `seat` knows into `seen`; NOBODY is a spectator."""
    for kind in range(rules.kinds):
        seen.hand[kind] = 0
    glance(rules, game, seat, seen)
    seen.dealer = game.dealer
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
    for card in range(game.discards):
        seen.gone[game.deck[in_discard(rules, game, card)]] += 1
    for other in range(game.seats):
        seen.scores[other] = game.scores[other]
    seat_on_turn = seat == game.turn  # what is for this seat alone: the card it drew,
    seen.drawn = game.drawn if seat_on_turn else NOTHING
    seen.choice = game.choice if seat_on_turn else 0
    challenger = seat != NOBODY and seat == game.shown_to  # the hand it was shown (A6)
    seen.shown_of = game.shown_of if challenger else NOBODY
    for kind in range(rules.kinds):
        seen.shown[kind] = game.shown[kind] if challenger else 0


def glance(rules: Ruleset, game: Game, seat: int, seen: Seen) -> None:
    """The part of it that a simple bot goes by; of `hand` only the kinds in `held` are written."""
    seen.seat = seat
    seen.seats = game.seats
    seen.phase = game.phase
    seen.turn = game.turn
    seen.direction = game.direction
    seen.color = game.color
    seen.top = top(rules, game)
    seen.by = game.by
    seen.due = game.due
    seen.jump = game.jump
    for other in range(game.seats):
        seen.counts[other] = game.counts[other]
        for color in range(rules.colors):
            seen.lacked[other][color] = lacking(game, other, color)
    for color in range(rules.colors):
        seen.colors[color] = 0
    for word in range(len(rules.wild)):
        bits = game.held[seat][word] if seat != NOBODY else 0
        seen.held[word] = bits
        while bits:
            kind = word * WORD + lowest_bit(bits)
            bits &= bits - 1
            seen.hand[kind] = game.hands[seat][kind]
            if kind < rules.colored:
                seen.colors[rules.color[kind]] += seen.hand[kind]
