"""A queue in which nobody waits behind everything that somebody else has asked for."""

import asyncio
import contextlib
from collections import Counter, deque
from collections.abc import AsyncIterator

from penultima.errors import ServerError


class Turns:
    """Lets so many through at a time, one of each person after another."""

    def __init__(self, places: int, most_each: int = 4, most: int = 40) -> None:
        self._free = places
        self._most_each = most_each  # that one person has waiting
        self._most = most  # that wait altogether
        self._own = max(places - 1, 1)  # at a time, of one person
        self._busy: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @contextlib.asynccontextmanager
    async def turn(self, who: str) -> AsyncIterator[None]:
        """Wait for a turn, and have it meanwhile; raises where too much waits already."""
        queue = self._waiting.setdefault(who, deque())
        if len(queue) >= self._most_each or sum(map(len, self._waiting.values())) >= self._most:
            if not queue:
                del self._waiting[who]
            raise ServerError("busy")
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(mine)
        self._call()
        try:
            await mine
            yield
        finally:
            if mine.done() and not mine.cancelled():
                self._free += 1
                self._busy[who] -= 1
                if not self._busy[who]:
                    del self._busy[who]
            else:
                queue.remove(mine)
                if not queue and self._waiting.get(who) is queue:
                    del self._waiting[who]
            self._call()

    def _call(self) -> None:
        """Give turns to those who have waited longest without one."""
        while self._free:
            who = next((who for who in self._waiting if self._busy[who] < self._own), None)
            if who is None:
                return
            queue = self._waiting.pop(who)
            mine = queue.popleft()
            if queue:
                self._waiting[who] = queue  # behind the others
            self._free -= 1
            self._busy[who] += 1
            mine.set_result(None)
