"""The terminal client at a real server: two people, lost connections, spectators, refusals."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from penultima.cli.online import find_table
from penultima.cli.serving import is_up
from penultima.client import Client
from penultima.errors import ServerError, Unreadable
from penultima.locale import say
from penultima.server import commands
from penultima.tui.app import TableApp
from penultima.tui.board import Choices, Story
from penultima.tui.hand import Hand
from penultima.tui.lobby import LobbyScreen
from penultima.tui.remote import RemoteSeat
from penultima.tui.seat import Asked
from penultima.tui.table import TableScreen
from tests.commands import ENVIRONMENT, PENULTIMA, Ask
from tests.server.harness import ServerProcess, a_server, gather_people, play_on, until
from tests.terminal import TERMINALS, PtyTerminal, Tmux, wait_for
from tests.terminal import play_on as press_on

PATIENCE = 240  # seconds: a machine may be busy
SHORT = {"options": {"target": 1, "hand_size": 3}}


class AtScreen:
    """A person at the full screen of a server's table, by pressing the keys offered."""

    def __init__(self, seat: RemoteSeat, pilot: Any) -> None:
        self.seat = seat
        self.pilot = pilot
        self.random = Random(1)

    @property
    def screen(self) -> Any:
        return self.pilot.app.screen

    @property
    def story(self) -> str:
        return "\n".join(self.screen.query_one(Story).lines)

    async def until(self, wanted: Any) -> None:
        while not wanted():
            await self.pilot.pause(0.05)

    async def play(self) -> None:
        """To the end of the match."""
        while self.seat.over != "match":
            screen = self.screen
            if not isinstance(screen, TableScreen):
                await self.pilot.pause(0.05)
                continue
            await self.move()

    async def move(self) -> None:
        """Press one of the keys offered, where there is one."""
        screen = self.screen
        chips = [c for c in screen.query_one("#choices", Choices).chips if c.value != "back"]
        if not chips:
            await self.pilot.pause(0.05)
            return
        playing = [chip for chip in chips if chip.value == "play"]
        if playing and screen.query_one(Hand).chosen is None:
            await self.pilot.press("down")
        await self.pilot.press((playing or [self.random.choice(chips)])[0].key)
        await self.pilot.pause(0.02)


def at_screen(seat: RemoteSeat, act: Any, size: tuple[int, int] = (80, 24)) -> None:
    async def run() -> None:
        app = TableApp(LobbyScreen(seat, "en", "link"))
        async with app.run_test(size=size) as pilot:
            try:
                await act(AtScreen(seat, pilot))
            finally:
                await seat.close()

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def opened(server: ServerProcess, people: int = 2, **settings: Any) -> tuple[str, list[Client]]:
    return asyncio.run(gather_people(server.address, people, **{**SHORT, **settings}))


@pytest.mark.parametrize("edition", ["classic", "chili"])
def test_a_match_against_another_person(server: ServerProcess, edition: str) -> None:
    table, (host, other) = opened(server, edition=edition)
    seat = RemoteSeat(host, table, "P0", None)

    async def act(at: AtScreen) -> None:
        async with other.sit(table, "Robin") as opponent:
            await at.until(lambda: "Robin sits down." in at.story)
            await at.pilot.press("enter")
            playing = asyncio.ensure_future(play_on(opponent, Random(3)))
            await at.play()
            await playing
        assert "wins the match" in at.story or "You win the match" in at.story
        assert len(seat.rounds) == 1

    at_screen(seat, act)


def test_a_lost_connection_is_told_and_mended(tmp_path: Path) -> None:
    with a_server(tmp_path) as server:
        table, (host, _) = opened(server, seats=2)
        seat = RemoteSeat(host, table, "P0", None)

        async def act(at: AtScreen) -> None:
            await at.until(lambda: seat.known and seat.hosts)
            await at.pilot.press("enter")
            await at.until(lambda: isinstance(at.screen, TableScreen))
            await at.until(lambda: isinstance(at.screen.now.asked, Asked))
            hand = list(at.screen.query_one(Hand).cards)
            server.kill()
            await at.until(lambda: say("en", "online.lost") in at.story)
            server.start()
            await at.until(lambda: say("en", "online.back") in at.story)
            assert at.screen.query_one(Hand).cards == hand
            await at.play()

        at_screen(seat, act)


