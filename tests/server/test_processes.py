"""Several processes that serve the same tables (`make process-hunt` for longer)."""

import asyncio
import contextlib
import os
import signal
import socket
import time
from collections import Counter
from pathlib import Path

from penultima.game import Match
from penultima.record import Record
from tests.server.harness import ServerProcess, a_server, play_match
from tests.server.postgres import Postgres
from tests.server.processes import several, survive


def test_processes_that_are_killed_and_frozen_lose_nothing(
    postgres: Postgres, tmp_path: Path
) -> None:
    database = postgres.database()
    with several(tmp_path, database, 3) as servers:
        met: Counter[str] = Counter()
        for seed in range(1, 8):  # quick matches may be over before there was enough trouble
            met += asyncio.run(survive(servers, database, tables=3, troubles=6, seed=seed))
            if met["killed"] and met["frozen"]:
                break
    assert met["killed"]
    assert met["frozen"]
    assert met["moves of bots"]


def children(server: ServerProcess) -> list[int]:
    """The processes that a server has started to serve."""
    assert server.process is not None
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            after = status.read_text().rpartition(")")[2].split()
            command = (status.parent / "cmdline").read_bytes()
            if int(after[1]) == server.process.pid and b"spawn_main" in command:
                found.append(int(status.parent.name))
    return found


def test_workers_share_a_port_and_are_replaced(postgres: Postgres, tmp_path: Path) -> None:
    options = ("--database", postgres.database(), "--workers", "2")

    async def play(server: ServerProcess) -> str:
        async def trouble() -> None:
            await asyncio.sleep(2)
            os.kill(children(server)[0], signal.SIGKILL)

        match = play_match(server.address, 3, options={"target": 40, "hand_size": 4}, seats=4)
        text, _ = await asyncio.gather(match, trouble())
        return text

    with a_server(tmp_path, *options, pace="bot=20,moment=20") as server:
        wait_until(lambda: len(children(server)) == 2)
        record = Record.from_text(asyncio.run(play(server)))
        assert Match.replay(record).over == "match"
        wait_until(lambda: len(children(server)) == 2)
        before = children(server)
        assert server.stop() == 0
        assert not [number for number in before if Path(f"/proc/{number}").exists()]


def test_workers_do_not_outlive_who_started_them(postgres: Postgres, tmp_path: Path) -> None:
    options = ("--database", postgres.database(), "--workers", "2")
    with a_server(tmp_path, *options) as server:
        wait_until(lambda: len(children(server)) == 2)
        server.kill()
        wait_until(lambda: is_free(server.port))


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def wait_until(wanted: object, seconds: float = 30) -> None:
    assert callable(wanted)
    until = time.monotonic() + seconds
    while not wanted():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.05)
