"""How likely each seat is to win a round, judged by looking at all hands of an imagined world.

A sum of weights for every seat, and of those a softmax. The weights are a multinomial logistic
regression on 60,000 positions of rounds between `basic` bots (all editions, 2 to 6 seats), in
64ths; the exponential is a table, so that every machine comes to the same number.
"""

from math import exp
from typing import Final

from penultima.rules.actions import WORD
from penultima.rules.bits import bit_count, lowest_bit
from penultima.rules.schema import Game, Ruleset

SURE: Final = 10_000  # a chance is so many of this

_UNIT: Final = 64
_EXP: Final = tuple(round(65536 * exp(-n / _UNIT)) for n in range(8 * _UNIT))
# By the number of cards in hand.
_CARDS: Final = (0, 0, -54, -83, -107, -123, -139, -153, -165, -178, -185, -195, -228)
_WILD: Final = 45  # for each wild card, up to three
_SYMBOL: Final = 11  # for each skip, reverse and the like, up to four
_COLORS: Final = -5  # for each color held
_CAN_PLAY: Final = 30
_TURN: Final = 8
_LAST: Final = 6  # on turn with a last card


def outlook(rules: Ruleset, game: Game, seat: int) -> int:
    """The chance of `seat`, in ten thousandths, at the beginning of a turn."""
    highest = 0
    for other in range(game.seats):
        worth = prospects(rules, game, other)
        if other == 0 or worth > highest:
            highest = worth
    mine = 0
    total = 0
    for other in range(game.seats):
        part = _EXP[min(highest - prospects(rules, game, other), len(_EXP) - 1)]
        total += part
        if other == seat:
            mine = part
    return mine * SURE // total


def prospects(rules: Ruleset, game: Game, seat: int) -> int:
    cards = game.counts[seat]
    worth = _CARDS[min(cards, len(_CARDS) - 1)]
    wild = 0
    symbols = 0
    colors = 0
    fits = False
    for word in range(len(rules.wild)):
        bits = game.held[seat][word]
        fits |= bits & (rules.same_color[game.color][word] | rules.wild[word]) != 0
        while bits:
            kind = word * WORD + lowest_bit(bits)
            bits &= bits - 1
            if kind >= rules.colored:
                wild += game.hands[seat][kind]
            else:
                colors |= 1 << rules.color[kind]
                if rules.number[kind] < 0:
                    symbols += game.hands[seat][kind]
    worth += _WILD * min(wild, 3) + _SYMBOL * min(symbols, 4) + _COLORS * bit_count(colors)
    if fits:
        worth += _CAN_PLAY
    if seat == game.turn:
        worth += _TURN
        if cards == 1:
            worth += _LAST
    return worth
