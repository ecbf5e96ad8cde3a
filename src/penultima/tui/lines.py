"""Lines that a person types or a file holds, read without keeping the table waiting."""

import asyncio
import io
import os
import threading
from typing import TextIO


class Lines:
    """A thread of its own reads ahead; it never keeps the program from ending."""

    def __init__(self, stream: TextIO) -> None:
        self.interactive = stream.isatty()
        self._stream = stream
        self._read: asyncio.Queue[str | None] = asyncio.Queue()
        self._kept: list[str] = []
        self._ended = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def next(self) -> str:
        """The next line; raises EOFError after the last."""
        if self._kept:
            return self._kept.pop()
        if self._ended:
            raise EOFError
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._begin()
        line = await self._read.get()
        if line is None:
            self._ended = True
            raise EOFError
        return line

    def give_back(self, reading: "asyncio.Future[str]") -> None:
        """Stop waiting for a line, without losing one that has just come."""
        if reading.done() and not reading.cancelled() and reading.exception() is None:
            self._kept.append(reading.result())
        reading.cancel()

    def _begin(self) -> None:
        try:
            handle = self._stream.fileno()
        except (io.UnsupportedOperation, OSError):  # text that is no file
            for line in self._stream.read().splitlines():
                self._read.put_nowait(line)
            self._read.put_nowait(None)
            return
        threading.Thread(target=self._follow, args=(handle,), daemon=True).start()

    def _follow(self, handle: int) -> None:
        # Not through the stream's buffer: its lock would be held at the end of the program.
        rest = b""
        while True:
            try:
                part = os.read(handle, 65536)
            except OSError:
                part = b""
            *whole, rest = (rest + part).split(b"\n")
            for line in whole:
                self._hand_on(line)
            if not part:
                break
        if rest:
            self._hand_on(rest)
        self._hand_on(None)

    def _hand_on(self, line: bytes | None) -> None:
        assert self._loop is not None
        text = None if line is None else line.decode("utf-8", "replace").rstrip("\r")
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._read.put_nowait, text)
