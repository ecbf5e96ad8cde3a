"""A person who plays on while others misbehave, and how long each move takes to be answered.

    python -m tests.server.honest ADDRESS

plays against a bot, in a process of its own, until its input ends; then prints the milliseconds as
JSON.
"""

import asyncio
import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from random import Random

from penultima.client import Client
from tests.server.harness import sensible

PAUSE = 0.02  # seconds between two moves


async def play(address: str, stop: threading.Event) -> list[float]:
    """The milliseconds of every move until told to stop."""
    client, random = await Client.connect(address), Random(1)
    new = {"seats": 2, "name": "A", "options": {"target": 10_000}}
    table = await client.open(**new, bots=[{"place": 1, "bot": "basic"}])
    found: list[float] = []
    async with client.sit(table, "A") as seat:
        while not seat.connected:
            await asyncio.sleep(0.01)
        await seat.begin()
        async for view in seat.decisions():
            if view.turn != seat.seat:
                continue
            started = time.perf_counter()
            await seat.act(sensible(random, view))
            found.append(1000 * (time.perf_counter() - started))
            if stop.is_set():
                break
            await asyncio.sleep(PAUSE)
    return found


class Honest:
    """Such a person in another process; `times` once they have stopped."""

    def __init__(self, address: str) -> None:
        self.times: list[float] = []
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.server.honest", address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def stop(self) -> None:
        out, _ = self._process.communicate(timeout=60)
        self.times = json.loads(out)


@contextlib.contextmanager
def honest(address: str) -> Iterator[Honest]:
    person = Honest(address)
    try:
        yield person
    finally:
        person.stop()


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(int(len(times) * share), len(times) - 1)]


def main() -> None:
    stop = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        stop.set()

    threading.Thread(target=wait, daemon=True).start()
    print(json.dumps(asyncio.run(play(sys.argv[1], stop))))


if __name__ == "__main__":
    main()
