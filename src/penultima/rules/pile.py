"""Cards changing place: pile to hand, hand to discard pile, discard pile to pile, hand to hand."""

from penultima.cards import NOBODY, NOTHING
from penultima.rules.actions import WORD
from penultima.rules.chance import RENEWAL, shuffle
from penultima.rules.notes import GOT, RENEWED, SHORT, note
from penultima.rules.schema import MOST_LACKED, Game, Ruleset, Trace


def top(rules: Ruleset, game: Game) -> int:
    """The kind on top of the discard pile."""
    return game.deck[rules.cards - game.discards]


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


def gain(rules: Ruleset, game: Game, seat: int, kind: int) -> None:
    game.hands[seat][kind] += 1
    game.held[seat][kind // WORD] |= 1 << (kind % WORD)
    game.counts[seat] += 1
    bit = 1 << seat
    if (game.called | game.exposed) & bit:  # Q11
        game.called &= ~bit
        game.exposed &= ~bit
    lacked = game.lacked[seat]
    for color in range(rules.colors):
        lacked[color] += 0 <= lacked[color] < MOST_LACKED  # without a branch: this is hot


def renew(rules: Ruleset, game: Game, trace: Trace) -> None:
    """Shuffle the discard pile, less its top, into a new pile (G6)."""
    deck = game.deck
    first = rules.cards - game.discards
    size = game.discards - 1
    live = deck[first]
    for card in range(size):
        deck[card] = deck[first + 1 + card]
    for card in range(max(first, size), rules.cards - 1):
        deck[card] = 0  # nothing is left lying between the piles
    deck[rules.cards - 1] = live
    game.discards = 1
    game.pile = size
    shuffle(game, trace, RENEWAL, game.round, game.renewals, size)
    game.renewals += 1
    note(trace, RENEWED, NOBODY, size, 0)


def lift(game: Game) -> int:
    """Take the next card off the pile."""
    game.pile -= 1
    kind = game.deck[game.pile]
    game.deck[game.pile] = 0
    return kind


def draw_card(rules: Ruleset, game: Game, trace: Trace, seat: int, why: int) -> int:
    """Draw one card, from a renewed pile if need be (Q15). Returns its kind, or NOTHING."""
    if game.pile == 0:
        if game.discards <= 1:
            return NOTHING
        renew(rules, game, trace)
    kind = lift(game)
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


def lay(rules: Ruleset, game: Game, seat: int, kind: int) -> None:
    """Put a card of the hand on the discard pile."""
    hand = game.hands[seat]
    hand[kind] -= 1
    if hand[kind] == 0:
        game.held[seat][kind // WORD] &= ~(1 << (kind % WORD))
    game.counts[seat] -= 1
    game.discards += 1
    game.deck[rules.cards - game.discards] = kind
    if game.shown_of == seat and game.shown[kind] > 0:
        game.shown[kind] -= 1


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
    for color in range(rules.colors):
        cards = game.lacked[one][color]
        game.lacked[one][color] = game.lacked[other][color]
        game.lacked[other][color] = cards
    count = game.counts[one]
    game.counts[one] = game.counts[other]
    game.counts[other] = count
    if game.shown_of == one:
        game.shown_of = other
    elif game.shown_of == other:
        game.shown_of = one
