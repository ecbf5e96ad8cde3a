"""What is waiting to be sent on a connection: written at once where the peer keeps up, else kept
within bounds. Sending never makes anybody wait."""

import asyncio
from typing import Final, Protocol

_TEXT: Final = 0x81  # a whole message
_SHORT: Final = 126
_MEDIUM: Final = 1 << 16


class Line(Protocol):
    """The connection below."""

    @property
    def ready(self) -> bool:
        """Whether the peer has taken most of what was written before."""
        ...

    @property
    def closed(self) -> bool: ...

    def write(self, data: bytes) -> None: ...


def text_frame(text: bytes) -> bytes:
    """A message as a server sends it over a WebSocket (RFC 6455, 5.2)."""
    size = len(text)
    if size < _SHORT:
        return bytes((_TEXT, size)) + text
    if size < _MEDIUM:
        return bytes((_TEXT, 126)) + size.to_bytes(2) + text
    return bytes((_TEXT, 127)) + size.to_bytes(8) + text


class Outbox:
    """Messages in the order in which they are put in; what comes together is written together."""

    def __init__(self, line: Line, limit: int) -> None:
        self._line = line
        self._limit = limit
        self._waiting: list[bytes] = []
        self._flushing: asyncio.Handle | None = None
        self._done: asyncio.Future[None] | None = None  # for whoever waits until all is sent

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, text: bytes) -> bool:
        """Send a message soon; False where too many are waiting already."""
        if len(self._waiting) >= self._limit:
            return False
        self._waiting.append(text)
        if self._flushing is None:
            self._flushing = asyncio.get_running_loop().call_soon(self._flush)
        return True

    def clear(self) -> None:
        """Leave unsent what is waiting."""
        self._waiting.clear()

    def resume(self) -> None:
        """The peer has taken what was written."""
        if self._waiting and self._flushing is None:
            self._flush()

    async def sent(self) -> None:
        """Wait until nothing is waiting any more."""
        if self._waiting:
            self._done = self._done or asyncio.get_running_loop().create_future()
            await asyncio.shield(self._done)

    def _flush(self) -> None:
        self._flushing = None
        if self._line.closed:
            self._waiting.clear()
        elif self._waiting and self._line.ready:
            self._line.write(b"".join(map(text_frame, self._waiting)))
            self._waiting.clear()
        if self._done is not None and not self._waiting:
            self._done.set_result(None)
            self._done = None
