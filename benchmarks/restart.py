"""A planned restart with many tables in the middle of a game: how long until everybody plays on.

`make bench-restart`, or `python -m benchmarks.restart --tables 500`. The tables' logs are written
first, by the real table logic; four people connect to each. Then the server is told to stop
(SIGTERM) and started again, and people come back as `penultima.client` does. Times are from
then on. Clients run on the same machine, in this process.
"""

import argparse
import asyncio
import base64
import json
import os
import platform
import random
import secrets
import struct
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from penultima.client import FIRST_WAIT, LONGEST_WAIT
from penultima.edition import shipped
from penultima.fair import commitment
from penultima.notation import action_text
from penultima.rules.actions import PLAY
from penultima.server import answers, commands, due, frames, log, wire
from penultima.server.hub import CODE, code
from penultima.server.sqlite import SqliteDatabase
from penultima.server.store import Opening, Seeds, Store, hashed
from penultima.server.table import Table, open_table
from tests.server.harness import ServerProcess

PEOPLE: Final = 4
ENOUGH: Final = (
    "tables=100000,connections=100000,connections_per_address=100000,requests_per_address=100000000"
)


class Log:
    """A table as it grows, without a server."""

    def __init__(self, at: int) -> None:
        self.secret = secrets.token_hex(32)
        self.table = Table(Seeds(self.secret))
        self.entries: list[log.Entry] = []
        self.at = at

    def take(self, *entries: log.Entry) -> None:
        for entry in entries:
            self.table.apply(entry)
            self.entries.append(entry)

    def ask(self, seat: int, command: commands.Command) -> None:
        self.take(*answers.answer(self.table, seat, command, self.at))


def in_the_middle(tokens: list[str], actions: int, at: int) -> Log:
    """A table at which people have taken so many actions of their first match."""
    made = Log(at)
    table = made.table
    made.take(open_table(code(CODE), shipped("classic"), PEOPLE, at))
    for seat, token in enumerate(tokens):
        name = commands.Sit(id="sit", name=f"P{seat}")
        made.take(*answers.sit(table, hashed(token), name, at))
    made.ask(0, commands.Begin(id="begin"))
    seeds = [secrets.token_bytes(32) for _ in tokens]
    for seat, seed in enumerate(seeds):
        promise = commitment(table.id, 1, str(seat), seed)
        made.ask(seat, commands.Promise(id="promise", promise=promise))
    for seat, seed in enumerate(seeds):
        made.ask(seat, commands.Reveal(id="reveal", seed=seed.hex()))
    made.take(*due.tick(table, at))
    for number in range(actions):
        game = table.playing.game
        legal = table.playing.legal(game.turn)
        if game.counts[game.turn] <= 2:  # nobody goes out
            legal = [action for action in legal if action < PLAY] or legal
        action = action_text(table.sheet, random.choice(legal))
        made.ask(game.turn, commands.Act(id=f"{number}", action=action, decision=table.decision))
    assert table.stage == "playing"
    return made


class Person(asyncio.Protocol):
    """Somebody at a table: as little of a client as will do, for the server is to be measured."""

    def __init__(self, port: int, table: str, token: str) -> None:
        self.port, self.table, self.token = port, table, token
        self.state: dict[str, Any] | None = None
        self.welcomed = asyncio.Event()
        self.answered = asyncio.Event()
        self.refused: str | None = None
        self._transport: asyncio.Transport | None = None
        self._data = bytearray()
        self._upgraded = False
        self._lost = asyncio.Event()

    async def stay(self) -> None:
        """Come back whenever the connection is lost."""
        wait = FIRST_WAIT
        loop = asyncio.get_running_loop()
        while True:
            self._data.clear()
            self._upgraded = False
            self._lost.clear()
            try:
                await loop.create_connection(lambda: self, "127.0.0.1", self.port)
                await self._lost.wait()
            except OSError:
                pass
            wait = FIRST_WAIT if self.welcomed.is_set() else min(2 * wait, LONGEST_WAIT)
            self.welcomed.clear()
            await asyncio.sleep(wait * random.uniform(0.5, 1.0))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def connection_lost(self, _error: Exception | None) -> None:
        self._lost.set()

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self._upgraded:
            end = self._data.find(b"\r\n\r\n")
            if end < 0:
                return
            del self._data[: end + 4]
            self._upgraded = True
            self.send(wire.Hello(version=wire.VERSION, table=self.table, token=self.token))
        while (frame := self._frame()) is not None:
            self._take(frame)

    def _frame(self) -> bytes | None:
        if len(self._data) < 2:
            return None
        size, start = self._data[1], 2
        if size == 126:
            size, start = int.from_bytes(self._data[2:4], "big"), 4
        elif size == 127:
            size, start = int.from_bytes(self._data[2:10], "big"), 10
        if len(self._data) < start + size:
            return None
        closing = self._data[0] & 15 == 8
        frame = bytes(self._data[start : start + size])
        del self._data[: start + size]
        if closing and self._transport is not None:
            self._transport.close()
            return None
        return frame

    def _take(self, frame: bytes) -> None:
        if frame.startswith(b'{"type":"welcome"'):
            self.state = json.loads(frame)["state"]
            self.welcomed.set()
        elif frame.startswith(b'{"type":"answer"'):
            self.refused = json.loads(frame)["refused"]
            self.answered.set()
        elif frame.startswith(b'{"type":"ping"'):
            self.send(wire.Pong(n=json.loads(frame)["n"]))

    def send(self, frame: Any) -> None:
        assert self._transport is not None
        data = wire.encode(frame)
        head = struct.pack("!BBH", 0x81, 0x80 | 126, len(data))
        self._transport.write(head + bytes(4) + data)  # a mask of zeros changes nothing


