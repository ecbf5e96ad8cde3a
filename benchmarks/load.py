"""Many tables at once: scripted people at a server with durable commits, in one other process.

`make load`, or `python -m benchmarks.load --tables 500 --think 1`. Each person thinks for a random
time around `--think` seconds; 0 shows how much the server can do. The time of an answer is from the
client's send to the answer it gets, after the commit. Every move that was answered must be in the
log afterwards.
"""

import argparse
import asyncio
import contextlib
import json
import os
import platform
import secrets
import sqlite3
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

import msgspec

from benchmarks.sockets import Socket, connect
from penultima.fair import commitment
from penultima.server import commands, wire
from tests.server.harness import ServerProcess

ENOUGH: Final = (
    "tables=100000,connections=100000,connections_per_address=100000,"
    "tables_per_address=100000,requests_per_address=100000000,frames_per_second=100000"
)
Gather = Callable[["Score"], Awaitable[Sequence[Any]]]
AT_A_TIME: Final = 40  # people who come in together
PATIENCE: Final = 60  # seconds until they must all be seated


class _Place(msgspec.Struct):
    ready: bool


class _View(msgspec.Struct):
    turn: int
    phase: str
    legal: list[str]


class _State(msgspec.Struct):
    """What a script needs of a state; the rest is not even decoded."""

    stage: str
    decision: int
    attempt: int
    places: list[_Place]
    view: _View | None


class _News(msgspec.Struct):
    seat: int | None
    state: _State


class _Answer(msgspec.Struct):
    id: str
    refused: str | None


class _Ping(msgspec.Struct):
    n: int


_news = msgspec.json.Decoder(_News).decode
_answer = msgspec.json.Decoder(_Answer).decode
_ping = msgspec.json.Decoder(_Ping).decode


@dataclass
class Score:
    """What a run came to."""

    moves: int = 0  # answered, all in all
    times: list[float] = field(default_factory=list)  # of answers to moves, in seconds
    errors: list[str] = field(default_factory=list)
    counting: bool = False
    stopping: bool = False

    def error(self, what: str) -> None:
        self.errors.append(what)

    def answered(self, sent: float) -> None:
        """A move that was sent at a time is confirmed."""
        self.moves += 1
        if self.counting:
            self.times.append(time.perf_counter() - sent)

    def quantile(self, part: float) -> float:
        """In milliseconds."""
        ordered = sorted(self.times)
        return 1000 * ordered[min(int(part * len(ordered)), len(ordered) - 1)] if ordered else 0.0


