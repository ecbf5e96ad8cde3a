"""Tables in a simulated world: clients, several processes and a clock, all from one seed.

The real table logic runs on a log that several processes append to; commands are lost, doubled,
delayed and overtaken by others, processes lag behind each other, are cut off and die, clocks
disagree and jump, people fail to reveal, run out of time and leave, races lose who measured them.
The same seed gives the same log. `make worlds WORLDS=10000` hunts for longer.
"""

import argparse
import hashlib
import sys
from collections import Counter
from dataclasses import fields
from random import Random
from typing import Any, get_args

from penultima.bots import MANNERS
from penultima.bots.player import PolicyPlayer
from penultima.edition import SHIPPED, Edition, shipped
from penultima.fair import commitment
from penultima.game import Match
from penultima.notation import action_text
from penultima.record import Record
from penultima.server import botseat, commands, log, race
from penultima.server.answers import answer, sit
from penultima.server.due import PATIENCE, racing, tick
from penultima.server.past import finished
from penultima.server.snapshot import freeze, thaw
from penultima.server.store import Snapshot
from penultima.server.table import REMEMBERED, Refusal, Stage, Table, open_table

STEPS = 300
HOUR = 3_600_000  # milliseconds
DAY = 24 * HOUR


class Secrets(dict[int, str]):
    """The server's seeds, made when they are first needed."""

    def __missing__(self, attempt: int) -> str:
        self[attempt] = hashlib.sha256(b"server %d" % attempt).hexdigest()
        return self[attempt]


def seed_of(seat: int, attempt: int) -> str:
    return hashlib.sha256(b"%d %d" % (seat, attempt)).hexdigest()


