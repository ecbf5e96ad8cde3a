"""Whole matches over real sockets, and what people do around them."""

import asyncio
from random import Random
from typing import Any

import httpx
import pytest

from penultima.client import Client
from penultima.edition import SHIPPED
from penultima.errors import ServerError
from penultima.game import Match
from penultima.naming import STARS, addresses_the_reader
from penultima.record import Record
from penultima.server import commands
from tests.server.harness import ServerProcess, gather_people, play_match, play_on, until


@pytest.mark.parametrize("edition", SHIPPED)
def test_a_match_between_people_and_bots_can_be_verified(
    server: ServerProcess, edition: str
) -> None:
    options = {"target": 20, "hand_size": 3}
    text = asyncio.run(
        play_match(server.address, 2, edition=edition, seats=3, options=options, public=True)
    )
    record = Record.from_text(text)
    assert record.fair is not None
    assert record.fair.people == ["0", "1"]
    assert Match.replay(record).over == "match"


def test_house_rules_and_ten_seats(server: ServerProcess) -> None:
    options = {
        "target": 20,
        "hand_size": 2,
        "stacking": "same",
        "seven_zero": True,
        "jump_in": True,
        "challengers": "anybody",
    }
    bots = [{"place": place, "bot": "eager"} for place in range(2, 10)]
    text = asyncio.run(play_match(server.address, 2, seats=10, bots=bots, options=options))
    assert len(Record.from_text(text).names) == 10


def test_who_was_not_at_the_table_gets_no_record(server: ServerProcess) -> None:
    async def ask() -> None:
        table, clients = await gather_people(server.address, 2, options={"hand_size": 1})
        stranger = await Client.connect(server.address)
        async with clients[0].sit(table, "A") as a, clients[1].sit(table, "B"):
            await until(a, lambda s: sum(p.here for p in s.places) == 2)
            with pytest.raises(ServerError, match="no such record"):
                await stranger.ask("GET", f"/api/tables/{table}/matches/1")

    asyncio.run(ask())


def test_history_is_ones_own_and_can_be_forgotten(server: ServerProcess) -> None:
    async def ask() -> None:
        client = await Client.connect(server.address)
        table = await client.open(seats=2, name="A", options={"target": 1, "hand_size": 1})
        async with client.sit(table, "A") as seat:
            await until(seat, lambda s: s.places[0].here)
            await seat.begin()
            await play_on(seat, Random(1))
            await until(seat, lambda s: s.matches == 1)
        (past,) = (await client.ask("GET", "/api/me/history"))["matches"]
        assert (past["table"], past["number"], past["seat"]) == (table, 1, 0)
        counted = (await client.ask("GET", "/api/me/statistics"))["editions"]
        assert counted["all"]["matches"] == counted["classic"]["matches"] == 1
        assert (await client.ask("DELETE", "/api/me/history"))["matches"] == []
        assert (await client.ask("GET", "/api/me/history"))["matches"] == []
        with pytest.raises(ServerError, match="no such record"):
            await client.ask("GET", f"/api/tables/{table}/matches/1")

    asyncio.run(ask())


def test_a_seat_moves_to_another_device_once(server: ServerProcess) -> None:
    async def move() -> None:
        first, second, third = [await Client.connect(server.address) for _ in range(3)]
        table = await first.open(seats=2, name="A")
        async with first.sit(table, "A") as old:
            await until(old, lambda s: s.places[0].here)
            code = (await first.ask("POST", f"/api/tables/{table}/move"))["code"]
            assert (await second.ask("POST", "/api/move", {"code": code}))["seat"] == 0
            with pytest.raises(ServerError, match="no longer valid"):
                await third.ask("POST", "/api/move", {"code": code})
            async for _ in old.frames():
                pass
            assert old.ended == "moved"
        async with second.sit(table, "A") as new:
            await until(new, lambda s: s.places[0].here)
            assert new.seat == 0

    asyncio.run(move())