class Person:
    """Somebody with a script: calls, puts down the first card that fits, or draws."""

    def __init__(
        self, score: Score, table: str, seat: int, think: float, token: str | None = None
    ) -> None:
        self.token = token or secrets.token_urlsafe(24)
        self._score = score
        self.table = table
        self._seat = seat
        self._think = think
        self._random = Random(f"{table}{seat}")
        self._socket: Socket
        self._answered: tuple[int, str] = (0, "")  # the decision, or the attempt, and the stage
        self._waiting: dict[str, float | None] = {}
        self._number = 0
        self._seed = b""
        self.seated = asyncio.get_running_loop().create_future()

    async def come(self, address: str) -> None:
        self._socket = await connect(f"{address}/ws", self)
        hello = wire.Hello(version=wire.VERSION, table=self.table, token=self.token)
        self._socket.send(msgspec.json.encode(hello))
        await self.seated

    @property
    def idle(self) -> bool:
        return not self._waiting

    def close(self) -> None:
        self._socket.close()

    def begin(self) -> None:
        self._send(commands.Begin(id=self._id()))

    def _id(self) -> str:
        self._number += 1
        return f"{self._number}"

    def _send(self, command: commands.Command, sent: float | None = None) -> None:
        self._waiting[command.id] = sent
        self._socket.send(msgspec.json.encode(command))

    def heard(self, socket: Socket, data: bytes) -> None:
        self._socket = socket
        if data.startswith(b'{"type":"news"'):
            self._look(_news(data).state)
        elif data.startswith(b'{"type":"answer"'):
            self._take(_answer(data))
        elif data.startswith(b'{"type":"ping"'):
            self._socket.send(msgspec.json.encode(wire.Pong(n=_ping(data).n)))
        elif data.startswith(b'{"type":"welcome"'):
            if _news(data).seat is None:
                sit = commands.Sit(id=self._id(), name=f"P{self._seat}", place=self._seat)
                self._send(sit)
            else:
                self.seated.set_result(None)
        elif not data.startswith(b'{"type":"here"'):
            self._score.error(data[:200].decode())

    def _take(self, answer: _Answer) -> None:
        sent = self._waiting.pop(answer.id)
        if answer.refused is not None:
            self._score.error(f"refused: {answer.refused}")
        elif sent is not None:
            self._score.answered(sent)
        elif not self.seated.done():
            self.seated.set_result(None)

    def _look(self, state: _State) -> None:
        """Do what there is to do, once."""
        score, view = self._score, state.view
        if state.stage == "playing":
            to_do = view is not None and view.turn == self._seat and bool(view.legal)
            now = (state.decision, state.stage)
        else:
            to_do = state.stage != "over" or self._seat == 0
            now = (state.attempt, state.stage)
            if state.stage == "between":
                now = (state.decision, state.stage)
        if not to_do or now == self._answered or score.stopping:
            return
        self._answered = now
        match state.stage:
            case "playing":
                assert view is not None
                action = _choice(view.legal)
                command = commands.Act(id=self._id(), action=action, decision=state.decision)
                if self._think:
                    wait = self._random.uniform(0.5, 1.5) * self._think
                    asyncio.get_running_loop().call_later(wait, self._move, command)
                else:
                    self._move(command)
            case "promising":
                self._seed = secrets.token_bytes(32)
                made = commitment(self.table, state.attempt, str(self._seat), self._seed)
                self._send(commands.Promise(id=self._id(), promise=made))
            case "revealing":
                self._send(commands.Reveal(id=self._id(), seed=self._seed.hex()))
            case "between":
                self._send(commands.GetReady(id=self._id()))
            case "over":
                self.begin()

    def _move(self, command: commands.Command) -> None:
        if not self._score.stopping:
            self._send(command, time.perf_counter())

    def lost(self) -> None:
        if not self._score.stopping:
            self._score.error("connection lost")


def _choice(legal: list[str]) -> str:
    if "call" in legal:
        return "call"
    return next((one for one in legal if one not in ("draw", "keep", "catch")), legal[0])


def open_table(address: str, seats: int, token: str) -> str:
    body = {"seats": seats, "name": "P0", "options": {"target": 500}}
    request = urllib.request.Request(
        f"{address}/api/tables",
        method="POST",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return str(json.loads(answer.read())["table"])


async def fill(address: str, tables: int, seats: int, think: float, score: Score) -> list[Person]:
    """Tables, and who will sit at them: the host of each first."""
    people: list[Person] = []
    for _ in range(tables):
        token = secrets.token_urlsafe(24)
        table = await asyncio.to_thread(open_table, address, seats, token)
        people.append(Person(score, table, 0, think, token))
        people += [Person(score, table, seat, think) for seat in range(1, seats)]
    return people


async def play(address: str, gather: Gather, seats: int, seconds: float, warm: float) -> Score:
    """Let people come, play, count for some seconds, and come to rest."""
    score = Score()
    people = await gather(score)
    for first in range(0, len(people), AT_A_TIME):
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*(one.come(address) for one in people[first : first + AT_A_TIME]))
    for number, host in enumerate(people[::seats]):
        host.begin()
        if number % 10 == 9:
            await asyncio.sleep(0.05)
    await asyncio.sleep(warm)
    score.counting = True
    await asyncio.sleep(seconds)
    score.counting = False
    score.stopping = True
    for _ in range(200):
        if all(person.idle for person in people):
            break
        await asyncio.sleep(0.05)
    else:
        score.error("not everything was answered")
    for person in people:
        person.close()
    return score


