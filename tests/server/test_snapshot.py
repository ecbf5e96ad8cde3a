"""Snapshots of tables, bounded refusals, and loading that lets others through."""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path

import pytest

from benchmarks.restart import Log, in_the_middle
from penultima.server import answers, commands, frames, log, snapshot
from penultima.server.hub import Hub
from penultima.server.settings import Pace, ServerSettings
from penultima.server.snapshot import EVERY, WITHOUT, freeze, thaw
from penultima.server.sqlite import SqliteDatabase
from penultima.server.store import SLICE, Opening, Snapshot, Store
from penultima.server.table import CHORES, REFUSALS, REMEMBERED, Refusal, Stage, Table
from tests.worlds import state_of

TOKENS = [f"{n}" * 24 for n in range(4)]


@pytest.fixture(scope="module")
def made() -> Log:
    return in_the_middle(TOKENS, 3 * EVERY, 1_000_000)


def folded(made: Log, entries: Sequence[log.Entry]) -> Table:
    table = Table(made.table.seeds)
    for entry in entries:
        table.apply(entry)
    return table


def test_a_snapshot_holds_everything_that_a_table_is() -> None:
    assert {one.name for one in fields(Table)} - WITHOUT == set(snapshot._names)
    assert {one.name for one in fields(Table)} >= WITHOUT


@pytest.mark.parametrize("at", [1, 2, 5, 9, 14, 15, 100, 3 * EVERY])
def test_a_fold_from_a_snapshot_is_the_fold_of_the_log(made: Log, at: int) -> None:
    kept = freeze(folded(made, made.entries[:at]), made.entries[at - 1])
    table = folded(made, made.entries[:1])
    assert thaw(kept, table, made.entries[at - 1])
    for entry in made.entries[at:]:
        table.apply(entry)
    assert state_of(table) == state_of(made.table)


def _cut(kept: Snapshot) -> Snapshot:
    return replace(kept, state=kept.state[:-1])


def _turned(kept: Snapshot) -> Snapshot:
    return replace(kept, state=kept.state[:40] + bytes([kept.state[40] ^ 1]) + kept.state[41:])


def _foreign(kept: Snapshot) -> Snapshot:
    return replace(kept, version=f"{kept.version}x")


def _moved(kept: Snapshot) -> Snapshot:
    return replace(kept, seq=kept.seq - 1)


def _no_state(kept: Snapshot) -> Snapshot:
    """Whole, as far as its digest says, but of another shape."""
    other = replace(kept, state=b"\x90")
    digest = snapshot._digest(other.table, other.seq, _last, other.state)
    return replace(other, digest=digest)


_last: log.Entry
WRONG = (_cut, _turned, _foreign, _moved, _no_state)


def _of_another_log(made: Log) -> Snapshot:
    other = in_the_middle(TOKENS, 3 * EVERY, 2_000_000)
    kept = freeze(other.table, other.entries[-1])
    return replace(kept, table=made.table.id)


async def _loaded(path: Path, made: Log, kept: Snapshot | None) -> tuple[Table, Snapshot | None]:
    """A table as a server loads it, and the snapshot that is kept when it is done."""
    store = Store(SqliteDatabase(path / "tables.sqlite"))
    summary = frames.summary(made.table)
    if await store.summary(made.table.id) is None:
        assert await store.open(Opening(made.entries, summary, made.secret))
    if kept is not None:
        await store.keep(kept)
    hub = Hub(store, ServerSettings("", path, pace=Pace()))
    room = await hub.room(made.table.id)
    assert room is not None
    await room.append(lambda table, at: [log.Said(at=made.at, seat=0, phrase="hello")])
    await room.close()
    found = await store.find(made.table.id)
    assert found is not None
    await store.close()
    return room.table, found[1]


@pytest.mark.parametrize("spoil", WRONG)
def test_a_wrong_snapshot_is_ignored_and_made_anew(
    tmp_path: Path, made: Log, spoil: Callable[[Snapshot], Snapshot]
) -> None:
    global _last
    _last = made.entries[-1]
    wrong = spoil(freeze(made.table, made.entries[-1]))
    table, kept = asyncio.run(_loaded(tmp_path, made, wrong))
    assert table.playing.record().to_text() == made.table.playing.record().to_text()
    assert kept is not None
    assert kept.seq == table.seq == len(made.entries) + 1
    fresh = folded(made, made.entries[:1])
    assert thaw(kept, fresh, log.Said(at=made.at, seat=0, phrase="hello"))
    assert state_of(fresh) == state_of(table)


