"""Rows of small numbers: what a seat knows and may do, as a learner gets it.

In the subset of the core, so that rows are written interpreted, compiled and on a GPU. Everything
comes from `Seen` and from the actions of the seat asked: a row cannot tell more than they do.
`layout` names every number of a row; a change here is a new `layout.VERSION`.
"""

from typing import Final

from penultima.cards import NO_COLOR, NOTHING
from penultima.rules.actions import (
    COLOR,
    DROP,
    GIVE,
    MATCH_OVER,
    PHASES,
    PLAY,
    ROUND_OVER,
    SWAP,
    WORD,
)
from penultima.rules.ask import DECLINE
from penultima.rules.bits import lowest_bit
from penultima.rules.schema import Ruleset, Seen

# An action that only environments have: to let an interrupt pass. The rest are those of the core,
# but that seats are counted from one's own (GIVE + 1: to the next seat).
PASS: Final = 7
ILLEGAL: Final = -2  # what an action from outside becomes when it is none

MOST: Final = 127  # in a byte
PERCENT: Final = 100
MOST_FRESH: Final = 101  # drew on a color just now; one less for every card gained since
BY_KIND: Final = 5  # parts of a row with a number for each kind
BY_SEAT: Final = 10  # parts with a number for each seat


def write_observation(rules: Ruleset, seen: Seen, row: list[int]) -> None:
    """Write what a seat knows."""
    kinds = rules.kinds
    for kind in range(kinds):
        row[kind] = seen.hand[kind]
        row[kinds + kind] = seen.gone[kind]
        row[2 * kinds + kind] = seen.shown[kind]
        row[3 * kinds + kind] = 0
        row[4 * kinds + kind] = 0
    row[3 * kinds + seen.top] = 1
    if seen.drawn != NOTHING:
        row[4 * kinds + seen.drawn] = 1
    at = BY_KIND * kinds
    for color in range(rules.colors):
        row[at + color] = 0
    if seen.color != NO_COLOR:
        row[at + seen.color] = 1
    at += rules.colors
    for phase in range(PHASES):
        row[at + phase] = 0
    row[at + seen.phase] = 1
    at += PHASES
    _write_seats(rules, seen, row, at)
    at += seen.seats * (BY_SEAT + rules.colors)
    row[at] = 1 if seen.direction > 0 else 0
    row[at + 1] = at_most(seen.due, MOST)
    row[at + 2] = seen.choice
    row[at + 3] = seen.jump
    row[at + 4] = seen.passes
    row[at + 5] = at_most(seen.pile, MOST)
    row[at + 6] = at_most(seen.renewals, MOST)
    row[at + 7] = at_most(seen.decisions // 100, PERCENT)
    row[at + 8] = at_most(seen.round, MOST)
    row[at + 9] = 1 if seen.over == ROUND_OVER else 0
    row[at + 10] = 1 if seen.over == MATCH_OVER else 0


def _write_seats(rules: Ruleset, seen: Seen, row: list[int], at: int) -> None:
    """Seats come in the order of their numbers from one's own on, whatever the direction."""
    seats = seen.seats
    seat = seen.seat
    for place in range(seats):
        here = at + place
        row[here] = at_most(seen.counts[seat], MOST)
        row[here + seats] = 1 if seat == seen.turn else 0
        row[here + 2 * seats] = 1 if seat == seen.dealer else 0
        row[here + 3 * seats] = 1 if seat == seen.by else 0
        row[here + 4 * seats] = 1 if seat == seen.shown_of else 0
        row[here + 5 * seats] = seen.called >> seat & 1
        row[here + 6 * seats] = seen.exposed >> seat & 1
        row[here + 7 * seats] = seen.dropped >> seat & 1
        row[here + 8 * seats] = seen.winners >> seat & 1
        row[here + 9 * seats] = at_most(seen.scores[seat] * PERCENT // rules.target, PERCENT)
        here = at + BY_SEAT * seats + place * rules.colors
        for color in range(rules.colors):
            lacked = seen.lacked[seat][color]
            row[here + color] = MOST_FRESH - lacked if lacked >= 0 else 0
        seat = seat_after(seat, 1, seats)


def at_most(number: int, most: int) -> int:
    return most if number > most else number


def seat_after(seat: int, places: int, seats: int) -> int:
    seat += places
    return seat - seats if seat >= seats else seat


def play_actions(rules: Ruleset) -> int:
    """How many actions there are: those of the core up to the last play of this deck."""
    return PLAY + rules.colored + (rules.kinds - rules.colored) * rules.colors


def clear_mask(rules: Ruleset, row: list[int]) -> None:
    for action in range(play_actions(rules)):
        row[action] = 0


def write_mask(
    rules: Ruleset, words: list[int], seat: int, seats: int, optional: bool, row: list[int]
) -> None:
    """Write what the seat asked may do; `words` are its legal actions as the core has them."""
    clear_mask(rules, row)
    for word in range(len(rules.plays[0]) + 1):
        bits = words[word]
        while bits:
            row[from_core(word * WORD + lowest_bit(bits), seat, seats)] = 1
            bits &= bits - 1
    if optional:
        row[PASS] = 1


def from_core(action: int, seat: int, seats: int) -> int:
    """An action of the core as the environments count it."""
    if action == DECLINE:
        return PASS
    if GIVE <= action < PLAY:
        first = SWAP if action >= SWAP else GIVE
        return first + seat_after(action - first, seats - seat, seats)
    return action


def to_core(
    rules: Ruleset, words: list[int], seat: int, seats: int, optional: bool, action: int
) -> int:
    """The core's action for one from outside: DECLINE for PASS, or ILLEGAL."""
    if action == PASS and optional:
        return DECLINE
    if action < 0 or action >= play_actions(rules):
        return ILLEGAL
    if GIVE <= action < PLAY:
        first = SWAP if action >= SWAP else GIVE
        if action - first >= seats:
            return ILLEGAL
        action = first + seat_after(action - first, seat, seats)
    if words[action // WORD] >> (action % WORD) & 1:
        return action
    return ILLEGAL


assert DROP < PASS < COLOR  # an id that the core leaves free
