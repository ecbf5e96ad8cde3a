"""The store that several processes share: PostgreSQL.

A notification tells the others which table has news; they look for themselves, and look now and
then anyway, so that a lost one costs a moment and nothing else. Time is the database's: clocks of
machines differ, and a deadline must not.
"""

import asyncio
import contextlib
import re
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from penultima.errors import ServerError
from penultima.server.store import SCHEMA, LogRow, Rows, Statement, add_to_log

CHANNEL: Final = "penultima"
PATIENCE: Final = 10  # seconds for a statement
JUMP: Final = 30_000  # milliseconds between two comparisons of clocks: somebody has set one
TRIP: Final = 200  # milliseconds: an answer that took longer tells no time
_LOCK: Final = 7_236_451  # held while the schema is made
# A process that is frozen in the middle of a transaction must not hold up the others.
_SETTINGS: Final = {"idle_in_transaction_session_timeout": "3000", "application_name": "penultima"}
_CLOCK: Final = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"


class PostgresDatabase:
    """Runs statements through a pool of connections."""

    shared = True

    def __init__(self, address: str, heard: Callable[[str, str], None]) -> None:
        self._address = address
        self._heard = heard
        self._name = secrets.token_hex(4)
        self._pool: Any = None
        self._listener: Any = None
        self._offset: float | None = None  # from this process's clock to the database's
        self._jumped = _clock()  # when the database's clock was last seen to jump
        self._news: set[str] = set()
        self._telling: asyncio.Task[None] | None = None

    @classmethod
    async def connect(
        cls, address: str, heard: Callable[[str, str], None], most: int = 8
    ) -> "PostgresDatabase":
        """`heard` is told the ids of tables that have news from others, and of what."""
        try:
            import asyncpg
        except ImportError as error:
            raise ServerError("no_extra", packages="asyncpg") from error
        database = cls(address, heard)
        try:
            database._pool = await asyncpg.create_pool(
                address,
                min_size=1,
                max_size=most,
                timeout=PATIENCE,
                command_timeout=PATIENCE,
                server_settings=_SETTINGS,
            )
            async with database._pool.acquire() as connection, connection.transaction():
                await connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")
                for statement in SCHEMA:
                    await connection.execute(statement)
            await database.mend()
        except (OSError, ValueError, TimeoutError, asyncpg.PostgresError) as error:
            safe = re.sub(r"//[^@/]*@", "//…@", address)  # no password in a message
            raise ServerError("no_database", file=safe, reason=str(error)) from error
        return database

    def now(self) -> int:
        assert self._offset is not None
        return int(_clock() + self._offset)

    async def mend(self) -> None:
        """Listen again where that was cut off, and compare the clocks."""
        import asyncpg

        if self._listener is None or self._listener.is_closed():
            self._listener = await asyncpg.connect(
                self._address, timeout=PATIENCE, command_timeout=PATIENCE
            )
            await self._listener.add_listener(CHANNEL, self._hear)
        before = _clock()
        there = await self._listener.fetchval(_CLOCK)
        after = _clock()
        if self._offset is None or after - before < TRIP:
            offset = there - (before + after) / 2
            if self._offset is not None and abs(offset - self._offset) > JUMP:
                self._jumped = after
            self._offset = offset

    @property
    def steady(self) -> float:
        return (_clock() - self._jumped) / 1000

    def _hear(self, _connection: Any, _process: int, _channel: str, said: str) -> None:
        name, _, news = said.partition(" ")
        if name != self._name:
            what, _, table = news.partition(" ")
            self._heard(table, what)

    async def write(self, statements: Sequence[Statement]) -> Rows | None:
        import asyncpg

        rows: Rows = []
        try:
            async with self._pool.acquire(timeout=PATIENCE) as connection:
                if len(statements) == 1:
                    statement, values = statements[0]
                    return list(await connection.fetch(_numbered(statement), *values))
                async with connection.transaction():
                    for statement, values in statements:
                        rows = list(await connection.fetch(_numbered(statement), *values))
        except asyncpg.UniqueViolationError:
            return None
        return rows

    async def append(self, rows: Sequence[LogRow]) -> bool:
        return await self.write([add_to_log(rows)]) is not None

    async def read(self, statement: str, *values: Any) -> Rows:
        async with self._pool.acquire(timeout=PATIENCE) as connection:
            return list(await connection.fetch(_numbered(statement), *values))

    async def notify(self, table: str, what: str) -> None:
        """What comes together is said together."""
        self._news.add(f"{self._name} {what} {table}")
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        while self._news:
            news, self._news = self._news, set()
            with contextlib.suppress(Exception):  # a hint: the others look for themselves
                await self._pool.execute(
                    f"SELECT pg_notify('{CHANNEL}', news) FROM unnest($1::text[]) AS news",
                    list(news),
                )

    async def close(self) -> None:
        if self._telling is not None:
            await self._telling
        for connected in (self._listener, self._pool):
            try:
                await asyncio.wait_for(connected.close(), PATIENCE)
            except Exception:  # the database is gone, or hangs
                connected.terminate()


def _clock() -> float:
    """Milliseconds of a clock that never jumps."""
    return time.monotonic_ns() / 1_000_000


def _numbered(statement: str) -> str:
    return statement.replace("?", "$")
