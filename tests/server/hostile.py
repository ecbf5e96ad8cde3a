"""Frames and requests that nobody should send, by the thousand, at a real server.

`make hostile FRAMES=1000000` sends more of them than the tests do. While they come, two people sit
at a table; not a thing may change at it, no process may die, and neither memory nor the log grow.
A third person plays on beside it, and how long their moves took is told at the end.
"""

import argparse
import asyncio
import contextlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, get_args

import httpx
import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from penultima.client import Client, TableClient
from penultima.server import commands
from tests.server.harness import ServerProcess, a_server, a_token, until
from tests.server.honest import honest, percentile
from tests.server.hostile_http import pester

# Wide enough that every frame gets through to where it is understood.
LIMITS = (
    "--limits=frames_per_second=100000,requests_per_address=100000000,"
    "guesses_per_address=100000000,connections_per_address=1000"
)
ATTACKERS = 6
FRAMES_A_REQUEST = 40  # sent for every request over HTTP
MOST_LOG = 4_096  # bytes
STALL = 50  # milliseconds
MOST_GROWTH = 24 * 1024  # KiB of memory, after the first fifth
HEX = "ab" * 32
# What a field of a command holds where nothing is wrong with it.
FIELDS: dict[str, Any] = {
    "id": "x",
    "name": "Eve",
    "place": 0,
    "picture": "fox",
    "bot": "basic",
    "on": True,
    "promise": HEX,
    "seed": HEX,
    "action": "draw",
    "decision": 1,
    "race": 1,
    "reaction": 200,
    "phrase": "hello",
}


def _examples() -> Iterator[dict[str, Any]]:
    """One of every command that there is."""
    for kind in get_args(commands.AnyCommand):
        fields = {field.name: FIELDS[field.name] for field in msgspec.structs.fields(kind)}
        yield {"type": kind.__struct_config__.tag, **fields}


COMMANDS: list[dict[str, Any]] = [
    *_examples(),
    {"type": "pong", "n": 1},
    {"type": "hello", "version": 1, "table": "abcdef"},
]
ODD: list[Any] = [
    *(None, True, -1, 0, 10, 2**31, 2**63, 10**40, 1e308, 0.5, "", "x" * 100, "\u202e", "\x00"),
    *([], {}, [[]], {"a": 1}, "draw", "../../etc/passwd", "' OR 1=1 --", "abc\ud83c\udf83"),
]


def a_frame(random: Random) -> tuple[bytes, bool]:
    """A frame, and whether it goes as text. A few are of those that end a connection at once."""
    kinds = FATAL if random.random() < 0.01 else KINDS
    return random.choice(kinds)(random)


def noise(random: Random) -> tuple[bytes, bool]:
    return random.randbytes(random.randint(0, 300)), False


def long(random: Random) -> tuple[bytes, bool]:
    return b'{"type":"say","id":"' + b"x" * random.randint(4_000, 8_000) + b'"}', True


def huge(random: Random) -> tuple[bytes, bool]:
    size = random.choice((8_192, 70_000, 1_000_000))
    return b'{"type":"say","id":"' + b"x" * size + b'"}', True


def nested(random: Random) -> tuple[bytes, bool]:
    opening = random.choice((b"[", b'{"type":', b'{"a":['))
    return opening * random.randint(100, 1_000), True


def cut(random: Random) -> tuple[bytes, bool]:
    data = json.dumps(random.choice(COMMANDS)).encode()
    return data[: random.randint(0, len(data) - 1)], True


def wrong_type(random: Random) -> tuple[bytes, bool]:
    command = dict(random.choice(COMMANDS))
    command[random.choice(list(command))] = random.choice(ODD)
    return json.dumps(command).encode(), True


def unknown_field(random: Random) -> tuple[bytes, bool]:
    name = random.choice(("seat", "token", "admin", "place2", "__class__", ""))
    return json.dumps({**random.choice(COMMANDS), name: random.choice(ODD)}).encode(), True


def unknown_type(random: Random) -> tuple[bytes, bool]:
    kind = random.choice(("acted", "dealt", "shown", "Act", "", "eval", "news", "welcome"))
    return json.dumps({"type": kind, "id": "x", "place": 0, "action": "draw"}).encode(), True


def not_a_number(random: Random) -> tuple[bytes, bool]:
    number = random.choice((b"NaN", b"Infinity", b"1e999", b"9" * 1_000, b"-0", b"0x10", b"1_0"))
    return b'{"type":"act","id":"x","action":"draw","decision":' + number + b"}", True


def not_utf8(random: Random) -> tuple[bytes, bool]:
    return b'{"type":"say","id":"\xff\xfe\xed\xa0\x80","phrase":"hello"}', True


def well_formed(random: Random) -> tuple[bytes, bool]:
    """Nothing wrong with it, but who sends it has no seat."""
    return json.dumps(random.choice(COMMANDS)).encode(), random.random() < 0.5


KINDS = (
    *(noise, long, nested, cut, wrong_type, unknown_field),
    *(unknown_type, not_a_number, well_formed),
)
FATAL = (huge, not_utf8)


