"""The round trips that the kernel has measured on a connection, by the acknowledgements of TCP.

The other end's kernel sends those by itself, so a client that holds back every pong cannot hold
them back. They end at whoever made the connection: behind a proxy they say nothing of the client,
but the proxy can say what it has measured itself, in a header.
"""

import re
import socket
import struct
import sys
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol

from starlette.requests import HTTPConnection
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode

from penultima.server.door import STATE, Door
from penultima.server.outbox import Outbox

# `struct tcp_info` of linux/tcp.h, in microseconds: tcpi_min_rtt, or tcpi_rtt before Linux 4.6
_PLACES: Final = (148, 68)
_SIZE: Final = 152
_UNKNOWN: Final = (0, 0xFFFF_FFFF)
_LINE: Final = "line"
HEADER: Final = "x-round-trip"  # in microseconds


class Socket(Protocol):
    """As asyncio and uvloop give it."""

    def getsockopt(self, level: int, option: int, size: int, /) -> bytes: ...


def least(info: bytes) -> float | None:
    """Milliseconds of the fastest round trip in what the kernel answers."""
    for place in _PLACES:
        if len(info) >= place + 4:
            (time,) = struct.unpack_from("=I", info, place)
            if time not in _UNKNOWN:
                return float(time) / 1000
    return None


def round_trip(connection: Socket) -> float | None:
    """Milliseconds of a connection's fastest round trip of late; None where nobody knows."""
    if sys.platform != "linux":
        return None
    try:
        return least(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _SIZE))
    except OSError:  # closed, or not TCP
        return None


# What the next class stands on: if uvicorn renames it, nothing else would fail.
assert callable(WebSocketsSansIOProtocol.run_asgi)
assert callable(WebSocketsSansIOProtocol.resume_writing)
assert callable(WebSocketsSansIOProtocol.send_receive_event_to_app)


class TableWebSockets(WebSocketsSansIOProtocol):
    """uvicorn's WebSockets; the application can ask for the round trip (`of`), and messages are
    written without a task and four layers for each (`outbox_of`)."""

    outbox: Outbox | None = None

    async def run_asgi(self) -> None:
        self.scope["state"][_LINE] = self
        await super().run_asgi()

    def send_receive_event_to_app(self) -> None:
        """Text that is none ends the connection, once and without a line in the log."""
        if self.conn.close_sent is not None:
            self.frames = []
            return
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                self.conn.fail(CloseCode.INVALID_DATA)
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    def connection_lost(self, exc: Exception | None) -> None:
        door: Door = self.app_state[STATE]
        door.leave(self.transport)
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.outbox is not None:
            self.outbox.resume()

    @property
    def closed(self) -> bool:
        return self.close_sent or self.disconnected or self.transport.is_closing()

    @property
    def ready(self) -> bool:
        return self.handshake_complete and self.writable.is_set()

    def write(self, data: bytes) -> None:
        self.transport.write(data)

    def round_trip(self) -> float | None:
        if self.transport.is_closing():  # and its number may be another connection's
            return None
        connection: Socket | None = self.transport.get_extra_info("socket")
        return None if connection is None else round_trip(connection)


def outbox_of(request: HTTPConnection, limit: int) -> Outbox:
    """What is sent over a WebSocket, of which so many messages may wait."""
    line: TableWebSockets = getattr(request.state, _LINE)
    line.outbox = Outbox(line, limit)
    return line.outbox


def of(request: HTTPConnection, proxied: bool) -> Callable[[], float | None]:
    """What to ask for the round trip of a connection, whatever serves it."""
    if proxied:
        told = request.headers.get(HEADER, "")
        return (
            partial(float, int(told) / 1000) if re.fullmatch("[1-9][0-9]{0,8}", told) else unknown
        )
    line: TableWebSockets | None = getattr(request.state, _LINE, None)
    return unknown if line is None else line.round_trip


def unknown() -> float | None:
    return None
