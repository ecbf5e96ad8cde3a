"""Worlds that a seat can imagine: games that agree with all it has seen.

Cards nobody has shown are dealt to the other hands and the pile at random, save that a hand which
drew on a color is not given older cards of that color, nor wild ones: it would have played them.
The key is fresh as well, so that nothing depends on how the real pile will be renewed.
"""

from typing import Final

from penultima.bots.luck import roll
from penultima.cards import NOBODY, NOTHING
from penultima.rules.actions import DRAWN, JUDGE, STACK, WORD
from penultima.rules.chance import signed
from penultima.rules.pile import note_lack
from penultima.rules.schema import Game, Ruleset, Seen, Trace

TRIES: Final = 8  # for a card that a hand can hold
SUSPICION: Final = 150  # in a thousand: that a bold card was put down wrongly


def imagine(rules: Ruleset, seen: Seen, game: Game, trace: Trace) -> None:
    """Write a game that could be the one that was seen."""
    copy_seen(rules, seen, game)
    start_chance(game, trace)
    left = gather_unseen(rules, seen, game)
    for last in range(left - 1, 0, -1):
        other = roll(trace, last + 1)
        card = game.deck[last]
        game.deck[last] = game.deck[other]
        game.deck[other] = card
    for seat in range(game.seats):
        if seat != seen.seat:
            left = fill_hand(rules, seen, game, trace, seat, left)
    if game.phase == DRAWN and game.turn != seen.seat:
        game.drawn = any_card(rules, game, trace, game.turn)
    game.guilty = -1
    judged = game.phase == JUDGE or game.phase == STACK
    if judged and rules.challengeable[seen.top] and not rules.no_bluffing:
        # A last card left nothing in the hand to play instead.
        suspect = game.counts[game.by] > 0 and roll(trace, 1000) < SUSPICION
        game.guilty = 1 if suspect else 0


def start_chance(game: Game, trace: Trace) -> None:
    """Have whatever chance will decide be decided otherwise than in the real game."""
    for word in range(8):
        game.key[word] = signed(roll(trace, 1 << 32))
    game.lot = game.key[0]
    game.used = 0


def copy_seen(rules: Ruleset, seen: Seen, game: Game) -> None:
    """What is known for certain."""
    game.seats = seen.seats
    game.phase = seen.phase
    game.turn = seen.turn
    game.direction = seen.direction
    game.color = seen.color
    game.dealer = seen.dealer
    game.by = seen.by
    game.due = seen.due
    game.drawn = seen.drawn
    game.choice = seen.choice
    game.jump = seen.jump
    game.passes = seen.passes
    game.over = seen.over
    game.base = 0
    game.pile = seen.pile
    game.loose = 0
    game.discards = seen.discards
    game.decisions = seen.decisions
    game.renewals = seen.renewals
    game.round = seen.round
    game.called = seen.called
    game.exposed = seen.exposed
    game.dropped = seen.dropped
    game.winners = seen.winners
    game.shown_of = seen.shown_of
    game.shown_to = seen.seat if seen.shown_of != NOBODY else NOBODY
    for seat in range(seen.seats):
        game.counts[seat] = seen.counts[seat]
        game.scores[seat] = seen.scores[seat]
        for color in range(rules.colors):
            note_lack(game, seat, color, seen.lacked[seat][color])
    for kind in range(rules.kinds):
        game.shown[kind] = seen.shown[kind]
        for seat in range(seen.seats):
            game.hands[seat][kind] = 0
        game.hands[seen.seat][kind] = seen.hand[kind]
    for word in range(len(rules.wild)):
        for seat in range(seen.seats):
            game.held[seat][word] = 0
        game.held[seen.seat][word] = seen.held[word]


