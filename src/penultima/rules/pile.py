"""Cards changing place: pile to hand, hand to discard pile, discard pile to pile, hand to hand."""

from typing import Final

from penultima.cards import COLORS, NOBODY, NOTHING
from penultima.rules.actions import WORD
from penultima.rules.chance import fit, next_number
from penultima.rules.notes import GOT, RENEWED, SHORT, note
from penultima.rules.schema import LACK_BITS, Game, Ruleset, Trace

_LACKED: Final = (1 << LACK_BITS) - 1  # the bits of a color
_EACH: Final = sum(1 << LACK_BITS * color for color in range(COLORS))


def top(rules: Ruleset, game: Game) -> int:
    """The kind on top of the discard pile."""
    return game.deck[in_discard(rules, game, 0)]


def in_discard(rules: Ruleset, game: Game, card: int) -> int:
    """Where a card of the discard pile lies, counted from its top."""
    place = game.base - game.discards + card
    return place if place >= 0 else place + rules.cards


def in_pile(rules: Ruleset, game: Game, card: int) -> int:
    """Where a card of the draw pile lies, counted from its bottom."""
    place = game.base + card
    return place if place < rules.cards else place - rules.cards


def left_to_draw(game: Game) -> int:
    """Cards that could still be drawn, a renewal of the pile included."""
    return game.pile + game.discards - 1


def next_seat(game: Game, seat: int, places: int) -> int:
    """The seat so many places on in the direction of play, at most once around."""
    seat += places * game.direction
    if seat >= game.seats:  # a division would cost more than the rest of a turn
        seat -= game.seats
    elif seat < 0:
        seat += game.seats
    return seat


def lacking(game: Game, seat: int, color: int) -> int:
    """How many cards a seat has gained since it last drew on a color; -1: it never did."""
    return (game.lacked[seat] >> LACK_BITS * color & _LACKED) - 1


def note_lack(game: Game, seat: int, color: int, cards: int) -> None:
    place = LACK_BITS * color
    game.lacked[seat] = game.lacked[seat] & ~(_LACKED << place) | (cards + 1) << place


def count_lacking(lacked: int) -> int:
    """One more card for every color that is lacked, all of them at once."""
    some = lacked | lacked >> 1
    some |= some >> 2 | lacked >> 4
    full = lacked & lacked >> 1
    full &= full >> 2 & lacked >> 4
    return lacked + (some & ~full & _EACH)


def gain(rules: Ruleset, game: Game, seat: int, kind: int) -> None:
    # Everything is read before anything is written: on a GPU it then comes all at once.
    held = game.held[seat][kind // WORD]
    cards = game.hands[seat][kind]
    count = game.counts[seat]
    lacked = game.lacked[seat]
    called = game.called
    exposed = game.exposed
    game.held[seat][kind // WORD] = held | 1 << (kind % WORD)
    game.hands[seat][kind] = cards + 1
    game.counts[seat] = count + 1
    game.lacked[seat] = count_lacking(lacked)
    game.called = called & ~(1 << seat)  # Q11
    game.exposed = exposed & ~(1 << seat)


def shuffle(game: Game) -> None:
    """Have the draw pile shuffled (Fisher-Yates): each card gets its place when it is drawn."""
    game.loose = game.pile


def pick(rules: Ruleset, game: Game, trace: Trace) -> int:
    """Where the card lies with which the uppermost loose card changes places."""
    loose = game.loose
    card = -1
    while card < 0:
        card = fit(next_number(game, trace), loose)
    game.loose = loose - 1
    return in_pile(rules, game, card)


def settle(rules: Ruleset, game: Game, trace: Trace) -> None:
    """Shuffle to the end."""
    while game.loose > 0:
        other = pick(rules, game, trace)
        place = in_pile(rules, game, game.loose)
        card = game.deck[place]
        game.deck[place] = game.deck[other]
        game.deck[other] = card


def renew(rules: Ruleset, game: Game, trace: Trace) -> None:
    """Shuffle the discard pile, less its top, into a new pile (G6): it becomes one as it lies."""
    game.pile = game.discards - 1
    game.base = in_discard(rules, game, 1)
    game.discards = 1
    shuffle(game)
    game.renewals += 1
    note(trace, RENEWED, NOBODY, game.pile, 0)


def lift(rules: Ruleset, game: Game, trace: Trace) -> int:
    """Take the next card off the pile."""
    pile = game.pile - 1
    game.pile = pile
    place = in_pile(rules, game, pile)
    other = place
    if game.loose > pile:
        other = pick(rules, game, trace)
    kind = game.deck[other]
    game.deck[other] = game.deck[place]
    game.deck[place] = 0  # nothing is left lying between the piles
    return kind


def draw_card(rules: Ruleset, game: Game, trace: Trace, seat: int, why: int) -> int:
    """Draw one card, from a renewed pile if need be (Q15). Returns its kind, or NOTHING."""
    if game.pile == 0:
        if game.discards <= 1:
            return NOTHING
        renew(rules, game, trace)
    kind = lift(rules, game, trace)
    gain(rules, game, seat, kind)
    note(trace, GOT, seat, kind, why)
    return kind


def draw(rules: Ruleset, game: Game, trace: Trace, seat: int, amount: int, why: int) -> int:
    """Draw up to `amount` cards; fewer only where no more exist. Returns how many."""
    for got in range(amount):
        if draw_card(rules, game, trace, seat, why) == NOTHING:
            note(trace, SHORT, seat, amount - got, why)
            return got
    return amount


def lay(rules: Ruleset, game: Game, seat: int, kind: int) -> int:
    """Put a card of the hand on the discard pile; gives how many the seat has left."""
    held = game.held[seat][kind // WORD]
    cards = game.hands[seat][kind] - 1
    count = game.counts[seat] - 1
    shown = game.shown_of == seat
    game.discards += 1
    place = in_discard(rules, game, 0)
    if cards == 0:
        held &= ~(1 << (kind % WORD))
    game.held[seat][kind // WORD] = held
    game.hands[seat][kind] = cards
    game.counts[seat] = count
    game.deck[place] = kind
    if shown and game.shown[kind] > 0:
        game.shown[kind] -= 1
    return count


def exchange(rules: Ruleset, game: Game, one: int, other: int) -> None:
    """Swap two hands, and with them what is publicly known of each."""
    for kind in range(rules.kinds):
        number = game.hands[one][kind]
        game.hands[one][kind] = game.hands[other][kind]
        game.hands[other][kind] = number
    for word in range(len(rules.wild)):
        bits = game.held[one][word]
        game.held[one][word] = game.held[other][word]
        game.held[other][word] = bits
    lacked = game.lacked[one]
    game.lacked[one] = game.lacked[other]
    game.lacked[other] = lacked
    count = game.counts[one]
    game.counts[one] = game.counts[other]
    game.counts[other] = count
    if game.shown_of == one:
        game.shown_of = other
    elif game.shown_of == other:
        game.shown_of = one
