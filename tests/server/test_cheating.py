"""A server that cheats at the deal: every client catches it, whatever it tries (`cheating.py`)."""

import asyncio
import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from textual.widgets import Static

from penultima.cli import main
from penultima.client import Client, TableClient
from penultima.errors import RecordError, Unfair
from penultima.locale import say
from penultima.receipt import ReceiptFolder, Receipts, read, write
from penultima.record import Record
from penultima.server import commands, wire
from penultima.tui.app import TableApp
from penultima.tui.board import Story
from penultima.tui.lobby import LobbyScreen
from penultima.tui.remote import RemoteSeat
from tests.server.cheating import CAUGHT, CHEATS, COMPARED, WARNED, CheatingServer
from tests.server.harness import a_server, gather_people, play_match, play_on, until
from tests.server.test_terminal import AtScreen, plain

PATIENCE = 60
SHORT = {"seats": 3, "options": {"target": 1, "hand_size": 3}}
STOPPED = say("en", "fair.stopped", reason="#").partition("#")[0]


@contextlib.contextmanager
def cheating(folder: Path, name: str, victim: int = 0) -> Iterator[CheatingServer]:
    server = CheatingServer(folder, name, victim)
    try:
        yield server
    finally:
        if server.running:
            server.kill()


def test_every_cheat_is_tried() -> None:
    assert CHEATS.keys() == {*CAUGHT, *COMPARED, *WARNED}


class Seen(TableClient):
    """Remembers whether its own seed was shown."""

    revealed = False

    async def _take(self, socket: Any, frame: wire.Outgoing) -> None:
        await super()._take(socket, frame)
        self.revealed |= self.state is not None and str(self.seat) in self.state.reveals


@pytest.mark.parametrize("name", CAUGHT)
def test_the_client_for_programs_catches_it(name: str, tmp_path: Path) -> None:
    async def play(address: str) -> tuple[Unfair, Seen]:
        table, (client,) = await gather_people(address, 1, **SHORT)
        async with Seen(client, table, "P0", None) as seat:
            await until(seat, lambda s: s.places[0].here)
            await seat.begin()
            with pytest.raises(Unfair) as caught:
                await play_on(seat, Random(1))
                await until(seat, lambda s: "server" in s.reveals)
                await play_on(seat, Random(1))
            assert await seat.act("draw") == "unfair"
            return caught.value, seat

    with cheating(tmp_path, name) as server:
        error, seat = asyncio.run(asyncio.wait_for(play(server.address), PATIENCE))
    assert error.code == CAUGHT[name]
    if name in ("promise", "withheld", "omitted"):
        assert not seat.revealed, "a seed is not shown to a server that cheats"


@pytest.mark.parametrize("name", CAUGHT)
def test_the_plain_terminal_catches_it(name: str, tmp_path: Path) -> None:
    with cheating(tmp_path / "server", name) as server:
        table, _ = asyncio.run(gather_people(server.address, 1, **{**SHORT, "name": None}))
        data = {"PENULTIMA_DATA": str(tmp_path / "data"), "PENULTIMA_LANG": "en"}
        link = f"{server.address}/#/t/{table}"
        process = plain("join", link, "--plain", "--name", "Ana", "--lang", "en", **data)
        out, _ = process.communicate("begin\n" + "1\n" * 2000, timeout=PATIENCE)
    assert STOPPED in out
    reason = say("en", f"fair.broken.{CAUGHT[name]}", who="#", attempt=1)
    assert re.split("[(#1]", reason)[0] in out
    assert "Traceback" not in out


def told(at: AtScreen) -> str:
    """The story so far, on whichever screen is there."""
    return "\n".join(line for story in at.screen.query(Story) for line in story.lines)


