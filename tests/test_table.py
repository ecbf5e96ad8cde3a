"""Tables in a simulated world: clients, several processes and a clock, all from one seed.

The real table logic runs on a log that several processes append to; commands are delayed, doubled
and stale, processes lag behind each other, people fail to reveal, run out of time and leave. The
same seed gives the same log.
"""

import hashlib
from collections import Counter
from random import Random
from typing import Any

import pytest

from penultima.bots import MANNERS
from penultima.bots.player import PolicyPlayer
from penultima.edition import SHIPPED, shipped
from penultima.fair import commitment
from penultima.game import Match
from penultima.notation import action_text
from penultima.record import Record
from penultima.ruleset import Sheet
from penultima.server import commands, log
from penultima.server.table import PATIENCE, Refusal, Stage, Table, open_table

WORLDS = 60


class Secrets(dict[int, str]):
    """The server's seeds, made when they are first needed."""

    def __missing__(self, attempt: int) -> str:
        self[attempt] = hashlib.sha256(b"server %d" % attempt).hexdigest()
        return self[attempt]


def seed_of(seat: int, attempt: int) -> str:
    return hashlib.sha256(b"%d %d" % (seat, attempt)).hexdigest()


class World:
    """One table, its log, the processes that serve it and the people who sit at it."""

    def __init__(self, seed: int, sheet: Sheet, seats: int, people: int) -> None:
        self.random = Random(seed)
        self.now = 1_000
        self.log: list[bytes] = []
        self.secrets = Secrets()
        self.processes = [Table(self.secrets) for _ in range(3)]
        self.met: Counter[str] = Counter()
        self.sent: list[tuple[int, commands.Command]] = []
        self.told: dict[tuple[int, str], str | None] = {}
        self.silent: set[int] = set()  # people who do not reveal
        self.append(self.processes[0], [open_table("T", sheet, seats, self.now, clock=20)])
        for seat in range(people):
            table = self.any_process()
            self.catch_up(table)
            self.append(table, table.sit(f"P{seat}", hashlib.sha256(b"%d" % seat).hexdigest(), 0))

    def any_process(self) -> Table:
        return self.random.choice(self.processes)

    def catch_up(self, table: Table) -> None:
        for data in self.log[table.seq :]:
            table.apply(log.read(data))

    def append(self, table: Table, entries: list[log.Entry]) -> bool:
        """What a store does: accept what follows on the last entry, or refuse all of it."""
        if table.seq != len(self.log):
            self.met["conflict"] += 1
            return False
        self.log += [log.write(entry) for entry in entries]
        self.catch_up(table)
        return True

    def send(self, seat: int, command: commands.Command) -> None:
        """A command reaches some process, which may lag behind."""
        self.sent.append((seat, command))
        table = self.any_process()
        while not self.append(table, table.answer(seat, command, self.now)):
            self.catch_up(table)
        answer = table.answers[seat, command.id]
        known = self.told.setdefault((seat, command.id), answer)
        assert known == answer, "every copy gets the same answer"
        self.met[f"refused {answer}" if answer else type(command).__name__] += 1

    def step(self) -> None:
        self.now += self.random.choice((5, 50, 400, 3_000))
        table = self.any_process()
        if self.random.random() < 0.7:
            self.catch_up(table)
        chance = self.random.random()
        if chance < 0.08 and self.sent:
            self.send(*self.random.choice(self.sent))  # a copy
        elif chance < 0.35:
            self.append(table, table.tick(self.now))
        elif chance < 0.65:
            self.bot(table)
        else:
            self.person(table)

    def bot(self, table: Table) -> None:
        question = table.bot_asked()
        if question is None:
            return
        decision = table.decision
        action = PolicyPlayer("basic", MANNERS["basic"], self.now).answer(question)
        if self.random.random() < 0.2:
            self.catch_up(table)  # the table moved on while the bot was thinking
        if self.append(table, table.bot_move(question, action, decision, self.now)):
            self.met["bot"] += 1

    def person(self, table: Table) -> None:
        people = [n for n, place in enumerate(table.places) if place.person]
        if not people:
            return
        seat = self.random.choice(people)
        if (command := self.wish(table, seat)) is not None:
            self.send(seat, command)

    def wish(self, table: Table, seat: int) -> commands.Command | None:
        """What somebody would send who sees the table as this process does."""
        name = f"{len(self.sent)}"
        roll = self.random.random()
        if roll < 0.01:
            return commands.Say(id=name, phrase=self.random.choice(("hello", "no such phrase")))
        if roll < 0.012:
            return commands.Leave(id=name)
        match table.stage:
            case Stage.GATHERING | Stage.OVER:
                return commands.Begin(id=name) if roll < 0.5 else commands.GetReady(id=name)
            case Stage.PROMISING:
                if roll < 0.1:
                    self.silent.add(seat)
                seed = bytes.fromhex(seed_of(seat, table.attempt))
                promise = commitment("T", table.attempt, str(seat), seed)
                return commands.Promise(id=name, promise=promise)
            case Stage.REVEALING:
                if seat in self.silent:
                    self.silent.discard(seat)
                    self.now += PATIENCE
                    return None
                shown = seed_of(seat, table.attempt) if roll < 0.95 else "ab" * 32
                return commands.Reveal(id=name, seed=shown)
            case Stage.BETWEEN:
                return commands.GetReady(id=name)
            case Stage.PLAYING:
                return self.move(table, seat, name, roll)
        return None

    def move(self, table: Table, seat: int, name: str, roll: float) -> commands.Command | None:
        if roll < 0.05:
            return commands.Act(id=name, action="z9", decision=table.decision)
        allowed = table.playing.legal(seat)
        if not allowed:
            if roll < 0.9:
                return None
            return commands.Act(id=name, action="catch", decision=table.decision)
        action = action_text(table.sheet, self.random.choice(allowed))
        late = self.random.choice((0, 0, 0, 1))
        return commands.Act(id=name, action=action, decision=table.decision - late)

    def run(self, steps: int) -> Table:
        for _ in range(steps):
            self.step()
        for table in self.processes:
            self.catch_up(table)
        return self.processes[0]


