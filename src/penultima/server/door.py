"""Who may hold a connection, and for how long without saying anything.

Every connection is counted by the address it comes from, whether it ever asks for something or not.
Where there is no room for another, the one that has been silent longest makes way for it, so that
silence keeps nobody out.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from penultima.server import files
from penultima.server.limiter import network
from penultima.server.settings import Limits

SILENT: Final = 1_000  # connections, beyond those of tables, that are not at a table
HEAD: Final = 10.0  # seconds for what a request begins with
STEP: Final = 5.0  # seconds between two looks at a connection
LEAST: Final = 2_048  # bytes of a body, or of an answer, that must have moved meanwhile
STATE: Final = "door"  # under which protocols find it
_FULL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n"
    b"retry-after: 10\r\n\r\n"
)


class Door:
    """The connections of a process. `proxied`: they come from a proxy, so that their address is
    nobody's; what a client has open is counted when it asks (`Gate`)."""

    def __init__(self, limits: Limits, proxied: bool, crowded: Callable[[], None]) -> None:
        self._limits = limits
        self._proxied = proxied
        self._crowded = crowded  # is told when there are more connections than files
        self._addresses: dict[Any, str] = {}  # by transport
        self._counts: Counter[str] = Counter()
        self._silent: dict[Any, None] = {}  # transports that ask for nothing, the longest first

    def __len__(self) -> int:
        return len(self._addresses)

    def enter(self, transport: asyncio.Transport) -> bool:
        """Take a new connection in, unless all that are here are busy."""
        peer = transport.get_extra_info("peername")
        address = network(str(peer[0])) if peer else ""
        if not (self._make_room(address) and self._make_room(None)):
            return False
        self._addresses[transport] = address
        self._counts[address] += 1
        self._silent[transport] = None
        return True

    def _make_room(self, address: str | None) -> bool:
        if address is None:
            room, files_left = self._limits.connections + SILENT, files.left_for_connections()
            if files_left < room and len(self) >= files_left:
                self._crowded()
            full = len(self) >= min(room, files_left)
        else:
            most = self._limits.connections_per_address
            full = not self._proxied and self._counts[address] >= most
        if not full:
            return True
        for transport in self._silent:
            if address is None or self._addresses[transport] == address:
                self.leave(transport)
                transport.abort()
                return True
        return False

    def busy(self, transport: asyncio.Transport) -> None:
        """It has asked for something."""
        self._silent.pop(transport, None)

    def silent(self, transport: asyncio.Transport) -> None:
        """It has got its answer, and may ask for more."""
        if transport in self._addresses:
            self._silent[transport] = None

    def leave(self, transport: asyncio.Transport) -> None:
        self._silent.pop(transport, None)
        address = self._addresses.pop(transport, None)
        if address is not None:
            self._counts[address] -= 1
            if not self._counts[address]:
                del self._counts[address]


class GuardedHttp(H11Protocol):
    """uvicorn's HTTP, past the door: no connection waits for ever for the rest of a request, or
    for somebody to read the answer."""

    _watching: asyncio.TimerHandle | None = None
    _head_since: float | None = None
    _received = 0  # bytes, since the last look
    _was_sending = False  # a body, at the last look
    _unsent = 0  # bytes of an answer, at the last look
    _drained = False  # much of an answer has been read since

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        self._door = cast(Door, self.app_state[STATE])
        if not self._door.enter(self.transport):
            self.transport.write(_FULL)
            self.transport.close()
            return
        self._head_since = self.loop.time()
        self._watching = self.loop.call_later(STEP, self._watch)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._received += len(data)
        if self._head_since is None and self.conn.their_state is h11.IDLE:
            self._head_since = self.loop.time()
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._head_since = None
            self._door.busy(self.transport)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self._door.silent(self.transport)

    def _watch(self) -> None:
        """See whether anything still moves."""
        silent = self._head_since is not None and self.loop.time() - self._head_since > HEAD
        sends = self.conn.their_state is h11.SEND_BODY and not self.flow.read_paused
        drips = self._was_sending and sends and self._received < LEAST
        unsent = self.transport.get_write_buffer_size()
        unread = 0 < self._unsent < unsent + LEAST and unsent > 0 and not self._drained
        if silent or drips or unread:
            self.transport.abort()
            return
        self._received, self._was_sending = 0, sends
        self._unsent, self._drained = unsent, False
        self._watching = self.loop.call_later(STEP, self._watch)

    def resume_writing(self) -> None:
        self._drained = True
        super().resume_writing()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._unwatch()
        self._door.busy(self.transport)
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch()
        self._door.leave(self.transport)
        super().connection_lost(exc)

    def _unwatch(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None