@pytest.mark.parametrize("name", CAUGHT)
def test_the_full_screen_catches_it(name: str, tmp_path: Path) -> None:
    with cheating(tmp_path / "server", name) as server:
        table, (client,) = asyncio.run(gather_people(server.address, 1, **SHORT))
        client.receipts = ReceiptFolder(tmp_path / "receipts")
        seat = RemoteSeat(client, table, "P0", None)

        async def run() -> None:
            app = TableApp(LobbyScreen(seat, "en", "link"))
            async with app.run_test() as pilot:
                at = AtScreen(seat, pilot)
                try:
                    await at.until(lambda: seat.known and seat.hosts)
                    await at.pilot.press("enter")
                    playing = asyncio.ensure_future(at.play())
                    await at.until(lambda: STOPPED in told(at))
                    playing.cancel()
                finally:
                    await seat.close()

        asyncio.run(asyncio.wait_for(run(), PATIENCE))


async def two_people(address: str, receipts: list[Receipts]) -> tuple[list[TableClient], str]:
    """A match of two people at a server; gives their clients and the record."""
    settings = {"seats": 2, "options": {"target": 1, "hand_size": 3}}
    table, clients = await gather_people(address, 2, **settings)
    for client, kept in zip(clients, receipts, strict=True):
        client.receipts = kept
    seats = [client.sit(table, f"P{n}") for n, client in enumerate(clients)]
    async with seats[0], seats[1]:
        await until(seats[0], lambda s: sum(p.here for p in s.places) == 2)
        await seats[0].begin()
        await asyncio.gather(*(play_on(seat, Random(n)) for n, seat in enumerate(seats)))
        for seat in seats:
            await until(seat, lambda s: s.matches == 1)
    record = await clients[0].ask("GET", f"/api/tables/{table}/matches/1")
    return seats, str(record)


def test_different_promises_for_different_players_show_in_the_code(tmp_path: Path) -> None:
    kept = [Receipts(), Receipts()]
    with cheating(tmp_path, "split", victim=1) as server:
        seats, text = asyncio.run(asyncio.wait_for(two_people(server.address, kept), PATIENCE))
    first, second = (seat.receipt for seat in seats)
    assert first is not None
    assert second is not None
    assert first.code is not None
    assert first.code != second.code
    record = Record.from_text(text)
    first.check(record)
    with pytest.raises(RecordError, match="promise of “server”"):
        second.check(record)


def test_honest_players_have_the_same_code_and_a_receipt_that_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept: list[Receipts] = [ReceiptFolder(tmp_path / "0"), ReceiptFolder(tmp_path / "1")]
    with a_server(tmp_path / "server") as server:
        seats, text = asyncio.run(asyncio.wait_for(two_people(server.address, kept), PATIENCE))
    record = Record.from_text(text)
    assert record.fair is not None
    for seat in seats:
        assert seat.receipt is not None
        assert seat.receipt.code == record.fair.code
        assert seat.receipt.last.hands.keys() == {str(n + 1) for n in range(len(record.rounds))}
        seat.receipt.check(record)
        again = read(write(seat.receipt), "copy")
        assert again == seat.receipt
    match, receipt = tmp_path / "match.pen", tmp_path / "receipt.json"
    match.write_text(text, "utf-8")
    receipt.write_bytes(write(again))
    assert main(["verify", str(match), "--receipt", str(receipt)]) == 0
    out = capsys.readouterr().out
    assert record.fair.code in out
    assert say("en", "verify.receipt_own") in out
    assert main(["verify", str(match)]) == 0
    assert say("en", "verify.no_receipt") in capsys.readouterr().out
    changed = receipt.read_text("utf-8").replace(again.last.promises["server"], "ab" * 32)
    receipt.write_text(changed, "utf-8")
    assert main(["verify", str(match), "--receipt", str(receipt)]) == 1
    assert "promise of “server”" in capsys.readouterr().err
    receipt.write_text("{", "utf-8")
    assert main(["verify", str(match), "--receipt", str(receipt)]) == 1
    assert "is not the receipt" in capsys.readouterr().err


