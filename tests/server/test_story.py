"""What somebody is told of what was before, who comes to a table or comes back to it."""

import asyncio
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from penultima.client import Client, TableClient
from penultima.server import commands, wire
from penultima.server.story import HISTORY_LIMIT
from tests.server.harness import ServerProcess, a_server, play_on, sensible, until


class Listener(TableClient):
    """Keeps what it was told when it came."""

    _since: int | None = 0
    welcome: wire.Welcome

    async def _take(self, socket: Any, frame: wire.Outgoing) -> None:
        if isinstance(frame, wire.Welcome):
            self.welcome = frame
        await super()._take(socket, frame)


async def welcomed(client: Client, table: str, name: str | None = "again") -> wire.Welcome:
    """What somebody is told who comes to a table now, seeing it for the first time."""
    async with Listener(client, table, name, None) as seat:
        await until(seat, lambda s: True)
        return seat.welcome


def cards_told(welcome: wire.Welcome) -> list[tuple[str, int | None, int | None]]:
    """Whose cards the events of a welcome name, and to whom they were shown."""
    events = [event for moment in welcome.moments for event in moment.events]
    return [(e["what"], e.get("seat"), e.get("other")) for e in events if e.get("cards")]


async def play_rounds(seats: list[TableClient], rounds: int) -> None:
    """Play until so many rounds are over and another has gone on for a while."""

    async def person(number: int, seat: TableClient) -> None:
        random = Random(number)
        moves = 0
        async for view in seat.decisions():
            moves = moves + 1 if view.round > rounds else 0
            if moves > 5:
                return
            if view.turn == seat.seat:
                await seat.act(sensible(random, view))

    people = [asyncio.ensure_future(person(n, seat)) for n, seat in enumerate(seats)]
    await asyncio.wait(people, return_when=asyncio.FIRST_COMPLETED)
    for one in people:
        one.cancel()
    await asyncio.gather(*people, return_exceptions=True)


def table_of(target: int = 100_000, **more: Any) -> dict[str, Any]:
    bots = [{"place": 2, "bot": "basic"}]
    return {"seats": 3, "name": "A", "bots": bots, "options": {"target": target, **more}}


async def begin(address: str, **settings: Any) -> tuple[str, list[Client]]:
    clients = [await Client.connect(address) for _ in range(2)]
    return await clients[0].open(**table_of(**settings)), clients


def test_whoever_comes_back_is_told_what_the_seat_may_know(tmp_path: Path) -> None:
    """In the same words after the server was killed and the table was read again, from its log or
    from a snapshot; and in a bounded number of them."""

    async def play(server: ServerProcess) -> None:
        table, clients = await begin(server.address, hand_size=2)
        async with clients[0].sit(table, "A") as one, clients[1].sit(table, "B") as two:
            await until(one, lambda s: sum(p.here for p in s.places) == 2)
            assert await one.begin() is None
            await play_rounds([one, two], 3)
        before = [await welcomed(client, table) for client in clients]
        watcher = await welcomed(await Client.connect(server.address), table, None)
        for seat, welcome in enumerate(before):
            assert welcome.seat == seat
            assert 0 < len(welcome.moments) <= HISTORY_LIMIT
            assert len(msgspec.json.encode(welcome)) < 100_000
            assert len(welcome.rounds) >= 3
            assert welcome.state.view is not None
            assert [sum(column) for column in zip(*welcome.rounds, strict=True)] == (
                welcome.state.view.scores
            )
            told = cards_told(welcome)
            assert any(what == "draw" for what, _, _ in told)
            for what, drew, shown in told:
                assert seat == (shown if what == "show" else drew)
        assert cards_told(watcher) == []
        assert watcher.rounds == before[0].rounds
        server.kill()
        server.start()
        for welcome, client in zip(before, clients, strict=True):
            after = await welcomed(client, table)
            assert after.rounds[: len(welcome.rounds)] == welcome.rounds
            # Meanwhile somebody may have gone away: what was told is told again, as far as it goes.
            known = {moment.seq: moment for moment in after.moments}
            shared = [moment for moment in welcome.moments if moment.seq in known]
            assert len(shared) > HISTORY_LIMIT / 2
            assert [known[moment.seq] for moment in shared] == shared

    with a_server(tmp_path) as server:
        asyncio.run(asyncio.wait_for(play(server), 200))


def test_whoever_takes_a_seat_is_not_told_what_another_saw_in_it(server: ServerProcess) -> None:
    async def play() -> None:
        table, clients = await begin(server.address, target=1, hand_size=3)
        async with clients[0].sit(table, "A") as one, clients[1].sit(table, "B") as two:
            await until(one, lambda s: sum(p.here for p in s.places) == 2)
            assert await one.begin() is None
            await asyncio.gather(play_on(one, Random(1)), play_on(two, Random(2)))
            await until(one, lambda s: s.matches == 1)
            assert await two.leave() is None
            mine = await welcomed(clients[0], table)
            assert all(seat == 0 for _, seat, _ in cards_told(mine))
            stranger = await Client.connect(server.address)
            async with stranger.sit(table, "C") as three:
                await until(three, lambda s: s.places[1].name == "C")
                assert await three.send(commands.Say(id="x", phrase="hello")) is None
                theirs = await welcomed(stranger, table)
                assert theirs.seat == 1
                assert len(theirs.moments) > 5
                assert cards_told(theirs) == []

    asyncio.run(asyncio.wait_for(play(), 100))


@pytest.mark.parametrize("since", [None, 10_000])
def test_nothing_is_told_twice(server: ServerProcess, since: int | None) -> None:
    async def come() -> wire.Welcome:
        client = await Client.connect(server.address)
        table = await client.open(seats=2, name="A")
        async with Listener(client, table, "A", None) as seat:
            seat._since = since
            await until(seat, lambda s: True)
            return seat.welcome

    welcome = asyncio.run(come())
    assert welcome.moments == []
    assert welcome.rounds == []
