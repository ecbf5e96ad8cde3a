"""The life of a table: faults that others have had (double starts, fighting tabs, frozen turns)."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from penultima.client import Client
from penultima.record import Record
from penultima.server import commands, log
from penultima.server.table import Table
from tests.server.harness import ServerProcess, a_server, play_on, sensible, until
from tests.server.witness import Witness, check, records_in, sqlite_log

SHORT = {"target": 20, "hand_size": 4}


@contextlib.asynccontextmanager
async def seated(
    server: ServerProcess, people: int = 2, begin: bool = True, **settings: Any
) -> AsyncIterator[list[Witness]]:
    """People at a table of their own, in the middle of a match if it has begun."""
    clients = [await Client.connect(server.address) for _ in range(people)]
    settings = {"seats": people, "name": "P0", "options": SHORT, **settings}
    table = await clients[0].open(**settings)
    async with contextlib.AsyncExitStack() as stack:
        found = [Witness(client, table, f"P{n}", n) for n, client in enumerate(clients)]
        for witness in found:
            await stack.enter_async_context(witness)
        await until(found[0], lambda s: sum(p.here for p in s.places) == people)
        if begin:
            assert await found[0].begin() is None
            for witness in found:
                await until(witness, lambda s: s.stage == "playing")
        yield found


def again(witness: Witness) -> Witness:
    """The same person in another tab."""
    return Witness(witness._client, witness.table, witness._name or "")


def logged(server: ServerProcess, witnesses: Sequence[Witness]) -> tuple[list[log.Entry], Table]:
    """The log, once the server is gone, and the table that it makes."""
    if server.running:
        server.kill()
    entries, seeds = sqlite_log(server.data, witnesses[0].table)
    return entries, check(entries, seeds, witnesses)


def turn_of(witness: Witness) -> int:
    assert witness.state is not None
    assert witness.state.view is not None
    return int(witness.state.view.turn)


def move_of(witness: Witness, name: str) -> commands.Act:
    assert witness.state is not None
    assert witness.state.view is not None
    action = sensible(Random(1), witness.state.view)
    return commands.Act(id=name, action=action, decision=witness.state.decision)


async def settle(*witnesses: Witness) -> None:
    """Until everybody has seen the same."""
    async with asyncio.timeout(20):
        while len({(w._seq, w.state and w.state.decision) for w in witnesses}) > 1:
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)


def test_a_double_start_deals_once(tmp_path: Path) -> None:
    async def start(server: ServerProcess) -> list[Witness]:
        async with seated(server, begin=False) as people:
            host = people[0]
            tries = [commands.Begin(id=name) for name in ("a", "a", "b", "c")]
            answers = await asyncio.gather(*(host.send(one) for one in tries[1:]))
            assert sorted(map(str, answers)) == ["None", "not_now", "not_now"]
            for person in people:
                await until(person, lambda s: s.stage == "playing")
            await settle(*people)
            return people

    with a_server(tmp_path, pace="bot=60000,moment=60000") as server:
        entries, _ = logged(server, asyncio.run(start(server)))
    assert sum(isinstance(entry, log.Began) for entry in entries) == 1
    assert sum(isinstance(entry, log.Dealt) for entry in entries) == 1


def test_an_old_socket_does_not_take_the_new_one_along(tmp_path: Path) -> None:
    async def reconnect(server: ServerProcess) -> None:
        async with seated(server) as (one, two):
            async with again(two) as newer:
                await until(newer, lambda s: s.stage == "playing")
                assert two._task is not None
                two._task.cancel()
                assert two._socket is not None
                await two._socket.close()
                await asyncio.sleep(1.2)  # longer than the grace
                assert newer.connected
                assert one.state is not None
                assert not one.state.places[1].away
            await until(one, lambda s: s.places[1].away)

    with a_server(tmp_path, pace="bot=0,moment=0,grace=600") as server:
        asyncio.run(reconnect(server))


def test_two_tabs_of_one_person_see_the_same_and_play_once(tmp_path: Path) -> None:
    async def play(server: ServerProcess) -> list[Witness]:
        async with seated(server) as people, contextlib.AsyncExitStack() as stack:
            tabs = [people, [await stack.enter_async_context(again(one)) for one in people]]
            everybody = [witness for tab in tabs for witness in tab]
            for number in range(12):
                await settle(*everybody)
                assert people[0].state is not None
                if people[0].state.stage != "playing":
                    break
                turn = turn_of(people[0])
                moves = [
                    tab[turn].send(move_of(tab[turn], f"{number} {n}"))
                    for n, tab in enumerate(tabs)
                ]
                answers = await asyncio.gather(*moves)
                assert sorted(map(str, answers))[0] == "None"
                assert sorted(map(str, answers))[1] in ("stale", "not_allowed", "not_now")
            await settle(*everybody)
            assert all(witness.connected for witness in everybody)
            return everybody

    with a_server(tmp_path) as server:
        logged(server, asyncio.run(play(server)))


def test_a_bot_that_is_late_does_not_play_for_who_has_come_back(tmp_path: Path) -> None:
    async def return_in_time(server: ServerProcess) -> list[Witness]:
        async with seated(server, clock=1) as people:
            await settle(*people)
            turn = turn_of(people[0])
            absent = people[turn]
            await until(absent, lambda s: s.places[turn].away)  # and a bot is about to play
            assert await absent.send(commands.ComeBack(id="back")) is None
            assert await absent.send(move_of(absent, "move")) is None
            await asyncio.sleep(4)
            await settle(*people)
            return people

    with a_server(tmp_path, pace="bot=4000,moment=4000") as server:
        people = asyncio.run(return_in_time(server))
        entries, _ = logged(server, people)
    back = next(n for n, entry in enumerate(entries) if isinstance(entry, log.Back))
    acted = next(entry for entry in entries[back:] if isinstance(entry, log.Acted))
    assert acted.command == "move"


def test_a_restart_does_not_freeze_the_turn_of_who_is_not_there(tmp_path: Path) -> None:
    async def go_on(server: ServerProcess) -> list[Witness]:
        async with seated(server) as people:
            await settle(*people)
            turn = turn_of(people[0])
            gone, stays = people[turn], people[1 - turn]
            await gone.__aexit__()
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            await until(stays, lambda s: s.places[turn].away)
            await play_on(stays, Random(3))
            await until(stays, lambda s: s.matches == 1)
            return [stays]

    with a_server(tmp_path, pace="bot=5,moment=5,grace=800") as server:
        logged(server, asyncio.run(go_on(server)))


def test_nothing_is_dropped_without_an_answer(tmp_path: Path) -> None:
    async def flood(server: ServerProcess) -> list[Witness]:
        async with seated(server) as people:
            await settle(*people)
            person = people[0]
            odd: list[commands.Command] = []
            for n in range(8):
                odd += [
                    commands.Act(id=f"a{n}", action="z9", decision=n),
                    commands.Act(id=f"b{n}", action="catch", decision=99),
                    commands.Say(id=f"c{n}", phrase="no such phrase"),
                    commands.GetReady(id=f"d{n}"),
                    commands.Begin(id=f"e{n}"),
                    commands.Drop(id=f"f{n}", race=n, reaction=1),
                    commands.Remove(id=f"g{n}", place=9),
                ]
            answers = await asyncio.gather(*(person.send(command) for command in odd))
            assert None not in answers
            await settle(*people)
            return people

    with a_server(tmp_path, pace="bot=60000,moment=60000") as server:
        logged(server, asyncio.run(flood(server)))


def test_who_leaves_neither_changes_the_order_nor_loses_the_cards(tmp_path: Path) -> None:
    async def leave(server: ServerProcess) -> tuple[list[Witness], list[int]]:
        async with seated(server, people=4) as people:
            await settle(*people)
            turn = turn_of(people[0])
            assert people[0].state is not None
            before, decision = people[0].state.view, people[0].state.decision
            assert before is not None
            assert await people[turn].leave() is None  # the host too: the role passes on
            stay = [person for n, person in enumerate(people) if n != turn]
            await until(stay[0], lambda s: s.places[turn].kind == "bot")
            after = stay[0].state
            assert after is not None
            assert after.view is not None
            assert after.host != turn
            assert len(after.places) == 4
            if after.decision == decision:  # the bot has not played yet
                assert after.view.counts == before.counts
            await asyncio.gather(*(play_on(person, Random(n)) for n, person in enumerate(stay)))
            await asyncio.gather(*(until(person, lambda s: s.matches == 1) for person in stay))
            return stay, [turn]

    with a_server(tmp_path, pace="bot=5,moment=5") as server:
        stay, (gone,) = asyncio.run(leave(server))
        entries, table = logged(server, stay)
    record = Record.from_text(records_in(entries, table.seeds)[0])
    assert len(record.names) == 4
    assert record.names[gone] == f"P{gone}"


def test_a_copy_of_leaving_is_answered_like_the_first(tmp_path: Path) -> None:
    async def leave(server: ServerProcess) -> None:
        async with seated(server, begin=False) as (_, two):
            leaving = commands.Leave(id="leave")
            assert await two.send(leaving) is None
            assert await two.send(leaving) is None
            assert await two.send(commands.Leave(id="other")) == "no_seat"

    with a_server(tmp_path) as server:
        asyncio.run(leave(server))


def test_a_copy_of_sitting_down_is_answered_like_the_first(tmp_path: Path) -> None:
    async def sit(server: ServerProcess) -> None:
        async with seated(server, begin=False) as (_, two):
            client = await Client.connect(server.address)
            guest = client.sit(two.table, "P3", place=9)  # there is no such place
            async with guest:
                asked = commands.Sit(id="sit", name="P3")
                assert await guest.send(asked) == "taken"
                leaving = commands.Leave(id="leave")
                assert await two.send(leaving) is None
                assert await guest.send(asked) == "taken"  # although a place is free now
                assert await guest.send(commands.Sit(id="again", name="P3")) is None
                assert await guest.send(asked) == "taken"
                assert await guest.leave() is None
                assert await guest.send(commands.Sit(id="again", name="P3")) is None
                assert guest.state is not None and guest.state.places[1].name == ""

    with a_server(tmp_path) as server:
        asyncio.run(sit(server))


def test_who_sits_down_next_is_not_answered_what_another_asked(tmp_path: Path) -> None:
    async def sit(server: ServerProcess) -> None:
        async with seated(server, begin=False) as (one, two):
            assert await two.send(commands.Say(id="1", phrase="hello")) is None
            assert await two.leave() is None
            three = Witness(await Client.connect(server.address), two.table, "P3")
            async with three:
                await until(one, lambda s: s.places[1].name == "P3")
                assert await three.send(commands.Say(id="1", phrase="none such")) == "no_phrase"

    with a_server(tmp_path) as server:
        asyncio.run(sit(server))


def test_a_planned_stop_says_so_and_loses_no_command(tmp_path: Path) -> None:
    async def restart(server: ServerProcess) -> list[Witness]:
        async with seated(server) as people:
            byes: list[str] = []

            async def listen(person: Witness) -> None:
                async for frame in person.frames():
                    if type(frame).__name__ == "Bye":
                        byes.append(msgspec.to_builtins(frame)["reason"])

            listening = [asyncio.create_task(listen(person)) for person in people]
            await settle(*people)
            turn = turn_of(people[0])
            stopping = asyncio.create_task(asyncio.to_thread(server.stop))
            async with asyncio.timeout(20):
                while people[turn].connected:
                    await asyncio.sleep(0.01)
            move = asyncio.create_task(people[turn].send(move_of(people[turn], "during")))
            assert await stopping in (0, -signal.SIGTERM)
            await asyncio.to_thread(server.start)
            assert await move is None
            await settle(*people)
            assert byes == ["restart", "restart"]
            for task in listening:
                task.cancel()
            return people

    with a_server(tmp_path, pace="bot=60000,moment=60000") as server:
        entries, _ = logged(server, asyncio.run(restart(server)))
    assert sum(entry.command == "during" for entry in entries) == 1


@pytest.mark.parametrize("stage", ["gathering", "playing"])
def test_a_table_that_closes_says_so_everywhere(tmp_path: Path, stage: str) -> None:
    async def close(server: ServerProcess) -> None:
        async with seated(server, begin=stage == "playing") as people:
            admin = Client(server.address, (server.data / "admin.token").read_text().strip())
            await admin.ask("POST", f"/admin/tables/{people[0].table}/close")
            for person in people:
                async for _ in person.frames():
                    pass
                assert person.ended == "closed"

    with a_server(tmp_path, pace="bot=60000,moment=60000") as server:
        asyncio.run(close(server))
