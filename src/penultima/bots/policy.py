"""Policies: bots in the subset of the core, so that they also play compiled and on a GPU.

A policy is asked with what a seat has seen and its legal actions as a mask, and answers with one of
them, or with DECLINE where the table only asks (`rules.ask`). Its luck comes from the trace.
"""

from penultima.bots.basic import basic
from penultima.bots.luck import nth_action, roll
from penultima.bots.manner import BASIC, EAGER, Manner
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
from penultima.rules.bits import bit_count, lowest_bit, nth_bit
from penultima.rules.observe import glance
from penultima.rules.schema import Game, Ruleset, Seen, Trace


def look(rules: Ruleset, manner: Manner, game: Game, seat: int, seen: Seen) -> None:
    """Write as much of what a seat knows as its policy goes by."""
    if manner.policy == BASIC:
        glance(rules, game, seat, seen)


def decide(
    rules: Ruleset, manner: Manner, seen: Seen, mask: list[int], may_decline: bool, trace: Trace
) -> int:
    if manner.policy == BASIC:
        return basic(rules, manner, seen, mask, may_decline, trace)
    return decide_blindly(rules, manner.policy, mask, may_decline, trace)


def decide_blindly(
    rules: Ruleset, policy: int, mask: list[int], may_decline: bool, trace: Trace
) -> int:
    """The policies that need not know more than what is legal."""
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
