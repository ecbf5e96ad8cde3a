"""Faults seen at other tables, as far as a server could have them: leaks, call and catch."""

import asyncio
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from penultima.notation import action_text
from penultima.rules.actions import CATCH, PLAY
from penultima.server import commands, due, frames, log, wire
from penultima.server.room import Room, Shop
from penultima.server.settings import Pace
from penultima.server.store import Seeds
from penultima.server.table import Stage, Table
from tests.server.test_secrets import _Counts, _Ear, _Memory
from tests.test_table import dealt, do

PAUSE = 10_000  # milliseconds between two actions: so often may a seat be refused


def exposed(ahead: bool = False) -> Iterator[tuple[Table, int]]:
    """Tables at which somebody has just put down the last card but one without a call; with the
    decision before that. `ahead`: the other one catches in advance, at every decision."""
    for seed in range(120):
        table, random = dealt(), Random(seed)
        for _ in range(60):
            match = table.playing
            if table.stage != Stage.PLAYING:
                break
            seat = match.game.turn
            legal = match.legal(seat)
            plays = [action for action in legal if action >= PLAY]
            before = table.decision
            text = action_text(table.sheet, random.choice(plays or legal))
            if ahead:
                guess = commands.Act(id=f"guess {before}", action="catch", decision=before + 1)
                assert do(table, 1 - seat, guess, PAUSE * before) == "stale"
            act = commands.Act(id=f"{before}", action=text, decision=before)
            assert do(table, seat, act, PAUSE * before) is None
            if CATCH in table.playing.legal(1 - seat) and table.stage == Stage.PLAYING:
                yield table, before
                break


def catcher(table: Table) -> int:
    return next(seat for seat in range(2) if CATCH in table.playing.legal(seat))


def test_clicking_blindly_does_not_catch() -> None:
    """A catch names what it has seen: one that was sent before the play is stale."""
    found = 0
    for table, before in exposed():
        seat = catcher(table)
        cards = table.playing.game.counts[1 - seat]
        for number, decision in enumerate((0, before - 1, before)):
            blind = commands.Act(id=f"blind {number}", action="catch", decision=decision)
            assert do(table, seat, blind) == "stale"
        assert table.playing.game.counts[1 - seat] == cards
        seen = commands.Act(id="seen", action="catch", decision=table.decision)
        assert do(table, seat, seen) is None
        assert table.playing.game.counts[1 - seat] > cards
        found += 1
    assert found > 10


def test_clicking_ahead_does_not_catch_either() -> None:
    """Who names the next decision all the time, to be the first when it is there, is not."""
    found = 0
    for table, before in exposed(ahead=True):
        seat = catcher(table)
        assert table.decision == before + 1
        now = commands.Act(id="now", action="catch", decision=table.decision)
        assert do(table, seat, now, PAUSE * table.decision) == "stale"
        found += 1
    assert found > 10


def test_a_miss_is_punished_once() -> None:
    """Neither a copy of the catch nor another one draws more cards."""
    found = 0
    for table, _ in exposed():
        seat, now = catcher(table), table.decision
        catch = commands.Act(id="catch", action="catch", decision=now)
        assert do(table, seat, catch) is None
        cards = table.playing.game.counts[1 - seat]
        assert do(table, seat, catch) is None  # a copy gets the same answer
        for decision in (now, table.decision):
            more = commands.Act(id=f"more {decision}", action="catch", decision=decision)
            assert do(table, seat, more) == "not_allowed"
        assert table.playing.game.counts[1 - seat] == cards
        found += 1
    assert found > 10


def test_who_has_called_in_time_is_not_caught() -> None:
    """Of a call and a catch that are both under way the first to arrive counts."""
    found = 0
    for table, _ in exposed():
        seat, now = catcher(table), table.decision
        if "call" not in [action_text(table.sheet, a) for a in table.playing.legal(1 - seat)]:
            continue
        assert do(table, 1 - seat, commands.Act(id="c", action="call", decision=now)) is None
        late = commands.Act(id="late", action="catch", decision=now)
        assert do(table, seat, late) == "not_allowed"
        found += 1
    assert found > 5


def test_nobody_acts_twice_on_one_decision() -> None:
    table = dealt()
    seat, now = table.playing.game.turn, table.decision
    text = action_text(table.sheet, table.playing.legal(seat)[-1])
    assert do(table, seat, commands.Act(id="once", action=text, decision=now)) is None
    for number in range(3):
        again = commands.Act(id=f"again {number}", action=text, decision=now)
        assert do(table, seat, again) == "stale"


def test_one_s_hand_is_named_by_its_cards_and_by_nothing_that_lasts() -> None:
    """No card has an id that could be followed from the pile into a hand."""
    table = dealt()
    state = json.loads(wire.encode(frames.state(table, 0, {0, 1})))
    assert all(isinstance(card, str) and len(card) <= 3 for card in state["view"]["hand"])
    hand = state["view"]["hand"]
    assert hand == sorted(hand, key=[face.text for face in table.sheet.faces].index)


def test_who_takes_a_seat_is_not_told_what_its_last_holder_drew() -> None:
    table, entries = dealt(), []
    random = Random(2)

    def add(entry: log.Entry) -> None:
        entries.append(entry)
        table.apply(entry)

    opening = _log_of(dealt)
    while table.stage != Stage.OVER:
        if table.stage == Stage.BETWEEN:
            add(log.Continued(at=0))
            continue
        seat = table.playing.game.turn
        legal = table.playing.legal(seat)
        plays = [action for action in legal if action >= PLAY]
        text = action_text(table.sheet, random.choice(plays or legal))
        add(log.Acted(at=0, place=seat, action=text))
    for entry in due.tick(table, 0):
        add(entry)
    add(log.Rose(at=0, place=1))
    add(log.Sat(at=0, place=1, name="New", token="f" * 64))
    shop = Shop(_Memory(), None, Pace(), _Counts())  # type: ignore[arg-type]
    room = Room(shop, Table(table.seeds), Seeds("00" * 32))
    for entry in [*opening, *entries]:
        room.fold(entry)

    async def told(token: str | None) -> list[Any]:
        welcome = room.enter(_Ear(token), 0)
        await room.close()
        moments = msgspec.to_builtins(welcome.moments)
        return [event for moment in moments for event in moment["events"] if event.get("cards")]

    assert asyncio.run(told(f"{0:064x}"))  # who was there is told of their own
    assert asyncio.run(told("f" * 64)) == []
    assert asyncio.run(told(None)) == []


def _log_of(make: Any) -> list[log.Entry]:
    """The entries that a table was made of."""
    entries: list[log.Entry] = []
    true = Table.apply

    def kept(table: Table, entry: log.Entry) -> Any:
        entries.append(entry)
        return true(table, entry)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Table, "apply", kept)
        make()
    return entries