def memory(process: int) -> int:
    """What a process holds in memory, in bytes."""
    for line in Path(f"/proc/{process}/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise ValueError(process)


def cpu(process: int) -> float:
    """What a process has used, in seconds."""
    after_name = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def counters(address: str) -> dict[str, float]:
    with urllib.request.urlopen(f"{address}/metrics", timeout=30) as answer:
        lines = [line.split() for line in answer.read().decode().splitlines() if line[0] != "#"]
    return {name: float(value) for name, value in lines}


def compare(score: Score, data: Path) -> None:
    """Every move that was answered must be in the log of a server that has stopped."""
    with contextlib.closing(sqlite3.connect(data / "tables.sqlite")) as connection:
        sql = 'SELECT COUNT(*) FROM log WHERE entry LIKE \'%"type":"acted"%\''
        (logged,) = connection.execute(sql).fetchone()
    if logged != score.moves:
        score.error(f"{score.moves} moves answered, {logged} in the log")


def measure(
    data: Path, tables: int, seats: int, think: float, seconds: float, warm: float
) -> tuple[Score, dict[str, Any]]:
    """A server of its own under load; what it came to, and the figures."""
    server = ServerProcess(data, f"--limits={ENOUGH}")
    try:
        assert server.process is not None
        urllib.request.urlopen(f"{server.address}/healthz", timeout=30).close()
        before = memory(server.process.pid)
        used = cpu(server.process.pid)
        gather = partial(fill, server.address, tables, seats, think)
        score: Score = run(play(server.address, gather, seats, seconds, warm))
        grown = memory(server.process.pid) - before
        used = cpu(server.process.pid) - used
        counted = counters(server.address)
        server.stop()
    finally:
        if server.running:
            server.kill()
    for name in ("troubles", "slow", "bad_frames", "refusals"):
        if counted[f"penultima_{name}_total"]:
            score.error(f"{name}: {counted[f'penultima_{name}_total']:.0f}")
    compare(score, data)
    return score, {
        "tables": tables,
        "clients": tables * seats,
        "think_s": think,
        "moves_per_s": round(len(score.times) / seconds, 1),
        "p50_ms": round(score.quantile(0.5), 2),
        "p99_ms": round(score.quantile(0.99), 2),
        "worst_ms": round(score.quantile(1.0), 2),
        "server_cpu_us_per_move": round(1e6 * used / max(score.moves, 1)),
        "client_cpu_us_per_move": round(1e6 * time.process_time() / max(score.moves, 1)),
        "memory_per_table_kib": round(grown / tables / 1024, 1),
        "moves": score.moves,
        "errors": len(score.errors),
    }


def machine() -> str:
    """When and on what a figure was made."""
    return (
        f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}"
    )


def run(work: Any) -> Any:
    """On the fastest loop there is."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(work)
    return uvloop.run(work)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--think", type=float, default=1.0, help="seconds (default 1)")
    parser.add_argument("--seconds", type=float, default=30.0, help="to count (default 30)")
    parser.add_argument("--warm", type=float, default=10.0, help="seconds of play before that")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    settings = options.tables, options.seats, options.think, options.seconds, options.warm
    with tempfile.TemporaryDirectory() as folder:
        score, figures = measure(Path(folder), *settings)
    if options.json:
        print(json.dumps({**figures, "errors": score.errors[:20]}, indent=2))
    else:
        print(
            f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {os.cpu_count()} cores, ", end=""
        )
        print(f"Python {platform.python_version()}, SQLite, every move durable")
        for name, value in figures.items():
            print(f"{name:<22} {value:>12,}")
        for error in score.errors[:20]:
            print(f"error: {error}", file=sys.stderr)
    return 1 if score.errors else 0


if __name__ == "__main__":
    sys.exit(main())
