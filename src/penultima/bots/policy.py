"""Policies: bots in the subset of the core, so that they also play compiled and on a GPU.

A policy is asked with the legal actions of a seat as a mask and answers with one of them, or with
DECLINE where the table only asks (`rules.ask`). Its luck is a small generator in the trace, started
for every round from the match's key.
"""

from typing import Final

from penultima.rules.actions import (
    ACCEPT,
    CALL,
    CATCH,
    CHALLENGE,
    DRAW,
    DROP,
    KEEP,
    PLAY,
    WORD,
)
from penultima.rules.ask import DECLINE
from penultima.rules.chance import POLICY, ROUNDS, block
from penultima.rules.schema import Game, Ruleset, Trace

RANDOM: Final = 0
EAGER: Final = 1
POLICIES: Final = {"random": RANDOM, "eager": EAGER}

_LUCK: Final = (1 << 62) - 1


def start_luck(game: Game, trace: Trace) -> None:
    """Begin the luck of a round; it does not depend on how the cards fell."""
    block(game.key, 0, POLICY, game.round, 0, trace.words, ROUNDS)
    trace.luck = (trace.words[0] | trace.words[1] << 32) & _LUCK


def roll(trace: Trace, bound: int) -> int:
    """A number below `bound`: the high bits of a linear congruential generator, good for play."""
    luck = (trace.luck * 2862933555777941757 + 3037000493) & _LUCK
    trace.luck = luck
    return ((luck >> 30) * bound) >> 32


def decide(rules: Ruleset, policy: int, mask: list[int], may_decline: bool, trace: Trace) -> int:
    if policy == EAGER:
        return eager(rules, mask, may_decline, trace)
    return uniform(rules, mask, may_decline, trace)


def uniform(rules: Ruleset, mask: list[int], may_decline: bool, trace: Trace) -> int:
    """Any legal action, or none, all equally likely."""
    number = 0
    for word in range(len(rules.plays[0]) + 1):
        number += bit_count(mask[word])
    choice = roll(trace, number + 1 if may_decline else number)
    if choice == number:
        return DECLINE
    return nth_action(mask, choice)


def eager(rules: Ruleset, mask: list[int], may_decline: bool, trace: Trace) -> int:
    """A random card that can be played; draws only when it must, never forgets to call or catch.

    It puts down a Wild Draw Four only when nothing else will do and challenges one time in four.
    """
    words = mask[0]
    if words & (1 << CALL | 1 << CATCH | 1 << DROP):
        return lowest_bit(words & (1 << CALL | 1 << CATCH | 1 << DROP))
    if words >> CHALLENGE & 1 and roll(trace, 4) == 0:
        return CHALLENGE
    plays = 0
    for word in range(1, len(rules.plays[0]) + 1):
        plays += bit_count(mask[word])
    if may_decline and plays == 0:
        return DECLINE
    if words >> ACCEPT & 1:
        return ACCEPT
    if plays > 0:
        return _modest_play(rules, mask, plays, trace)
    if words >> DRAW & 1:
        return DRAW
    if words >> KEEP & 1:
        return KEEP
    return nth_action(mask, roll(trace, bit_count(words)))  # a color, a seat


def _modest_play(rules: Ruleset, mask: list[int], plays: int, trace: Trace) -> int:
    bold = 0
    for kind in range(rules.colored, rules.kinds):
        if rules.challengeable[kind]:
            for word in range(len(rules.plays[0])):
                bold += bit_count(mask[word + 1] & rules.plays[kind][word])
    modest = plays > bold
    choice = roll(trace, plays - bold if modest else plays)
    for word in range(len(rules.plays[0])):
        bits = mask[word + 1]
        if modest:
            for kind in range(rules.colored, rules.kinds):
                if rules.challengeable[kind]:
                    bits &= ~rules.plays[kind][word]
        number = bit_count(bits)
        if choice < number:
            return PLAY + word * WORD + nth_bit(bits, choice)
        choice -= number
    return DECLINE


def nth_action(mask: list[int], choice: int) -> int:
    """The action at a place among those of a mask."""
    word = 0
    number = bit_count(mask[0])
    while choice >= number:
        choice -= number
        word += 1
        number = bit_count(mask[word])
    return word * WORD + nth_bit(mask[word], choice)


def bit_count(bits: int) -> int:
    """How many bits of a word of 60 are set."""
    bits = bits - (bits >> 1 & 0x555555555555555)
    bits = (bits & 0x333333333333333) + (bits >> 2 & 0x333333333333333)
    bits = (bits + (bits >> 4)) & 0xF0F0F0F0F0F0F0F
    bits += bits >> 8
    bits += bits >> 16
    bits += bits >> 32
    return bits & 0x7F


def lowest_bit(bits: int) -> int:
    """The place of the lowest bit that is set."""
    return bit_count((bits & -bits) - 1)


def nth_bit(bits: int, choice: int) -> int:
    """The place of a bit, counted among those that are set."""
    place = 0
    width = 32
    while width > 0:  # halve by halve: no branch that chance could make hard to foresee
        below = bit_count(bits & ((1 << width) - 1))
        if choice >= below:
            choice -= below
            bits >>= width
            place += width
        width >>= 1
    return place
