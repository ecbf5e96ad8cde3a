"""The race for the slowest hand, run over a network: fair to slow lines, robust to liars.

A client reports its reaction from paint to press. The server has measured, on its own socket, the
time from the signal to the press, and before the signal the time of a round trip. An honest report
lies between the measured time less the round trip and the measured time, so that is where any
report is clamped to: a slow line costs nothing, and a lie gains no more than the round trip's
wobble, of which no more is believed than a line that was faster before may have. Who presses before
people can (a false start) comes last. The order is a pure function of what the log holds.
"""

import hashlib
from collections.abc import Mapping
from typing import Final

from penultima.bots.player import human_reaction
from penultima.rules.schema import Trace
from penultima.server.log import Raced
from penultima.server.table import Table

EARLIEST: Final = 100  # milliseconds: nobody is faster
NEAR: Final = 20  # times closer than this are a tie, which chance decides
LONGEST: Final = 4_000  # from the signal: who has not pressed by then never does
LEAST_WAIT: Final = 1_500  # before the signal, and up to so much more:
MORE_WAIT: Final = 2_500
MOST_ALLOWED: Final = 300  # of a round trip: a slower line is not made up for in full
WOBBLE: Final = 25  # above the line's fastest round trip: more is not made up for
SUSPICIOUS: Final = 80  # a round trip this much above the line's fastest one, or TCP's


def reaction(raced: Raced) -> int | None:
    """Milliseconds that count for a racer; None: comes last."""
    if raced.measured is None or raced.reported is None:
        return None
    allowance = min(raced.allowance, MOST_ALLOWED)
    time = min(max(raced.reported, raced.measured - allowance), raced.measured)
    return None if time < EARLIEST or time > LONGEST else time


def order(times: Mapping[int, int | None], salt: bytes) -> list[int]:
    """The racers from first to last. Near ties, and who comes last of several, are chance's.

    >>> order({0: 400, 1: 250, 2: None}, b"")
    [1, 0, 2]
    """
    shift = _number(salt, b"shift") % NEAR

    def rank(seat: int) -> tuple[int, int]:
        time = times[seat]
        group = LONGEST + NEAR if time is None else (time + shift) // NEAR
        return group, _number(salt, b"seat %d" % seat)

    return sorted(times, key=rank)


def _number(salt: bytes, what: bytes) -> int:
    digest = hashlib.sha256(b"penultima race 1\0" + salt + b"\0" + what).digest()
    return int.from_bytes(digest[:8], "little")


def salt(table: Table, number: int) -> bytes:
    """What chance goes by in a race: made of the key of the match, so it can be recomputed."""
    key = ",".join(map(str, table.playing.key))
    return f"{table.id} {number} {key}".encode()


def delay(table: Table, number: int) -> int:
    """Milliseconds from the arming of a race to its signal."""
    return LEAST_WAIT + _number(salt(table, number), b"delay") % MORE_WAIT


def bot_time(table: Table, number: int, seat: int) -> int:
    """How fast a bot is, as people are."""
    trace = Trace()
    trace.luck = _number(salt(table, number), b"bot %d" % seat) >> 1
    return int(1000 * human_reaction(trace))


def racers(table: Table) -> list[int]:
    """Who has a hand to put down."""
    game = table.playing.game
    return [s for s in range(game.seats) if game.counts[s] > 0 and not game.dropped >> s & 1]


def times(table: Table) -> dict[int, int | None] | None:
    """Everybody's time in the race that is on, once all are known."""
    race = table.race
    assert race is not None
    found: dict[int, int | None] = {}
    for seat in racers(table):
        if table.plays_itself(seat):
            found[seat] = bot_time(table, race.number, seat)
        elif seat in race.raced:
            found[seat] = reaction(race.raced[seat])
        else:
            return None
    return found