def test_the_host_arranges_the_table(server: ServerProcess) -> None:
    async def arrange() -> None:
        table, clients = await gather_people(server.address, 2, seats=4)
        async with clients[0].sit(table, "A") as host, clients[1].sit(table, "B", 2) as guest:
            await until(host, lambda s: s.places[2].here)
            assert await guest.begin() == "not_host"
            add = commands.AddBot(id="a", place=1, bot="sharp", name="Robin")
            assert await host.send(add) is None
            assert await host.send(commands.AddBot(id="b", place=2, bot="basic")) == "taken"
            assert await host.send(commands.AddBot(id="c", place=3, bot="nobody")) == "no_bot"
            assert await host.send(commands.Remove(id="d", place=1)) is None
            assert await host.send(commands.PassHost(id="e", place=2)) is None
            assert await guest.send(commands.Remove(id="f", place=0)) is None
            await until(guest, lambda s: s.places[0].kind == "empty")
            assert guest.state is not None
            assert [p.kind for p in guest.state.places] == ["empty", "empty", "person", "empty"]

    asyncio.run(arrange())


def test_people_speak_in_phrases_and_not_too_often(server: ServerProcess) -> None:
    async def speak() -> None:
        table, clients = await gather_people(server.address, 1, seats=2)
        async with clients[0].sit(table, "A") as seat:
            await until(seat, lambda s: s.places[0].here)
            assert await seat.say("hello") is None
            assert await seat.say("nice") == "too_often"
            assert await seat.say("something of my own") == "no_phrase"

    asyncio.run(speak())


def test_watchers_see_the_table_and_no_hand(server: ServerProcess) -> None:
    async def watch() -> None:
        table, clients = await gather_people(server.address, 1, seats=2)
        stranger = await Client.connect(server.address)
        async with clients[0].sit(table, "A") as seat, stranger.watch(table) as watcher:
            await until(seat, lambda s: s.places[0].here)
            await seat.begin()
            await until(watcher, lambda s: s.stage == "playing")
            assert watcher.state is not None
            assert watcher.state.view is not None
            assert watcher.state.view.hand == []
            assert watcher.state.view.legal == []
            assert await watcher.act("draw") == "no_seat"

    asyncio.run(watch())


def test_watchers_may_be_forbidden(server: ServerProcess) -> None:
    async def watch() -> None:
        table, clients = await gather_people(server.address, 1, seats=2, watchers=False)
        async with clients[0].watch(table) as watcher:
            async for _ in watcher.frames():
                pass
            assert watcher.ended == "forbidden"

    asyncio.run(watch())


def test_the_lobby_and_quick_match(server: ServerProcess) -> None:
    async def meet() -> None:
        first, second = [await Client.connect(server.address) for _ in range(2)]
        found = await first.ask("POST", "/api/quick", {"name": "A", "edition": "violet"})
        async with first.sit(found["table"], "A") as seat:
            await until(seat, lambda s: s.places[0].here)
            lobby = (await second.ask("GET", "/api/tables"))["tables"]
            assert found["table"] in [one["table"] for one in lobby]
            other = await second.ask("POST", "/api/quick", {"name": "B", "edition": "Violeta"})
            assert other == {"table": found["table"], "seat": 1}

    asyncio.run(meet())


def test_what_is_wrong_with_an_own_edition_is_said_in_the_language_asked_for(
    server: ServerProcess,
) -> None:
    """Its text has no file name, so it is called what it is to whoever wrote it."""
    begins = {"en": "Your edition, ", "es": "Tu edición, ", "ru": "Ваше издание, "}
    for language, words in begins.items():
        answer = httpx.post(
            f"{server.address}/api/tables",
            json={"own": "id = 5"},
            headers={"Accept-Language": language},
        )
        assert answer.status_code == 400
        assert answer.json()["message"].startswith(words)