def test_the_snapshot_of_another_log_is_ignored(tmp_path: Path, made: Log) -> None:
    table, _ = asyncio.run(_loaded(tmp_path, made, _of_another_log(made)))
    assert table.playing.record().to_text() == made.table.playing.record().to_text()


def test_loading_folds_what_came_after_the_snapshot_only(
    tmp_path: Path, made: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(_loaded(tmp_path, made, None))
    applied: list[log.Entry] = []
    apply = Table.apply

    def counting(table: Table, entry: log.Entry) -> object:
        applied.append(entry)
        return apply(table, entry)

    monkeypatch.setattr(Table, "apply", counting)
    table, _ = asyncio.run(_loaded(tmp_path, made, None))
    assert len(applied) == 2  # the first entry, and the one that is said now
    assert table.seq == len(made.entries) + 2


def test_a_long_log_is_folded_in_slices(tmp_path: Path) -> None:
    """Others come through while a table without a snapshot is loaded."""
    long = in_the_middle(TOKENS, 6 * SLICE, 1_000_000)

    async def work() -> int:
        turns = 0
        loading = asyncio.create_task(_loaded(tmp_path, long, None))
        while not loading.done():
            turns += 1
            await asyncio.sleep(0)
        await loading
        return turns

    assert asyncio.run(work()) > 6


def refuse(table: Table, seat: int, number: int, at: int) -> bool:
    """Ask for what is never done; whether an entry was made of it."""
    command = commands.Act(id=f"no{number}", action="z9", decision=0)
    try:
        entries = answers.answer(table, seat, command, at)
    except Refusal as refusal:
        assert refusal.code
        return False
    for entry in entries:
        table.apply(entry)
    assert table.answered(seat, command.id)
    return True


def test_refusals_do_not_make_the_log_grow_without_bound(made: Log) -> None:
    table = folded(made, made.entries)
    hour = 3_600_000
    kept = sum(refuse(table, 1, n, made.at + n) for n in range(hour // 1_000))
    assert kept == REFUSALS.burst
    kept = sum(refuse(table, 1, n, made.at + 1_000 * n) for n in range(10_000, 13_600))
    assert kept <= REFUSALS.burst + hour // REFUSALS.every
    assert refuse(table, 2, 0, made.at), "others have their own"
    assert len(table.answers[1]) == REMEMBERED


def test_nobody_guesses_in_advance_without_its_being_known(made: Log) -> None:
    """A catch that names a later decision is remembered; whose guesses cannot be catches nobody."""
    table = folded(made, made.entries)
    for number in range(REFUSALS.burst):
        assert refuse(table, 1, number, made.at)
    guess = commands.Act(id="guess", action="catch", decision=table.decision)
    with pytest.raises(Refusal) as refused:
        answers.answer(table, 1, guess, made.at)
    assert refused.value.code == "too_often"


def test_sitting_down_and_rising_has_its_bound() -> None:
    made = Log(1_000_000)
    made.take(*in_the_middle(TOKENS, 0, made.at).entries[:3])
    assert made.table.stage == Stage.GATHERING
    for number in range(3 * CHORES.burst):
        sit = commands.Sit(id=f"sit{number}", name="P", place=2)
        leave = commands.Leave(id=f"leave{number}")
        with contextlib.suppress(Refusal):
            made.take(*answers.sit(made.table, "b" * 64, sit, made.at))
            if (seat := made.table.holder("b" * 64)) is not None:
                made.ask(seat, leave)
    assert made.table.seq <= 3 + CHORES.burst + 1 + REFUSALS.burst


def test_who_is_turned_away_again_and_again_leaves_few_entries(made: Log) -> None:
    table = folded(made, made.entries)
    kept = 0
    for number in range(3 * REFUSALS.burst):
        sit = commands.Sit(id="sit", name="P")
        with contextlib.suppress(Refusal):
            for entry in answers.sit(table, f"{number:064x}", sit, made.at):
                kept += 1
                table.apply(entry)
    assert kept == REFUSALS.burst
    assert len(table.turned_away) <= REMEMBERED


def test_a_snapshot_goes_with_its_table(tmp_path: Path, made: Log) -> None:
    async def work() -> None:
        store = Store(SqliteDatabase(tmp_path / "tables.sqlite"))
        table = folded(made, made.entries)
        assert await store.open(Opening(made.entries, frames.summary(table), made.secret))
        await store.keep(freeze(table, made.entries[-1]))
        table.apply(log.Closed(at=2_000_000, reason="idle"))
        await store.describe(frames.summary(table), 2_000_000)
        await store.forget_before(3_000_000)
        await store.close()

    asyncio.run(work())
    with contextlib.closing(sqlite3.connect(tmp_path / "tables.sqlite")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM snapshots").fetchone() == (0,)
