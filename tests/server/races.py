"""A great many races at a real server, on lines as long as people have them.

`make races RACES=1000` prints how often who has which line was the slowest, with its interval, and
fails where somebody's is clear of an even share by more than three in a hundred.
"""

import argparse
import asyncio
import contextlib
import math
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from random import Random

from websockets.asyncio.client import ClientConnection

from penultima.client import Client, TableClient
from penultima.server import wire
from tests.server.harness import ServerProcess, a_server, until
from tests.support import edition_text

LINES = (10, 40, 120, 250)  # milliseconds of a round trip
HOT = edition_text("chili").replace(
    'ru = "Чили" }\ncopies = 4', 'ru = "Чили" }\ncopies = 60'
)  # cards that start a race, and hardly any others
ALLOWED = 0.03  # above or below an even share
TABLES = 40
MINUTES = 10


@contextlib.asynccontextmanager
async def slow_line(server: ServerProcess, trip: float) -> AsyncIterator[str]:
    """A proxy that takes half of a round trip each way; gives its address. Where it stands for an
    honest line the server trusts it: what TCP measures ends here, and not at the client."""

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(OSError):
            while data := await reader.read(65_536):
                loop.call_later(trip / 2000, write, writer, data)
        loop.call_later(trip / 2000, writer.close)

    def write(writer: asyncio.StreamWriter, data: bytes) -> None:
        if not writer.is_closing():
            writer.write(data)

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection("127.0.0.1", server.port)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(pass_on(reader, there[1]), pass_on(there[0], writer))

    proxy = await asyncio.start_server(take, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
    finally:
        proxy.close()


class Holder(TableClient):
    """Holds back every pong, from its first one on."""

    HOLD = 0.15  # seconds

    async def _take(self, socket: ClientConnection, frame: wire.Outgoing) -> None:
        if isinstance(frame, wire.Ping):
            self._errand(self._late(socket, frame))
        else:
            await super()._take(socket, frame)

    async def _late(self, socket: ClientConnection, ping: wire.Ping) -> None:
        await asyncio.sleep(self.HOLD)
        await super()._take(socket, ping)


class HoldingClient(Client):
    def sit(self, table: str, name: str = "", place: int | None = None) -> TableClient:
        return Holder(self, table, name, place)


async def to_a_race(table: TableClient, random: Random) -> None:
    """Play on until a card is down that starts one."""
    async for frame in table.frames():
        if isinstance(frame, wire.News | wire.Welcome):
            if table.state is not None and table.state.race is not None:
                return
            await _play(table, random)


async def _play(table: TableClient, random: Random) -> None:
    """A card that starts a race, where that can be had."""
    state = table.state
    if state is None or state.stage == "between":
        await table.ready()
    elif state.view and state.view.turn == table.seat and state.view.legal and not state.race:
        racing = [action for action in state.view.legal if action.startswith("WC")]
        plays = [action for action in state.view.legal if action not in ("call", "drop")]
        if racing or plays:
            await table.act(random.choice(racing or plays))


async def sit_down(
    stack: contextlib.AsyncExitStack, addresses: Sequence[str], last: type[Client] = Client
) -> list[TableClient]:
    """A table at which the match has begun, each person at an address of their own, in that order:
    left to themselves, those on fast lines sit down first."""
    kinds = [Client] * (len(addresses) - 1) + [last]
    clients = [await kind.connect(address) for kind, address in zip(kinds, addresses, strict=True)]
    options = {"target": 1_000_000}
    seats = len(addresses)
    table = await clients[0].open(name="A", own=HOT, seats=seats, options=options)
    people = [
        await stack.enter_async_context(client.sit(table, f"P{number}", number))
        for number, client in enumerate(clients)
    ]
    await until(people[0], lambda s: all(place.here for place in s.places))
    assert await people[0].begin() is None
    return people


async def hunt(data: Path, tables: int, races: int) -> Counter[int]:
    """Race at several tables until there were enough; gives who was the slowest, by line."""
    lost: Counter[int] = Counter()
    enough = asyncio.Event()

    async def watch(person: TableClient, lines: Sequence[int], random: Random) -> None:
        async for frame in person.frames():
            if not isinstance(frame, wire.News | wire.Welcome):
                continue
            if person.seat == 0:
                events = [event for moment in frame.moments for event in moment.events]
                lost.update(lines[e["seat"]] for e in events if e["what"] == "slowest")
                _say(f"{sum(lost.values()):,} of {races:,} races")
                if sum(lost.values()) >= races:
                    enough.set()
            await _play(person, random)

    limits = "requests_per_address=1000000,connections_per_address=10000"
    with a_server(data, f"--limits={limits}", "--trust-proxy") as server:
        async with contextlib.AsyncExitStack() as stack:
            ways = [await stack.enter_async_context(slow_line(server, trip)) for trip in LINES]
            playing = []
            for number in range(tables):
                turn = number % len(LINES)  # everybody's line is at every seat
                people = await sit_down(stack, ways[turn:] + ways[:turn])
                lines = LINES[turn:] + LINES[:turn]
                playing += [
                    asyncio.create_task(watch(person, lines, Random(number))) for person in people
                ]
            stopped = asyncio.create_task(enough.wait())
            async with asyncio.timeout(MINUTES * 60):
                await asyncio.wait((stopped, *playing), return_when=asyncio.FIRST_COMPLETED)
            for task in playing:
                if task.done():
                    task.result()  # says what went wrong
                task.cancel()
    return lost


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text}", end="", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--races", type=int, default=1000)
    parser.add_argument("--tables", type=int, default=TABLES)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lost = asyncio.run(hunt(Path(folder), asked.tables, asked.races))
    total = sum(lost.values())
    _say("\r" + " " * 40 + "\r")
    print(f"{total:,} races of four equal people, one on each line")
    fair = True
    for line in LINES:
        rate = lost[line] / total
        error = 1.96 * math.sqrt(rate * (1 - rate) / total)
        print(f"  {line:3} ms: the slowest in {rate:6.1%} ± {error:.1%}")
        fair = fair and abs(rate - 1 / len(LINES)) - error < ALLOWED
    print("everybody loses an even share" if fair else "somebody loses too often, or too seldom")
    sys.exit(not fair)


if __name__ == "__main__":
    main()