def test_hints_where_the_table_allows_them(server: ServerProcess) -> None:
    async def hint(**settings: Any) -> Any:
        table, clients = await gather_people(server.address, 1, seats=2, **settings)
        async with clients[0].sit(table, "A") as seat:
            await until(seat, lambda s: s.places[0].here)
            await seat.begin()
            await until(seat, lambda s: s.view is not None and s.view.turn == 0)
            asked = asyncio.create_task(seat.send(commands.Hint(id="h")))
            if not settings["hints"]:
                return await asked
            async for frame in seat.frames():
                if type(frame).__name__ == "Advice":
                    asked.cancel()
                    return frame
        return None

    assert asyncio.run(hint(hints=False)) == "no_hints"
    advice = asyncio.run(hint(hints=True))
    assert advice.actions
    assert all(0 <= row["win"] <= 1 for row in advice.actions)


def test_a_bot_plays_for_who_goes_away_until_they_come_back(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    from tests.server.harness import a_server

    async def go_away(address: str) -> None:
        table, clients = await gather_people(address, 2)
        async with clients[0].sit(table, "A") as stays:
            async with clients[1].sit(table, "B") as goes:
                await until(stays, lambda s: sum(p.here for p in s.places) == 2)
                await stays.begin()
                await until(goes, lambda s: s.stage == "playing")
            await until(stays, lambda s: s.places[1].away)
            async with clients[1].sit(table, "B") as back:
                await until(back, lambda s: s.places[1].here)
                assert await back.send(commands.ComeBack(id="back")) is None
                await until(stays, lambda s: not s.places[1].away)

    data = tmp_path_factory.mktemp("away")
    with a_server(data, pace="bot=0,moment=0,grace=300") as server:
        asyncio.run(go_away(server.address))


def test_a_command_that_is_not_understood_is_answered_all_the_same(server: ServerProcess) -> None:
    """Whoever waits for its answer would wait for ever."""

    async def run() -> None:
        table, clients = await gather_people(server.address, 2)
        async with clients[0].sit(table, "A") as seat, clients[1].sit(table, "n" * 41) as other:
            await until(seat, lambda s: s.places[0].here)
            async with asyncio.timeout(20):
                broken = commands.Say(id="broken", phrase="x" * 21)
                assert await seat.send(broken) == "not_understood"
                longer = commands.Say(id="longer", phrase="x" * 5_000)
                assert await seat.send(longer) == "not_understood"
                assert await seat.say("hello") is None
                with pytest.raises(ServerError, match="did not understand"):
                    await anext(other.decisions())

    asyncio.run(run())


def test_whoever_says_no_name_is_given_one_and_nobody_is_called_you(server: ServerProcess) -> None:
    """At the table, in what is told, and in the record."""

    async def run() -> list[str]:
        options = {"target": 1, "hand_size": 1}
        bots = [{"place": 3, "bot": "basic", "name": "Tú"}]
        table, clients = await gather_people(
            server.address, 3, seats=4, name="", options=options, bots=bots
        )

        async def person(number: int, name: str) -> None:
            async with clients[number].sit(table, name) as seat:
                if number == 0:
                    await until(seat, lambda s: sum(p.here for p in s.places) == 3)
                    assert await seat.begin() is None
                await play_on(seat, Random(number))
                await until(seat, lambda s: s.matches == 1)

        await asyncio.gather(person(0, ""), person(1, "ВЫ"), person(2, "Y o u"))
        text = await clients[0].ask("GET", f"/api/tables/{table}/matches/1")
        return Record.from_text(text).names

    names = asyncio.run(run())
    assert set(names[:3]) < set(STARS)
    assert len(set(names)) == 4
    assert not any(addresses_the_reader(name) for name in names)


def test_a_quick_match_needs_no_name(server: ServerProcess) -> None:
    async def run() -> str:
        client = await Client.connect(server.address)
        seated = await client.ask("POST", "/api/quick", {"edition": "classic"})
        async with client.sit(seated["table"]) as seat:
            await until(seat, lambda s: any(p.here for p in s.places))
            assert seat.state is not None
            return str(seat.state.places[seated["seat"]].name)

    assert asyncio.run(run()) in STARS
