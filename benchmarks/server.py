"""Our server against boardgame.io's, one after another in the same run with the same clients.

`make bench-server` installs boardgame.io into a folder of its own and runs this. Ours keeps every
move durably in SQLite before it is answered. boardgame.io is run twice: on the flat files that it
comes with, which it writes after telling everybody and without waiting for the disk, and in memory,
where nothing survives. The time of an answer is from a client's move to the frame that confirms it.
"""

import argparse
import asyncio
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from benchmarks import load
from benchmarks.load import Score
from benchmarks.sockets import Socket, connect

GAME: Final = b"/cards,"
COLORS: Final = "rygb"


class _Hand(msgspec.Struct):
    hand: list[str]


class _Cards(msgspec.Struct):
    players: dict[str, _Hand]
    discard: list[str]
    color: str


class _Context(msgspec.Struct, rename="camel"):
    current_player: str


class _State(msgspec.Struct):
    G: _Cards
    ctx: _Context
    id: int = msgspec.field(name="_stateID")


class _Sync(msgspec.Struct):
    state: _State


_update = msgspec.json.Decoder(tuple[str, str, _State, msgspec.Raw]).decode
_sync = msgspec.json.Decoder(tuple[str, str, _Sync]).decode


class Person:
    """Somebody at a table of boardgame.io, with the same script as ours."""

    def __init__(self, score: Score, match: str, seat: int, secret: str, think: float) -> None:
        self._score = score
        self._match = match
        self._seat = str(seat)
        self._secret = secret
        self._think = think
        self._socket: Socket
        self._sent: tuple[int, float] | None = None  # the state that a move was made in, and when
        self._state: _State | None = None
        self.seated = asyncio.get_running_loop().create_future()

    async def come(self, address: str) -> None:
        where = f"{address}/socket.io/?EIO=4&transport=websocket"
        self._socket = await connect(where, self)
        await self.seated

    @property
    def idle(self) -> bool:
        return self._sent is None

    def close(self) -> None:
        self._socket.close()

    def begin(self) -> None:
        if self._state is not None:
            self._look(self._state)

    def _emit(self, *what: Any) -> None:
        self._socket.send(b"42" + GAME + msgspec.json.encode(what))

    def heard(self, socket: Socket, data: bytes) -> None:
        self._socket = socket
        if data.startswith(b"42" + GAME):
            self._event(data[2 + len(GAME) :])
        elif data == b"2":
            self._socket.send(b"3")
        elif data.startswith(b"0"):
            self._socket.send(b"40" + GAME)
        elif data.startswith(b"40"):
            self._emit("sync", self._match, self._seat, self._secret, None)
        else:
            self._score.error(data[:200].decode())

    def _event(self, data: bytes) -> None:
        if data.startswith(b'["update"'):
            state = _update(data)[2]
            if self._sent is not None and state.id > self._sent[0]:
                self._score.answered(self._sent[1])
                self._sent = None
            self._look(state)
        elif data.startswith(b'["sync"'):
            self._state = _sync(data)[2].state
            self.seated.set_result(None)
        elif not data.startswith(b'["matchData"'):
            self._score.error(data[:200].decode())

    def _look(self, state: _State) -> None:
        if state.ctx.current_player == self._seat and not self._score.stopping:
            move, *arguments = _choice(state.G, self._seat)
            after = asyncio.get_running_loop().call_later if self._think else None
            if after is None:
                self._move(state.id, move, arguments)
            else:
                after(self._think, self._move, state.id, move, arguments)

    def _move(self, state: int, move: str, arguments: list[Any]) -> None:
        if self._score.stopping:
            return
        payload = {
            "type": move,
            "args": arguments,
            "playerID": self._seat,
            "credentials": self._secret,
        }
        self._sent = state, time.perf_counter()
        action = {"type": "MAKE_MOVE", "payload": payload}
        self._emit("update", action, state, self._match, self._seat)

    def lost(self) -> None:
        if not self._score.stopping:
            self._score.error("connection lost")


def _choice(cards: _Cards, seat: str) -> tuple[Any, ...]:
    top = cards.discard[-1]
    for place, card in enumerate(cards.players[seat].hand):
        if card[0] == "W":
            return "play", place, COLORS[place % 4]
        if card[0] == cards.color or card[1:] == top[1:]:
            return "play", place
    return ("draw",)


