"""A table and its log, step by step; and in many simulated worlds (`tests.worlds`)."""

from collections import Counter
from typing import Any

import pytest

from penultima.edition import shipped
from penultima.fair import commitment
from penultima.notation import action_text
from penultima.rules.actions import NAME, RACING
from penultima.server import botseat, commands, log
from penultima.server.answers import answer, sit
from penultima.server.due import deadline, tick
from penultima.server.table import Stage, Table, open_table
from tests.worlds import SOMETIMES, Secrets, a_world, seed_of, state_of, visit

WORLDS = 2_000
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_many_worlds_hold_together(part: int) -> None:
    met: Counter[str] = Counter()
    for seed in range(part * WORLDS // PARTS, (part + 1) * WORLDS // PARTS):
        met += visit(seed)[0]
    for what in SOMETIMES:
        assert met[what] > 0, (what, met)


def test_the_same_seed_gives_the_same_log() -> None:
    for seed in (3, 4):
        assert visit(seed)[1] == visit(seed)[1]


@pytest.mark.parametrize("place", [0, 1])
def test_a_late_copy_does_not_take_the_seat_of_somebody_who_is_back(place: int) -> None:
    """A person leaves and sits down again; then a copy of the command by which they left comes."""
    table, token, leave = gathered(people=1, seats=2), f"{0:064x}", commands.Leave(id="leave")
    assert do(table, 0, leave) is None
    for entry in sit(table, token, commands.Sit(id="again", name="P", place=place), 0):
        table.apply(entry)
    assert table.holder(token) == place
    assert table.answer_to(token, "leave") is None
    assert do(table, place, leave) is None
    assert table.holder(token) == place


def gathered(
    people: int = 2,
    seats: int = 2,
    secrets: Secrets | None = None,
    edition: str = "classic",
    **settings: Any,
) -> Table:
    table = Table(Secrets() if secrets is None else secrets)
    table.apply(open_table("T", shipped(edition), seats, 0, **settings))
    for seat in range(people):
        for entry in sit(table, f"{seat:064x}", commands.Sit(id="sit", name=f"P{seat}"), 0):
            table.apply(entry)
    return table


def do(table: Table, seat: int, command: commands.Command, at: int = 0) -> str | None:
    """Give a command and apply what it leads to; gives the refusal."""
    for entry in answer(table, seat, command, at):
        table.apply(entry)
    return table.answers[seat][command.id]


def dealt(people: int = 2, seats: int = 2, **settings: Any) -> Table:
    table = gathered(people, seats, **settings)
    assert do(table, 0, commands.Begin(id="b")) is None
    for seat in range(people):
        seed = bytes.fromhex(seed_of(seat, 1))
        promise = commitment("T", 1, str(seat), seed)
        assert do(table, seat, commands.Promise(id="p", promise=promise)) is None
    for seat in range(people):
        assert do(table, seat, commands.Reveal(id="r", seed=seed_of(seat, 1))) is None
    for entry in tick(table, 0):
        table.apply(entry)
    assert table.stage == Stage.PLAYING
    return table


def test_the_key_is_made_of_all_seeds() -> None:
    table = dealt()
    assert table.fair is not None
    assert table.fair.people == ["0", "1"]
    table.fair.check(table.playing.key)


def test_the_first_to_sit_is_the_host_and_the_role_passes_on() -> None:
    table = gathered(people=3, seats=4)
    assert table.host == 0
    assert do(table, 1, commands.Begin(id="b")) == "not_host"
    assert do(table, 0, commands.PassHost(id="h", place=3)) == "nobody_there"
    assert do(table, 0, commands.PassHost(id="i", place=2)) is None
    assert table.host == 2
    assert do(table, 2, commands.Leave(id="l")) is None
    assert table.host == 0
    assert table.places[2].empty


def test_a_full_table_takes_nobody_else() -> None:
    (entry,) = sit(gathered(people=2), "ff" * 32, commands.Sit(id="s", name="C"), 0)
    assert isinstance(entry, log.TurnedAway) and entry.code == "taken"


def test_a_copy_of_a_command_changes_nothing() -> None:
    table = dealt()
    seat = table.playing.game.turn
    action = action_text(table.sheet, table.playing.legal(seat)[0])
    command = commands.Act(id="x", action=action, decision=table.decision)
    assert do(table, seat, command) is None
    before = state_of(table)
    assert answer(table, seat, command, 5) == []
    assert do(table, seat, command) is None
    assert state_of(table) == before


def test_an_action_chosen_in_view_of_the_past_is_stale() -> None:
    table = dealt()
    seat = table.playing.game.turn
    action = action_text(table.sheet, table.playing.legal(seat)[0])
    old = commands.Act(id="x", action=action, decision=table.decision - 1)
    assert do(table, seat, old) == "stale"
    assert do(table, seat, old) == "stale"
    early = commands.Act(id="y", action=action, decision=table.decision + 1)
    assert do(table, seat, early) == "stale"


def test_who_runs_out_of_time_is_played_for_until_they_act() -> None:
    table = dealt(clock=5)
    seat = table.playing.game.turn
    assert tick(table, 4_999) == []
    assert deadline(table) == 5_000
    for entry in tick(table, 5_000):
        table.apply(entry)
    assert table.places[seat].away
    question = botseat.asked(table)
    assert question is not None
    assert question.seen.seat == seat
    action = action_text(table.sheet, table.playing.legal(seat)[0])
    assert do(table, seat, commands.Act(id="x", action=action, decision=table.decision)) is None
    assert not table.places[seat].away


def test_a_bot_that_thought_too_long_does_nothing() -> None:
    table = dealt(people=1, seats=2, clock=5)
    while (question := botseat.asked(table)) is None:
        seat = table.playing.game.turn
        action = action_text(table.sheet, table.playing.legal(seat)[0])
        do(table, seat, commands.Act(id=f"{table.seq}", action=action, decision=table.decision))
    assert botseat.move(table, question.seen.seat, question.legal[0], table.decision, 0) != []
    assert botseat.move(table, question.seen.seat, question.legal[0], table.decision - 1, 0) == []


def test_entries_are_read_back_as_they_were_written() -> None:
    world = a_world(1)
    world.run(200)
    for data in world.log:
        assert log.write(log.read(data)) == data


def test_who_runs_out_of_time_while_naming_a_color_is_played_for() -> None:
    """A turned wild card asks for a color (S8): the clock runs then too."""
    for attempt in range(200):
        table = dealt(clock=20, secrets=Secrets({1: f"{attempt:064x}"}))
        if table.playing.game.phase == NAME:
            break
    else:
        raise AssertionError("no wild card was turned")
    turn = table.playing.game.turn
    assert tick(table, 19_999) == []
    for entry in tick(table, 20_000):
        table.apply(entry)
    assert table.places[turn].away
    question = botseat.asked(table)
    assert question is not None
    assert question.seen.seat == turn
    (moved,) = botseat.move(table, turn, question.legal[0], table.decision, 20_001)
    table.apply(moved)
    assert table.playing.game.phase != NAME
    assert tick(table, 20_002) == []


def test_a_race_that_was_lost_is_run_again_before_anybody_is_replaced() -> None:
    table = dealt()
    table.playing.game.phase = RACING
    for voids in (0, 1):
        assert table.voids == voids
        (armed,) = tick(table, 0)
        table.apply(armed)
        due_at = deadline(table)
        assert due_at is not None
        entries = tick(table, due_at)
        assert [type(entry) for entry in entries] == [log.Voided] + 2 * voids * [log.Away]
        for entry in entries:
            table.apply(entry)