def test_a_host_lets_a_bot_play_for_somebody_who_does_not_decide(server: ServerProcess) -> None:
    table, (host, other) = opened(server, options={"target": 1})
    seat = RemoteSeat(host, table, "P0", None)

    def offered(at: AtScreen) -> list[str]:
        if not isinstance(at.screen, TableScreen):
            return []
        return [chip.value for chip in at.screen.query_one("#choices", Choices).chips]

    async def act(at: AtScreen) -> None:
        async with other.sit(table, "Robin"):
            await at.until(lambda: "Robin sits down." in at.story)
            await at.pilot.press("enter")
            while "let_bot" not in offered(at):
                if offered(at):
                    await at.move()
                await at.pilot.pause(0.1)
            assert "Robin is taking a long time." in at.story
            await at.pilot.press("b")
            await at.until(lambda: "You let a bot play for Robin." in at.story)
            assert seat.away == [1]

    at_screen(seat, act)


def test_a_guest_who_is_removed_is_told(server: ServerProcess) -> None:
    table, (host, other) = opened(server)
    seat = RemoteSeat(other, table, "Robin", None)

    async def act(at: AtScreen) -> None:
        async with host.sit(table, "P0") as first:
            await at.until(lambda: seat.sat)
            assert await first.send(commands.Remove(id="remove", place=1)) is None
            await at.until(lambda: "The host has removed you" in at.story)
            assert seat.may_sit

    at_screen(seat, act)


def test_hints_and_phrases(server: ServerProcess) -> None:
    table, (host, _) = opened(server, seats=2)
    seat = RemoteSeat(host, table, "P0", None)

    async def act(at: AtScreen) -> None:
        await at.until(lambda: seat.known and seat.hosts)
        await at.pilot.press("e", "x", "b", "enter")
        await at.until(lambda: isinstance(at.screen, TableScreen))
        await at.until(lambda: isinstance(at.screen.now.asked, Asked))
        assert await seat.hint()
        await at.pilot.press("t", "b")
        await at.until(lambda: f"P0: {say('en', 'talk.phrase.good_luck')}" in at.story)
        await at.pilot.press("t", "c")  # too soon after the last
        await at.until(lambda: say("en", "talk.refused.too_often") in at.screen.now.notice)

    at_screen(seat, act)


def test_a_spectator_sees_no_hand(server: ServerProcess) -> None:
    table, people = opened(server)
    seat = RemoteSeat(Client(server.address, ""), table, None, None)

    async def act(at: AtScreen) -> None:
        async with people[0].sit(table, "P0") as first, people[1].sit(table, "P1") as second:
            while second.seat is None or first.state is None:
                await asyncio.sleep(0.02)
            await first.begin()
            await at.until(lambda: isinstance(at.screen, TableScreen))
            assert not at.screen.query_one(Hand).cards
            assert not at.screen.query_one("#choices", Choices).chips
            await asyncio.gather(play_on(first, Random(1)), play_on(second, Random(2)))
            await at.until(lambda: "wins the match" in at.story)

    at_screen(seat, act)


def test_a_full_table_says_so(server: ServerProcess) -> None:
    table, (host, second) = opened(server)
    third = RemoteSeat(asyncio.run(Client.connect(server.address)), table, "Late", None)

    async def act(at: AtScreen) -> None:
        async with host.sit(table, "P0"), second.sit(table, "P1") as sitting:
            while sitting.seat is None:
                await asyncio.sleep(0.02)
            await at.until(lambda: say("en", "online.full") in at.story)
            assert [chip.value for chip in at.screen.query_one("#choices", Choices).chips] == ["q"]

    async def sit_first() -> None:
        async with second.sit(table, "P1") as sitting:
            while sitting.seat is None:
                await asyncio.sleep(0.02)

    asyncio.run(sit_first())
    at_screen(third, act)


def begun(server: ServerProcess, **settings: Any) -> tuple[str, Client]:
    """A table with a match of one person and a bot, and that person."""
    table, (host, _) = opened(server, seats=2, **settings)

    async def begin() -> None:
        async with host.sit(table, "P0") as first:
            await until(first, lambda state: first.seat is not None)
            assert await first.begin() is None
            await until(first, lambda state: state.stage == "playing")

    asyncio.run(asyncio.wait_for(begin(), PATIENCE))
    return table, host