@dataclass
class Storm:
    """What is under attack, and how it has gone so far."""

    server: ServerProcess
    table: str
    wanted: int = 0
    sent: int = 0
    got: Counter[str] = field(default_factory=Counter)

    def address(self) -> str:
        return self.server.address.replace("http", "ws", 1) + "/ws"

    async def attack(self, random: Random) -> None:
        """Connect again and again, each time until the server has had enough."""
        while self.sent < self.wanted:
            with contextlib.suppress(ConnectionClosed, InvalidHandshake, OSError):
                async with connect(self.address(), compression=None, max_queue=None) as socket:
                    reading = asyncio.create_task(self._read(socket))
                    try:
                        await self._pester(socket, random)
                    finally:
                        await socket.close()  # which the server answers after what came before
                        await reading

    async def _pester(self, socket: ClientConnection, random: Random) -> None:
        if random.random() < 0.9:  # or else no hello at all
            token = random.choice((None, a_token(), a_token(), "short"))
            table = random.choice((*[self.table] * 6, "aaaaaa", "../../"))
            hello = {"type": "hello", "version": 1, "table": table, "token": token}
            await socket.send(json.dumps(hello))
        for _ in range(random.randint(1, 24)):
            data, text = a_frame(random)
            await socket.send(data, text=text)
            self.sent += 1

    async def _read(self, socket: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for data in socket:
                frame = json.loads(data)
                reason = frame.get("code") or frame.get("reason") or frame.get("refused") or ""
                self.got[f"{frame['type']} {reason}".strip()] += 1


def memory(server: ServerProcess) -> int:
    """KiB that the server's process holds."""
    assert server.process is not None
    for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise AssertionError("no such process")


def counts(server: ServerProcess) -> dict[str, float]:
    lines = httpx.get(f"{server.address}/metrics").text.splitlines()
    pairs = (line.split() for line in lines if not line.startswith("#"))
    return {name.removeprefix("penultima_"): float(value) for name, value in pairs}


@contextlib.contextmanager
def under_attack() -> Iterator[ServerProcess]:
    with (
        tempfile.TemporaryDirectory() as folder,
        a_server(Path(folder), LIMITS, PENULTIMA_LOG="WARNING") as server,
    ):
        yield server


async def storm(server: ServerProcess, frames: int, seed: int, beside: int = 0) -> Storm:
    """Send frames at a table where two people sit; what must not change is compared.
    So many others play beside."""
    people = [await Client.connect(server.address) for _ in range(2)]
    table = await people[0].open(seats=2, name="A", watchers=True)
    async with people[0].sit(table, "A") as a, people[1].sit(table, "B") as b:
        await until(a, lambda s: sum(p.here for p in s.places) == 2)
        assert await a.begin() is None
        await until(a, lambda s: s.stage == "playing")
        await until(b, lambda s: s.stage == "playing")
        before = snapshot(a), snapshot(b)
        attack = Storm(server, table)
        start = 0
        while counts(server)["frames_total"] < frames:
            requests = pester(server, table, frames // 5 // FRAMES_A_REQUEST, seed)
            attack.got += (await asyncio.gather(rage(attack, frames // 5, seed), requests))[1]
            start = start or memory(server)
            seed += 1
        grown = memory(server) - start
        assert server.running
        assert (snapshot(a), snapshot(b)) == before, "something changed at the table"
        assert a.connected and b.connected
        assert grown < MOST_GROWTH, f"{grown} KiB more"
        mover = a if a.state is not None and a.state.view and a.state.view.turn == 0 else b
        assert mover.state is not None and mover.state.view is not None
        assert await mover.act(mover.state.view.legal[-1]) is None, "play goes on"
    for _ in range(100):
        found = counts(server)
        if found["connections"] == beside:
            break
        await asyncio.sleep(0.1)
    assert found["connections"] == beside, "somebody is still thought to be here"
    log = server.log.read_text()
    assert found["troubles_total"] == 0, [line for line in log.splitlines() if "trouble" in line]
    assert len(log) < MOST_LOG, log[-2_000:]
    assert attack.got["http 500"] == 0
    attack.sent = int(found["frames_total"])
    attack.got["KiB more"] = grown
    return attack


async def rage(attack: Storm, frames: int, seed: int) -> None:
    attack.wanted = attack.sent + frames
    await asyncio.gather(*(attack.attack(Random(seed * 100 + n)) for n in range(ATTACKERS)))


def snapshot(table: TableClient) -> Any:
    """A table as a client knows it: how many entries its log has, and how things stand."""
    return table._seq, table.state


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with under_attack() as server, honest(server.address) as beside:
        done = asyncio.run(storm(server, options.frames, options.seed, beside=1))
    print(f"{done.sent} frames read: no crash, no change, {done.got.pop('KiB more')} KiB more")
    times = beside.times
    long = sum(time > STALL for time in times)
    print(
        f"{len(times)} moves beside it: median {percentile(times, 0.5):.1f} ms, 99th percentile"
        f" {percentile(times, 0.99):.1f} ms, longest {max(times):.1f} ms, {long} above {STALL} ms"
    )
    for what, number in done.got.most_common():
        print(f"{number:8} {what}")


if __name__ == "__main__":
    main()
