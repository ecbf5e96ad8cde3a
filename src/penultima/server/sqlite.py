"""The store of a single process: an SQLite file.

One thread owns the only connection. Whatever waits when it gets to work goes into one transaction,
so that many tables share the cost of making it durable.
"""

import asyncio
import contextlib
import queue
import sqlite3
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from penultima.errors import ServerError
from penultima.server.diagnosis import DAMAGED, diagnosis
from penultima.server.store import SCHEMA, LogRow, Rows, Statement, add_to_log
from penultima.system import reason

TOGETHER: Final = 256  # jobs in one transaction at most
AT_ONCE: Final = 300  # rows in one statement at most


@dataclass(slots=True)
class _Job:
    """Something to do, all or nothing: rows for the log, or any statements."""

    future: "asyncio.Future[Rows | None]"
    rows: Sequence[LogRow] = ()
    statements: Sequence[Statement] = ()


class SqliteDatabase:
    """Runs statements on a file that no other process may use meanwhile."""

    shared = False

    def __init__(self, path: Path, file: sqlite3.Connection | None = None) -> None:
        """`file` is what `open_file` gave before, if it did."""
        self._loop = asyncio.get_running_loop()
        self._started, self._base = _elapsed(), time.time_ns() // 1_000_000
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._connection = open_file(path) if file is None else file
        self._thread = threading.Thread(target=self._work, name="store", daemon=True)
        self._thread.start()

    async def write(self, statements: Sequence[Statement]) -> Rows | None:
        return await self._do(_Job(self._loop.create_future(), statements=statements))

    async def append(self, rows: Sequence[LogRow]) -> bool:
        return await self._do(_Job(self._loop.create_future(), rows=rows)) is not None

    def _do(self, job: _Job) -> "asyncio.Future[Rows | None]":
        self._jobs.put(job)
        return job.future

    async def read(self, statement: str, *values: Any) -> Rows:
        found = await self.write([(statement, values)])
        assert found is not None
        return found

    def now(self) -> int:
        """The time of day at the start and what has passed since: deadlines must not jump with the
        clock."""
        return self._base + _elapsed() - self._started

    @property
    def steady(self) -> float:
        return (_elapsed() - self._started) / 1000

    async def notify(self, table: str, what: str) -> None:
        """Nobody else is listening."""

    async def mend(self) -> None:
        """A file does not come loose."""

    async def close(self) -> None:
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            batch = [job]
            while len(batch) < TOGETHER:
                try:
                    more = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    self._jobs.put(None)
                    break
                batch.append(more)
            self._work_off(batch)
        self._connection.close()

    def _work_off(self, batch: list[_Job]) -> None:
        try:
            rows = [row for job in batch for row in job.rows]
            if all(job.rows for job in batch) and len(rows) <= AT_ONCE:
                results = self._at_once(batch, rows)
            else:
                results = self._in_turn(batch)
        except sqlite3.Error as error:  # a full disk, say: nothing of it was done
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            results = [error] * len(batch)
        self._loop.call_soon_threadsafe(_settle, [job.future for job in batch], results)

    def _at_once(self, batch: list[_Job], rows: Sequence[LogRow]) -> list[Rows | Exception | None]:
        """Rows of many tables in one statement: after each, this thread waits for the interpreter
        while the event loop is busy."""
        try:
            self._connection.execute(*add_to_log(rows))
        except sqlite3.IntegrityError:  # of one of them, and the others must not suffer
            return self._in_turn(batch)
        return [[] for _ in batch]

    def _in_turn(self, batch: list[_Job]) -> list[Rows | Exception | None]:
        self._connection.execute("BEGIN IMMEDIATE")
        results = [
            self._one([add_to_log(job.rows)] if job.rows else job.statements) for job in batch
        ]
        self._connection.execute("COMMIT")
        return results

    def _one(self, statements: Sequence[Statement]) -> Rows | Exception | None:
        rows: Rows | Exception | None = []
        several = len(statements) > 1  # one alone is done or not done anyway
        if several:
            self._connection.execute("SAVEPOINT one")
        try:
            for statement, values in statements:
                rows = self._connection.execute(statement, values).fetchall()
        except sqlite3.OperationalError:
            raise
        except Exception as error:  # a number too large, say: the others' writes go on
            if several:
                self._connection.execute("ROLLBACK TO one")
            rows = None if isinstance(error, sqlite3.IntegrityError) else error
        if several:
            self._connection.execute("RELEASE one")
        return rows


def _elapsed() -> int:
    """Milliseconds of a clock that never jumps and counts the time asleep, where there is one."""
    kind = getattr(time, "CLOCK_BOOTTIME", None)
    nanoseconds = time.monotonic_ns() if kind is None else time.clock_gettime_ns(kind)
    return nanoseconds // 1_000_000


def open_file(path: Path) -> sqlite3.Connection:
    """Open the file, whole and for this process alone from now on."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(0o600)  # it holds seeds that nobody may know; what SQLite adds has that mode too
        connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=0.2
        )
    except (sqlite3.Error, OSError) as error:
        raise ServerError("no_database", file=str(path), reason=reason(error)) from error
    try:
        _prepare(connection, path)
    except sqlite3.Error as error:
        connection.close()
        if "locked" in str(error):
            raise ServerError("in_use", file=str(path)) from error
        code = "damaged" if diagnosis(error) == DAMAGED else "no_database"
        raise ServerError(code, file=str(path), reason=str(error)) from error
    except ServerError:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")  # one writer, seen by the second one
    connection.execute("BEGIN EXCLUSIVE")  # of several who open it at once, one comes through
    connection.execute("COMMIT")
    # More than FULL: if the power fails, the journal of a new file must not come back and undo the
    # step to WAL, and with it everything since.
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("PRAGMA journal_mode = WAL")
    ((found,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
    if found != "ok":
        raise ServerError("damaged", file=str(path), reason=str(found).splitlines()[-1])
    connection.execute("BEGIN IMMEDIATE")
    for statement in SCHEMA:
        connection.execute(statement)
    connection.execute("COMMIT")


def _settle(
    futures: Sequence["asyncio.Future[Rows | None]"], results: Sequence[Rows | Exception | None]
) -> None:
    for future, result in zip(futures, results, strict=True):
        if future.cancelled():
            continue
        if isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)
