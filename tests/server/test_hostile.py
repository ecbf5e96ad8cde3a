"""Hostile frames and connections: nothing crashes, nothing changes, nothing is kept."""

import asyncio
import contextlib
import json
import socket
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from penultima.client import Client
from penultima.edition import shipped
from penultima.server import commands, wire
from penultima.server.hub import Hub
from penultima.server.settings import Limits, ServerSettings
from penultima.server.socket import MOST_BAD
from penultima.server.sqlite import SqliteDatabase
from penultima.server.store import Store
from penultima.view import View
from tests.server.harness import ServerProcess, a_server, gather_people, until
from tests.server.hostile import counts, storm, under_attack
from tests.server.test_leaks import Wire
from tests.server.test_strangers import rest


def test_a_storm_of_frames_changes_nothing() -> None:
    with under_attack() as server:
        done = asyncio.run(storm(server, 3_000, seed=7))
    assert done.sent >= 3_000
    for what in ("problem not_understood", "problem too_long", "answer no_seat", "bye bad_frames"):
        assert done.got[what] > 0, done.got
    assert {"http 200", "http 400", "http 404"} <= done.got.keys(), done.got


def address(server: ServerProcess) -> str:
    return server.address.replace("http", "ws", 1) + "/ws"


async def talk(server: ServerProcess, *frames: str) -> list[dict[str, Any]]:
    """Send frames, and read until the server ends the conversation or is silent."""
    got = []
    async with connect(address(server), compression=None) as line:
        for frame in frames:
            await line.send(frame)
        with contextlib.suppress(TimeoutError, ConnectionClosed):
            while True:
                got.append(json.loads(await asyncio.wait_for(line.recv(), 2)))
    return [frame for frame in got if frame["type"] != "ping"]


def a_table(server: ServerProcess) -> tuple[str, str]:
    async def make() -> tuple[str, str]:
        client = await Client.connect(server.address)
        return await client.open(seats=2, name="A"), client.token

    return asyncio.run(make())


def hello(table: str, **more: Any) -> str:
    return json.dumps({"type": "hello", "version": 1, "table": table, **more})


def test_a_frame_over_4_kib_is_refused_and_said_so(server: ServerProcess) -> None:
    table, token = a_table(server)
    most = '{"type":"say","id":"x","phrase":"hello"}'
    exactly = most + " " * (wire.MOST_BYTES - len(most))
    wide = json.dumps({"type": "say", "id": "x", "phrase": "ж" * 1_500}, ensure_ascii=False)
    over = [exactly + " ", wide + " " * 1_200]
    got = asyncio.run(talk(server, hello(table, token=token), exactly, *over))
    assert [frame["type"] for frame in got[1:]].count("problem") == 2
    assert {f["code"] for f in got if f["type"] == "problem"} == {"too_long"}
    assert any(frame["type"] == "answer" for frame in got)


def test_the_first_frame_is_hello_and_comes_once(server: ServerProcess) -> None:
    table, token = a_table(server)
    first = asyncio.run(talk(server, '{"type":"ready","id":"x"}', hello(table, token=token)))
    assert [frame["type"] for frame in first] == ["bye"]
    twice = asyncio.run(talk(server, hello(table), hello(table, token=token)))
    assert [frame["type"] for frame in twice] == ["welcome", "problem"]
    assert twice[0]["seat"] is None


def test_who_sends_nonsense_is_sent_away(server: ServerProcess) -> None:
    table, _ = a_table(server)
    got = asyncio.run(talk(server, hello(table), *["nonsense"] * (MOST_BAD + 5)))
    assert got[-1] == {"type": "bye", "reason": "bad_frames", "retry": None}
    assert sum(frame["type"] == "problem" for frame in got) <= MOST_BAD


