"""Power failures: a server's disk cut off at any write, with nothing acknowledged lost.

People play matches at a real server whose SQLite runs on a recorded disk (`disk.py`). Then the
power fails at moment after moment of that recording: the files are made as a disk might have left
them, the server's own store opens them, and everything acknowledged until then must be there.
`make power-loss` does this thousands of times.
"""

import argparse
import asyncio
import contextlib
import os
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import uvicorn

from penultima.client import Client, TableClient
from penultima.server import wire
from penultima.server.app import make
from penultima.server.settings import Pace, ServerSettings
from penultima.server.sqlite import SqliteDatabase
from penultima.server.store import Store
from tests.server.disk import Disk, Operation, Tape, recording
from tests.server.harness import QUIET, a_free_port, play_on, until

FILE: Final = "tables.sqlite"
CHECKPOINT: Final = 60  # pages: often, so that many failures fall into one
PEOPLE: Final = 2
_PACE: Final = Pace(bot=0, moment=0)

Ack = tuple[str, ...]


class Lost(AssertionError):
    """Something acknowledged is not there after a power failure."""


class Acknowledged(TableClient):
    """Marks on the tape what a player was told."""

    tape: Tape

    async def _take(self, socket: Any, frame: wire.Outgoing) -> None:
        if isinstance(frame, wire.Answer) and frame.refused is None:
            self.tape.mark(("command", self.table, frame.id))
        if isinstance(frame, wire.News):
            self.tape.mark(("entry", self.table, str(frame.seq)))
        await super()._take(socket, frame)


@contextlib.asynccontextmanager
async def a_server_here(folder: Path, synchronous: str | None) -> AsyncIterator[str]:
    """A server in this process, so that its SQLite is the one that is recorded."""
    app = make(ServerSettings(database=str(folder / FILE), data=folder, pace=_PACE))
    port = a_free_port()
    server = uvicorn.Server(
        uvicorn.Config(app, port=port, ws="penultima.server.tcp:TableWebSockets", log_config=None)
    )
    before = {name: os.environ.get(name) for name in QUIET}
    os.environ |= QUIET
    running = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    connection: sqlite3.Connection = app.state.hub.store.database._connection
    if synchronous is not None:
        connection.execute(f"PRAGMA synchronous = {synchronous}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT}")
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await running
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


async def play(address: str, tape: Tape, seed: int) -> None:
    """A short match, with everything that was acknowledged on the tape."""
    clients = [await Client.connect(address) for _ in range(PEOPLE)]
    table = await clients[0].open(
        seats=PEOPLE + 1, name="P0", options={"target": 60, "hand_size": 4}
    )
    tape.mark(("table", table))
    code = (await clients[0].ask("POST", f"/api/tables/{table}/move"))["code"]
    tape.mark(("code", code))

    async def person(number: int) -> None:
        seat = Acknowledged(clients[number], table, f"P{number}", None)
        seat.tape = tape
        async with seat:
            if number == 0:
                await until(seat, lambda s: sum(p.here for p in s.places) == PEOPLE)
                assert await seat.begin() is None
            await play_on(seat, Random(seed * 100 + number))
            await until(seat, lambda s: s.matches == 1)

    await asyncio.gather(*(person(number) for number in range(PEOPLE)))
    await clients[0].ask("GET", f"/api/tables/{table}/matches/1")
    tape.mark(("record", table))


def record(folder: Path, matches: int, synchronous: str | None = None) -> Tape:
    """Play at a server, and stop it; gives the tape of its disk."""

    async def session(tape: Tape) -> None:
        async with a_server_here(folder, synchronous) as address:
            for number in range(0, matches, 2):
                pair = range(number, min(number + 2, matches))
                await asyncio.gather(*(play(address, tape, n) for n in pair))

    folder.mkdir(parents=True)
    with recording(folder) as tape:
        asyncio.run(session(tape))
    return tape


def fail(tape: Sequence[Operation], images: int, folder: Path, seed: int = 0) -> Counter[str]:
    """Let the power fail at so many moments; gives at what, or raises `Lost`.

    Nothing else happens between two operations, so it is enough to fail before each of them.
    """
    random = Random(seed)
    moments = Counter(random.randrange(len(tape) + 1) for _ in range(images))
    disk, acknowledged = Disk(), list[Ack]()
    met: Counter[str] = Counter()
    for number, operation in enumerate((*tape, Operation("mark"))):
        for _ in range(moments[number]):
            files = disk.after_power_loss(random)
            asyncio.run(_check(files, acknowledged, folder / "image"))
            met[operation.kind] += 1
            _report(met.total(), images)
        disk.do(operation)
        if operation.kind == "mark" and operation.mark is not None:
            acknowledged.append(operation.mark)
    met["acknowledged"] = len(acknowledged)
    return met


async def _check(files: dict[str, bytes], acknowledged: Iterable[Ack], folder: Path) -> None:
    """The server's own store finds everything that was acknowledged, and no log with a gap."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, contents in files.items():
        (folder / name).write_bytes(contents)
    database = SqliteDatabase(folder / FILE)
    try:
        store = Store(database)
        assert await database.read("PRAGMA integrity_check") == [("ok",)]
        logs = {one.table: await store.entries(one.table) for one in await store.tables()}
        rows = await database.read("SELECT table_id, COUNT(*), MAX(seq) FROM log GROUP BY table_id")
        assert all(count == last for _, count, last in rows), "a log has a gap"
        there: set[Ack] = {("table", table) for table in logs}
        there |= {
            ("command", table, entry.command)
            for table, entries in logs.items()
            for entry in entries
            if entry.command is not None
        }
        there |= {
            ("entry", table, str(number + 1))
            for table, entries in logs.items()
            for number in range(len(entries))
        }
        there |= {("record", table) for table in logs if await store.records(table)}
        codes = len(await database.read("SELECT code FROM move_codes"))
        for ack in acknowledged:
            if ack[0] == "code":
                codes -= 1
            elif ack not in there:
                raise Lost(f"{ack} is lost")
        if codes < 0:
            raise Lost("a code is lost")
    finally:
        await database.close()


def _report(done: int, images: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done:,} of {images:,} power failures", end="", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description="Power failures at any write of a server")
    parser.add_argument("--images", type=int, default=2000, help="power failures")
    parser.add_argument("--matches", type=int, default=6, help="that are played beforehand")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--synchronous", choices=("NORMAL", "OFF"), help="must lose something: a test of this test"
    )
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        tape = record(Path(name) / "server", options.matches, options.synchronous)
        try:
            met = fail(tape, options.images, Path(name), options.seed)
        except Lost as lost:
            sys.exit(f"\n{lost} (--seed {options.seed})")
    marks = met.pop("acknowledged")
    print(
        f"{met.total():,} power failures in {time.monotonic() - began:.0f} s, at {len(tape):,}"
        f" places: of {marks:,} acknowledgments none was lost. The power failed before a:"
    )
    for kind, count in met.most_common():
        print(f"  {count:>6,}  {kind}")


if __name__ == "__main__":
    main()
