"""Several processes on one database, killed and frozen while people play at all of them.

`make process-hunt` does this for longer than the tests do.
"""

import argparse
import asyncio
import contextlib
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from penultima.client import Client
from penultima.errors import ServerError
from penultima.server import frames, log, story
from tests.server.harness import ServerProcess, play_on, until
from tests.server.postgres import a_postgres
from tests.server.witness import Witness, check, counted, postgres_log

PEOPLE = 2
PACE = "bot=20,moment=20,grace=1500"


class Roamer(Client):
    """Somebody who comes back to whichever process a proxy would choose."""

    def __init__(self, servers: list[ServerProcess], random: Random) -> None:
        self._servers = servers
        self._random = random
        super().__init__("", "")

    @property
    def address(self) -> str:
        return self._random.choice(self._servers).address

    @address.setter
    def address(self, _address: str) -> None:
        pass

    async def persist(self, method: str, path: str, body: Any = None) -> Any:
        """Ask until somebody answers."""
        while True:
            try:
                return await self.ask(method, path, body)
            except ServerError as error:
                if error.code != "unreachable":
                    raise
                await asyncio.sleep(0.1)


async def survive(
    servers: list[ServerProcess], database: str, tables: int, troubles: int, seed: int
) -> Counter[str]:
    """Play matches at several tables while there is trouble; gives what was met."""
    random = Random(seed)
    witnesses: dict[str, list[Witness]] = {}
    for _ in range(tables):
        people = [Roamer(servers, random) for _ in range(PEOPLE)]
        for person in people:
            person.token = (await person.persist("POST", "/api/people"))["token"]
        options = {"target": 60, "hand_size": 4}
        settings = {"seats": PEOPLE + 1, "name": "P0", "options": options, "clock": 5}
        table = (await people[0].persist("POST", "/api/tables", settings))["table"]
        witnesses[table] = [Witness(person, table, f"P{n}") for n, person in enumerate(people)]
    met: Counter[str] = Counter()
    everybody = [witness for seated in witnesses.values() for witness in seated]
    async with contextlib.AsyncExitStack() as stack:
        for witness in everybody:
            await stack.enter_async_context(witness)
        playing = [
            asyncio.create_task(_play(witness, Random(seed * 1000 + n)))
            for n, witness in enumerate(everybody)
        ]
        async with asyncio.timeout(300):
            await _trouble(servers, random, troubles, playing, met)
            await asyncio.gather(*playing)
        for table, seated in witnesses.items():
            entries, seeds = await postgres_log(database, table)
            await _all_told(seated, entries)
            check(entries, seeds, seated)
            met["moves of bots"] += sum(isinstance(e, log.Acted) and e.bot for e in entries)
            met["gone away"] += sum(isinstance(e, log.Away) for e in entries)
            record = await seated[0]._client.ask("GET", f"/api/tables/{table}/matches/1")
            assert record.startswith("penultima")
    met["matches"] = tables
    met["copies"] = sum(witness.copies for witness in everybody)
    return met


async def _all_told(seated: list[Witness], entries: Sequence[log.Entry]) -> None:
    """Wait until everybody has heard of everything; who was frozen tells the last news late."""
    happened = [story.Happening(seq, entry, []) for seq, entry in enumerate(counted(entries), 1)]
    last = frames.moments(happened, None)[-1].seq
    for _ in range(300):
        if all((witness._seq or 0) >= last for witness in seated):
            return
        await asyncio.sleep(0.1)
    missed = [(one._name, one.connected, counted(entries)[one._seq or 0 :]) for one in seated]
    raise AssertionError(f"not everybody has heard of everything: {missed}")


async def _play(witness: Witness, random: Random) -> None:
    if witness._name == "P0":
        await until(witness, lambda s: s.places[1].kind == "person", 60)
        assert await witness.begin() is None
    await play_on(witness, random)
    await until(witness, lambda s: s.matches == 1, 60)


async def _trouble(
    servers: list[ServerProcess],
    random: Random,
    troubles: int,
    playing: list[asyncio.Task[None]],
    met: Counter[str],
) -> None:
    for number in range(troubles):
        await asyncio.sleep(random.uniform(0.2, 0.6))
        if all(task.done() for task in playing):
            return
        server = random.choice(servers)
        assert server.process is not None
        if number % 2 == 0:
            server.kill()
            met["killed"] += 1
            await asyncio.sleep(random.uniform(0, 1))
            await asyncio.to_thread(server.start)
        else:
            server.process.send_signal(signal.SIGSTOP)
            met["frozen"] += 1
            try:
                await asyncio.sleep(random.choice((0.3, 1, 2, 6)))
            finally:
                server.process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def several(folder: Path, database: str, count: int) -> Iterator[list[ServerProcess]]:
    servers: list[ServerProcess] = []
    try:
        for number in range(count):
            data = folder / str(number)
            servers.append(ServerProcess(data, "--database", database, pace=PACE))
        yield servers
    finally:
        for server in servers:
            if server.running:
                server.kill()


def main() -> None:
    parser = argparse.ArgumentParser(description="Processes killed and frozen while people play")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    met: Counter[str] = Counter()
    with a_postgres() as postgres, tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.rounds):
            database = postgres.database()
            with several(Path(folder) / str(seed), database, options.processes) as servers:
                try:
                    met += asyncio.run(survive(servers, database, options.tables, 1000, seed))
                except BaseException:
                    print(f"seed {seed}")
                    raise
    print("Every log is without a gap, and every client saw what it says:")
    for what, times in sorted(met.items()):
        print(f"  {times:>8,}  {what}")


if __name__ == "__main__":
    main()