def test_a_problem_does_not_repeat_what_was_sent(server: ServerProcess) -> None:
    table, _ = a_table(server)
    secret = "secret-" * 20
    frames = [
        json.dumps({"type": "say", "id": "x", "phrase": secret}),
        json.dumps({"type": secret}),
        json.dumps({"type": "hello", "version": 1, "table": table, "token": secret}),
    ]
    got = asyncio.run(talk(server, hello(table), *frames))
    assert all(len(json.dumps(frame)) < 400 for frame in got[1:])


def unheld(view: View) -> str:
    """A card that the seat does not hold."""
    return next(card for card in (f"r{n}" for n in range(10)) if card not in view.hand)


def test_nobody_acts_for_another_seat(server: ServerProcess) -> None:
    """Whoever is not at the table, or not at the turn, changes nothing."""

    async def run() -> None:
        table, clients = await gather_people(server.address, 2)
        stranger = await Client.connect(server.address)
        async with clients[0].sit(table, "A") as a, clients[1].sit(table, "B") as b:
            await until(a, lambda s: sum(p.here for p in s.places) == 2)
            await a.begin()
            await until(a, lambda s: s.stage == "playing")
            await until(b, lambda s: s.stage == "playing")
            assert a.state is not None and a.state.view is not None
            there, other = (a, b) if a.state.view.turn == 0 else (b, a)
            assert there.state is not None and there.state.view is not None
            decision = there.state.decision
            for action in there.state.view.legal:
                act = commands.Act(id=f"other {action}", action=action, decision=decision)
                assert await other.send(act) == "not_allowed"
                assert other.why is not None
                assert (other.why.code, other.why.details) == ("not_your_turn", {})
            card = unheld(there.state.view)
            act = commands.Act(id="not held", action=card, decision=decision)
            assert await there.send(act) == "not_allowed"
            assert there.why is not None
            assert (there.why.code, there.why.details) == ("not_held", {"card": card})
            async with stranger.watch(table) as watcher:
                await until(watcher, lambda s: True)
                act = commands.Act(id="w", action="draw", decision=decision)
                assert await watcher.send(act) == "no_seat"
            assert there.state.decision == decision
            begun = await a.send(commands.Begin(id="twice"))  # a double start deals once
            assert begun == "not_now"

    asyncio.run(run())


def test_connections_of_one_address_are_limited(tmp_path: Path) -> None:
    async def run(server: ServerProcess) -> None:
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(10):
                await stack.enter_async_context(connect(address(server)))
            for _ in range(5):
                with pytest.raises(InvalidStatus):
                    await connect(address(server))
        for _ in range(50):
            if counts(server)["connections"] == 0:
                break
            await asyncio.sleep(0.1)
        async with connect(address(server)):
            pass

    with a_server(tmp_path, "--limits=connections_per_address=10") as server:
        asyncio.run(run(server))


