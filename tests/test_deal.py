"""How a table deals: who keeps a seed back gains nothing, and the record tells of it."""

import msgspec
import pytest

from penultima.errors import RecordError
from penultima.fair import SERVER, FairDeal, commitment
from penultima.game import Match
from penultima.record import Record
from penultima.server import commands, frames, log, wire
from penultima.server.due import PATIENCE, close, deadline, tick
from penultima.server.past import finished
from penultima.server.table import Stage, Table
from tests.test_table import do, gathered
from tests.worlds import seed_of


def begun(people: int = 2, seats: int = 3) -> Table:
    table = gathered(people, seats)
    assert do(table, 0, commands.Begin(id="begin")) is None
    return table


def promise(table: Table, *seats: int) -> None:
    for seat in seats:
        seed = bytes.fromhex(seed_of(seat, table.attempt))
        made = commitment("T", table.attempt, str(seat), seed)
        name = f"promise {table.attempt}"
        assert do(table, seat, commands.Promise(id=name, promise=made)) is None


def reveal(table: Table, *seats: int) -> None:
    for seat in seats:
        shown = commands.Reveal(id=f"reveal {table.attempt}", seed=seed_of(seat, table.attempt))
        assert do(table, seat, shown) is None


def wait(table: Table, time: int = PATIENCE) -> None:
    """Let time pass, and all happen that is due then."""
    at = table.since + time
    while table.stage != Stage.PLAYING and (entries := tick(table, at)):
        for entry in entries:
            table.apply(entry)


def record_of(table: Table) -> Record:
    """The record of a match that is broken off."""
    (match,) = finished(table, close(table, "test", 0))
    record = Record.from_text(match.record)
    Match.replay(record)
    return record


def fair_deal(table: Table) -> FairDeal:
    deal = record_of(table).fair
    assert deal is not None
    return deal


def test_leaving_while_revealing_starts_again_with_other_seeds() -> None:
    table = begun(3)
    promise(table, 0, 1, 2)
    first = dict(table.promises)
    reveal(table, 0, 1)
    assert do(table, 2, commands.Leave(id="leave")) is None
    assert deadline(table) == table.since
    (entry,) = tick(table, table.since)
    assert isinstance(entry, log.Began)
    assert (entry.attempt, entry.promise != first[SERVER]) == (2, True)
    table.apply(entry)
    promise(table, 0, 1)
    reveal(table, 0, 1)
    wait(table, 0)
    assert table.stage == Stage.PLAYING
    deal = fair_deal(table)
    assert (deal.attempt, deal.people) == (2, ["0", "1"])
    (given_up,) = deal.given_up
    assert (given_up.attempt, given_up.missing, given_up.commitments) == (1, [2], first)


def test_leaving_after_a_promise_starts_again() -> None:
    table = begun(3)
    promise(table, 0, 2)
    assert do(table, 2, commands.Leave(id="leave")) is None
    (entry,) = tick(table, table.since)
    assert isinstance(entry, log.Began)


def test_leaving_without_a_promise_keeps_nobody_waiting() -> None:
    table = begun(3)
    promise(table, 0, 1)
    assert do(table, 2, commands.Leave(id="leave")) is None
    wait(table, 0)
    assert table.stage == Stage.REVEALING
    reveal(table, 0, 1)
    wait(table, 0)
    assert fair_deal(table).without == []


def test_who_has_revealed_may_leave() -> None:
    table = begun()
    promise(table, 0, 1)
    reveal(table, 1)
    assert do(table, 1, commands.Leave(id="leave")) is None
    reveal(table, 0)
    wait(table, 0)
    assert fair_deal(table).people == ["0", "1"]


def test_a_seed_that_is_kept_back_starts_again_and_twice_excludes() -> None:
    table = begun()
    for attempt in (1, 2):
        promise(table, 0, 1)
        reveal(table, 0)
        assert tick(table, table.since + PATIENCE - 1) == []
        for entry in tick(table, table.since + PATIENCE):
            table.apply(entry)
        assert (table.stage, table.attempt) == (Stage.PROMISING, attempt + 1)
        assert table.left_out == ({1} if attempt == 2 else set())
    told = frames.common(table, [])
    assert told.left_out == [1]
    assert told.given_up == [wire.GivenUp(1, [1]), wire.GivenUp(2, [1])]
    promise(table, 0)
    reveal(table, 0)
    wait(table, 0)
    deal = fair_deal(table)
    assert (deal.people, deal.without) == (["0"], [1])
    assert [one.missing for one in deal.given_up] == [[1], [1]]
    text = record_of(table).to_text()
    assert "\ngiven_up 1 1\n" in text
    assert "\nwithout 1\n" in text
    assert f"\ncode {deal.code}\n" in text


def test_failures_are_forgotten_with_the_deal() -> None:
    table = begun()
    promise(table, 0, 1)
    reveal(table, 0)
    for entry in tick(table, table.since + PATIENCE):
        table.apply(entry)
    promise(table, 0, 1)
    reveal(table, 0, 1)
    wait(table, 0)
    table.stage = Stage.OVER
    assert do(table, 0, commands.Begin(id="again")) is None
    assert (table.left_out, table.given_up, table.failures) == (set(), [], {})


