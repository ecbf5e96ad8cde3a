"""What the host of a table can do about people, and what those people are told."""

import asyncio
from typing import Any

import pytest

from penultima.client import Client
from penultima.edition import shipped
from penultima.errors import ServerError
from penultima.server import answers, commands, due, log, wire
from penultima.server.frames import moments
from penultima.server.store import Seeds
from penultima.server.story import Happening
from penultima.server.table import CHORES, Stage, Table
from tests.server.harness import ServerProcess, gather_people, until

ANA, BORIS = "a" * 64, "b" * 64


class Fold:
    """A table with Ana, who hosts it, Boris and a bot, where nobody but Boris has to decide."""

    def __init__(self) -> None:
        self.now = 1_000
        self.told: list[Happening] = []
        draft = self.table = Table(Seeds("0" * 64))
        bots = [wire.BotSeat(place=2, bot="basic")]
        new = wire.NewTable(seats=3, name="Ana", bots=bots, options={"auto_call": True})
        edition = shipped("classic").with_options({"auto_call": True})
        answers.first_entries(draft, "abc234", edition, new, ANA, self.now)
        self.take(answers.sit(draft, BORIS, commands.Sit(id="sit", name="Boris"), self.now))
        assert self.ask(0, commands.Begin(id="begin")) is None
        while self.table.stage != Stage.PLAYING:
            self.now += due.PATIENCE
            self.take(due.tick(self.table, self.now))
        while self.table.playing.game.turn != 1:
            turn = self.table.playing.game.turn
            action = self.table.playing.legal_texts(turn)[0]
            self.take([log.Acted(at=self.now, place=turn, action=action)])

    def take(self, entries: list[log.Entry]) -> None:
        for entry in entries:
            self.told.append(Happening(self.table.seq + 1, entry, self.table.apply(entry)))

    def ask(self, seat: int, command: commands.Command) -> str | None:
        """Send a command; gives the code of a refusal."""
        self.take(answers.answer(self.table, seat, command, self.now))
        return self.table.answers[seat][command.id]

    def let_bot(self, seat: int = 0, **wanted: Any) -> str | None:
        wanted = {"place": 1, "decision": self.table.decision, **wanted}
        return self.ask(seat, commands.LetBot(id=f"{self.table.seq}", **wanted))


def test_the_host_lets_a_bot_play_for_somebody_who_does_not_decide() -> None:
    fold = Fold()
    fold.now += due.IDLE
    assert fold.let_bot() is None
    assert fold.table.plays_itself(1)
    entry = fold.told[-1].entry
    assert entry == log.Away(at=fold.now, seat=0, command=entry.command, place=1)
    for reader in (None, 0, 1, 2):  # everybody sees that it happened, and by whom
        (moment,) = moments(fold.told[-1:], reader)
        assert moment.entry == {"type": "away", "seat": 0, "place": 1}
    assert fold.ask(1, commands.ComeBack(id="back")) is None
    assert not fold.table.plays_itself(1)


def test_a_bot_is_let_play_only_for_whom_the_table_waits() -> None:
    fold = Fold()
    assert fold.let_bot() == "too_soon"
    fold.now += due.IDLE - 1
    assert fold.let_bot() == "too_soon"
    fold.now += 1
    assert fold.let_bot(seat=1) == "not_host"
    assert fold.let_bot(place=0) == "nobody_there"  # the host's own
    assert fold.let_bot(place=2) == "nobody_there"  # a bot's
    assert fold.let_bot(place=9) == "no_place"
    assert fold.let_bot(decision=fold.table.decision - 1) == "stale"
    assert fold.let_bot() is None
    assert fold.let_bot() == "not_now"  # a bot plays already
    assert sum(isinstance(one.entry, log.Away) for one in fold.told) == 1


def test_a_host_cannot_make_the_log_grow_with_bots() -> None:
    fold = Fold()
    fold.now += due.IDLE
    for n in range(CHORES.burst):
        assert fold.let_bot() is None
        fold.ask(1, commands.ComeBack(id=f"back {n}"))
    assert fold.let_bot() == "too_often"


def test_a_program_that_hosts_can_let_a_bot_play(server: ServerProcess) -> None:
    """It is refused at once, and clearly, where nobody has waited long."""

    async def run() -> None:
        table, clients = await gather_people(server.address, 2)
        async with clients[0].sit(table, "A") as host, clients[1].sit(table, "B") as other:
            await until(host, lambda s: sum(p.here for p in s.places) == 2)
            assert await host.let_bot() == "not_now"
            assert await host.begin() is None
            await until(host, lambda s: s.stage == "playing")
            await until(other, lambda s: s.stage == "playing")
            assert host.settings is not None
            assert host.settings.idle == due.IDLE
            assert await other.let_bot() == "not_host"
            assert host.state is not None
            assert host.state.view is not None
            waited_for_host = host.state.view.turn == 0
            assert await host.let_bot() == ("nobody_there" if waited_for_host else "too_soon")

    asyncio.run(run())


def test_a_program_that_is_removed_is_told(server: ServerProcess) -> None:
    """It does not wait for ever, and does not take a seat again unasked."""

    async def run() -> None:
        table, clients = await gather_people(server.address, 2)
        async with clients[0].sit(table, "A") as host, clients[1].sit(table, "B") as other:
            await until(host, lambda s: sum(p.here for p in s.places) == 2)
            await until(other, lambda s: sum(p.here for p in s.places) == 2)
            assert await host.send(commands.Remove(id="remove", place=1)) is None
            async with asyncio.timeout(20):
                with pytest.raises(ServerError, match="removed you"):
                    await anext(other.decisions())
                assert await other.sit() is None
            assert other.refused is None

    asyncio.run(run())


def test_nobody_who_leaves_is_told_of_a_removal(server: ServerProcess) -> None:
    async def run() -> None:
        table, clients = await gather_people(server.address, 2)
        stranger = await Client.connect(server.address)
        async with stranger.sit(table, "B") as guest, clients[0].sit(table, "A"):
            await until(guest, lambda s: sum(p.here for p in s.places) == 2)
            assert await guest.leave() is None
            await until(guest, lambda s: s.places[1].kind == "empty")
            assert guest.refused is None

    asyncio.run(run())
