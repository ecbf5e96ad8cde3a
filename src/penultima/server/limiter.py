"""How often an address may ask."""

import ipaddress
import time
from collections import Counter, deque
from typing import Final

from starlette.requests import HTTPConnection

from penultima.server.settings import Limits

MINUTE: Final = 60.0
HOUR: Final = 3600.0


class Window:
    """Counts what an address does within a time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._counts: Counter[str] = Counter()
        self._log: deque[tuple[float, str]] = deque()

    def __call__(self, address: str) -> int:
        self._forget()
        return self._counts[address]

    def take(self, address: str, most: int) -> bool:
        """Count one more, unless there are too many; so a flood is refused and not remembered."""
        if self(address) >= most:
            return False
        self._log.append((time.monotonic(), address))
        self._counts[address] += 1
        return True

    def _forget(self) -> None:
        old = time.monotonic() - self._seconds
        while self._log and self._log[0][0] < old:
            _, address = self._log.popleft()
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]


def _network(address: str) -> str:
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


class Limiter:
    def __init__(self, limits: Limits, trust_proxy: bool) -> None:
        self._limits = limits
        self._trust_proxy = trust_proxy
        self._requests = Window(MINUTE)
        self._guesses = Window(MINUTE)
        self._tables = Window(HOUR)
        self._connections: Counter[str] = Counter()

    def address(self, request: HTTPConnection) -> str:
        if self._trust_proxy and (forwarded := request.headers.get("x-forwarded-for")):
            return _network(forwarded.rpartition(",")[2].strip())  # what the proxy itself saw
        return _network(request.client.host) if request.client else ""

    def may_ask(self, request: HTTPConnection) -> bool:
        address = self.address(request)
        return (
            self._requests.take(address, self._limits.requests_per_address)
            and self._guesses(address) < self._limits.guesses_per_address
        )

    def guess(self, request: HTTPConnection) -> None:
        """A code was wrong."""
        self._guesses.take(self.address(request), self._limits.guesses_per_address)

    def may_open(self, request: HTTPConnection) -> bool:
        return self._tables.take(self.address(request), self._limits.tables_per_address)

    def connect(self, request: HTTPConnection) -> bool:
        """Whether there is room for one more connection; each is followed by a `disconnect`."""
        address = self.address(request)
        self._connections[address] += 1
        return (
            self._connections.total() <= self._limits.connections
            and self._connections[address] <= self._limits.connections_per_address
            and self.may_ask(request)
        )

    def disconnect(self, request: HTTPConnection) -> None:
        address = self.address(request)
        self._connections[address] -= 1
        if not self._connections[address]:
            del self._connections[address]

    @property
    def connections(self) -> int:
        return self._connections.total()
