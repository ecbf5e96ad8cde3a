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
from uvicorn._types import ASGIReceiveEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame

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


PART: Final = 2_048  # bytes that are looked at in one go
SOON: Final = 0.01  # seconds until the next
LATE: Final = 32_768  # bytes of somebody who does not take our last word for it
CONTROLS: Final = 60  # pings and pongs at once
FRAGMENTS: Final = 64  # of a message

# What the next class stands on: if uvicorn renames it, nothing else would fail.
assert callable(WebSocketsSansIOProtocol.run_asgi)
assert callable(WebSocketsSansIOProtocol.resume_writing)
assert callable(WebSocketsSansIOProtocol.send_receive_event_to_app)


class TableWebSockets(WebSocketsSansIOProtocol):
    """uvicorn's WebSockets; the application can ask for the round trip (`of`), and messages are
    written without a task and four layers for each (`outbox_of`)."""

    outbox: Outbox | None = None
    _rest = b""  # what was received and not looked at yet
    _late = 0  # bytes that came after our last word
    _controls = 0.0  # pings and pongs, of which one is forgotten every second
    _counted = 0.0  # when they were counted last

    async def run_asgi(self) -> None:
        self.scope["state"][_LINE] = self
        await super().run_asgi()

    def data_received(self, data: bytes) -> None:
        """Look at a little at a time: thousands of small frames must not hold up others."""
        if self.close_sent or self.conn.close_sent is not None:
            self._late += len(data)
            if self._late > LATE:
                self.transport.abort()
                return
        waiting = bool(self._rest)
        self._rest += data
        if not waiting:
            self._look()

    def _look(self) -> None:
        if self.transport.is_closing():
            self._rest = b""
            return
        if not self.read_paused:  # or else what came before is still to be read
            part, self._rest = self._rest[:PART], self._rest[PART:]
            super().data_received(part)
        if self._rest:
            self.transport.pause_reading()
            self.loop.call_later(SOON, self._look)
        elif not self.read_paused and not self.transport.is_closing():
            self.transport.resume_reading()

    async def receive(self) -> ASGIReceiveEvent:
        message = await self.queue.get()
        if self.read_paused and self.queue.empty():
            self.read_paused = False
            if not self._rest:
                self.transport.resume_reading()
        return message

    def handle_ping(self) -> None:
        if self._may_control():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        if self._may_control():
            super().handle_pong(event)

    def _may_control(self) -> bool:
        """Whether the connection goes on with one more frame that is no message."""
        now = self.loop.time()
        self._controls = max(self._controls - (now - self._counted), 0) + 1
        self._counted = now
        if self._controls > CONTROLS:
            self.transport.abort()
        return not self.transport.is_closing()

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) < FRAGMENTS:
            super().handle_cont(event)
        else:
            self.transport.abort()

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