def gather_unseen(rules: Ruleset, seen: Seen, game: Game) -> int:
    """Lay the discard pile, hand out what was shown, put the rest in front; gives how many."""
    left = 0
    under = rules.cards - 1
    for kind in range(rules.kinds):
        gone = seen.gone[kind]
        for _ in range(gone - (1 if kind == seen.top else 0)):
            game.deck[under] = kind
            under -= 1
        shown = 0
        if seen.shown_of != NOBODY and seen.shown_of != seen.seat:
            shown = seen.shown[kind]
            for _ in range(shown):
                take(game, seen.shown_of, kind)
        for _ in range(rules.count[kind] - gone - seen.hand[kind] - shown):
            game.deck[left] = kind
            left += 1
    game.deck[under] = seen.top
    for card in range(seen.pile, under):
        if card >= left:
            game.deck[card] = 0
    return left


def fill_hand(rules: Ruleset, seen: Seen, game: Game, trace: Trace, seat: int, left: int) -> int:
    """Deal a hand from the end of the unseen cards; gives how many are left."""
    known = 0
    if seat == seen.shown_of:
        for kind in range(rules.kinds):
            known += seen.shown[kind]
    newest = rules.cards
    for color in range(rules.colors):
        if 0 <= seen.lacked[seat][color] < newest:
            newest = seen.lacked[seat][color]
    for age in range(seen.counts[seat] - known):
        last = left - 1
        if age >= newest:
            for _ in range(TRIES):
                if could_keep(rules, seen, seat, game.deck[last], age):
                    break
                other = roll(trace, left)
                card = game.deck[last]
                game.deck[last] = game.deck[other]
                game.deck[other] = card
        take(game, seat, game.deck[last])
        game.deck[last] = 0
        left = last
    return left


def could_keep(rules: Ruleset, seen: Seen, seat: int, kind: int, age: int) -> bool:
    """Whether a seat that held a card for so many draws would not have played it by now."""
    if kind >= rules.colored:
        return False
    lacked = seen.lacked[seat][rules.color[kind]]
    return not 0 <= lacked <= age


def take(game: Game, seat: int, kind: int) -> None:
    game.hands[seat][kind] += 1
    game.held[seat][kind // WORD] |= 1 << (kind % WORD)


def any_card(rules: Ruleset, game: Game, trace: Trace, seat: int) -> int:
    """One of the cards of a hand."""
    card = roll(trace, max(game.counts[seat], 1))
    for kind in range(rules.kinds):
        card -= game.hands[seat][kind]
        if card < 0:
            return kind
    return NOTHING


def copy_game(rules: Ruleset, game: Game, other: Game) -> None:
    """Make `other` the same game: only what seats in play and kinds in use need."""
    other.seats = game.seats
    other.phase = game.phase
    other.turn = game.turn
    other.direction = game.direction
    other.color = game.color
    other.dealer = game.dealer
    other.by = game.by
    other.guilty = game.guilty
    other.due = game.due
    other.drawn = game.drawn
    other.choice = game.choice
    other.jump = game.jump
    other.passes = game.passes
    other.over = game.over
    other.base = game.base
    other.pile = game.pile
    other.loose = game.loose
    other.used = game.used
    other.discards = game.discards
    other.decisions = game.decisions
    other.renewals = game.renewals
    other.lot = game.lot
    other.round = game.round
    other.called = game.called
    other.exposed = game.exposed
    other.dropped = game.dropped
    other.winners = game.winners
    other.shown_of = game.shown_of
    other.shown_to = game.shown_to
    for word in range(8):
        other.key[word] = game.key[word]
    for seat in range(game.seats):
        other.counts[seat] = game.counts[seat]
        other.scores[seat] = game.scores[seat]
        other.lacked[seat] = game.lacked[seat]
        for kind in range(rules.kinds):
            other.hands[seat][kind] = game.hands[seat][kind]
        for word in range(len(rules.wild)):
            other.held[seat][word] = game.held[seat][word]
    for kind in range(rules.kinds):
        other.shown[kind] = game.shown[kind]
    for card in range(rules.cards):
        other.deck[card] = game.deck[card]
    for word in range(len(game.numbers)):
        other.numbers[word] = game.numbers[word]
