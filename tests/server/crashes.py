"""A server that is killed while people play at it, and started again.

It dies at a place (`server.failpoint`) or at any moment, again and again, and in the end the match
must have been played to its end, with every acknowledged command in the log once.
`make crash-hunt` does this at random for longer.
"""

import argparse
import asyncio
import contextlib
import sys
import tempfile
import time
from collections import Counter
from importlib.resources import files
from pathlib import Path
from random import Random

from penultima.client import Client
from penultima.record import Record
from penultima.server.failpoint import PLACES
from tests.server.harness import ServerProcess, a_server, sensible, until
from tests.server.postgres import Postgres, a_postgres
from tests.server.witness import Witness, check, postgres_log, records_in, sqlite_log

PEOPLE = 2
STAGES = ("promise", "reveal", "deal")
RACE = "WC"
MOMENT = "moment"  # a place of our own: any moment
# Bots that hardly pause, so that a match is long enough to die in and short enough to wait for.
PACE = "bot=5,moment=5,grace=8000"


def hot() -> str:
    """Chili with so many races that every match has one."""
    text = (files("penultima") / "editions" / "chili.toml").read_text("utf-8")
    few, many = (f'copies = {n}\npoints = 50\neffect = "race"' for n in (4, 12))
    assert few in text
    return text.replace(few, many)


class Crash:
    """Where a server is to die: at a place for the n-th time, or after n hundredths of a second."""

    def __init__(self, place: str, count: int) -> None:
        self.place = place
        self.count = count

    def __str__(self) -> str:
        return f"{self.place}:{self.count}"

    @property
    def environment(self) -> dict[str, str]:
        return {} if self.place == MOMENT else {"PENULTIMA_FAILPOINT": str(self)}


async def survive(
    server: ServerProcess, crashes: list[Crash], seed: int, database: str | None
) -> Counter[str]:
    """Play a match at a server that runs with the first crash armed; gives which of them happened.

    The last restart is without any, so that the match can end.
    """
    clients = [await Client.connect(server.address) for _ in range(PEOPLE)]
    racing = any(crash.place == "race" for crash in crashes)
    table = await clients[0].open(
        seats=PEOPLE if racing else PEOPLE + 1,  # bots would race on and on
        name="P0",
        options={"target": 25 * len(crashes), "hand_size": 5},
        **({"own": hot()} if racing else {"edition": "classic"}),
    )
    witnesses = [Witness(client, table, f"P{n}") for n, client in enumerate(clients)]
    met: Counter[str] = Counter()
    dying = asyncio.create_task(_die(server, crashes, met))
    async with contextlib.AsyncExitStack() as stack:
        for witness in witnesses:
            await stack.enter_async_context(witness)
        players = [
            asyncio.create_task(_play(witness, Random(seed * 100 + n), met))
            for n, witness in enumerate(witnesses)
        ]
        try:
            async with asyncio.timeout(240):
                await asyncio.gather(*players)
        finally:
            dying.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await dying
            if not server.running:
                await asyncio.to_thread(server.start)
        records = [await client.ask("GET", f"/api/tables/{table}/matches/1") for client in clients]
    server.kill()
    if database is None:
        kept = sqlite_log(server.data, table)
    else:
        kept = await postgres_log(database, table)
    folded = check(*kept, witnesses)
    assert records_in(kept[0], kept[1]) == records[:1]
    assert folded.finished == 1
    assert records[0] == records[1]
    assert Record.from_text(records[0]).fair is not None
    met["copies"] = sum(witness.copies for witness in witnesses)
    return met


async def _play(witness: Witness, random: Random, met: Counter[str]) -> None:
    if witness._name == "P0":
        await until(witness, lambda s: sum(p.here for p in s.places) == PEOPLE, 60)
        assert await witness.begin() is None
    async for view in witness.decisions():
        if view.turn == witness.seat:
            races = [action for action in view.legal if action.startswith(RACE)]
            others = [action for action in view.legal if not action.startswith((RACE, "draw"))]
            # Until the server has died in a race there is to be one, and then few.
            wanted = others if met["race"] else races
            await witness.act(random.choice(wanted) if wanted else sensible(random, view))
        elif random.random() < 0.3:
            await witness.act(random.choice(view.legal))
    await until(witness, lambda s: s.matches == 1, 60)


async def _die(server: ServerProcess, crashes: list[Crash], met: Counter[str]) -> None:
    for number, crash in enumerate(crashes):
        if crash.place == MOMENT:
            await asyncio.sleep(crash.count / 100)
            server.kill()
        else:
            while server.running:
                await asyncio.sleep(0.02)
            server.wait()
        met[crash.place] += 1
        after = crashes[number + 1].environment if number + 1 < len(crashes) else {}
        await asyncio.to_thread(server.start, **after)


def run(
    data: Path, crashes: list[Crash], seed: int = 0, database: str | None = None
) -> Counter[str]:
    """A match on a PostgreSQL database, or on SQLite in the folder."""
    options = () if database is None else ("--database", database)
    with a_server(data, *options, pace=PACE, **crashes[0].environment) as server:
        server.environment.clear()  # the restarts have crashes of their own
        return asyncio.run(survive(server, crashes, seed, database))


def _some(random: Random) -> list[Crash]:
    """Any four places; a race is run without bots, and comes first."""
    places = random.choices((*PLACES, *(4 * (MOMENT,))), k=4)
    if "race" in places:
        places = ["race", *(place for place in places if place not in ("race", "bot"))]
    return [
        Crash(place, 1 if place == "race" else random.randrange(1, 100 if place == MOMENT else 20))
        for place in places
    ]


def _early(crashes: list[Crash]) -> list[Crash]:
    """The same, in an order in which they can all be met: a deal comes once, and first."""
    first = [Crash(place, 1) for place in STAGES for crash in crashes if crash.place == place]
    return [*first, *(crash for crash in crashes if crash.place not in STAGES)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Servers killed at random while people play")
    parser.add_argument("--runs", type=int, default=200, help="crashes to survive")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL, else SQLite")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        postgres = stack.enter_context(a_postgres()) if options.postgres else None
        _hunt(options.runs, options.seed, postgres)


def _hunt(runs: int, first: int, postgres: Postgres | None) -> None:
    met: Counter[str] = Counter()
    seed, began = first, time.monotonic()
    while sum(met[place] for place in (*PLACES, MOMENT)) < runs:
        random = Random(seed)
        crashes = _some(random)
        with tempfile.TemporaryDirectory() as folder:
            try:
                database = None if postgres is None else postgres.database()
                met += run(Path(folder), _early(crashes), seed, database)
            except BaseException:
                print(f"seed {seed}: {', '.join(map(str, crashes))}", file=sys.stderr)
                raise
        seed += 1
        if sys.stderr.isatty():
            total = sum(met[place] for place in (*PLACES, MOMENT))
            print(f"\r{total} of {runs} crashes survived", end="", file=sys.stderr)
    print(
        f"{seed - first} matches played to their end in {time.monotonic() - began:.0f} s; "
        "nothing acknowledged was lost, nothing was done twice. The server died at:"
    )
    for place in (*PLACES, MOMENT):
        print(f"  {met[place]:>6}  {place}")
    print(f"{met['copies']} commands were answered more than once, each time alike.")


if __name__ == "__main__":
    main()
