"""No query looks through a table that grows: every statement of the store finds its rows by an
index, in both databases."""

import asyncio
import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import asyncpg

from penultima.edition import shipped
from penultima.server import frames, log
from penultima.server.sqlite import SqliteDatabase
from penultima.server.store import (
    SCHEMA,
    Append,
    Finished,
    MovableSeat,
    Opening,
    Rows,
    Seeds,
    Snapshot,
    Statement,
    Store,
)
from penultima.server.table import Table, open_table
from penultima.server.wire import PastMatch
from tests.server.postgres import Postgres

WHOLE = {"dump"}  # reads everything, for whoever runs the server
NO_QUERY = {"close", "restore"}  # a restore is insertions into an empty store
# The newest tables in the order of an index, and what holds a row for every time without a server.
BOUNDED = ("SCAN tables USING INDEX tables_by_time", "SCAN clock_gaps", "CONSTANT ROW")


class Recording(SqliteDatabase):
    """Keeps what it is asked."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.asked: list[Statement] = []

    async def write(self, statements: Sequence[Statement]) -> Rows | None:
        self.asked += statements
        return await super().write(statements)


async def use_everything(store: Store, used: set[str]) -> None:
    """Call every method that asks the database for anything."""
    table = Table(Seeds("ab" * 32))
    entries = [open_table("abcdef", shipped("classic"), 2, 1_000)]
    table.apply(entries[0])
    summary = frames.summary(table)
    past = PastMatch("abcdef", 1, "classic", 5, 0, ["P"], [7], True, 1)
    calls: dict[str, tuple[Any, ...]] = {
        "open": (Opening(entries, summary, "ab" * 32),),
        "append": (
            Append(
                "abcdef",
                1,
                [log.Said(at=1, phrase="hello")],
                [Finished(1, 5, "record", {"P": past})],
            ),
        ),
        "describe": (summary, 5),
        "entries": ("abcdef",),
        "find": ("abcdef",),
        "ends": ("abcdef", 5),
        "keep": (Snapshot("abcdef", 1, "1", "ab", b""),),
        "summary": ("abcdef",),
        "lobby": (),
        "tables": (),
        "count": (),
        "touch": (),
        "idle": (5,),
        "horizon": (5, 3),
        "record": ("abcdef", 1, "P"),
        "records": ("abcdef",),
        "history": ("P",),
        "forget": ("P",),
        "put_code": ("code", MovableSeat("abcdef", 0, 2), 5),
        "take_code": ("code", 5),
        "claim": ("abcdef", 1, 5, 6),
        "be_here": ([("abcdef", 0)], 5),
        "be_gone": ("abcdef", {0}),
        "who_is_elsewhere": ("abcdef", 5),
        "forget_before": (5,),
    }
    for name, values in calls.items():
        await getattr(store, name)(*values)
        used.add(name)


def statements(folder: Path) -> list[Statement]:
    async def collect() -> list[Statement]:
        database = Recording(folder / "tables.sqlite")
        store = Store(database)
        used: set[str] = set()
        await use_everything(store, used)
        await store.close()
        methods = {
            name
            for name, _ in inspect.getmembers(Store, inspect.iscoroutinefunction)
            if not name.startswith("_")
        }
        assert methods - WHOLE - NO_QUERY == used, "a new method is to be looked at too"
        return database.asked

    found = asyncio.run(collect())
    assert len(found) > 25
    return found


def bounded(step: str) -> bool:
    return any(name in step for name in BOUNDED)


def test_no_query_of_sqlite_looks_through_a_table(tmp_path: Path) -> None:
    async def explain(asked: list[Statement]) -> list[str]:
        database = SqliteDatabase(tmp_path / "other.sqlite")
        bad = []
        for sql, values in asked:
            for *_, step in await database.read(f"EXPLAIN QUERY PLAN {sql}", *values):
                if re.match(r"SCAN (?!\(subquery)", step) and not bounded(step):
                    bad.append(f"{step}: {sql}")
        # And the test can fail:
        plan = await database.read("EXPLAIN QUERY PLAN SELECT * FROM played")
        assert plan[0][-1] == "SCAN played"
        await database.close()
        return bad

    assert asyncio.run(explain(statements(tmp_path))) == []


def test_no_query_of_postgresql_looks_through_a_table(tmp_path: Path, postgres: Postgres) -> None:
    """With few rows it would: so it is asked whether it could do without."""
    address = postgres.database()

    async def explain(asked: list[Statement]) -> list[str]:
        connection = await asyncpg.connect(address)
        for statement in SCHEMA:
            await connection.execute(statement)
        await connection.execute("SET enable_seqscan = off")
        bad = []
        for sql, values in asked:
            numbered = sql.replace("?", "$")
            plan = await connection.fetch(f"EXPLAIN {numbered}", *values)
            text = "\n".join(row[0] for row in plan)
            for relation in re.findall(r"Seq Scan on (\w+)", text):
                if relation != "clock_gaps":
                    bad.append(f"{sql}\n{text}")
        plan = await connection.fetch("EXPLAIN SELECT * FROM played WHERE summary = ''")
        assert "Seq Scan on played" in plan[0][0]
        await connection.close()
        return bad

    assert asyncio.run(explain(statements(tmp_path))) == []