def test_half_a_handshake_and_silence_hold_nobody_up(server: ServerProcess) -> None:
    table, token = a_table(server)
    halves = []
    for number in range(60):
        half = socket.create_connection(("127.0.0.1", server.port))
        half.sendall((b"", b"GET /ws HT", b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: ")[number % 3])
        halves.append(half)
    got = asyncio.run(talk(server, hello(table, token=token)))
    assert got[0]["type"] == "welcome" and got[0]["seat"] == 0
    for half in halves:
        half.close()


def test_who_floods_is_read_more_slowly_and_nobody_else(tmp_path: Path) -> None:
    async def run(server: ServerProcess) -> None:
        client = await Client.connect(server.address)
        table = await client.open(seats=2, name="A")
        async with connect(address(server), compression=None, close_timeout=0.1) as line:
            await line.send(hello(table))
            for number in range(200):
                await line.send(json.dumps({"type": "ready", "id": f"{number}"}))
            async with client.sit(table, "A") as seat:
                await until(seat, lambda s: s.places[0].here)
                assert await seat.say("hello") is None
            answered = 0
            with contextlib.suppress(TimeoutError):
                while True:
                    frame = await asyncio.wait_for(line.recv(), 0.2)
                    answered += '"answer"' in str(frame)
        assert answered < 200
        assert counts(server)["limited_total"] > 0

    with a_server(tmp_path, "--limits=frames_per_second=5") as server:
        asyncio.run(run(server))


TOKEN = "x" * 32


class Stuck(Wire):
    """A client that has stopped reading, and says nothing either."""

    def write(self, data: bytes) -> None:
        super().write(data)
        self.ready = False


def test_a_slow_reader_is_dropped_and_may_come_back(tmp_path: Path) -> None:
    """What waits for it is bounded; its seat is not thought to be taken; it resumes."""

    async def run() -> None:
        database = SqliteDatabase(tmp_path / "slow.sqlite")
        settings = ServerSettings("", tmp_path, limits=Limits(unread=10))
        hub = Hub(Store(database), settings)
        new = wire.NewTable(name="A", seats=2)
        seated = await hub.open(shipped("classic"), new, "0" * 64)
        try:
            room = await hub.room(seated.table)
            assert room is not None
            stuck = Stuck(hub, TOKEN, None, seated.table)
            while not room.listeners:
                await asyncio.sleep(0.01)
            (listener,) = room.listeners
            for number in range(100):
                for one in tuple(room.listeners):
                    one.send(b'{"number":%d}' % number)
                await asyncio.sleep(0)
            assert len(listener._out) <= 10
            async with asyncio.timeout(20):
                while room.listeners:
                    await asyncio.sleep(0.01)
                await stuck._task
            assert hub.metrics._counts["slow"] == 1
            back = Wire(hub, TOKEN, 0, seated.table)
            async with asyncio.timeout(20):
                while not back.got:
                    await asyncio.sleep(0.01)
            assert b'"welcome"' in back.got[0]
            await back.close()
        finally:
            await hub.close()

    asyncio.run(run())


def test_where_watchers_are_forbidden_nobody_stays_to_watch(server: ServerProcess) -> None:
    """Who may come to sit down, and does not, is sent away when the match begins."""

    async def run() -> None:
        table, clients = await gather_people(server.address, 2, watchers=False)
        stranger = await Client.connect(server.address)
        lurking = connect(address(server), compression=None)
        async with clients[0].sit(table, "A") as a, clients[1].sit(table, "B") as b, lurking as eve:
            await eve.send(hello(table, token=stranger.token))
            await until(a, lambda s: sum(p.here for p in s.places) == 2)
            assert await a.begin() is None
            await until(b, lambda s: s.stage == "playing")
            got = []
            with contextlib.suppress(ConnectionClosed):
                while True:
                    got.append(json.loads(await asyncio.wait_for(eve.recv(), 10)))
            assert got[-1] == {"type": "bye", "reason": "forbidden", "retry": None}
            states = [frame["state"]["stage"] for frame in got if "state" in frame]
            assert set(states) == {"gathering"}

    asyncio.run(run())


def masked(opcode: int, data: bytes = b"") -> bytes:
    """A frame as a client writes it, with a mask of zeros."""
    return bytes((opcode, 0x80 | len(data))) + bytes(4) + data


@pytest.mark.parametrize(
    "frame",
    [masked(0x89), masked(0x8A), masked(0x00), masked(0x81, b"x")],
    ids=["pings", "pongs", "fragments", "messages after the last word"],
)
def test_who_floods_with_small_frames_is_cut_off(server: ServerProcess, frame: bytes) -> None:
    """Thousands of them fit into what is received at once, and no limit of messages counts them."""
    table, _ = a_table(server)
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        upgrade = "Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        line.sendall(f"GET /ws HTTP/1.1\r\n{upgrade}{key}\r\n".encode())
        assert b" 101 " in line.recv(1_000)
        line.sendall(masked(0x81, hello(table).encode()))
        if frame == masked(0x00):
            line.sendall(masked(0x01))  # what is gone on with
        with contextlib.suppress(OSError):
            for _ in range(400):
                line.sendall(frame * 1_000)
        assert rest(line, 8) is not None
    assert counts(server)["troubles_total"] == 0
