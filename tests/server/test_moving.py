"""A code with which a seat moves to another device: good for the person who asked for it, while
they have the seat, and for nobody else's seat."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from penultima.edition import shipped
from penultima.server import commands
from penultima.server.hub import Hub
from penultima.server.room import Room
from penultima.server.settings import ServerSettings
from penultima.server.sqlite import SqliteDatabase
from penultima.server.store import Store, hashed
from penultima.server.wire import NewTable

ANA, BORIS, EVE = hashed("Ana"), hashed("Boris"), hashed("Eve")


class Guest:
    """Somebody connected, as far as a room needs to know."""

    def __init__(self, token: str) -> None:
        self.token: str | None = token

    def send(self, frame: bytes) -> None:
        pass

    def end(self, reason: str) -> None:
        pass


def at_a_table(folder: Path, work: Callable[[Hub, Room], Awaitable[None]]) -> None:
    """Ana hosts and Boris has the other seat."""

    async def run() -> None:
        database = str(folder / "tables.sqlite")
        hub = Hub(Store(SqliteDatabase(Path(database))), ServerSettings(database, folder))
        try:
            opened = await hub.open(shipped("classic"), NewTable(seats=3, name="Ana"), ANA)
            room = await hub.room(opened.table)
            assert room is not None
            await sit(room, BORIS)
            await work(hub, room)
        finally:
            await hub.close()

    asyncio.run(run())


async def sit(room: Room, token: str) -> None:
    answer = await room.sit(token, commands.Sit(id="sit", name="P", place=1))
    assert answer.seat == 1


async def code_of(hub: Hub, room: Room, token: str) -> str:
    made = await hub.move_code(room.table.id, token)
    assert made is not None
    return made.code


async def leaves(hub: Hub, room: Room) -> None:
    await room.obey(Guest(BORIS), commands.Leave(id="leave"))


async def is_removed(hub: Hub, room: Room) -> None:
    await room.obey(Guest(ANA), commands.Remove(id="remove", place=1))


async def moves(hub: Hub, room: Room) -> None:
    """To another device and back."""
    for token in (hashed("telephone"), BORIS):
        found = await hub.move(await code_of(hub, room, room.table.places[1].token or ""), token)
        assert found is not None
        assert room.table.places[1].token == token


@pytest.mark.parametrize("gives_up", [leaves, is_removed, moves])
@pytest.mark.parametrize("successor", [BORIS, hashed("Clara")])
def test_a_code_dies_with_the_hold_on_the_seat(
    tmp_path: Path, gives_up: Callable[[Hub, Room], Awaitable[None]], successor: str
) -> None:
    async def work(hub: Hub, room: Room) -> None:
        kept = await code_of(hub, room, BORIS)
        await gives_up(hub, room)
        if room.table.places[1].empty:
            await sit(room, successor)
        before = room.table.places[1].token
        found = await hub.move(kept, EVE)
        assert room.table.places[1].token == before
        assert found is None or found.seat is None

    at_a_table(tmp_path, work)


def test_a_code_moves_the_seat_of_the_person_who_asked_for_it(tmp_path: Path) -> None:
    async def work(hub: Hub, room: Room) -> None:
        code = await code_of(hub, room, BORIS)
        found = await hub.move(code, EVE)
        assert found is not None
        assert (found.seat, room.table.places[1].token) == (1, EVE)

    at_a_table(tmp_path, work)