def a_world(seed: int) -> World:
    random = Random(seed)
    sheet = shipped(SHIPPED[seed % 5]).sheet.with_options(
        {"target": random.choice((20, 100)), "hand_size": random.choice((2, 4))}
    )
    seats = random.randrange(2, 7)
    return World(seed, sheet, seats, random.randrange(1, seats + 1))


def state_of(table: Table) -> Any:
    match = table.match
    return (
        table.stage,
        table.decision,
        [vars(place) for place in table.places],
        table.host,
        table.answers,
        table.exposed_since,
        match and match.game.to_bytes(),
        [record.to_text() for record in table.finished],
    )


def test_many_worlds_hold_together() -> None:
    met: Counter[str] = Counter()
    for seed in range(WORLDS):
        world = a_world(seed)
        table = world.run(500)
        fresh = Table(world.secrets)
        world.catch_up(fresh)
        for process in world.processes:
            assert state_of(process) == state_of(fresh)
        entries = [log.read(data) for data in world.log]
        asked = [(e.seat, e.command) for e in entries if e.command is not None]
        assert len(asked) == len(set(asked)), "nothing is done twice"
        for seat, command in world.sent:
            assert (seat, command.id) in set(asked), "nothing that was answered is lost"
        for record in table.finished:
            Match.replay(Record.from_text(record.to_text()))
        met += world.met
        met["finished"] += len(table.finished)
        met["redeals"] += sum(isinstance(e, log.Began) and e.attempt > 1 for e in entries)
        met["taken over"] += sum(isinstance(e, log.Away) for e in entries)
        met["rounds"] += sum(isinstance(e, log.Continued) for e in entries)
    wanted = ("conflict", "finished", "redeals", "taken over", "rounds", "Act", "bot", "Leave")
    refusals = ("stale", "not_allowed", "no_action", "not_as_promised", "not_host", "no_phrase")
    for what in (*wanted, *(f"refused {code}" for code in refusals)):
        assert met[what] > 0, (what, met)


