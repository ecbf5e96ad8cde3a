"""Setting up: who deals, the deal, and the card that is turned."""

from penultima.cards import (
    DEMAND,
    NO_COLOR,
    NOBODY,
    REVERSE,
    SKIP,
    TAKE,
)
from penultima.rules.actions import ANSWER, GOING_ON, HOLDING, NAME, TURN, WORD
from penultima.rules.bits import lowest_bit
from penultima.rules.chance import TIE, below, start_lots
from penultima.rules.notes import (
    CUT,
    DEALER,
    DEMANDED,
    RETURNED,
    REVERSED,
    SKIPPED,
    TURNED,
    TWO,
    note,
)
from penultima.rules.pile import draw, gain, in_discard, in_pile, lift, settle, shuffle
from penultima.rules.schema import Game, Ruleset, Trace
from penultima.rules.score import clear_pending


def start_match(rules: Ruleset, game: Game, trace: Trace) -> None:
    """Choose the dealer and deal the first round; seats and key are in the game already."""
    game.round = 0
    for seat in range(game.seats):
        game.scores[seat] = 0
    game.dealer = dealer_draw(rules, game, trace)
    next_round(rules, game, trace)


def next_round(rules: Ruleset, game: Game, trace: Trace) -> None:
    """Deal again; the deal passes to the left (Q17)."""
    if game.round > 0:
        game.dealer = (game.dealer + 1) % game.seats
    game.round += 1
    note(trace, DEALER, game.dealer, game.round, 0)
    deal(rules, game, trace)
    turn_up(rules, game, trace)


def gather(rules: Ruleset, game: Game) -> None:
    """All cards back into the pile, in the order of their kinds."""
    card = 0
    for kind in range(rules.kinds):
        for _ in range(rules.count[kind]):
            game.deck[card] = kind
            card += 1
    game.base = 0
    game.pile = card
    game.discards = 0


def dealer_draw(rules: Ruleset, game: Game, trace: Trace) -> int:
    """The highest number deals, any symbol counts zero, ties draw again (S1, Q1)."""
    gather(rules, game)
    game.used = 0
    shuffle(game)
    tied = (1 << game.seats) - 1
    players = game.seats
    while players > 1:
        if game.pile < players:
            return _draw_lots(game, trace, tied, players)
        highest = 0
        leaders = 0
        players = 0
        for seat in range(game.seats):
            if tied >> seat & 1:
                kind = lift(rules, game, trace)
                note(trace, CUT, seat, kind, 0)
                number = max(rules.number[kind], 0)
                if number > highest:
                    highest = number
                    leaders = 0
                    players = 0
                if number == highest:
                    leaders |= 1 << seat
                    players += 1
        tied = leaders
    dealer = 0
    while not tied >> dealer & 1:
        dealer += 1
    return dealer


def _draw_lots(game: Game, trace: Trace, tied: int, players: int) -> int:
    """The cards have run out before the tie was broken."""
    chosen = below(game, trace, TIE, 0, 0, players)
    dealer = NOBODY
    while chosen >= 0:
        dealer += 1
        chosen -= tied >> dealer & 1
    return dealer


def deal(rules: Ruleset, game: Game, trace: Trace) -> None:
    """Shuffle and deal, one card at a time from the dealer's left (S2, S3)."""
    clear_pending(game)
    game.over = GOING_ON
    game.winners = 0
    game.called = 0
    game.exposed = 0
    game.jump = 0
    game.passes = 0
    game.decisions = 0
    game.renewals = 0
    game.direction = 1
    game.shown_of = NOBODY
    game.shown_to = NOBODY
    for seat in range(game.seats):
        game.counts[seat] = 0
        for word in range(len(rules.wild)):
            bits = game.held[seat][word]
            while bits:
                kind = word * WORD + lowest_bit(bits)
                bits &= bits - 1
                game.hands[seat][kind] = 0
                game.shown[kind] = 0  # at most what somebody holds
            game.held[seat][word] = 0
        game.lacked[seat] = 0
    start_lots(game, trace)
    game.used = 0
    gather(rules, game)
    shuffle(game)
    for _ in range(rules.hand_size):
        for place in range(1, game.seats + 1):
            kind = lift(rules, game, trace)
            gain(rules, game, (game.dealer + place) % game.seats, kind)
    if rules.call_duty == HOLDING and rules.hand_size == 1 and not rules.auto_call:  # G1
        game.exposed = (1 << game.seats) - 1


def turn_up(rules: Ruleset, game: Game, trace: Trace) -> None:
    """Turn the first card of the discard pile, and do what it says (S4 to S11)."""
    kind = lift(rules, game, trace)
    while kind >= rules.colored and rules.effect[kind] == TAKE:  # S9, Q3
        note(trace, RETURNED, NOBODY, kind, 0)
        settle(rules, game, trace)
        game.deck[in_pile(rules, game, game.pile)] = kind
        game.pile += 1
        shuffle(game)
        kind = lift(rules, game, trace)
    game.discards = 1
    game.deck[in_discard(rules, game, 0)] = kind
    game.color = rules.color[kind]
    note(trace, TURNED, game.dealer, kind, 0)
    left = (game.dealer + 1) % game.seats
    game.turn = left
    game.phase = TURN
    effect = rules.effect[kind]
    if game.color == NO_COLOR:
        game.phase = NAME  # S8, S10, S11
    elif effect == TAKE:  # S5
        draw(rules, game, trace, left, rules.amount[kind], TWO)
        note(trace, SKIPPED, left, 0, 0)
        game.turn = (left + 1) % game.seats
    elif effect == SKIP:  # S7
        note(trace, SKIPPED, left, 0, 0)
        game.turn = (left + 1) % game.seats
    elif effect == REVERSE:  # S6
        game.direction = -1
        note(trace, REVERSED, game.dealer, game.direction, 0)
        game.turn = game.dealer
    elif effect == DEMAND:
        note(trace, DEMANDED, left, game.color, rules.amount[kind])
        game.phase = ANSWER
        game.due = rules.amount[kind]