def _post(address: str, **body: Any) -> Any:
    request = urllib.request.Request(
        address,
        method="POST",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())


def _open_match(address: str, seats: int) -> tuple[str, list[str]]:
    games = f"{address}/games/cards"
    match = _post(f"{games}/create", numPlayers=seats)["matchID"]
    joined = [
        _post(f"{games}/{match}/join", playerID=str(seat), playerName=f"P{seat}")
        for seat in range(seats)
    ]
    return match, [one["playerCredentials"] for one in joined]


async def _people(
    address: str, tables: int, seats: int, think: float, score: Score
) -> list[Person]:
    people = []
    for _ in range(tables):
        match, secrets = await asyncio.to_thread(_open_match, address, seats)
        people += [Person(score, match, seat, secrets[seat], think) for seat in range(seats)]
    return people


@contextlib.contextmanager
def _boardgameio(installed: Path, folder: Path | None) -> Iterator[tuple[str, int]]:
    """Its server on a free port: the address and the process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["node", str(installed / "server.js"), str(port)]
    with subprocess.Popen(
        command if folder is None else [*command, str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "NODE_ENV": "production"},
    ) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if "ready" in line:
                    break
            else:
                raise RuntimeError(f"boardgame.io ended with {process.wait()}")
            yield f"http://127.0.0.1:{port}", process.pid
        finally:
            process.kill()


def theirs(
    installed: Path, stored: bool, tables: int, seats: int, think: float, seconds: float
) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) if stored else None
        with _boardgameio(installed, where) as (address, process):
            used = load.cpu(process)
            people = partial(_people, address, tables, seats, think)
            score: Score = load.run(load.play(address, people, seats, seconds, seconds / 4))
            used = load.cpu(process) - used
    return _figures(score, seconds, used)


def ours(tables: int, seats: int, think: float, seconds: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        score, found = load.measure(Path(folder), tables, seats, think, seconds, seconds / 4)
    return _figures(score, seconds, found["server_cpu_us_per_move"] * score.moves / 1e6)


def _figures(score: Score, seconds: float, used: float) -> dict[str, float]:
    for error in score.errors[:5]:
        print(f"error: {error}", file=sys.stderr)
    return {
        "moves": len(score.times) / seconds,
        "p50": score.quantile(0.5),
        "p99": score.quantile(0.99),
        "cpu": 1e6 * used / max(score.moves, 1),
        "errors": len(score.errors),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--boardgameio", type=Path, required=True, help="where it is installed")
    parser.add_argument("--tables", type=int, default=25)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--think", type=float, default=0.0, help="seconds (default 0)")
    parser.add_argument("--seconds", type=float, default=10.0, help="to count (default 10)")
    parser.add_argument("--repeat", type=int, default=3, help="best of so many (default 3)")
    options = parser.parse_args()
    settings = options.tables, options.seats, options.think, options.seconds
    subjects: dict[str, Callable[[], dict[str, float]]] = {
        "Penultima, SQLite, durable": lambda: ours(*settings),
        "boardgame.io, flat files": lambda: theirs(options.boardgameio, True, *settings),
        "boardgame.io, memory": lambda: theirs(options.boardgameio, False, *settings),
    }
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in subjects}
    for _ in range(options.repeat):
        for name, measure in subjects.items():
            runs[name].append(measure())
    best = {name: max(found, key=lambda one: one["moves"]) for name, found in runs.items()}
    clients = options.tables * options.seats
    print(f"{load.machine()}, {clients} clients at {options.tables} tables\n")
    print("| server | moves/s | p50, ms | p99, ms | CPU per move, µs | ratio of moves/s |")
    print("| --- | --- | --- | --- | --- | --- |")
    mine = next(iter(best.values()))["moves"]
    for name, one in best.items():
        ratio = mine / one["moves"] if one["moves"] else float("inf")
        print(
            f"| {name} | {one['moves']:,.0f} | {one['p50']:.1f} | {one['p99']:.1f}"
            f" | {one['cpu']:,.0f} | {ratio:.2f} |"
        )
    errors = sum(one["errors"] for found in runs.values() for one in found)
    print(f"\nerrors: {errors:.0f}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
