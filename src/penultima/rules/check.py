"""All that can be wrong with a game, as bits; 0 means sound. Tests run it after each step."""

from typing import Final

from penultima.cards import NO_COLOR, NOBODY
from penultima.rules.actions import NAME, PHASES, WORD
from penultima.rules.check_pending import pending_faults
from penultima.rules.check_round import round_faults
from penultima.rules.pile import in_discard, in_pile, top
from penultima.rules.schema import Game, Ruleset

# Further bits are in `check_pending` and `check_round`.
LOST_CARDS: Final = 1  # cards of a kind: in hands and piles together not as many as printed
WRONG_COUNT: Final = 2  # a hand's count or bits disagree with its cards
BAD_PILES: Final = 4  # piles overlap, or no top card
BAD_SEAT: Final = 8  # turn, dealer or by is no seat, or the direction none
NO_PHASE: Final = 16
BAD_COLOR: Final = 32  # the color in play is none of the deck's, or not the top card's


def check(rules: Ruleset, game: Game, tally: list[int]) -> int:
    """The faults of a game; `tally` is room for a number per kind."""
    if not (game.pile >= 0 and game.discards >= 1 and game.pile + game.discards <= rules.cards):
        return BAD_PILES
    if not (0 <= game.base < rules.cards and 0 <= game.loose <= game.pile):
        return BAD_PILES
    if not _seats_are_good(game):
        return BAD_SEAT
    if not 0 <= game.phase < PHASES:
        return NO_PHASE
    faults = _cards(rules, game, tally)
    if not _color_is_good(rules, game):
        return faults | BAD_COLOR
    return faults | pending_faults(rules, game) | round_faults(rules, game)


def _seats_are_good(game: Game) -> bool:
    if not (0 <= game.turn < game.seats and 0 <= game.dealer < game.seats):
        return False
    if not (NOBODY <= game.by < game.seats and NOBODY <= game.shown_of < game.seats):
        return False
    if not NOBODY <= game.shown_to < game.seats:
        return False
    sets = game.called | game.exposed | game.dropped | game.winners
    return sets >> game.seats == 0 and (game.direction == 1 or game.direction == -1)


def _cards(rules: Ruleset, game: Game, tally: list[int]) -> int:
    faults = 0
    for kind in range(rules.kinds):
        tally[kind] = rules.count[kind]
    for card in range(game.pile):
        tally[game.deck[in_pile(rules, game, card)]] -= 1
    for card in range(game.discards):
        tally[game.deck[in_discard(rules, game, card)]] -= 1
    for seat in range(game.seats):
        number = 0
        for kind in range(rules.kinds):
            held = game.hands[seat][kind]
            number += held
            tally[kind] -= held
            if held < 0:
                faults |= LOST_CARDS
            if (held > 0) != (game.held[seat][kind // WORD] >> (kind % WORD) & 1 == 1):
                faults |= WRONG_COUNT
        if number != game.counts[seat]:
            faults |= WRONG_COUNT
    for kind in range(rules.kinds):
        if tally[kind] != 0:
            faults |= LOST_CARDS
    return faults


def _color_is_good(rules: Ruleset, game: Game) -> bool:
    color = rules.color[top(rules, game)]
    if game.phase == NAME:
        return color == NO_COLOR and game.color == NO_COLOR
    if color != NO_COLOR:
        return game.color == color
    return 0 <= game.color < rules.colors
