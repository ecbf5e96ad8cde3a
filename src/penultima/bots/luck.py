"""The luck of bots: a small generator in the trace."""

from typing import Final

from penultima.rules.actions import WORD
from penultima.rules.bits import bit_count, nth_bit
from penultima.rules.chance import MASK32, POLICY, ROUNDS, block
from penultima.rules.schema import Game, Trace

_LUCK: Final = (1 << 62) - 1


def start_luck(game: Game, trace: Trace) -> None:
    """Begin the luck of a round; it does not depend on how the cards fell."""
    block(game.key, 0, POLICY, game.round, 0, trace.words, ROUNDS)
    trace.luck = (trace.words[0] & MASK32 | trace.words[1] << 32) & _LUCK


def roll(trace: Trace, bound: int) -> int:
    """A number below `bound`: the high bits of a linear congruential generator, good for play."""
    luck = (trace.luck * 2862933555777941757 + 3037000493) & _LUCK
    trace.luck = luck
    return ((luck >> 30) * bound) >> 32


def nth_action(mask: list[int], choice: int) -> int:
    """The action at a place among those of a mask."""
    word = 0
    number = bit_count(mask[0])
    while choice >= number:
        choice -= number
        word += 1
        number = bit_count(mask[word])
    return word * WORD + nth_bit(mask[word], choice)


def start_thought(trace: Trace, seed: int, number: int) -> None:
    """Begin the luck of an imagined world."""
    trace.luck = (seed ^ number * 0x9E3779B97F4A7C1) & _LUCK
    roll(trace, 1)
    trace.luck ^= trace.luck >> 29
    roll(trace, 1)
