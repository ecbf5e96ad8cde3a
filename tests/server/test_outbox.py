"""Messages go out in order, together where they can, and wait within bounds where they cannot."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side, State

from penultima.server.outbox import Outbox, text_frame


class Peer:
    """A connection that may stop taking things."""

    def __init__(self) -> None:
        self.ready = True
        self.closed = False
        self.written: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.written.append(data)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
def test_a_client_of_another_make_understands_every_length(size: int) -> None:
    client = Protocol(Side.CLIENT, state=State.OPEN, max_size=None)
    client.receive_data(text_frame(b"x" * size))
    (frame,) = client.events_received()
    assert isinstance(frame, Frame)
    assert (frame.opcode, frame.fin, frame.data) == (Opcode.TEXT, True, b"x" * size)


def test_what_comes_together_is_written_together() -> None:
    async def test() -> None:
        peer = Peer()
        outbox = Outbox(peer, 10)
        assert outbox.put(b"a")
        assert outbox.put(b"b")
        assert peer.written == []
        await outbox.sent()
        assert peer.written == [text_frame(b"a") + text_frame(b"b")]

    run(test())


def test_nothing_overtakes_what_waits() -> None:
    async def test() -> None:
        peer = Peer()
        outbox = Outbox(peer, 3)
        peer.ready = False
        assert all(map(outbox.put, (b"a", b"b", b"c")))
        assert not outbox.put(b"one too many")
        await asyncio.sleep(0)
        assert peer.written == []
        peer.ready = True
        outbox.resume()
        assert outbox.put(b"d")
        await outbox.sent()
        assert b"".join(peer.written) == b"".join(map(text_frame, (b"a", b"b", b"c", b"d")))

    run(test())


def test_nothing_is_written_to_a_connection_that_is_closed() -> None:
    async def test() -> None:
        peer = Peer()
        outbox = Outbox(peer, 3)
        peer.closed = True
        assert outbox.put(b"a")
        await outbox.sent()
        assert peer.written == []
        assert len(outbox) == 0

    run(test())
