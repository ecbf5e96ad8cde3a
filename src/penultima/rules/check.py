"""All that can be wrong with a game, as bits; 0 means sound. Tests run it after each step."""

from typing import Final

from penultima.cards import NO_COLOR, NOBODY, NOTHING
from penultima.rules.actions import (
    ANSWER,
    DRAWN,
    GIVING,
    GOING_ON,
    JUDGE,
    NAME,
    OVER,
    PHASES,
    RACING,
    STACK,
    SWAPPING,
    TURN,
    WORD,
)
from penultima.rules.pile import in_discard, in_pile, top
from penultima.rules.schema import Game, Ruleset

LOST_CARDS: Final = 1  # cards of a kind: in hands and piles together not as many as printed
WRONG_COUNT: Final = 2  # a hand's count or bits disagree with its cards
BAD_PILES: Final = 4  # piles overlap, or no top card
BAD_SEAT: Final = 8  # turn, dealer or by is no seat
BAD_PHASE: Final = 16  # pending fields disagree with the phase
BAD_COLOR: Final = 32  # the color in play is none of the deck's, or not the top card's
BAD_CALL: Final = 64  # called or exposed without holding so few cards
BAD_END: Final = 128  # over, winners, phase disagree, or an empty hand plays on


def check(rules: Ruleset, game: Game, tally: list[int]) -> int:
    """The faults of a game; `tally` is room for a number per kind."""
    if not (game.pile >= 0 and game.discards >= 1 and game.pile + game.discards <= rules.cards):
        return BAD_PILES
    if not (0 <= game.base < rules.cards and 0 <= game.loose <= game.pile):
        return BAD_PILES
    if not _seats_are_good(game):
        return BAD_SEAT
    if not 0 <= game.phase < PHASES:
        return BAD_PHASE
    faults = _cards(rules, game, tally)
    if not _phase_is_good(rules, game):
        faults |= BAD_PHASE
    if not _color_is_good(rules, game):
        faults |= BAD_COLOR
    for seat in range(game.seats):
        called = game.called >> seat & 1
        exposed = game.exposed >> seat & 1
        if (called and not 1 <= game.counts[seat] <= 2) or (exposed and game.counts[seat] != 1):
            faults |= BAD_CALL
        if called and exposed:
            faults |= BAD_CALL
        waits = game.phase == JUDGE or game.phase == GIVING or game.phase == RACING
        if game.counts[seat] == 0 and game.phase != OVER and not (waits and game.by == seat):
            faults |= BAD_END
    if (game.phase == OVER) != (game.over != GOING_ON):
        faults |= BAD_END
    if game.winners >> game.seats or (game.winners and game.phase != OVER):
        faults |= BAD_END
    return faults


def _seats_are_good(game: Game) -> bool:
    if not (0 <= game.turn < game.seats and 0 <= game.dealer < game.seats):
        return False
    if not (NOBODY <= game.by < game.seats and -1 <= game.shown_of < game.seats):
        return False
    sets = game.called | game.exposed | game.dropped
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


def _phase_is_good(rules: Ruleset, game: Game) -> bool:
    phase = game.phase
    if (phase == DRAWN) != (game.drawn != NOTHING) or (game.choice and phase != DRAWN):
        return False
    if phase == DRAWN and not (
        0 <= game.drawn < rules.kinds and game.hands[game.turn][game.drawn] > 0
    ):
        return False
    waits = phase == STACK or phase == JUDGE or phase == GIVING or phase == RACING
    if (waits or phase == SWAPPING) != (game.by != NOBODY):
        return False
    if (waits or phase == ANSWER) != (game.due > 0):
        return False
    if game.guilty >= 0 and not (phase == JUDGE or phase == STACK):
        return False
    if phase == JUDGE and game.guilty < 0:
        return False
    if game.dropped and phase != RACING:
        return False
    if (phase == GIVING or phase == RACING or phase == SWAPPING) and game.by != game.turn:
        return False
    if phase == RACING:
        racers = 0
        for seat in range(game.seats):
            if game.counts[seat] > 0 and not game.dropped >> seat & 1:
                racers += 1
        if racers < 2:
            return False
    if (phase == STACK or phase == JUDGE) and game.by == game.turn:
        return False
    return phase == TURN or phase == RACING or phase == SWAPPING or not _can_jump(rules, game)


def _can_jump(rules: Ruleset, game: Game) -> bool:
    """A jump-in stands open only on a colored card; some phases may come between."""
    return game.jump != 0 and top(rules, game) >= rules.colored


def _color_is_good(rules: Ruleset, game: Game) -> bool:
    color = rules.color[top(rules, game)]
    if game.phase == NAME:
        return color == NO_COLOR and game.color == NO_COLOR
    if color != NO_COLOR:
        return game.color == color
    return 0 <= game.color < rules.colors
