"""What the kernel says of a connection."""

import contextlib
import socket
import struct
import sys
from collections.abc import Iterator

import pytest
from starlette.requests import HTTPConnection

from penultima.server import tcp


@contextlib.contextmanager
def connected() -> Iterator[socket.socket]:
    """The server's end of a connection over which something went both ways."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname()) as client,
        listener.accept()[0] as server,
    ):
        client.sendall(b"?")
        server.recv(1)
        server.sendall(b"!")
        client.recv(1)
        yield server


def an_answer(size: int, smoothed: int, least: int) -> bytes:
    """`struct tcp_info`, as far as a kernel of some age has it."""
    info = bytearray(256)
    struct.pack_into("=I", info, 68, smoothed)
    struct.pack_into("=I", info, 148, least)
    return bytes(info[:size])


def test_a_real_connection_has_a_round_trip() -> None:
    with connected() as server:
        trip = tcp.round_trip(server)
    if sys.platform == "linux":
        assert trip is not None
        assert 0 < trip < 1_000  # milliseconds, on this very machine
    else:
        assert trip is None


@pytest.mark.parametrize(
    ("info", "trip"),
    [
        (an_answer(256, 90_000, 40_500), 40.5),
        (an_answer(152, 90_000, 40_500), 40.5),
        (an_answer(104, 90_000, 40_500), 90.0),  # before Linux 4.6: no least one
        (an_answer(256, 90_000, 0xFFFF_FFFF), 90.0),  # not measured
        (an_answer(256, 0, 0xFFFF_FFFF), None),
        (an_answer(256, 0, 0), None),
        (b"", None),
    ],
)
def test_kernels_of_any_age_are_understood(info: bytes, trip: float | None) -> None:
    assert tcp.least(info) == trip


def test_what_is_not_tcp_has_none() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert tcp.round_trip(one) is None


def test_a_closed_connection_has_none() -> None:
    with connected() as server:
        server.close()
        assert tcp.round_trip(server) is None


def test_other_systems_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with connected() as server:
        monkeypatch.setattr(sys, "platform", "darwin")
        assert tcp.round_trip(server) is None


@pytest.mark.parametrize(
    ("told", "trip"),
    [("1500", 1.5), ("0", None), ("-1", None), ("1e9", None), ("9" * 10, None), (None, None)],
)
def test_a_proxy_can_say_what_it_has_measured(told: str | None, trip: float | None) -> None:
    headers = [] if told is None else [(b"x-round-trip", told.encode())]
    request = HTTPConnection({"type": "websocket", "headers": headers, "state": {}})
    assert tcp.of(request, proxied=True)() == trip
    assert tcp.of(request, proxied=False)() is None