def test_terminals_show_the_code_and_what_they_kept_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with a_server(tmp_path / "server") as server:
        table, (client, _) = asyncio.run(
            gather_people(server.address, 2, options={"target": 1, "hand_size": 3})
        )
        client.receipts = ReceiptFolder(tmp_path / "full")
        seat = RemoteSeat(client, table, "P0", None)
        data = {"PENULTIMA_DATA": str(tmp_path / "plain")}
        link = f"{server.address}/#/t/{table}"
        process = plain("join", link, "--plain", "--name", "Ana", "--lang", "en", **data)
        assert process.stdin is not None
        process.stdin.write("1\n" * 2000)
        process.stdin.close()
        codes: list[str] = []

        async def run() -> None:
            app = TableApp(LobbyScreen(seat, "en", "link"))
            async with app.run_test(size=(120, 30)) as pilot:
                at = AtScreen(seat, pilot)
                try:
                    await at.until(lambda: seat.known and seat.state.places[1].name == "Ana")
                    await at.pilot.press("enter")
                    await at.until(lambda: seat.playing and seat.deal_code is not None)
                    codes.append(str(seat.deal_code))
                    await at.until(lambda: codes[0] in told(at))
                    title = at.screen.query_one("#title", Static)
                    assert codes[0] in str(title.render())
                    await at.play()
                finally:
                    await seat.close()

        asyncio.run(asyncio.wait_for(run(), PATIENCE))
        out = process.stdout.read() if process.stdout else ""
        assert process.wait(PATIENCE) == 0
        assert say("en", "fair.code", code=codes[0]) in out
        text = asyncio.run(client.ask("GET", f"/api/tables/{table}/matches/1"))
    match = tmp_path / "match.pen"
    match.write_text(text, "utf-8")
    monkeypatch.setenv("PENULTIMA_DATA", str(tmp_path / "plain"))
    assert main(["verify", str(match)]) == 0
    found = capsys.readouterr().out
    assert f"{table}-1.json" in found
    assert say("en", "verify.receipt_own") in found


def test_a_record_with_another_hand_or_without_an_attempt_is_found(tmp_path: Path) -> None:
    kept = [Receipts(), Receipts()]
    with a_server(tmp_path) as server:
        seats, text = asyncio.run(asyncio.wait_for(two_people(server.address, kept), PATIENCE))
    record, receipt = Record.from_text(text), seats[0].receipt
    assert receipt is not None
    hand = receipt.last.hands["1"]
    receipt.dealt(1, [*hand[1:], "r0" if hand[0] != "r0" else "r1"])
    with pytest.raises(RecordError, match="ound 1: the hand"):
        receipt.check(record)
    receipt.dealt(1, hand)
    earlier = read(write(receipt), "copy").last
    earlier.attempt, receipt.last.attempt = 0, receipt.last.attempt
    earlier.dealt = False
    receipt.attempts.insert(0, earlier)
    with pytest.raises(RecordError, match="does not list attempt 0"):
        receipt.check(record)


def test_who_starts_again_has_not_forgotten_the_promises(tmp_path: Path) -> None:
    """The promise changes while the client is not there."""

    async def play(address: str) -> None:
        table, (client, _) = await gather_people(address, 2, seats=2)
        client.receipts = ReceiptFolder(tmp_path / "receipts")
        other = await Client.connect(address)
        async with other.sit(table, "Robin") as robin:
            async with client.sit(table, "P0") as seat:
                await until(seat, lambda s: sum(p.here for p in s.places) == 2)
                robin.part.due = lambda *_: None  # type: ignore[method-assign]
                await seat.begin()
                await until(seat, lambda s: "0" in s.promises)
            del robin.part.due
            robin._deal()
            await until(robin, lambda s: s.stage == "revealing")
            again = Client(address, client.token, ReceiptFolder(tmp_path / "receipts"))
            async with again.sit(table, "P0") as seat:
                with pytest.raises(Unfair, match="not the one that was given"):
                    async for _ in seat.decisions():
                        pass

    with cheating(tmp_path / "server", "promise") as server:
        asyncio.run(asyncio.wait_for(play(server.address), PATIENCE))