def test_who_comes_late_watches_and_sits_down_when_a_seat_comes_free(server: ServerProcess) -> None:
    table, host = begun(server)
    late = RemoteSeat(asyncio.run(Client.connect(server.address)), table, "Late", None)

    async def act(at: AtScreen) -> None:
        await at.until(lambda: say("en", "online.begun") in at.story)
        choices = at.screen.query_one("#choices", Choices)
        async with host.sit(table, "P0") as first:
            await play_on(first, Random(1))
            await at.until(lambda: "wins the match" in at.story)
            assert not choices.chips  # a bot has the other seat
            assert await first.send(commands.Remove(id="free", place=1)) is None
            await at.until(lambda: [chip.value for chip in choices.chips] == ["sit"])
            await at.pilot.press("j")
            await at.until(lambda: late.people == [1])
            await at.until(lambda: "You sit down." in at.story)
            assert "Late sits" not in at.story
            assert await first.begin() is None
            await until(first, lambda state: state.stage == "playing")
            playing = asyncio.ensure_future(play_on(first, Random(2)))
            await at.play()
            await playing

    at_screen(late, act)
    assert late.sat


def test_who_comes_late_line_by_line_watches_and_plays_the_next_match(
    server: ServerProcess,
) -> None:
    table, host = begun(server)
    process = plain("join", f"{server.address}/#/t/{table}", "--plain", "--name", "Late")
    assert process.stdin
    assert process.stdout
    process.stdin.write("\n" + "1\n" * 2000)
    process.stdin.close()
    lines = list(iter(process.stdout.readline, say("en", "online.begun") + "\n"))

    async def play() -> None:
        async with host.sit(table, "P0") as first:
            await play_on(first, Random(1))
            assert await first.send(commands.Remove(id="free", place=1)) is None
            await until(first, lambda state: state.places[1].name == "Late")
            assert await first.begin() is None
            await until(first, lambda state: state.stage == "playing")
            await play_on(first, Random(2))

    asyncio.run(asyncio.wait_for(play(), PATIENCE))
    out = "".join(lines) + process.stdout.read()
    assert process.wait(PATIENCE) == 0
    assert out.count("the match!") == 2
    before, _, after = out.partition(say("en", "ask.sit"))
    assert say("en", "ask.next") not in before
    assert "Your " not in before
    assert "Your " in after
    assert "Traceback" not in out


def test_a_table_without_watchers_says_so_to_who_comes_late(server: ServerProcess) -> None:
    table, _ = begun(server, watchers=False)
    process = plain("join", f"{server.address}/#/t/{table}", "--plain", "--name", "Late")
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert say("en", "online.bye.forbidden") in out


@pytest.mark.parametrize("code", [None, "zzzzzz"])
def test_a_bot_that_finds_no_seat_is_told(server: ServerProcess, code: str | None) -> None:
    table, _ = begun(server)

    async def play() -> None:
        late = await Client.connect(server.address)
        async with late.sit(code or table, "Late") as seat:
            async for _ in seat.decisions():
                raise AssertionError("there is nothing to decide without a seat")

    with pytest.raises(ServerError, match="no seat for you"):
        asyncio.run(asyncio.wait_for(play(), PATIENCE))


def plain(*arguments: str, **environment: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*PENULTIMA, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**ENVIRONMENT, **environment},
    )


@pytest.mark.parametrize("kind", TERMINALS)
def test_a_match_at_the_keys_against_somebody_in_plain(
    kind: type[PtyTerminal] | type[Tmux], server: ServerProcess, tmp_path: Path
) -> None:
    """`host` on a terminal, `join --plain` fed by a pipe: both by themselves, at a real server."""
    rules = ("--options", "target=1,hand_size=2,auto_call=true", "--players", "2", "--name", "Ana")
    data = {"PENULTIMA_DATA": str(tmp_path)}
    host = ("host", "--server", server.address, *rules)
    with kind(*host, PENULTIMA_DATA=str(tmp_path)) as terminal:
        text = wait_for(terminal, lambda shown: "penultima join" in shown, "the link")
        found = re.search(r"penultima join (\S+)", text)
        assert found
        other = plain("join", found[1], "--plain", "--name", "Boris", **data)
        assert other.stdin
        other.stdin.write("2\n1\n" * 1000)
        other.stdin.close()
        wait_for(terminal, lambda shown: "Boris sits down." in shown, "the other person")
        terminal.press("enter")
        press_on(terminal)
        out = other.stdout.read() if other.stdout else ""
        assert other.wait(30) == 0
        assert "wins the match!" in out or "You win the match!" in out
        assert "Traceback" not in out
        terminal.press("q")
        wait_for(terminal, lambda shown: "You have left the table." in shown, "the farewell")