def test_who_does_not_promise_does_not_hold_up_the_deal() -> None:
    table = begun()
    promise(table, 0)
    (entry,) = tick(table, table.since + PATIENCE)
    assert isinstance(entry, log.Sealed)
    table.apply(entry)
    assert (table.stage, table.attempt, table.left_out) == (Stage.REVEALING, 1, {1})
    late = commands.Promise(id="late", promise="0" * 64)
    assert do(table, 1, late) == "not_now"
    reveal(table, 0)
    wait(table, 0)
    assert fair_deal(table).without == [1]


def test_a_deal_of_the_server_alone_is_called_that() -> None:
    table = begun()
    wait(table)
    wait(table, 0)
    assert table.stage == Stage.PLAYING
    assert frames.common(table, []).promises.keys() == {SERVER}
    deal = fair_deal(table)
    assert (deal.people, deal.without) == ([], [0, 1])
    assert "\nalone\n" in record_of(table).to_text()


def test_the_seed_of_the_server_is_shown_when_the_match_is_over() -> None:
    table = begun()
    promise(table, 0, 1)
    reveal(table, 0, 1)
    wait(table, 0)
    seed = table.seeds[1]
    assert seed not in str(frames.common(table, []))
    for entry in close(table, "test", 0):
        table.apply(entry)
    assert frames.common(table, []).reveals[SERVER] == seed


FORGED = {
    "an attempt is left out": ("given_up 1 1", "given_up 2 1"),
    "nobody was missing": ("given_up 1 1", "given_up 1 0"),
    "another code": ("code ", "code x"),
    "who contributed did not": ("without 1", "without 0"),
    "another attempt counted": ("\nattempt 3", "\nattempt 2"),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_a_forged_list_of_attempts_is_found(forgery: str) -> None:
    table = begun()
    for _ in range(2):
        promise(table, 0, 1)
        reveal(table, 0)
        for entry in tick(table, table.since + PATIENCE):
            table.apply(entry)
    promise(table, 0)
    reveal(table, 0)
    wait(table, 0)
    text = record_of(table).to_text()
    have, instead = FORGED[forgery]
    assert have in text
    with pytest.raises(RecordError):
        Match.replay(Record.from_text(text.replace(have, instead, 1)))


ENDS = ("promise", "reveal")


@pytest.mark.parametrize("kind", ENDS)
def test_a_line_end_in_a_seed_is_refused(kind: str) -> None:
    name = "promise" if kind == "promise" else "seed"
    frame = {"type": kind, "id": "x", name: "0" * 64 + "\n"}
    with pytest.raises(msgspec.ValidationError):
        wire.decode_incoming(msgspec.json.encode(frame))


def test_a_log_with_a_line_end_in_a_seed_still_makes_a_record() -> None:
    """Such logs were written."""
    table = begun()
    promise(table, 0, 1)
    reveal(table, 0)
    entry = log.Revealed(at=0, seat=1, command="r", seed=seed_of(1, 1) + "\n")
    table.apply(log.read(log.write(entry)))
    wait(table, 0)
    assert fair_deal(table).people == ["0", "1"]


def earlier(*entries: log.Entry) -> FairDeal:
    """What a log of an earlier version comes to after its first entries."""
    table = begun()
    for entry in entries:
        table.apply(entry)
    return fair_deal(table)


def given(attempt: int, *seats: int) -> list[log.Entry]:
    made = []
    for seat in seats:
        seed = bytes.fromhex(seed_of(seat, attempt))
        promised = commitment("T", attempt, str(seat), seed)
        made.append(log.Promised(at=0, seat=seat, command=f"p{attempt}", promise=promised))
    return [*made]


def shown(attempt: int, *seats: int) -> list[log.Entry]:
    return [
        log.Revealed(at=0, seat=seat, command=f"r{attempt}", seed=seed_of(seat, attempt))
        for seat in seats
    ]


def again(attempt: int) -> log.Entry:
    table = begun()
    table.attempt = attempt - 1
    return table.next_attempt(at=0)


def test_logs_of_earlier_versions_are_dealt_as_they_were() -> None:
    """There the first failure left a seat out, and who left while revealing was passed over."""
    dealt = log.Dealt(at=0)
    kept_back = [*given(1, 0, 1), *shown(1, 0), again(2), *given(2, 0), *shown(2, 0), dealt]
    deal = earlier(*kept_back)
    assert (deal.people, deal.without, deal.lists_attempts) == (["0"], [1], True)
    silent = [*given(1, 0), again(2), *given(2, 0), *shown(2, 0), dealt]
    assert earlier(*silent).people == ["0"]
    left = [*given(1, 0, 1), *shown(1, 0), log.Rose(at=0, seat=1, command="l", place=1), dealt]
    deal = earlier(*left)
    assert (deal.people, deal.lists_attempts) == (["0"], False)
