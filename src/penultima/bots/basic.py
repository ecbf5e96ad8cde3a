"""`basic`: a readable heuristic. It weighs every card it could put down and takes the best.

What is worth how much stands in its `Manner`; the rest of it is what most players know: call,
catch, hold on to wild cards, stay in the color one has most of, hit a neighbour about to go out.
"""

from penultima.bots.luck import roll
from penultima.bots.manner import Manner
from penultima.cards import DEMAND, GIVE_AWAY, RACE, REVERSE, SKIP, TAKE
from penultima.rules.actions import (
    ACCEPT,
    CALL,
    CATCH,
    CHALLENGE,
    COLOR,
    DRAW,
    DROP,
    GIVE,
    GIVING,
    KEEP,
    NAME,
    PLAY,
    SWAP,
    SWAPPING,
    WORD,
)
from penultima.rules.ask import DECLINE
from penultima.rules.bits import lowest_bit
from penultima.rules.legal import color_of, kind_of
from penultima.rules.schema import Ruleset, Seen, Trace


def basic(
    rules: Ruleset, manner: Manner, seen: Seen, mask: list[int], may_decline: bool, trace: Trace
) -> int:
    words = mask[0]
    if words >> CALL & 1 and roll(trace, 1000) < manner.call:
        return CALL
    if words >> CATCH & 1 and roll(trace, 1000) < manner.catch:
        return CATCH
    if words >> DROP & 1:
        return DROP
    if words >> CHALLENGE & 1 and seen.counts[seen.by] > 0 and roll(trace, 1000) < manner.challenge:
        return CHALLENGE  # a last card is no bluff
    if words >> ACCEPT & 1:
        return ACCEPT
    if not may_decline:
        if seen.phase == NAME:
            return COLOR + best_color(rules, manner, seen)
        if seen.phase == GIVING:
            return GIVE + shortest_hand(seen)
        if seen.phase == SWAPPING:
            return SWAP + shortest_hand(seen)
    careless = manner.careless > 0 and roll(trace, 1000) < manner.careless
    play = best_play(rules, manner, seen, mask, careless, trace)
    if play != DECLINE:
        return play
    if may_decline:
        return DECLINE
    if words >> DRAW & 1:
        return DRAW
    if words >> KEEP & 1:
        return KEEP
    return lowest_bit(words)


def best_play(
    rules: Ruleset, manner: Manner, seen: Seen, mask: list[int], careless: bool, trace: Trace
) -> int:
    """The play of most worth, or DECLINE where there is none; chance decides between equals."""
    best = DECLINE
    most = 0
    for word in range(len(rules.plays[0])):
        bits = mask[1 + word]
        while bits:
            place = lowest_bit(bits)
            bits &= bits - 1
            action = PLAY + word * WORD + place
            worth = roll(trace, 64)
            if not careless:
                worth += 64 * worth_of(rules, manner, seen, action)
            if best == DECLINE or worth > most:
                best = action
                most = worth
    return best


def worth_of(rules: Ruleset, manner: Manner, seen: Seen, action: int) -> int:
    """What a play is worth, in hundredths."""
    kind = kind_of(rules, action)
    color = color_of(rules, action)
    worth = manner.points * rules.points[kind] // 10
    colors = 0
    for other in range(rules.colors):
        cards = seen.colors[other] - (1 if other == rules.color[kind] else 0)
        if cards > 0:
            colors += 1
        if other == color:
            worth += manner.color * cards
    if seen.counts[seen.seat] <= 5:
        worth -= manner.last * colors
    follower = neighbour(seen, seen.direction)
    effect = rules.effect[kind]
    if kind >= rules.colored:
        worth += manner.wild
        if rules.challengeable[kind]:
            worth += manner.bold
            if seen.colors[seen.color] > 0:
                worth += manner.bluff
    else:
        worth += manner.symbol * (same_symbol(rules, seen, kind) - 1)
    attack = 0
    if effect == TAKE:
        worth += manner.take * rules.amount[kind]
        attack = 1
    elif effect == SKIP:
        worth += manner.skip
        attack = 1
    elif effect == REVERSE:
        if seen.seats == 2:
            worth += manner.skip
            attack = 1
        else:
            before = neighbour(seen, -seen.direction)
            worth += manner.turn_back * (seen.counts[before] - seen.counts[follower])
            follower = before
    elif effect == GIVE_AWAY:
        worth += manner.give * rules.amount[kind]
    elif effect == RACE:
        worth += manner.race
    elif effect == DEMAND:
        worth += manner.demand * rules.amount[kind]
        attack = 1
    danger = 4 - seen.counts[follower]
    if attack and danger > 0:
        worth += manner.danger * danger
    if seen.lacked[follower][color] >= 0:
        worth += manner.lacks
    return worth


def same_symbol(rules: Ruleset, seen: Seen, kind: int) -> int:
    """Cards in hand with the symbol of a kind, that one included."""
    cards = 0
    for word in range(len(rules.wild)):
        bits = seen.held[word] & rules.same_symbol[kind][word]
        while bits:
            cards += seen.hand[word * WORD + lowest_bit(bits)]
            bits &= bits - 1
    return cards


def best_color(rules: Ruleset, manner: Manner, seen: Seen) -> int:
    """The color held most; between equals one that the next player lacks."""
    follower = neighbour(seen, seen.direction)
    best = 0
    most = -1
    for color in range(rules.colors):
        worth = 2 * seen.colors[color] + (1 if seen.lacked[follower][color] >= 0 else 0)
        if worth > most:
            best = color
            most = worth
    return best


def shortest_hand(seen: Seen) -> int:
    """The other seat with the fewest cards, the first in order of play between equals."""
    seat = neighbour(seen, seen.direction)
    best = seat
    for _ in range(seen.seats - 2):
        seat += seen.direction
        if seat >= seen.seats:
            seat -= seen.seats
        elif seat < 0:
            seat += seen.seats
        if seen.counts[seat] < seen.counts[best]:
            best = seat
    return best


def neighbour(seen: Seen, direction: int) -> int:
    seat = seen.seat + direction
    if seat >= seen.seats:
        return 0
    if seat < 0:
        return seen.seats - 1
    return seat