def test_a_host_brings_its_own_server(tmp_path: Path) -> None:
    data = {"PENULTIMA_DATA": str(tmp_path), "PENULTIMA_LOG": "CRITICAL"}
    arguments = ("host", "--port", "0", "--plain", "--players", "2", "--name", "Ana")
    process = plain(*arguments, "--options", "target=1,hand_size=2,auto_call=true", **data)
    out, _ = process.communicate("basic\nbegin\n" + "1\n" * 2000, timeout=PATIENCE)
    assert process.returncode == 0
    assert "Wren" in out or "(bot: basic)" in out
    assert "wins the match!" in out or "You win the match!" in out
    assert say("en", "online.stopped") in out


@pytest.mark.parametrize("end", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_a_server_ends_with_the_host_that_brought_it(tmp_path: Path, end: str) -> None:
    with PtyTerminal(
        *("host", "--port", "0", "--players", "2", "--name", "Ana", "--lang", "en"),
        PENULTIMA_DATA=str(tmp_path),
        PENULTIMA_COMPILE="0",
    ) as terminal:
        wait_for(terminal, lambda shown: "penultima join" in shown, "the link")
        known = json.loads((tmp_path / "server.json").read_text("utf-8"))
        assert is_up(known["address"])
        os.kill(terminal.pid, getattr(signal, end))
        wait_for(terminal, lambda _: not is_up(known["address"]), "the end of the server")


def test_a_host_follows_what_it_is_asked_or_says_why_not(
    ask: Ask, server: ServerProcess, tmp_path: Path
) -> None:
    seeded = ask("host", "--seed", "5")
    assert seeded.code == 1
    assert "--seed" in seeded.err
    (tmp_path / "server.json").write_text(
        json.dumps({"address": f"{server.address}/", "process": 0}), "utf-8"
    )
    for arguments, option in (
        (("--lan",), "--lan"),
        (("--port", "9"), "--port"),
        (("--server", server.address, "--lan"), "--lan"),
        (("--server", server.address, "--port", str(server.port)), "--port"),
    ):
        refused = ask("host", "--name", "Ana", "--plain", *arguments)
        assert refused.code == 1, arguments
        assert option in refused.err
        assert server.address in refused.err
    there = ask("host", "--name", "Ana", "--plain", "--port", str(server.port), text="quit\n")
    assert there.code == 0
    assert f"penultima join {server.address}" in there.out


def test_a_host_that_cannot_start_a_server_says_why(ask: Ask, server: ServerProcess) -> None:
    refused = ask("host", "--name", "Ana", "--plain", "--port", str(server.port))
    assert refused.code == 1
    assert str(server.port) in refused.err
    assert "--port" in refused.err


def test_watching_line_by_line(server: ServerProcess) -> None:
    table, people = opened(server)
    process = plain("watch", f"{server.address}/#/t/{table}", "--plain")

    async def play() -> None:
        async with people[0].sit(table, "P0") as first, people[1].sit(table, "P1") as second:
            while second.seat is None or first.state is None:
                await asyncio.sleep(0.02)
            await asyncio.sleep(2)  # the spectator comes
            await first.begin()
            await asyncio.gather(play_on(first, Random(1)), play_on(second, Random(2)))

    asyncio.run(asyncio.wait_for(play(), PATIENCE))
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "wins the match!" in out
    assert "Your " not in out


# Addresses and refusals


@pytest.mark.parametrize(
    ("text", "server", "found"),
    [
        ("https://cards.example/#/t/abc234", None, ("https://cards.example", "abc234")),
        ("http://10.0.0.2:8765/#/t/abc234/", None, ("http://10.0.0.2:8765", "abc234")),
        ("ABC234", "10.0.0.2:8765", ("http://10.0.0.2:8765", "abc234")),
    ],
)
def test_a_table_is_found_by_link_or_code(
    text: str, server: str | None, found: tuple[str, str]
) -> None:
    assert find_table(text, server) == found


def test_what_is_no_table_is_said() -> None:
    with pytest.raises(Unreadable):
        find_table("my table", None)


def test_a_server_or_table_that_is_not_there_is_named(ask: Ask, server: ServerProcess) -> None:
    nobody = ask("join", "abc234", "--server", "http://127.0.0.1:9", "--name", "Ana")
    assert nobody.code == 1
    assert "127.0.0.1:9" in nobody.err
    nothing = ask("watch", f"{server.address}/#/t/abc234")
    assert nothing.code == 1
    assert "no such table" in nothing.err


def test_tokens_are_for_this_user_alone(ask: Ask, server: ServerProcess, tmp_path: Path) -> None:
    ask("join", "abc234", "--server", server.address, "--name", "Ana")
    file = tmp_path / "people.json"
    assert f"{server.address} Ana" in file.read_text("utf-8")
    if sys.platform != "win32":
        assert file.stat().st_mode & 0o777 == 0o600
