"""A disk that is full, a database that is gone: nobody is told what is not so, nothing is lost."""

import asyncio
import contextlib
import resource
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from penultima.client import Client
from penultima.edition import shipped
from penultima.errors import ServerError
from penultima.record import RULES
from penultima.server import frames, log
from penultima.server.hub import Hub
from penultima.server.settings import Pace, ServerSettings
from penultima.server.sqlite import SqliteDatabase
from penultima.server.store import Append, Opening, Store, hashed
from penultima.server.table import Stage, Table, open_table
from penultima.server.wire import NewTable
from tests.server.harness import ServerProcess, a_server
from tests.server.postgres import Postgres
from tests.server.test_life import logged, move_of, seated, settle, turn_of
from tests.server.witness import Witness, check, postgres_log

SLOW = "bot=60000,moment=60000"


@contextlib.contextmanager
def full_disk(server: ServerProcess) -> Iterator[None]:
    """No file of the server grows any more."""
    assert server.process is not None
    number = server.process.pid
    usual = resource.prlimit(number, resource.RLIMIT_FSIZE)
    resource.prlimit(number, resource.RLIMIT_FSIZE, (1024, usual[1]))
    try:
        yield
    finally:
        resource.prlimit(number, resource.RLIMIT_FSIZE, usual)


async def while_in_trouble(server: ServerProcess, person: Witness) -> None:
    """The server lives, and says that something is wrong."""
    stranger = Client(server.address, person._client.token)
    with pytest.raises(ServerError, match="went wrong"):
        await stranger.open(seats=2, name="Q")
    assert server.running
    assert person.state is not None
    assert "move" not in person.told


def metric(server: ServerProcess, name: str) -> int:
    with urllib.request.urlopen(f"{server.address}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"penultima_{name} "))


def test_a_full_disk(tmp_path: Path) -> None:
    async def play(server: ServerProcess) -> list[Witness]:
        async with seated(server, clock=3) as people:
            await settle(*people)
            person = people[turn_of(people[0])]
            with full_disk(server):
                move = asyncio.create_task(person.send(move_of(person, "move")))
                await while_in_trouble(server, person)
                await asyncio.sleep(1.5)
                assert metric(server, "troubles_total") < 50  # it does not spin
                assert not move.done()
            assert await move is None
            await settle(*people)
            return people

    with a_server(tmp_path, pace=SLOW) as server:
        entries, _ = logged(server, asyncio.run(play(server)))
    assert sum(entry.command == "move" for entry in entries) == 1


def test_a_database_that_goes_away_and_comes_back(postgres: Postgres, tmp_path: Path) -> None:
    async def play(server: ServerProcess) -> None:
        async with seated(server) as people:
            await settle(*people)
            person = people[turn_of(people[0])]
            await asyncio.to_thread(postgres.stop)
            try:
                move = asyncio.create_task(person.send(move_of(person, "move")))
                await while_in_trouble(server, person)
            finally:
                await asyncio.to_thread(postgres.start)
            assert await move is None
            await settle(*people)
            entries, seeds = await postgres_log(database, person.table)
            check(entries, seeds, people)
            assert sum(entry.command == "move" for entry in entries) == 1

    database = postgres.database()
    with a_server(tmp_path, "--database", database, pace=SLOW) as server:
        asyncio.run(play(server))


def test_a_table_that_closed_without_a_word_leaves_the_lobby(tmp_path: Path) -> None:
    """Who closed it died between the log and what is kept of tables without their logs."""

    async def sweep() -> None:
        store = Store(SqliteDatabase(tmp_path / "tables.sqlite"))
        hub = Hub(store, ServerSettings(str(tmp_path / "tables.sqlite"), tmp_path))
        new = NewTable(seats=2, name="P", public=True)
        table = (await hub.open(shipped("classic"), new, hashed("P"))).table
        closing = Append(table, 2, [log.Closed(at=store.now(), reason="idle")])
        assert await store.append(closing)
        assert await store.count() == 1
        assert not await hub.close_table(table, "idle")
        assert await store.count() == 0
        assert await store.lobby() == []
        await hub.close()

    asyncio.run(sweep())


async def an_old_table(hub: Hub, name: str) -> str:
    """One whose log another version has written: its deals would be others now."""
    opened = open_table(name, shipped("classic"), 2, hub.store.now())
    assert isinstance(opened, log.Opened)
    table = Table()
    table.apply(opened)
    entries: list[log.Entry] = [
        msgspec.structs.replace(opened, rules=RULES - 1),
        log.Sat(at=opened.at, place=0, name="P", token="0" * 64),
        log.Began(at=opened.at, attempt=1, promise="0" * 64),
        log.Dealt(at=opened.at),
        log.Acted(at=opened.at, place=1, action="W4:g"),
    ]
    assert await hub.store.open(Opening(entries, frames.summary(table), "0" * 64))
    return name


def test_a_table_of_other_rules_is_closed_and_never_folded(tmp_path: Path) -> None:
    async def look() -> None:
        store = Store(SqliteDatabase(tmp_path / "tables.sqlite"))
        hub = Hub(store, ServerSettings(str(tmp_path / "tables.sqlite"), tmp_path))
        room = await hub.room(await an_old_table(hub, "abc234"))
        assert room is not None
        assert (room.table.stage, room.table.seq, room.table.match) == (Stage.CLOSED, 5, None)
        assert frames.state(room.table, None, set()).stage == "closed"
        assert await store.count() == 1
        await hub.close_table("abc234", "idle")
        assert await store.count() == 0
        await hub.close()

    asyncio.run(look())


def test_a_table_that_cannot_be_folded_does_not_keep_the_others(tmp_path: Path) -> None:
    async def sweep() -> None:
        store = Store(SqliteDatabase(tmp_path / "tables.sqlite"))
        settings = ServerSettings(str(tmp_path / "tables.sqlite"), tmp_path, pace=Pace(idle=-1))
        hub = Hub(store, settings)
        new = NewTable(seats=2, name="P", public=True)
        tables = [(await hub.open(shipped("classic"), new, hashed("P"))).table for _ in range(3)]
        broken = Append(tables[0], 2, [log.Acted(at=store.now(), place=0, action="W")])
        assert await store.append(broken)
        hub.rooms.clear()
        await hub._sweep()
        assert await store.count() == 1
        assert "troubles_total 1" in hub.metrics.text()
        assert not hub._loading
        await hub.close()

    asyncio.run(sweep())
