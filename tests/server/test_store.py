"""What a store promises, the same on a file and on a server."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from penultima.edition import shipped
from penultima.errors import ServerError
from penultima.server import commands, frames, log
from penultima.server.answers import sit
from penultima.server.postgres import PostgresDatabase
from penultima.server.sqlite import SqliteDatabase
from penultima.server.store import Append, Finished, MovableSeat, Opening, Seeds, Store, hashed
from penultima.server.table import Table, open_table
from penultima.server.wire import PastMatch
from tests.server.postgres import Postgres

SECRET = "ab" * 32
Connect = Callable[[], contextlib.AbstractAsyncContextManager[Store]]
Work = Callable[[Connect], Awaitable[None]]


@pytest.fixture(params=["sqlite", "postgresql"])
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Connect:
    """A way to an empty database, open to several who share it where it can be shared."""
    address: str | None = None
    if request.param == "postgresql":
        postgres: Postgres = request.getfixturevalue("postgres")
        address = postgres.database()

    @contextlib.asynccontextmanager
    async def connected() -> AsyncIterator[Store]:
        if address is None:
            store = Store(SqliteDatabase(tmp_path / "tables.sqlite"))
        else:
            store = Store(await PostgresDatabase.connect(address, lambda *_: None))
        try:
            yield store
        finally:
            await store.close()

    return connected


def do(connect: Connect, work: Callable[[Store], Awaitable[Any]]) -> Any:
    async def once() -> Any:
        async with connect() as store:
            return await work(store)

    return asyncio.run(once())


async def opened(store: Store, name: str = "abcdef", at: int = 1_000, **settings: Any) -> Table:
    table = Table(Seeds(SECRET))
    entries = [open_table(name, shipped("classic"), 2, at, **settings)]
    table.apply(entries[0])
    entries += sit(table, hashed("P"), commands.Sit(id="sit", name="P"), at)
    table.apply(entries[1])
    assert await store.open(Opening(entries, frames.summary(table), SECRET))
    return table


def said(phrase: str, at: int = 2_000) -> log.Entry:
    return log.Said(at=at, seat=0, phrase=phrase)


def a_match(number: int, *players: str, ended: int = 5_000) -> Finished:
    past = PastMatch("abcdef", number, "classic", ended, 0, ["P"], [7], True, 1)
    return Finished(number, ended, f"record {number}", {hashed(who): past for who in players})


def test_seeds_answer_for_any_attempt_and_have_no_end() -> None:
    seeds: Any = Seeds(SECRET)
    assert seeds and len({seeds[attempt] for attempt in range(99)}) == 99
    for ask in (len, list):
        with pytest.raises(TypeError, match=r"has no len|not iterable"):
            ask(seeds)


def test_the_log_comes_back_as_it_was_written(connect: Connect) -> None:
    async def work(store: Store) -> None:
        table = await opened(store)
        assert await store.append(Append(table.id, 2, [said("hello"), said("¡olé! 🂡")]))
        entries = await store.entries(table.id)
        assert [type(entry).__name__ for entry in entries] == ["Opened", "Sat", "Said", "Said"]
        assert await store.entries(table.id, 3) == [said("¡olé! 🂡")]
        found = await store.find(table.id)
        assert found is not None
        assert found[1] is None
        assert found[0][1] == Seeds(SECRET)[1]
        assert await store.entries("nobody") == []
        assert await store.find("nobody") is None

    do(connect, work)


def test_a_place_in_the_log_is_taken_once_and_all_or_nothing(connect: Connect) -> None:
    async def work(store: Store) -> None:
        table = await opened(store)
        assert await store.append(Append(table.id, 2, [said("first")]))
        assert not await store.append(Append(table.id, 2, [said("second")]))
        assert not await store.append(Append(table.id, 1, [said("x"), said("y"), said("z")]))
        # A record that is there already undoes the entries with it.
        assert await store.append(Append(table.id, 3, [said("end")], [a_match(1, "P")]))
        assert not await store.append(Append(table.id, 4, [said("again")], [a_match(1, "Q")]))
        assert [e.phrase for e in await store.entries(table.id, 2) if isinstance(e, log.Said)] == [
            "first",
            "end",
        ]
        assert await store.history(hashed("Q")) == []

    do(connect, work)


def test_of_many_at_once_one_wins(connect: Connect) -> None:
    async def work(store: Store) -> None:
        table = await opened(store)
        for seq in range(2, 7):
            tries = [store.append(Append(table.id, seq, [said(f"{n}")])) for n in range(40)]
            assert sum(await asyncio.gather(*tries)) == 1
        assert len(await store.entries(table.id)) == 7

    do(connect, work)


def test_a_name_of_a_table_is_taken_once(connect: Connect) -> None:
    async def work(store: Store) -> None:
        table = await opened(store)
        again = Opening([said("no")], frames.summary(table), SECRET)
        assert not await store.open(again)
        assert len(await store.entries(table.id)) == 2
        assert await store.count() == 1

    do(connect, work)


def test_a_claim_holds_until_it_expires_or_the_decision_is_made(connect: Connect) -> None:
    async def work(store: Store) -> None:
        other = Store(store.database)
        assert await store.claim("t", 1, at=0, until=100)
        assert not await other.claim("t", 1, at=50, until=150)
        assert await store.claim("t", 1, at=60, until=160)  # one's own can be held on to
        assert not await other.claim("t", 1, at=101, until=200)
        assert await other.claim("t", 1, at=161, until=260)
        assert not await store.claim("t", 1, at=170, until=270)
        assert await store.claim("t", 2, at=170, until=270)
        assert await other.claim("u", 2, at=170, until=270)

    do(connect, work)


def test_of_many_claims_one_holds(connect: Connect) -> None:
    async def work(store: Store) -> None:
        others = [Store(store.database) for _ in range(20)]
        for decision in range(5):
            claims = [other.claim("t", decision, 0, 100) for other in others]
            assert sum(await asyncio.gather(*claims)) == 1

    do(connect, work)


def test_a_code_is_good_once_and_for_a_while(connect: Connect) -> None:
    async def work(store: Store) -> None:
        await store.put_code("early", MovableSeat("abcdef", 1, 7), until=100)
        await store.put_code("late", MovableSeat("abcdef", 2, 8), until=100)
        taken = await asyncio.gather(*(store.take_code("early", 50) for _ in range(10)))
        assert [found for found in taken if found] == [MovableSeat("abcdef", 1, 7)]
        assert await store.take_code("late", 101) is None
        assert await store.take_code("never", 0) is None

    do(connect, work)


def test_who_is_connected_to_another_process(connect: Connect) -> None:
    async def work(store: Store) -> None:
        other = Store(store.database)
        await store.be_here([("t", 0), ("t", 1), ("u", 0)], until=100)
        await other.be_here([("t", 1), ("t", 2)], until=200)
        assert await store.who_is_elsewhere("t", 50) == {1, 2}
        assert await other.who_is_elsewhere("t", 50) == {0, 1}
        await store.be_here([("t", 0)], until=300)
        assert await other.who_is_elsewhere("t", 150) == {0}
        await store.be_gone("t", {0, 1})
        assert await other.who_is_elsewhere("t", 50) == set()
        await store.be_here([], until=1)
        await store.be_here([(f"t{n}", 0) for n in range(1_300)], until=100)
        assert await other.who_is_elsewhere("t1299", 50) == {0}

    do(connect, work)


def test_history_and_records_are_for_players_until_they_forget(connect: Connect) -> None:
    async def work(store: Store) -> None:
        table = await opened(store)
        await store.append(Append(table.id, 2, [said("a")], [a_match(1, "P", "Q")]))
        await store.append(Append(table.id, 3, [said("b")], [a_match(2, "P", ended=6_000)]))
        assert [past.number for past in await store.history(hashed("P"))] == [2, 1]
        assert await store.record(table.id, 1, hashed("Q")) == "record 1"
        assert await store.record(table.id, 2, hashed("Q")) is None
        assert await store.record(table.id, 9, hashed("P")) is None
        await store.forget(hashed("P"))
        assert await store.history(hashed("P")) == []
        assert await store.record(table.id, 1, hashed("Q")) == "record 1"
        assert await store.records(table.id) == ["record 1"]
        await store.forget(hashed("Q"))
        assert await store.records(table.id) == []

    do(connect, work)


def test_tables_are_found_without_their_logs(connect: Connect) -> None:
    async def work(store: Store) -> None:
        hidden = await opened(store, "aaaaaa", 1_000)
        shown = await opened(store, "bbbbbb", 2_000, public=True)
        assert [found.table for found in await store.lobby()] == ["bbbbbb"]
        assert [found.table for found in await store.tables()] == ["bbbbbb", "aaaaaa"]
        assert await store.idle(1_500) == ["aaaaaa"]
        await store.be_here([("aaaaaa", 0)], until=1_600)
        assert await store.idle(1_500) == []
        assert await store.idle(1_700) == ["aaaaaa"]
        await store.describe(frames.summary(hidden), 3_000)
        assert sorted(await store.idle(2_500)) == ["bbbbbb"]
        shown.apply(log.Closed(at=4_000, reason="idle"))
        await store.describe(frames.summary(shown), 4_000)
        assert await store.lobby() == []
        assert await store.idle(9_000) == ["aaaaaa"]
        assert await store.count() == 1
        found = await store.summary("bbbbbb")
        assert found is not None
        assert found.stage == "closed"

    do(connect, work)


def test_what_is_old_is_removed_and_nothing_else(connect: Connect) -> None:
    async def work(store: Store) -> None:
        for name, closed in (("aaaaaa", 2_000), ("bbbbbb", 9_000), ("cccccc", None)):
            table = await opened(store, name)
            if closed is not None:
                table.apply(log.Closed(at=closed, reason="idle"))
                await store.describe(frames.summary(table), closed)
        await store.append(Append("cccccc", 2, [said("a")], [a_match(1, "P", ended=3_000)]))
        await store.append(Append("cccccc", 3, [said("b")], [a_match(2, "P", ended=8_000)]))
        await store.forget_before(5_000)
        assert await store.entries("aaaaaa") == []
        assert await store.find("aaaaaa") is None
        assert len(await store.entries("bbbbbb")) == 2
        assert len(await store.entries("cccccc")) == 4
        assert await store.records("cccccc") == ["record 2"]
        assert [past.number for past in await store.history(hashed("P"))] == [2]

    do(connect, work)


def test_a_dump_restores_everything_into_an_empty_store_only(
    connect: Connect, tmp_path: Path
) -> None:
    async def dump(store: Store) -> Any:
        table = await opened(store)
        await store.append(Append(table.id, 2, [said("¿qué?")], [a_match(1, "P", "Q")]))
        dumped = await store.dump()
        assert not await store.restore(dumped)
        return dumped

    async def restore(dumped: Any) -> None:
        store = Store(SqliteDatabase(tmp_path / "other.sqlite"))
        assert await store.restore(dumped)
        assert await store.dump() == dumped
        assert (await store.entries("abcdef", 2)) == [said("¿qué?")]
        await store.close()

    asyncio.run(restore(do(connect, dump)))


def test_what_is_written_is_there_after_closing(connect: Connect) -> None:
    do(connect, opened)

    async def look(store: Store) -> None:
        assert len(await store.entries("abcdef")) == 2

    do(connect, look)


def test_a_value_that_does_not_fit_fails_alone(connect: Connect) -> None:
    async def work(store: Store) -> None:
        await opened(store)
        tries = [store.record("abcdef", 10**30, "x"), store.entries("abcdef"), store.count()]
        failed, entries, count = await asyncio.gather(*tries, return_exceptions=True)
        assert isinstance(failed, Exception)
        assert isinstance(entries, list)
        assert len(entries) == 2
        assert count == 1

    do(connect, work)


def test_time_goes_on(connect: Connect) -> None:
    async def work(store: Store) -> None:
        first = store.now()
        await asyncio.sleep(0.02)
        await store.database.mend()
        assert store.now() > first

    do(connect, work)


def test_a_file_has_one_server(tmp_path: Path) -> None:
    async def work() -> None:
        store = Store(SqliteDatabase(tmp_path / "tables.sqlite"))
        with pytest.raises(ServerError, match="in use"):
            SqliteDatabase(tmp_path / "tables.sqlite")
        await store.close()

    asyncio.run(work())


def test_a_shared_store_has_one_clock_and_says_what_is_new(postgres: Postgres) -> None:
    async def work(address: str) -> None:
        heard: list[tuple[str, str]] = []
        own: list[tuple[str, str]] = []
        one = await PostgresDatabase.connect(address, lambda *news: own.append(news))
        two = await PostgresDatabase.connect(address, lambda *news: heard.append(news))
        two._offset = (two._offset or 0) + 3_600_000  # a clock that is an hour ahead
        await two.mend()
        assert abs(one.now() - two.now()) < 1_000
        await one.notify("abcdef", "log")
        await one.notify("abcdef", "here")
        async with asyncio.timeout(10):
            while len(heard) < 2:
                await asyncio.sleep(0.01)
        assert sorted(heard) == [("abcdef", "here"), ("abcdef", "log")]
        assert own == []
        for database in (one, two):
            await database.close()

    asyncio.run(work(postgres.database()))


def test_a_store_outlives_a_restart_of_its_database(postgres: Postgres) -> None:
    async def work(address: str) -> None:
        heard: list[str] = []
        store = Store(await PostgresDatabase.connect(address, lambda table, _: heard.append(table)))
        other = Store(await PostgresDatabase.connect(address, lambda *_: None))
        table = await opened(store)
        await asyncio.to_thread(postgres.stop)
        with pytest.raises(Exception, match="onnect"):
            await store.append(Append(table.id, 2, [said("lost")]))
        await asyncio.to_thread(postgres.start)
        async with asyncio.timeout(20):
            while True:
                with contextlib.suppress(Exception):
                    await store.database.mend()
                    if await store.append(Append(table.id, 2, [said("kept")])):
                        break
            while not heard:
                await other.database.notify("abcdef", "log")
                await asyncio.sleep(0.05)
        assert await other.entries(table.id, 2) == [said("kept")]
        await store.close()
        await other.close()

    asyncio.run(work(postgres.database()))


def test_who_is_frozen_in_the_middle_of_a_write_holds_up_nobody(postgres: Postgres) -> None:
    async def work(address: str) -> None:
        frozen = await PostgresDatabase.connect(address, lambda *_: None)
        store = Store(await PostgresDatabase.connect(address, lambda *_: None))
        table = await opened(store)
        held = await frozen._pool.acquire()
        transaction = held.transaction()
        await transaction.start()
        await held.execute("INSERT INTO log VALUES ($1, 3, $2)", table.id, "{}")
        assert await store.append(Append(table.id, 2, [said("on")]))
        await store.close()
        await frozen.close()

    asyncio.run(work(postgres.database()))
