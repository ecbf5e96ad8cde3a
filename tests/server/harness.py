"""A real server process for a test, and people who play at it over real sockets."""

import asyncio
import contextlib
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from penultima.client import Client, TableClient
from penultima.view import View

FAST = "bot=0,moment=0"  # bots that do not pause
QUIET = {"PENULTIMA_LOG": "CRITICAL", "PENULTIMA_COMPILE": "0"}  # of many servers, none compiles


def a_free_port() -> int:
    """A port that no client is given for its own end of a connection: one that tries to come back
    to a server that is down can otherwise be connected to itself, and keeps the port."""
    while True:
        port = Random().randrange(15_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class ServerProcess:
    """`penultima serve` on a port and a folder of its own."""

    module = "penultima"

    def __init__(self, data: Path, *options: str, pace: str = FAST, **environment: str) -> None:
        self.data = data
        self.port = a_free_port()
        self._options = [f"--pace={pace}", *options]
        self.environment = environment
        self.process: subprocess.Popen[str] | None = None
        self.start()

    @property
    def log(self) -> Path:
        return self.data / "server.log"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, **environment: str) -> None:
        """Start, or start again at the same address."""
        command = [sys.executable, "-m", self.module, "serve", "--data", str(self.data)]
        self.data.mkdir(parents=True, exist_ok=True)
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [*command, "--port", str(self.port), "--lang", "en", *self._options],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, **QUIET, **self.environment, **environment},
            )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                self.port = int(found[1])
            if "Ctrl-C" in line:
                return
        raise AssertionError(f"the server ended with {self.process.wait()}")

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.wait()

    def stop(self) -> int:
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def wait(self) -> int:
        assert self.process is not None
        code = self.process.wait(20)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None


@contextlib.contextmanager
def a_server(data: Path, *options: str, **settings: str) -> Iterator[ServerProcess]:
    server = ServerProcess(data, *options, **settings)
    try:
        yield server
    finally:
        if server.running:
            server.kill()


def sensible(random: Random, view: View) -> str:
    """A card if one can be put down, so that rounds end."""
    plays = [action for action in view.legal if action not in ("draw", "keep", "call")]
    return str(random.choice(plays or view.legal))


async def play_on(table: TableClient, random: Random) -> None:
    """Play until the match is over, catching nobody and calling at random."""
    async for view in table.decisions():
        if view.turn == table.seat:
            await table.act(sensible(random, view))
        elif random.random() < 0.3:
            await table.act(random.choice(view.legal))


async def until(table: TableClient, wanted: Callable[[Any], bool], seconds: float = 20) -> None:
    """Wait for a state."""
    async with asyncio.timeout(seconds):
        if table.state is not None and wanted(table.state):
            return
        async for _ in table.frames():
            if table.state is not None and wanted(table.state):
                return
        raise AssertionError(f"the table ended: {table.ended}")


async def gather_people(address: str, people: int, **settings: Any) -> tuple[str, list[Client]]:
    """A table and who will sit at it."""
    clients = [await Client.connect(address) for _ in range(people)]
    table = await clients[0].open(**{"seats": people, "name": "P0", **settings})
    return table, clients


async def play_match(address: str, people: int, seed: int = 0, **settings: Any) -> str:
    """A whole match between people (and bots); gives its record."""
    table, clients = await gather_people(address, people, **settings)

    async def person(number: int) -> None:
        async with clients[number].sit(table, f"P{number}") as seat:
            if number == 0:
                await until(seat, lambda s: sum(p.here for p in s.places) == people)
                assert await seat.begin() is None
            await play_on(seat, Random(seed * 100 + number))
            await until(seat, lambda s: s.matches == 1)

    await asyncio.gather(*(person(number) for number in range(people)))
    record = await clients[0].ask("GET", f"/api/tables/{table}/matches/1")
    assert isinstance(record, str)
    return record


def a_token() -> str:
    return secrets.token_urlsafe(24)
