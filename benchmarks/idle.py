"""Connections on which nothing happens: what they cost, and what they cost a player beside them.

`make bench-idle`, or `python -m benchmarks.idle --connections 10000`. A table of people plays at a
server of its own, first alone, then beside tables in the middle of a match at which nobody moves,
with watchers at them, and alone again. The client process answers the pings of all connections on
the same cores.
"""

import argparse
import asyncio
import resource
import sys
import tempfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from benchmarks import load
from benchmarks.load import AT_A_TIME, ENOUGH, PATIENCE, Person, Score
from benchmarks.sockets import Socket, connect
from penultima.server import commands, wire
from tests.server.harness import ServerProcess

SEATS: Final = 4
THINK: Final = 0.05  # seconds: a brisk game
SETTLE: Final = 3.0  # seconds after so many have come


class Idle(Person):
    """Sits down, has a hand dealt, and never moves."""

    def _move(self, command: commands.Command) -> None:
        """It stays this one's turn."""


class Watcher:
    """Looks on."""

    def __init__(self, score: Score, table: str) -> None:
        self._score = score
        self._table = table
        self._socket: Socket
        self.seated = asyncio.get_running_loop().create_future()

    async def come(self, address: str) -> None:
        self._socket = await connect(f"{address}/ws", self)
        self._socket.send(msgspec.json.encode(wire.Hello(version=wire.VERSION, table=self._table)))
        await self.seated

    def heard(self, socket: Socket, data: bytes) -> None:
        if data.startswith(b'{"type":"welcome"') and not self.seated.done():
            self.seated.set_result(None)
        elif data.startswith(b'{"type":"ping"'):
            number = msgspec.json.decode(data, type=wire.Ping).n
            socket.send(msgspec.json.encode(wire.Pong(n=number)))

    def lost(self) -> None:
        if not self._score.stopping:
            self._score.error("connection lost")

    def close(self) -> None:
        self._socket.close()


async def _come(address: str, people: Sequence[Any]) -> None:
    for first in range(0, len(people), AT_A_TIME):
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(one.come(address) for one in people[first : first + AT_A_TIME]))


async def _beside(address: str, seconds: float) -> Score:
    """A table that plays for some seconds."""
    return await load.play(
        address, lambda score: load.fill(address, 1, SEATS, THINK, score), SEATS, seconds, 1.0
    )


async def measure(
    server: ServerProcess, connections: int, tables: int, seconds: float
) -> dict[str, Any]:
    assert server.process is not None
    address, process = server.address, server.process.pid
    urllib.request.urlopen(f"{address}/healthz", timeout=30).close()
    before = await _beside(address, seconds)
    score, empty = Score(), load.memory(process)
    people: list[Any] = []
    for _ in range(tables):
        people += await _an_idle_table(address, score)
    await asyncio.sleep(SETTLE)
    with_tables = load.memory(process)
    names = [person.table for person in people[::SEATS]]
    watchers = [Watcher(score, names[n % tables]) for n in range(connections - len(people))]
    await _come(address, watchers)
    await asyncio.sleep(SETTLE)
    with_all = load.memory(process)
    beside = await _beside(address, seconds)
    held = load.counters(address)["penultima_connections"]
    score.stopping = True
    for one in (*people, *watchers):
        one.close()
    await asyncio.sleep(SETTLE)
    after = await _beside(address, seconds)
    connection = (with_all - with_tables) / max(len(watchers), 1)
    alone = [*before.times, *after.times]
    alone_score = Score(times=alone)
    return {
        "connections_held": round(held),
        "tables": tables,
        "kib_per_connection": round(connection / 1024, 1),
        "kib_per_table": round(((with_tables - empty) / tables - SEATS * connection) / 1024, 1),
        "p99_alone_ms": round(alone_score.quantile(0.99), 2),
        "p99_beside_ms": round(beside.quantile(0.99), 2),
        "ratio_p99": round(beside.quantile(0.99) / alone_score.quantile(0.99), 2),
        "moves": len(alone) + len(beside.times),
        "errors": [*score.errors, *before.errors, *beside.errors, *after.errors],
    }


async def _an_idle_table(address: str, score: Score) -> list[Any]:
    people = await load.fill(address, 1, SEATS, 0.0, score)
    idle = [Idle(score, one.table, n, 0.0, one.token) for n, one in enumerate(people)]
    await _come(address, idle)
    idle[0].begin()
    return idle


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--tables", type=int, default=500, help="of four people each")
    parser.add_argument("--seconds", type=float, default=15.0, help="of each of three games")
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if options.connections > most - 200:
        sys.exit(f"only {most} files may be open here: raise it (ulimit -Hn), or --connections")
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        server = ServerProcess(Path(folder), f"--limits={ENOUGH}")
        try:
            figures = load.run(
                measure(server, options.connections, options.tables, options.seconds)
            )
        finally:
            server.kill()
    errors = figures.pop("errors")
    print(load.machine())
    for name, value in figures.items():
        print(f"{name:<20} {value:>10,}")
    for error in errors[:10]:
        print(f"error: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
