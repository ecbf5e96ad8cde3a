"""Somebody sets the clock of a server, while it runs or while it does not: bots go on, nobody's
table is closed, and nothing is removed."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from penultima.edition import shipped
from penultima.fair import commitment
from penultima.notation import action_text
from penultima.server import commands, log
from penultima.server.hub import Hub
from penultima.server.room import Room
from penultima.server.settings import Pace, ServerSettings
from penultima.server.sqlite import SqliteDatabase
from penultima.server.store import Append, Finished, Store, hashed
from penultima.server.table import Stage
from penultima.server.wire import BotSeat, NewTable, PastMatch

HOUR = 3_600_000
DAY = 24 * HOUR
ANA = hashed("Ana")
SEED = "ab" * 32


class Clock:
    """The time of day, as somebody may set it."""

    ahead = 0  # milliseconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    set_to = Clock()
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + set_to.ahead * 1_000_000)
    yield set_to


class Guest:
    """Ana, connected."""

    token: str | None = ANA

    def send(self, frame: bytes) -> None:
        pass

    def end(self, reason: str) -> None:
        pass


@contextlib.asynccontextmanager
async def a_hub(folder: Path) -> AsyncIterator[Hub]:
    database = str(folder / "tables.sqlite")
    settings = ServerSettings(database, folder, pace=Pace(bot=0, moment=0))
    hub = Hub(Store(SqliteDatabase(Path(database))), settings)
    try:
        yield hub
    finally:
        await hub.close()


async def a_match(hub: Hub) -> Room:
    """Ana plays with a bot."""
    new = NewTable(seats=2, name="Ana", bots=[BotSeat(1, "basic")])
    room = await hub.room((await hub.open(shipped("classic"), new, ANA)).table)
    assert room is not None
    guest = Guest()
    room.enter(guest, None)
    await room.obey(guest, commands.Begin(id="begin"))
    promise = commitment(room.table.id, room.table.attempt, "0", bytes.fromhex(SEED))
    await room.obey(guest, commands.Promise(id="promise", promise=promise))
    await room.obey(guest, commands.Reveal(id="reveal", seed=SEED))
    await reach(lambda: room.table.stage == Stage.PLAYING)
    return room


async def reach(there: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not there():
            await asyncio.sleep(0.01)


async def the_bot_acts(room: Room, times: int = 3) -> None:
    """Ana moves until it is the bot's turn, which then acts; so several times."""
    guest = next(iter(room.listeners))
    number = room.table.seq
    for _ in range(times):
        while room.table.playing.game.turn == 0:
            number += 1
            action = action_text(room.table.sheet, room.table.playing.legal(0)[0])
            act = commands.Act(id=f"{number}", action=action, decision=room.table.decision)
            await room.obey(guest, act)
            if room.table.stage != Stage.PLAYING:
                return
        await reach(partial(moved_on, room, room.table.decision))
        if room.table.stage != Stage.PLAYING:
            return


def moved_on(room: Room, decision: int) -> bool:
    return room.table.decision > decision


@pytest.mark.parametrize("jump", [-HOUR, HOUR, -100 * DAY, 100 * DAY])
def test_bots_go_on_when_the_clock_is_set(tmp_path: Path, clock: Clock, jump: int) -> None:
    async def work() -> None:
        async with a_hub(tmp_path) as hub:
            room = await a_match(hub)
            clock.ahead = jump
            await the_bot_acts(room)

    asyncio.run(work())


def test_bots_go_on_when_the_clock_was_set_back_before_a_start(
    tmp_path: Path, clock: Clock
) -> None:
    async def work() -> None:
        async with a_hub(tmp_path) as hub:
            room = await a_match(hub)
            table, decision = room.table.id, room.table.decision
        clock.ahead = -HOUR
        async with a_hub(tmp_path) as hub:
            again = await hub.room(table)
            assert again is not None
            again.enter(Guest(), None)
            assert again.table.decision >= decision
            await the_bot_acts(again)
            last = again.table.last
            assert again.now() - last < 60_000, "its time goes on from its last entry"

    asyncio.run(work())


@pytest.mark.parametrize("jump", [DAY, 100 * DAY, 36_500 * DAY])
@pytest.mark.parametrize("restart", [False, True])
def test_a_clock_set_ahead_closes_and_removes_nothing(
    tmp_path: Path, clock: Clock, jump: int, restart: bool
) -> None:
    async def look(hub: Hub, table: str) -> None:
        for _ in range(3):
            await hub._sweep()
        assert await hub.store.count() == 1
        assert await hub.store.records(table) == ["a record"]

    async def work() -> None:
        async with a_hub(tmp_path) as hub:
            opened = await hub.open(shipped("classic"), NewTable(seats=2, name="Ana"), ANA)
            now = hub.store.now()
            past = PastMatch(opened.table, 1, "classic", now, 0, ["Ana"], [0], True, 1)
            ended = log.Said(at=now, phrase="bye")
            match = Finished(1, now, "a record", {ANA: past})
            assert await hub.store.append(Append(opened.table, 2, [ended], [match]))
            await hub._sweep()
            clock.ahead = jump
            if not restart:
                await look(hub, opened.table)
        if restart:
            async with a_hub(tmp_path) as hub:
                await look(hub, opened.table)

    asyncio.run(work())


def test_what_is_old_goes_when_a_server_ran_for_so_long(tmp_path: Path) -> None:
    """Days without a server, or skipped by a clock, do not count."""

    async def work() -> None:
        store = Store(SqliteDatabase(tmp_path / "tables.sqlite"))
        keep = 90 * DAY
        assert await store.horizon(1_000 * DAY, keep) == 910 * DAY
        assert await store.horizon(1_000 * DAY + HOUR, keep) == 910 * DAY + HOUR
        # Ten days are skipped: everything is kept for ten days more.
        skipped = await store.horizon(1_010 * DAY, keep)
        assert 910 * DAY <= skipped <= 910 * DAY + HOUR
        # Set back: the ten days were none.
        assert await store.horizon(1_000 * DAY + 2 * HOUR, keep) == 910 * DAY + 2 * HOUR
        # And day after day it comes to an end.
        assert await store.horizon(1_010 * DAY, keep) < 911 * DAY
        for day in range(1_011, 1_121):
            last = await store.horizon(day * DAY, keep)
        assert last == (1_120 - 90) * DAY
        await store.close()

    asyncio.run(work())
