"""Whether the server is well: it is when it can write."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from penultima.server.diagnosis import diagnosis

PATIENCE: Final = 2.0  # seconds for a write
FRESH: Final = 1.0  # seconds for which nobody needs to look again


class Pulse:
    """Tries a write when somebody asks, once for all who ask meanwhile."""

    def __init__(self, write: Callable[[], Awaitable[object]]) -> None:
        self._write = write
        self._looking: asyncio.Task[str | None] | None = None
        self._looked = -FRESH
        self._found: str | None = None

    async def wrong(self) -> str | None:
        """What is wrong, in a few words; None where all is well."""
        if self._looking is None:
            if time.monotonic() - self._looked < FRESH:
                return self._found
            self._looking = asyncio.create_task(self._look())
        return await asyncio.shield(self._looking)

    async def _look(self) -> str | None:
        try:
            async with asyncio.timeout(PATIENCE):
                await self._write()
            self._found = None
        except Exception as error:
            self._found = diagnosis(error)
        self._looked = time.monotonic()
        self._looking = None
        return self._found