def test_the_same_seed_gives_the_same_log() -> None:
    for seed in (3, 4):
        logs = []
        for _ in range(2):
            world = a_world(seed)
            world.run(300)
            logs.append(hashlib.sha256(b"\n".join(world.log)).hexdigest())
        assert logs[0] == logs[1]


# One table, step by step


def gathered(people: int = 2, seats: int = 2, **settings: Any) -> Table:
    table = Table(Secrets())
    table.apply(open_table("T", shipped("classic").sheet, seats, 0, **settings))
    for seat in range(people):
        for entry in table.sit(f"P{seat}", f"{seat:064x}", 0):
            table.apply(entry)
    return table


def do(table: Table, seat: int, command: commands.Command, at: int = 0) -> str | None:
    """Give a command and apply what it leads to; gives the refusal."""
    for entry in table.answer(seat, command, at):
        table.apply(entry)
    return table.answers[seat, command.id]


def dealt(people: int = 2, seats: int = 2, **settings: Any) -> Table:
    table = gathered(people, seats, **settings)
    assert do(table, 0, commands.Begin(id="b")) is None
    for seat in range(people):
        seed = bytes.fromhex(seed_of(seat, 1))
        promise = commitment("T", 1, str(seat), seed)
        assert do(table, seat, commands.Promise(id="p", promise=promise)) is None
    for seat in range(people):
        assert do(table, seat, commands.Reveal(id="r", seed=seed_of(seat, 1))) is None
    for entry in table.tick(0):
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
    with pytest.raises(Refusal, match="taken"):
        gathered(people=2).sit("C", "ff" * 32, 0)


def test_who_does_not_reveal_is_left_out_of_another_deal() -> None:
    table = gathered()
    do(table, 0, commands.Begin(id="b"))
    for seat in (0, 1):
        seed = bytes.fromhex(seed_of(seat, 1))
        do(table, seat, commands.Promise(id="p", promise=commitment("T", 1, str(seat), seed)))
    do(table, 0, commands.Reveal(id="r", seed=seed_of(0, 1)))
    assert table.tick(PATIENCE - 1) == []
    for entry in table.tick(PATIENCE):
        table.apply(entry)
    assert (table.stage, table.attempt, table.left_out) == (Stage.PROMISING, 2, {1})
    promise = commitment("T", 2, "0", bytes.fromhex(seed_of(0, 2)))
    do(table, 0, commands.Promise(id="p2", promise=promise))
    do(table, 0, commands.Reveal(id="r2", seed=seed_of(0, 2)))
    for entry in table.tick(PATIENCE):
        table.apply(entry)
    assert table.stage == Stage.PLAYING
    assert table.fair is not None
    assert table.fair.people == ["0"]


def test_a_copy_of_a_command_changes_nothing() -> None:
    table = dealt()
    seat = table.playing.game.turn
    action = action_text(table.sheet, table.playing.legal(seat)[0])
    command = commands.Act(id="x", action=action, decision=table.decision)
    assert do(table, seat, command) is None
    before = state_of(table)
    assert table.answer(seat, command, 5) == []
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
    assert table.tick(4_999) == []
    assert table.deadline() == 5_000
    for entry in table.tick(5_000):
        table.apply(entry)
    assert table.places[seat].away
    question = table.bot_asked()
    assert question is not None
    assert question.seen.seat == seat
    action = action_text(table.sheet, table.playing.legal(seat)[0])
    assert do(table, seat, commands.Act(id="x", action=action, decision=table.decision)) is None
    assert not table.places[seat].away


def test_a_bot_that_thought_too_long_does_nothing() -> None:
    table = dealt(people=1, seats=2, clock=5)
    while (question := table.bot_asked()) is None:
        seat = table.playing.game.turn
        action = action_text(table.sheet, table.playing.legal(seat)[0])
        do(table, seat, commands.Act(id=f"{table.seq}", action=action, decision=table.decision))
    assert table.bot_move(question, question.legal[0], table.decision, 0) != []
    assert table.bot_move(question, question.legal[0], table.decision - 1, 0) == []


def test_entries_are_read_back_as_they_were_written() -> None:
    world = a_world(1)
    world.run(200)
    for data in world.log:
        assert log.write(log.read(data)) == data
