"""How often an address may ask."""

import asyncio
import contextlib
import ipaddress
import time
from collections import Counter, deque
from collections.abc import Iterator
from typing import Final
from weakref import WeakValueDictionary

from starlette.requests import HTTPConnection

from penultima.server.settings import Limits

MINUTE: Final = 60.0
SPELL: Final = 600.0
BURST: Final = 100  # requests that need not wait, of a minute's
MANY: Final = 10_000  # addresses, of which old ones are forgotten
DOWNLOADS: Final = 4  # long answers to an address at a time
HOUR: Final = 3600.0


class Window:
    """Adds up what an address does within a time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._counts: dict[str, float] = {}
        self._log: deque[tuple[float, str, float]] = deque()

    def __call__(self, address: str) -> float:
        self._forget()
        return self._counts.get(address, 0)

    def take(self, address: str, most: int) -> bool:
        """Count one more, unless there are too many; so a flood is refused and not remembered."""
        if self(address) >= most:
            return False
        self.add(address, 1)
        return True

    def add(self, address: str, amount: float) -> None:
        self._log.append((time.monotonic(), address, amount))
        self._counts[address] = self._counts.get(address, 0) + amount

    def _forget(self) -> None:
        old = time.monotonic() - self._seconds
        while self._log and self._log[0][0] < old:
            _, address, amount = self._log.popleft()
            self._counts[address] -= amount
            if self._counts[address] < 1e-6:
                del self._counts[address]


def network(address: str) -> str:
    """An address as it is counted: of IPv6 the half that one customer has all of."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if found.version == 4:
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))


def _told(entry: str) -> str | None:
    """The address in an entry of `X-Forwarded-For`, which may name a port."""
    entry = entry.strip()
    if entry.startswith("["):
        entry = entry[1:].partition("]")[0]
    elif entry.count(":") == 1:
        entry = entry.partition(":")[0]
    try:
        ipaddress.ip_address(entry)
    except ValueError:
        return None
    return network(entry)


class Pace:
    """Lets many through at once, and then one after another: says how long the next one waits."""

    def __init__(self, a_minute: int) -> None:
        self._every = MINUTE / max(a_minute, 1)
        self._burst = self._every * max(BURST, a_minute // 6)
        self._until: dict[str, float] = {}  # by address: when its allowance is whole again

    def __call__(self, address: str) -> float:
        now = time.monotonic()
        if len(self._until) > MANY:
            self._until = {who: at for who, at in self._until.items() if at > now}
        until = max(self._until.get(address, now), now) + self._every
        self._until[address] = until
        return max(until - now - self._burst, 0)


class Limiter:
    """`proxies`: through how many proxies of our own everybody comes."""

    def __init__(self, limits: Limits, proxies: int = 0) -> None:
        self._limits = limits
        self._proxies = proxies
        self._requests = Window(MINUTE)
        self._guesses = Window(MINUTE)
        self._tables = Window(HOUR)
        self._work = Window(SPELL)
        self._pace = Pace(limits.requests_per_address)
        self._engaged: Counter[str] = Counter()
        self._downloads: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self.sockets = 0  # WebSockets that are open

    def address(self, request: HTTPConnection) -> str:
        """Whom to count a request for. Each proxy adds whom it has it from, on a line of its own or
        not; what stands before that, anybody may have written."""
        if self._proxies:
            entries = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
            told = _told(entries[-self._proxies]) if len(entries) >= self._proxies else None
            if told is not None:
                return told
        return network(request.client.host) if request.client else ""

    def may_ask(self, request: HTTPConnection) -> bool:
        return self._requests.take(self.address(request), self._limits.requests_per_address)

    def wait(self, request: HTTPConnection) -> float:
        """Seconds until a request is due: many at once must not hold up others."""
        return self._pace(self.address(request))

    def download(self, request: HTTPConnection) -> asyncio.Semaphore:
        """What a long answer waits for, so that few of an address go out at a time."""
        address = self.address(request)
        found = self._downloads.get(address)
        if found is None:
            found = self._downloads[address] = asyncio.Semaphore(DOWNLOADS)
        return found

    def may_guess(self, request: HTTPConnection) -> bool:
        """Whether a code may be tried that could be a guess."""
        return self._guesses(self.address(request)) < self._limits.guesses_per_address

    def guess(self, request: HTTPConnection) -> None:
        """A code was wrong."""
        self._guesses.take(self.address(request), self._limits.guesses_per_address)

    def may_open(self, request: HTTPConnection) -> bool:
        return self._tables.take(self.address(request), self._limits.tables_per_address)

    def may_work(self, address: str) -> bool:
        """Whether more may be worked out for an address."""
        return self._work(address) < self._limits.work_per_address

    def worked(self, address: str, seconds: float) -> None:
        self._work.add(address, seconds)

    def may_connect(self) -> bool:
        """Whether there is room for one more WebSocket."""
        return self.sockets < self._limits.connections

    @contextlib.contextmanager
    def engaged(self, request: HTTPConnection) -> Iterator[bool]:
        """While a request or a WebSocket of an address is under way; tells if there is room."""
        address = self.address(request)
        self._engaged[address] += 1
        try:
            yield self._engaged[address] <= self._limits.connections_per_address
        finally:
            self._engaged[address] -= 1
            if not self._engaged[address]:
                del self._engaged[address]