class World:
    """One table, its log, the processes that serve it and the people who sit at it."""

    def __init__(self, seed: int, edition: Edition, seats: int, people: int) -> None:
        self.random = Random(seed)
        self.now = 1_000_000
        self.log: list[bytes] = []
        self.secrets = Secrets()
        self.processes = [Table(self.secrets) for _ in range(3)]
        self.skew = [0, 0, 0]  # how far each process's clock is off
        self.ahead = [0, 0, 0]  # by how much each goes on ahead of a clock that was set back
        self.cut_off = [0, 0, 0]  # steps for which a process hears nothing new
        self.met: Counter[str] = Counter()
        self.sent: list[tuple[str, commands.Command]] = []
        self.under_way: list[tuple[str, commands.Command]] = []
        self.told: dict[tuple[str, str], str | None] = {}
        self.answered: list[tuple[int, str]] = []
        self.snapshots: list[Snapshot] = []
        self.wishes = 0
        self.silent: set[int] = set()  # people who do not reveal
        self.append(self.processes[0], [open_table("T", edition, seats, self.now, clock=20)])
        for seat in range(people):
            table = self.processes[self.any_process()]
            self.catch_up(table)
            asked = commands.Sit(id="sit", name=f"P{seat}")
            token = hashlib.sha256(b"%d" % seat).hexdigest()
            self.append(table, sit(table, token, asked, self.now))

    def any_process(self) -> int:
        return self.random.randrange(3)

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

    def arrive(self, token: str, command: commands.Command) -> None:
        """A command reaches some process, which may lag behind."""
        process = self.any_process()
        table = self.processes[process]
        if table.holder(token) is None:
            self.catch_up(table)
        try:
            while (seat := table.holder(token)) is not None:
                if self.append(table, answer(table, seat, command, self.clock(process))):
                    break
                self.catch_up(table)
        except Refusal as refusal:
            assert seat is not None
            assert not table.may_refuse(seat, self.clock(process))
            self.met["refused without a trace"] += 1
            self.met[f"refused {refusal.code}"] += 1
            return
        seat = table.left.get(token) if seat is None else seat
        if seat is None or command.id not in table.answers.get(seat, {}):
            self.met["from nobody there"] += 1
            return
        self.answered.append((seat, command.id))
        refused = table.answers[seat][command.id]
        known = self.told.setdefault((token, command.id), refused)
        assert known == refused, "every copy gets the same answer"
        self.met[f"refused {refused}" if refused else type(command).__name__] += 1

    def clock(self, process: int) -> int:
        """As a room tells the time: never before the last entry that it knows."""
        now = self.now + self.skew[process] + self.ahead[process]
        behind = max(self.processes[process].last - now, 0)
        self.ahead[process] += behind
        return now + behind

    def step(self) -> None:
        self.now += self.random.choice((5, 50, 400, 3_000))
        process = self.any_process()
        self.trouble(process)
        table = self.processes[process]
        self.cut_off[process] -= 1
        if self.cut_off[process] < 0 and self.random.random() < 0.7:
            self.catch_up(table)
        chance = self.random.random()
        if chance < 0.3 and self.under_way:
            self.deliver()
        elif chance < 0.5:
            self.append(table, tick(table, self.clock(process)))
        elif chance < 0.7:
            self.bot(table, process)
        elif chance < 0.8 and racing(table) and table.race is not None:
            self.measure(table, process)
        elif chance < 0.805:
            self.newcomer(table, process)
        else:
            self.person(table)

    def trouble(self, process: int) -> None:
        chance = self.random.random()
        if chance < 0.01:
            self.processes[process] = self.loaded()
            self.catch_up(self.processes[process])
            self.met["crash"] += 1
        elif chance > 0.97 and self.processes[process].seq:
            table = self.processes[process]
            self.snapshots.append(freeze(table, log.read(self.log[table.seq - 1])))
        elif chance < 0.02:
            self.cut_off[process] = 20
            self.met["partition"] += 1
        elif chance < 0.03:
            far = self.random.choice((2_000, 2_000, HOUR, 100 * DAY))
            self.skew[process] = self.random.choice((-1, 1)) * self.random.randrange(far)
            self.met["clock jump"] += 1

    def loaded(self) -> Table:
        """What a process begins with: the last snapshot, or nothing."""
        table = Table(self.secrets)
        if self.snapshots:
            kept = self.snapshots[-1]
            table.apply(log.read(self.log[0]))
            assert thaw(kept, table, log.read(self.log[kept.seq - 1]))
            self.met["snapshot"] += 1
        return table

    def deliver(self) -> None:
        """Any of the commands under way: overtaken, lost, or left to come once more."""
        at = self.random.randrange(len(self.under_way))
        token, command = self.under_way[at]
        chance = self.random.random()
        if chance < 0.1:
            self.under_way.pop(at)
            self.met["lost"] += 1
            return
        if chance < 0.9:
            self.under_way.pop(at)
        if (token, command) in self.sent:
            since = self.sent[self.sent.index((token, command)) :]
            if sum(one == token for one, _ in since) >= REMEMBERED:  # a new command by now
                return
            self.met["copy"] += 1
        self.sent.append((token, command))
        self.arrive(token, command)

    def bot(self, table: Table, process: int) -> None:
        question = botseat.asked(table)
        if question is None:
            return
        decision, seat = table.decision, question.seen.seat
        action = PolicyPlayer("basic", MANNERS["basic"], self.now).answer(question)
        if self.random.random() < 0.2:
            self.catch_up(table)  # the table moved on while the bot was thinking
        moves = botseat.move(table, seat, action, decision, self.clock(process))
        if self.append(table, moves):
            self.met["bot"] += 1

    def measure(self, table: Table, process: int) -> None:
        assert table.race is not None
        people = [s for s in race.racers(table) if not table.plays_itself(s)]
        left = [s for s in people if s not in table.race.raced]
        if not left or self.random.random() < 0.1:
            self.now += 5_000
            return
        measured = self.random.choice((None, 50, 300, 900))
        entry = log.Raced(
            at=self.clock(process),
            place=left[0],
            race=table.race.number,
            measured=measured,
            reported=measured,
            allowance=self.random.randrange(300),
        )
        self.append(table, [entry])

    def newcomer(self, table: Table, process: int) -> None:
        """Somebody asks for a place, which may be taken."""
        self.wishes += 1
        token = hashlib.sha256(b"newcomer %d" % self.random.randrange(20)).hexdigest()
        place = self.random.choice((None, *range(len(table.places) + 1)))
        asked = commands.Sit(id=f"sit {self.wishes}", name="New", place=place)
        before = table.holder(token)
        try:
            while not self.append(table, sit(table, token, asked, self.clock(process))):
                self.catch_up(table)
        except Refusal as refusal:
            self.met[f"refused {refusal.code}"] += 1
            return
        refused = table.turned_away.get((token, asked.id))
        seated = table.holder(token) is not None
        assert seated or refused is not None or before is not None or token in table.left
        self.met[f"refused {refused}" if refused else "Sit"] += 1

    def person(self, table: Table) -> None:
        people = [n for n, place in enumerate(table.places) if place.person]
        if not people:
            return
        seat = self.random.choice(people)
        if (command := self.wish(table, seat)) is not None:
            self.wishes += 1
            token = table.places[seat].token
            assert token is not None
            self.under_way.append((token, command))

    def wish(self, table: Table, seat: int) -> commands.Command | None:
        """What somebody would send who sees the table as this process does."""
        name = f"{self.wishes}"
        roll = self.random.random()
        if roll < 0.01:
            return commands.Say(id=name, phrase=self.random.choice(("hello", "no such phrase")))
        if roll < 0.012:
            return commands.Leave(id=name)
        if self.random.random() < 0.06:
            return self.arrangement(table, name)
        match table.stage:
            case Stage.GATHERING | Stage.OVER:
                if self.random.random() < 0.4:
                    return self.arrangement(table, name)
                return commands.Begin(id=name) if roll < 0.5 else commands.GetReady(id=name)
            case Stage.PROMISING:
                if roll < 0.1:
                    self.silent.add(seat)
                elif roll < 0.15:
                    self.now += PATIENCE
                    return None
                seed = bytes.fromhex(seed_of(seat, table.attempt))
                promise = commitment("T", table.attempt, str(seat), seed)
                return commands.Promise(id=name, promise=promise)
            case Stage.REVEALING:
                if roll < 0.03:
                    return commands.Leave(id=name)
                if seat in self.silent:
                    self.silent.discard(seat)
                    self.now += PATIENCE
                    return None
                shown = seed_of(seat, table.attempt) if roll < 0.95 else "ab" * 32
                return commands.Reveal(id=name, seed=shown)
            case Stage.BETWEEN:
                if self.random.random() < 0.3:
                    return commands.Pause(id=name, on=not table.paused)
                return commands.GetReady(id=name)
            case Stage.PLAYING:
                return self.move(table, seat, name, roll)
        return None

    def arrangement(self, table: Table, name: str) -> commands.Command:
        """Something that hosts arrange, and others try to."""
        place = self.random.randrange(len(table.places) + 1)
        match self.random.randrange(7):
            case 0 | 6:
                bot = self.random.choice(("basic", "eager", "nobody"))
                return commands.AddBot(id=name, place=place, bot=bot)
            case 1:
                return commands.Remove(id=name, place=place)
            case 2:
                return commands.PassHost(id=name, place=place)
            case 3:
                if table.stage == Stage.PLAYING:
                    place = table.playing.game.turn
                return commands.LetBot(id=name, place=place, decision=table.decision)
            case 4:
                return commands.Pause(id=name, on=self.random.random() < 0.5)
            case _:
                return commands.ComeBack(id=name)

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
    edition = shipped(SHIPPED[seed % 5]).with_options(
        {"target": random.choice((20, 100)), "hand_size": random.choice((2, 4))}
    )
    seats = random.randrange(2, 7)
    return World(seed, edition, seats, random.randrange(1, seats + 1))


