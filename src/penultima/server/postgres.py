"""The store that several processes share: PostgreSQL.

A notification tells the others which table has news; they look for themselves, and look now and
then anyway, so that a lost one costs a moment and nothing else.
"""

import asyncio
import contextlib
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from penultima.errors import ServerError
from penultima.server.store import SCHEMA, Rows, Statement

CHANNEL: Final = "penultima"
_LOCK: Final = 7_236_451  # held while the schema is made


class PostgresDatabase:
    """Runs statements through a pool of connections."""

    shared = True

    def __init__(self, pool: Any, listener: Any) -> None:
        self._pool = pool
        self._listener = listener
        self._news: set[str] = set()
        self._telling: asyncio.Task[None] | None = None

    @classmethod
    async def connect(
        cls, address: str, heard: Callable[[str], None], most: int = 8
    ) -> "PostgresDatabase":
        """`heard` is told the ids of tables that have news."""
        try:
            import asyncpg
        except ImportError as error:
            raise ServerError("no_extra", extra="postgres") from error
        try:
            pool = await asyncpg.create_pool(address, min_size=1, max_size=most, timeout=10)
            async with pool.acquire() as connection, connection.transaction():
                await connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")
                for statement in SCHEMA:
                    await connection.execute(statement)
            listener = await asyncpg.connect(address, timeout=10)
            await listener.add_listener(CHANNEL, lambda *said: heard(said[3]))
        except (OSError, ValueError, TimeoutError, asyncpg.PostgresError) as error:
            safe = re.sub(r"//[^@/]*@", "//…@", address)  # no password in a message
            raise ServerError("no_database", file=safe, reason=str(error)) from error
        return cls(pool, listener)

    async def write(self, statements: Sequence[Statement]) -> Rows | None:
        import asyncpg

        rows: Rows = []
        try:
            async with self._pool.acquire() as connection:
                if len(statements) == 1:
                    statement, values = statements[0]
                    return list(await connection.fetch(_numbered(statement), *values))
                async with connection.transaction():
                    for statement, values in statements:
                        rows = list(await connection.fetch(_numbered(statement), *values))
        except asyncpg.UniqueViolationError:
            return None
        return rows

    async def read(self, statement: str, *values: Any) -> Rows:
        return list(await self._pool.fetch(_numbered(statement), *values))

    async def notify(self, table: str) -> None:
        """Say that a table has news; what comes together is said together."""
        self._news.add(table)
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        while self._news:
            news, self._news = self._news, set()
            with contextlib.suppress(Exception):  # a hint: the others look for themselves
                await self._pool.execute(
                    f"SELECT pg_notify('{CHANNEL}', name) FROM unnest($1::text[]) AS name",
                    list(news),
                )

    async def close(self) -> None:
        if self._telling is not None:
            await self._telling
        await self._listener.close()
        await self._pool.close()


def _numbered(statement: str) -> str:
    return statement.replace("?", "$")
