"""What the passing of time leads to at a table. Deadlines are made of what the log says, so every
process knows the same ones, and the first to append what is due has fired the timer."""

from typing import Final

from penultima.rules.actions import RACING
from penultima.server import log, race
from penultima.server.table import Stage, Table

PATIENCE: Final = 8_000  # milliseconds for a promise, and again for a seed
BETWEEN: Final = 15_000  # before the next round, if not everybody is ready sooner
IDLE: Final = 15_000  # without a decision: the host may let a bot play for somebody
LOST: Final = 3_000  # after the end of a race: who should have measured it is gone


def tick(table: Table, at: int) -> list[log.Entry]:
    """What is due at a time."""
    waited = at - table.since
    match table.stage:
        case Stage.PROMISING | Stage.REVEALING if table.deserted:
            return [table.next_attempt(at=at)]
        case Stage.REVEALING if not table.missing():
            return [log.Dealt(at=at)]
        case Stage.PROMISING if waited >= PATIENCE or not table.missing():
            return [log.Sealed(at=at)]
        case Stage.REVEALING if waited >= PATIENCE:
            return [table.next_attempt(at=at)]
        case Stage.BETWEEN if _may_continue(table, waited):
            return [log.Continued(at=at)]
        case Stage.OVER if not table.shown:
            return [log.Shown(at=at, seed=table.seeds[table.attempt])]
        case Stage.PLAYING if racing(table):
            return _race(table, at)
        case Stage.PLAYING:
            late = _late(table, at)
            return [log.Away(at=at, place=late)] if late is not None else []
    return []


def deadline(table: Table) -> int | None:
    """When `tick` should be asked next, if time matters now."""
    match table.stage:
        case Stage.PROMISING | Stage.REVEALING if table.deserted or not table.missing():
            return table.since
        case Stage.PROMISING | Stage.REVEALING:
            return table.since + PATIENCE
        case Stage.BETWEEN:
            if _may_continue(table, 0):
                return table.since
            return None if table.paused else table.since + BETWEEN
        case Stage.OVER if not table.shown:
            return table.since
        case Stage.PLAYING if racing(table):
            return _race_ends(table)
        case Stage.PLAYING if table.clock and not table.plays_itself(table.playing.game.turn):
            return table.since + 1000 * table.clock
    return None


def close(table: Table, reason: str, at: int) -> list[log.Entry]:
    """The end of a table; a match that is broken off shows its seed all the same."""
    found: list[log.Entry] = []
    if table.match is not None and not table.shown:
        found.append(log.Shown(at=at, seed=table.seeds[table.attempt]))
    return [*found, log.Closed(at=at, reason=reason)]


def racing(table: Table) -> bool:
    return table.stage == Stage.PLAYING and table.playing.game.phase == RACING


def _may_continue(table: Table, waited: int) -> bool:
    if table.paused:
        return False
    people = [p for p in table.places if p.person and not p.away]
    return waited >= BETWEEN or all(place.ready for place in people)


def _race(table: Table, at: int) -> list[log.Entry]:
    if at < _race_ends(table):
        return []
    if table.race is None:
        number = table.races + 1
        return [log.Armed(at=at, race=number, delay=race.delay(table, number))]
    times = race.times(table)
    if times is None:  # whoever should have measured somebody is gone
        voided: list[log.Entry] = [log.Voided(at=at, race=table.race.number)]
        if table.voids:  # for the second time: it is not the process that died, but they are gone
            gone = [seat for seat in race.racers(table) if _unmeasured(table, seat)]
            voided += [log.Away(at=at, place=seat) for seat in gone]
        return voided
    order = race.order(times, race.salt(table, table.race.number))
    measured = table.race.raced
    return [
        log.Acted(at=at, place=seat, action="drop", bot=seat not in measured) for seat in order[:-1]
    ]


def _race_ends(table: Table) -> int:
    """When there is something to do about the race: arm it, end it, or give it up."""
    if table.race is None:
        return table.since
    times = race.times(table)
    if times is None:
        return table.race.go + race.LONGEST + LOST
    return table.race.go + max(time or 0 for time in times.values())


def _unmeasured(table: Table, seat: int) -> bool:
    assert table.race is not None
    return not table.plays_itself(seat) and seat not in table.race.raced


def _late(table: Table, at: int) -> int | None:
    """The person whose time has run out."""
    turn = table.playing.game.turn
    if not table.clock or table.plays_itself(turn) or at - table.since < 1000 * table.clock:
        return None
    return turn