def state_of(table: Table) -> dict[str, Any]:
    """All that the log has made of a table."""
    found = {one.name: getattr(table, one.name) for one in fields(table) if one.name != "seeds"}
    if table.match is not None:
        found["match"] = table.match.record().to_text()
        found["game"] = table.match.game.to_bytes()
    return found


def visit(seed: int) -> tuple[Counter[str], str]:
    """Run a world and check that it held together; gives what was met and the hash of its log."""
    world = a_world(seed)
    table = world.run(STEPS)
    fresh = Table(world.secrets)
    entries = [log.read(data) for data in world.log]
    for entry in entries:
        for match in finished(fresh, [entry]):
            record = Record.from_text(match.record)
            Match.replay(record)
            assert record.fair is not None
            world.met["given up"] += len(record.fair.given_up)
            world.met["without somebody"] += bool(record.fair.without)
            world.met["server alone"] += not record.fair.people
        if isinstance(entry, log.Rose) and fresh.stage == Stage.REVEALING:
            world.met["left while revealing"] += str(entry.place) not in fresh.reveals
        fresh.apply(entry)
    restored = world.loaded()
    world.catch_up(restored)
    for process in (*world.processes, restored):
        assert state_of(process) == state_of(fresh)
    asked = [(e.seat, e.command) for e in entries if e.command is not None]
    assert len(asked) == len(set(asked)), "nothing is done twice"
    assert set(world.answered) <= set(asked), "nothing that was answered is lost"
    world.met["finished"] += table.finished
    world.met["redeals"] += sum(isinstance(e, log.Began) and e.attempt > 1 for e in entries)
    for kind in (log.Away, log.Continued, log.Armed, log.Raced, log.Voided, log.Rose, log.Sealed):
        world.met[kind.__name__] += sum(isinstance(e, kind) for e in entries)
    return world.met, hashlib.sha256(b"\n".join(world.log)).hexdigest()


# A hint changes nothing, and a race is pressed on sockets: what it leaves is `Raced`.
COMMANDS = {*get_args(commands.AnyCommand)} - {commands.Hint, commands.Drop}
# What must have occurred in some world or other, or the worlds are too tame.
SOMETIMES = (
    *("conflict", "crash", "partition", "clock jump", "lost", "copy", "finished", "redeals"),
    *("snapshot", "Sealed", "given up", "without somebody", "server alone", "left while revealing"),
    *("Away", "Continued", "Armed", "Raced", "Voided", "Rose", "bot"),
    *(kind.__name__ for kind in COMMANDS),
    *("refused stale", "refused not_allowed", "refused no_action", "refused not_as_promised"),
    *("refused not_host", "refused no_phrase", "refused no_place", "refused nobody_there"),
    *("refused taken", "refused no_bot", "refused not_now"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulated tables: make worlds WORLDS=10000")
    parser.add_argument("--worlds", type=int, default=2000)
    parser.add_argument("--first", type=int, default=500, help="seed of the first world")
    options = parser.parse_args()
    met: Counter[str] = Counter()
    for number in range(options.worlds):
        try:
            met += visit(options.first + number)[0]
        except Exception:
            print(f"world {options.first + number} broke")
            raise
        if sys.stderr.isatty():
            print(f"\r{number + 1:,} of {options.worlds:,} worlds", end="", file=sys.stderr)
    print(f"{options.worlds:,} worlds held together; what was met in them:")
    for what, times in sorted(met.items()):
        print(f"  {times:>10,}  {what}")


if __name__ == "__main__":
    main()
