"""How an honest player fares while a stranger attacks: the time of their moves, against without.

`make bench-attacks` starts a server, lets a person play against a bot, and sets one attack after
another at it, each from another address of this machine and from a process of its own. Between
attacks the same person plays in peace; a ratio is always of neighbors in the same run. The
attackers take time of the same processors, which the first row, a process merely busy, shows.
"""

import argparse
import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from itertools import count
from pathlib import Path

from penultima.edition import shipped
from tests.commands import HARVEST
from tests.server.harness import a_server
from tests.server.honest import honest, percentile
from tests.support import states

FROM = "127.0.0.9"
LINES = 32  # connections of an attack that asks on and on
SECONDS = 10.0
Attack = Callable[[int], Coroutine[None, None, None]]
ATTACKS: dict[str, Attack] = {}


def attack(run: Attack) -> Attack:
    ATTACKS[run.__name__.replace("_", " ")] = run
    return run


async def reach(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", port, local_addr=(FROM, 0))


async def again(port: int, request: Callable[[int], bytes], lines: int = LINES) -> None:
    """Ask on many connections at once, and again as soon as there is an answer."""
    numbers = count()

    async def ask() -> None:
        while True:
            with contextlib.suppress(OSError, ValueError, asyncio.IncompleteReadError):
                reader, writer = await reach(port)
                while True:
                    writer.write(request(next(numbers)))
                    head = await reader.readuntil(b"\r\n\r\n")
                    length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
                    await reader.readexactly(int(length))
            await asyncio.sleep(0.01)

    await asyncio.gather(*(ask() for _ in range(lines)))


def http(method: str, path: str, body: bytes = b"", host: str = "localhost") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@attack
async def a_busy_process(_port: int) -> None:
    while True:
        sum(range(10_000))
        await asyncio.sleep(0)


@attack
async def editions_of_dotted_keys(port: int) -> None:
    own = json.dumps({"own": ".".join("a" * 32_000) + " = 1"}).encode()
    await again(port, lambda n: http("POST", "/api/tables", own))


@attack
async def editions_that_are_fine(port: int) -> None:
    own = json.dumps({"own": Path(HARVEST).read_text("utf-8")}).encode()
    await again(port, lambda n: http("POST", "/api/tables", own))


@attack
async def long_records_to_replay(port: int) -> None:
    text = a_record()
    await again(port, lambda n: http("POST", "/api/replay", text))


@attack
async def long_records_to_analyze(port: int) -> None:
    text = a_record()
    await again(port, lambda n: http("POST", "/api/analysis/1", text))


@attack
async def silent_connections(port: int) -> None:
    held = []
    for _ in range(5_200):
        with contextlib.suppress(OSError):
            held.append(await reach(port))
    await asyncio.sleep(3_600)


@attack
async def connections_that_come_and_go(port: int) -> None:
    async def come_and_go() -> None:
        while True:
            with contextlib.suppress(OSError):
                _, writer = await reach(port)
                writer.close()

    await asyncio.gather(*(come_and_go() for _ in range(LINES)))


@attack
async def bodies_that_never_end(port: int) -> None:
    async def drip() -> None:
        while True:
            with contextlib.suppress(OSError):
                _, writer = await reach(port)
                writer.write(http("POST", "/api/replay", b"")[:-2].replace(b": 0", b": 999999"))
                writer.write(b"\r\n")
                for _ in range(100):
                    writer.write(b"x")
                    await writer.drain()
                    await asyncio.sleep(0.1)

    await asyncio.gather(*(drip() for _ in range(300)))


@attack
async def downloads_of_the_core(port: int) -> None:
    await again(port, lambda n: http("GET", "/core.json"))


@attack
async def documents(port: int) -> None:
    paths = ("/api/openapi.json", "/api/docs", "/api/editions", "/api/rules/classic?lang=ru")
    await again(port, lambda n: http("GET", paths[n % len(paths)]))


@attack
async def guessed_codes(port: int) -> None:
    await again(port, lambda n: http("GET", f"/api/tables/aa{chr(97 + n % 26)}aaa"))


@attack
async def a_name_that_is_not_ours(port: int) -> None:
    await again(port, lambda n: http("GET", "/", host="evil.example"))


@attack
async def refused_commands(port: int) -> None:
    from websockets.asyncio.client import connect

    async def pester() -> None:
        while True:
            with contextlib.suppress(Exception):
                address = f"ws://127.0.0.1:{port}/ws"
                async with connect(address, local_addr=(FROM, 0), compression=None) as line:
                    hello = {"type": "hello", "version": 1, "table": "aaaaaa"}
                    await line.send(json.dumps(hello))
                    for n in count():
                        await line.send(json.dumps({"type": "ready", "id": f"{n}"}))
                        await line.send("x" * 5_000)

    await asyncio.gather(*(pester() for _ in range(LINES)))


def a_record() -> bytes:
    """Of a long match."""
    sheet = shipped("classic").sheet.with_options({"target": 900})
    *_, match = states(sheet, seats=4, seed=3)
    return match.record().to_text().encode()


def measure(address: str, port: int, name: str | None, seconds: float) -> list[float]:
    """The milliseconds of the honest player's moves while something goes on."""
    attacker = None
    if name is not None:
        command = [sys.executable, "-m", "benchmarks.attacks", "--attack", name]
        attacker = subprocess.Popen([*command, "--port", str(port)], stderr=subprocess.DEVNULL)
        time.sleep(2)
    try:
        with honest(address) as person:
            time.sleep(seconds)
        return person.times
    finally:
        if attacker is not None:
            attacker.kill()
            attacker.wait()


def report(seconds: float, names: list[str]) -> None:
    print("| while there are | moves | median | p99 | longest | p99, of that in peace |")
    print("| --- " * 6 + "|")
    with tempfile.TemporaryDirectory() as folder, a_server(Path(folder)) as server:
        for name in names:
            peace = measure(server.address, server.port, None, seconds)
            times = measure(server.address, server.port, name, seconds)
            ratio = percentile(times, 0.99) / percentile(peace, 0.99)
            found = [f"{percentile(times, share):.1f} ms" for share in (0.5, 0.99, 1)]
            print(f"| {name} | {len(times)} | {' | '.join(found)} | {ratio:.1f}× |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attack", choices=ATTACKS)
    parser.add_argument("--port", type=int)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--only", choices=ATTACKS, action="append")
    options = parser.parse_args()
    if options.attack:
        asyncio.run(ATTACKS[options.attack](options.port))
    else:
        report(options.seconds, options.only or list(ATTACKS))


if __name__ == "__main__":
    main()