def test_who_starts_again_shows_the_seed_that_was_promised(tmp_path: Path) -> None:
    async def play(address: str) -> str:
        table, (client, _) = await gather_people(address, 2, seats=2, options={"target": 1})
        client.receipts = ReceiptFolder(tmp_path / "receipts")
        other = await Client.connect(address)
        async with other.sit(table, "Robin") as robin:
            async with client.sit(table, "P0") as seat:
                await until(seat, lambda s: sum(p.here for p in s.places) == 2)
                robin.part.due = lambda *_: None  # type: ignore[method-assign]
                await seat.begin()
                await until(seat, lambda s: "0" in s.promises)
            del robin.part.due
            robin._deal()
            again = Client(address, client.token, ReceiptFolder(tmp_path / "receipts"))
            async with again.sit(table, "P0") as seat:
                await until(seat, lambda s: s.stage == "playing")
                assert seat.state is not None
                assert seat.state.attempt == 1
                assert seat.receipt is not None
                assert seat.receipt.own_is_in
                assert robin.receipt is not None
                await until(robin, lambda s: s.stage == "playing")
                assert robin.receipt.code == seat.receipt.code
                return str(seat.receipt.code)

    with a_server(tmp_path / "server") as server:
        asyncio.run(asyncio.wait_for(play(server.address), PATIENCE))


def test_who_is_not_in_the_deal_is_warned(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def play(address: str) -> None:
        table, (client,) = await gather_people(address, 1, **SHORT)
        async with client.sit(table, "P0") as seat:
            await until(seat, lambda s: s.places[0].here)
            await seat.begin()
            await until(seat, lambda s: s.stage == "playing")

    with cheating(tmp_path / "server", "deaf") as server:
        asyncio.run(asyncio.wait_for(play(server.address), PATIENCE))
        assert say("en", "fair.alone") in caplog.text
        table, _ = asyncio.run(gather_people(server.address, 1, **{**SHORT, "name": None}))
        for language in ("es", "ru"):
            table, _ = asyncio.run(gather_people(server.address, 1, **{**SHORT, "name": None}))
            data = {"PENULTIMA_DATA": str(tmp_path / language)}
            link = f"{server.address}/#/t/{table}"
            process = plain("join", link, "--plain", "--name", "Ana", "--lang", language, **data)
            out, _ = process.communicate("begin\n" + "1\n" * 2000, timeout=PATIENCE)
            assert say(language, "fair.alone") in out


def test_two_matches_in_a_row_are_fair(tmp_path: Path) -> None:
    """Also for somebody who has come to the end of the first one."""

    async def play(address: str) -> None:
        table, (client, late) = await gather_people(address, 2, seats=2, options={"target": 1})
        async with client.sit(table, "P0") as host:
            await until(host, lambda s: s.places[0].here)
            await host.begin()
            await play_on(host, Random(1))
            await until(host, lambda s: s.matches == 1)
            assert await host.send(commands.Remove(id="free", place=1)) is None
            async with late.sit(table, "Late") as guest:
                await until(host, lambda s: s.places[1].here)
                await host.begin()
                await until(host, lambda s: s.stage == "playing")
                await asyncio.gather(play_on(host, Random(2)), play_on(guest, Random(3)))
                await until(host, lambda s: s.matches == 2)
                await until(guest, lambda s: s.matches == 2)
                assert host.receipt is not None
                assert guest.receipt is not None
                assert host.receipt.code == guest.receipt.code
                text = await client.ask("GET", f"/api/tables/{table}/matches/2")
                for seat in (host, guest):
                    assert seat.receipt is not None
                    seat.receipt.check(Record.from_text(text))

    with a_server(tmp_path) as server:
        asyncio.run(asyncio.wait_for(play(server.address), PATIENCE))


def test_a_folder_that_cannot_be_written_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "receipts").write_text("in the way", "utf-8")
    kept: list[Receipts] = [ReceiptFolder(tmp_path / "receipts"), Receipts()]
    with a_server(tmp_path / "server") as server:
        asyncio.run(asyncio.wait_for(two_people(server.address, kept), PATIENCE))
    assert "cannot be saved" in caplog.text


def test_a_whole_match_still_verifies(tmp_path: Path) -> None:
    with a_server(tmp_path) as server:
        text = asyncio.run(play_match(server.address, 2, seats=3, options={"target": 1}))
    deal = Record.from_text(text).fair
    assert deal is not None
    assert (deal.people, deal.given_up, deal.without) == (["0", "1"], [], [])
