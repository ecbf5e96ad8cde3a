"""The set-up of compose.yaml without containers: nginx with deploy/nginx.conf before two servers on
one PostgreSQL. People play through the proxy while first one server and then the other is killed.

`make deploy-check`; needs nginx (apt install nginx-light).
"""

import asyncio
import contextlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from random import Random
from socket import create_connection, socket

from penultima.game import Match
from penultima.record import Record
from tests.server.harness import ServerProcess, gather_people, play_on, until
from tests.server.postgres import a_postgres

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx.conf"


def free_port() -> int:
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def a_proxy(folder: Path, port: int, one: int, two: int) -> Iterator[str]:
    """nginx as it is configured for containers, on ports of this machine."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        sys.exit("nginx is needed: apt install nginx-light")
    text = CONFIGURATION.read_text("utf-8")
    for old, new in (
        ("include /tmp/resolver.conf;", ""),  # addresses need no name server
        ("one:8765 resolve", f"127.0.0.1:{one}"),
        ("two:8765 resolve", f"127.0.0.1:{two}"),
        ("listen 8080", f"listen 127.0.0.1:{port}"),
        ("/tmp/", f"{folder}/"),
    ):
        assert old in text
        text = text.replace(old, new)
    file = folder / "nginx.conf"
    file.write_text(text, "utf-8")
    command = [program, "-p", str(folder), "-c", str(file)]
    subprocess.run([*command, "-t", "-q"], check=True)
    with subprocess.Popen([*command, "-g", "daemon off;"]) as process:
        try:
            until_up = time.monotonic() + 20
            while time.monotonic() < until_up:
                with contextlib.suppress(OSError):
                    create_connection(("127.0.0.1", port), 1).close()
                    break
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


async def play(address: str, one: ServerProcess, two: ServerProcess) -> str:
    """A match of four; each server is killed once and comes back."""
    table, clients = await gather_people(address, 4, options={"target": 60})

    async def person(number: int) -> None:
        async with clients[number].sit(table, f"P{number}") as seat:
            if number == 0:
                await until(seat, lambda s: sum(p.here for p in s.places) == 4, 60)
                assert await seat.begin() is None
            await play_on(seat, Random(number))
            await until(seat, lambda s: s.matches == 1, 60)

    async def killer() -> None:
        for server in (one, two):
            await asyncio.sleep(2)
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            await asyncio.sleep(3)

    killing = asyncio.create_task(killer())
    await asyncio.gather(*(person(number) for number in range(4)))
    await killing
    return str(await clients[0].ask("GET", f"/api/tables/{table}/matches/1"))


def status(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, a_postgres() as postgres:
        data = Path(folder)
        data.chmod(0o755)
        database, port = postgres.database(), free_port()
        options = (
            "--database",
            database,
            "--trust-proxy",
            "--public-url",
            f"http://127.0.0.1:{port}",
        )
        servers = [ServerProcess(data / name, *options) for name in ("one", "two")]
        try:
            with a_proxy(data, port, *(server.port for server in servers)) as address:
                record = Record.from_text(asyncio.run(play(address, *servers)))
                assert Match.replay(record).over == "match"
                assert status(f"{address}/healthz") == 200
                assert status(f"{address}/metrics") == status(f"{address}/admin/tables") == 404
                served = [
                    int(found[1])
                    for server in servers
                    if (found := re.search(r"_commands_total (\d+)", metrics(server.address)))
                ]
        finally:
            for server in servers:
                server.kill()
    moves = sum(len(played.moves) for played in record.rounds)
    print(f"A match of {moves} moves through the proxy, both servers killed once: verified.")
    print(f"Commands since their restart: {served[0]} and {served[1]}.")


def metrics(address: str) -> str:
    with urllib.request.urlopen(f"{address}/metrics", timeout=10) as answer:
        return str(answer.read().decode())


if __name__ == "__main__":
    main()