async def measure(folder: Path, tables: int, actions: int) -> dict[str, float]:
    tokens = [[secrets.token_urlsafe(24) for _ in range(PEOPLE)] for _ in range(tables)]
    store = Store(SqliteDatabase(folder / "tables.sqlite"))
    names = []
    for seated in tokens:
        made = in_the_middle(seated, actions, store.now())
        names.append(made.table.id)
        opening = Opening(made.entries, frames.summary(made.table), made.secret)
        assert await store.open(opening)
    await store.close()
    server = await asyncio.to_thread(ServerProcess, folder, f"--limits={ENOUGH}")
    people = [
        [Person(server.port, name, token) for token in seated]
        for name, seated in zip(names, tokens, strict=True)
    ]
    everybody = [person for seated in people for person in seated]
    staying = []
    for person in everybody:
        staying.append(asyncio.create_task(person.stay()))
        if len(staying) % 50 == 0:
            await staying[-1].get_loop().create_task(person.welcomed.wait())
    await asyncio.gather(*(person.welcomed.wait() for person in everybody))
    found: dict[str, float] = {}
    began = time.perf_counter()

    def at(what: str) -> None:
        found[what] = time.perf_counter() - began

    await asyncio.to_thread(server.stop)
    at("stopped")
    for person in everybody:  # who has not noticed yet is not welcomed again yet
        person.welcomed.clear()
    await asyncio.to_thread(server.start)
    at("started")
    await asyncio.gather(*(person.welcomed.wait() for person in everybody))
    at("resumed")
    assert server.process is not None
    found["cpu"] = _cpu(server.process.pid)
    await asyncio.gather(*(_play(seated) for seated in people))
    at("played")
    for task in staying:
        task.cancel()
    server.kill()
    return found


def _cpu(process: int) -> float:
    """Seconds of a processor that a process has used: what a busy machine does not change."""
    times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


async def _play(seated: list[Person]) -> None:
    """Whose turn it is acts."""
    state = seated[0].state
    assert state is not None
    assert state["view"] is not None
    person = seated[state["view"]["turn"]]
    assert person.state is not None
    action = person.state["view"]["legal"][0]
    person.send(commands.Act(id="go on", action=action, decision=state["decision"]))
    await person.answered.wait()
    assert person.refused is None, person.refused


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a restart takes")
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--actions", type=int, default=60, help="taken at each table before")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(Path(folder), options.tables, options.actions))
    if options.json:
        print(json.dumps({"tables": options.tables, **found}))
        return
    print(
        f"{options.tables} tables, {PEOPLE * options.tables} people, {options.actions} actions "
        f"each; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {platform.python_version()}"
    )
    meaning = {
        "stopped": "the old process is gone",
        "started": "the new one listens",
        "resumed": "everybody has the state of their table again",
        "played": "an action was taken, and is durable, at every table",
        "cpu": "of a processor had the new process used when everybody was back",
    }
    for what, text in meaning.items():
        print(f"  {found[what]:6.2f} s  {text}")


if __name__ == "__main__":
    main()
