"""A WebSocket client that costs next to nothing, so that a benchmark measures the server.

Text frames only, no compression, no fragments: what both servers send. The mask of a client's
frames is zero, which a server has to undo like any other.
"""

import asyncio
import base64
import secrets
import struct
from typing import Final, Protocol, cast
from urllib.parse import urlsplit

TEXT: Final = 1
CLOSE: Final = 8
PING: Final = 9
PONG: Final = 10


class Owner(Protocol):
    """Whose socket it is."""

    def heard(self, socket: "Socket", text: bytes) -> None: ...

    def lost(self) -> None: ...


class Socket(asyncio.Protocol):
    """Gives every text to its owner, and tells it when the connection ends."""

    def __init__(self, address: str, owner: Owner) -> None:
        self.open = asyncio.get_running_loop().create_future()
        self._address = urlsplit(address)
        self._owner = owner
        self._data = bytearray()
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        where = self._address
        path = f"{where.path or '/'}{'?' + where.query if where.query else ''}"
        self._transport.write(
            f"GET {path} HTTP/1.1\r\nHost: {where.netloc}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self.open.done():
            end = self._data.find(b"\r\n\r\n")
            if end < 0:
                return
            if not self._data.startswith(b"HTTP/1.1 101"):
                self.open.set_exception(ConnectionError(bytes(self._data[:end]).decode()))
                self._transport.close()
                return
            del self._data[: end + 4]
            self.open.set_result(self)
        self._frames()

    def _frames(self) -> None:
        data, at = self._data, 0
        while len(data) >= at + 2:
            size, start = data[at + 1], at + 2
            if size == 126:
                start += 2
                size = int.from_bytes(data[at + 2 : start])
            elif size == 127:
                start += 8
                size = int.from_bytes(data[at + 2 : start])
            if len(data) < start + size:
                break
            kind, content = data[at] & 15, bytes(data[start : start + size])
            at = start + size
            if kind == TEXT:
                self._owner.heard(self, content)
            elif kind == PING:
                self._send(PONG, content)
            elif kind == CLOSE:
                self._transport.close()
        del data[:at]

    def send(self, text: bytes) -> None:
        self._send(TEXT, text)

    def _send(self, kind: int, content: bytes) -> None:
        size = len(content)
        if size < 126:
            head = bytes((128 | kind, 128 | size, 0, 0, 0, 0))
        else:
            head = struct.pack(">BBH4x", 128 | kind, 128 | 126, size)
        self._transport.write(head + content)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.open.done():
            self.open.set_exception(ConnectionError(str(error or "closed")))
        self._owner.lost()

    def close(self) -> None:
        self._transport.close()


async def connect(address: str, owner: Owner) -> Socket:
    """A socket that is open."""
    where = urlsplit(address)
    loop = asyncio.get_running_loop()
    _, socket = await loop.create_connection(
        lambda: Socket(address, owner), where.hostname or "", where.port or 80
    )
    await socket.open
    return socket
