"""A table: what its log says has happened.

`Table.apply` folds one entry after another. What may happen next is asked of `server.answers` (to a
command), `server.due` (when time has passed) and `server.botseat` (when a bot is to decide): all of
them return entries to append and change nothing. Whoever appends first wins; the others apply what
was appended and ask again. So any process can serve any seat and fire any timer.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from penultima.edition import Edition, EditionFile
from penultima.event import Event
from penultima.fair import LAYOUT, SERVER, FairDeal, GivenUp, commitment
from penultima.game import Match
from penultima.record import RULES
from penultima.rules.actions import RACING
from penultima.ruleset import Sheet
from penultima.server import log
from penultima.server.story import Story

# Answers that a seat is remembered for, and strangers together: copies of later commands may come.
REMEMBERED: Final = 32
# Promises that a person may fail to keep in a deal before it goes on without their seeds.
FAILURES: Final = 2


class Stage(StrEnum):
    GATHERING = "gathering"
    PROMISING = "promising"
    REVEALING = "revealing"
    PLAYING = "playing"
    BETWEEN = "between"  # rounds
    OVER = "over"  # the match; another may follow
    CLOSED = "closed"


class Allowance(NamedTuple):
    """So many at once, and then one in so many milliseconds."""

    burst: int
    every: int


# What somebody at a table makes its log grow by without the match going on.
REFUSALS: Final = Allowance(burst=32, every=10_000)
CHORES: Final = Allowance(burst=60, every=2_000)
STRANGERS: Final = -1  # whose refusals count together
_CHORES: Final = (log.Sat, log.Rose, log.Hosted, log.Away, log.Paused, log.Ready)


class Refusal(Exception):
    """A command that is not possible now; `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass
class Place:
    """A seat and who has it."""

    name: str = ""
    token: str | None = None
    bot: str | None = None
    away: bool = False  # a bot plays for the person
    ready: bool = False
    picture: str | None = None
    spoke: int = 0  # when the person last said something
    taken: int = 0  # the entry with which whoever has the seat took it
    sat: int = 0  # the same, as clients count; a person who goes on elsewhere has sat before

    @property
    def empty(self) -> bool:
        return self.token is None and self.bot is None

    @property
    def person(self) -> bool:
        return self.token is not None


@dataclass
class Race:
    """A race that is on: `number` counts those of the table, `go` is when the signal is given."""

    number: int
    go: int
    raced: dict[int, log.Raced] = field(default_factory=dict)


class Attempts(Protocol):
    """A seed for each attempt to deal."""

    def __getitem__(self, attempt: int, /) -> str: ...


@dataclass
class Table:
    """The fold of a log. The server's seeds are kept apart from it, by attempt."""

    seeds: Attempts = field(default_factory=dict[int, str])
    seq: int = 0
    id: str = ""
    stage: Stage = Stage.GATHERING
    edition: EditionFile = field(init=False)
    sheet: Sheet = field(init=False)
    places: list[Place] = field(default_factory=list)
    host: int | None = None
    public: bool = False
    watchers: bool = True
    hints: bool = False
    clock: int = 0
    opened: int = 0
    paused: bool = False
    attempt: int = 0
    promises: dict[str, str] = field(default_factory=dict)
    reveals: dict[str, str] = field(default_factory=dict)
    left_out: set[int] = field(default_factory=set)  # people whose seeds do not go in
    failures: dict[int, int] = field(default_factory=dict)  # promises not made or kept, by seat
    given_up: list[GivenUp] = field(default_factory=list)  # attempts of this deal before the last
    match: Match | None = None
    fair: FairDeal | None = None
    finished: int = 0  # matches
    shown: bool = False  # whether the server's seed of the last match is public
    races: int = 0
    race: Race | None = None
    decision: int = 0  # goes up with every action
    exposed_since: int = 0  # the decision that exposed somebody
    ahead: dict[int, int] = field(default_factory=dict)  # the last decision that a seat guessed
    since: int = 0  # when the stage or the decision began
    last: int = 0  # when anything happened
    voids: int = 0  # races in a row whose measurements were lost
    answers: dict[int, dict[str, str | None]] = field(default_factory=dict)  # by seat and command
    left: dict[str, int] = field(default_factory=dict)  # who has given up which place
    turned_away: dict[tuple[str, str], str] = field(default_factory=dict)  # by token and command
    refusals: dict[int, int] = field(default_factory=dict)  # when a seat's allowance is whole again
    chores: dict[int, int] = field(default_factory=dict)  # the same of what it arranges
    rules: int = RULES  # the version of the rules that are played here
    measured: int = 0  # entries that races have measured
    story: Story = field(default_factory=Story)

    @property
    def told(self) -> int:
        """The number that clients know the last entry by. What races measure is not counted: the
        number would tell during a race how many have pressed."""
        return self.seq - self.measured

    def apply(self, entry: log.Entry) -> list[Event]:
        """Take the next entry of the log; gives what it made happen in the game."""
        events = self._fold(entry)
        if not self.outdated:
            self.story.take(self.told, entry, events, len(self.places))
        return events

    def _fold(self, entry: log.Entry) -> list[Event]:
        self.seq += 1
        self.last = entry.at
        if self.outdated:
            return []
        self._remember(entry)
        match entry:
            case log.Opened():
                self._open(entry)
            case log.Sat():
                self._sit(entry)
            case log.Moved():
                self.places[entry.place].token = entry.token
                self.places[entry.place].taken = self.seq
            case log.Rose():
                self._rise(entry.place)
            case log.Hosted():
                self.host = entry.place
            case log.Away():
                self.places[entry.place].away = True
            case log.Back():
                self.places[entry.place].away = False
            case log.Began():
                self._begin(entry)
            case log.Promised():
                self.promises[str(entry.seat)] = entry.promise.strip()
                if self.promises.keys() - {SERVER} == self.contributors():
                    self._enter(Stage.REVEALING, entry.at)
            case log.Sealed():
                self._fail(self.missing())
                self.left_out |= {int(who) for who in self.missing()}
                self._enter(Stage.REVEALING, entry.at)
            case log.Revealed():
                self.reveals[str(entry.seat)] = entry.seed.strip()
            case log.Dealt():
                return self._deal(entry.at)
            case log.Acted():
                return self._act(entry)
            case log.Armed():
                self.races = entry.race
                self.race = Race(entry.race, entry.at + entry.delay)
            case log.Raced():
                self.measured += 1
                if self.race is not None and entry.race == self.race.number:
                    self.race.raced[entry.place] = entry
            case log.Voided():
                self.race = None
                self.voids += 1
            case log.Paused():
                self.paused = entry.on
                self.since = entry.at
            case log.Ready():
                if entry.seat is not None:
                    self.places[entry.seat].ready = True
            case log.Said():
                if entry.seat is not None:
                    self.places[entry.seat].spoke = entry.at
            case log.Continued():
                return self._continue(entry.at)
            case log.Shown():
                self.finished += 1
                self.shown = True
                self.reveals = {**self.reveals, SERVER: entry.seed}
            case log.Closed():
                self._enter(Stage.CLOSED, entry.at)
            case log.TurnedAway(command=str(command)):
                _spend(self.refusals, STRANGERS, REFUSALS, entry.at)
                self.turned_away[entry.token, command] = entry.code
                if len(self.turned_away) > REMEMBERED:
                    del self.turned_away[next(iter(self.turned_away))]
            case log.Refused(seat=int(seat), ahead=int(ahead)):
                self.ahead[seat] = max(ahead, self.ahead.get(seat, 0))
            case _:  # refused: nothing but its answer to remember
                pass
        return []

    @property
    def outdated(self) -> bool:
        """Whether another version's rules were played here: closed, whatever else the log says."""
        return self.rules != RULES

    def _remember(self, entry: log.Entry) -> None:
        if entry.seat is None or entry.command is None:
            return
        refused = None
        if isinstance(entry, log.Refused):
            refused = entry.code
            _spend(self.refusals, entry.seat, REFUSALS, entry.at)
        elif isinstance(entry, _CHORES):
            _spend(self.chores, entry.seat, CHORES, entry.at)
        known = self.answers.setdefault(entry.seat, {})
        known.setdefault(entry.command, refused)
        if len(known) > REMEMBERED:
            del known[next(iter(known))]

    def _open(self, entry: log.Opened) -> None:
        self.id = entry.table
        self.edition = entry.edition
        self.sheet = _sheet(msgspec.json.encode(entry.ruleset))
        self.places = [Place() for _ in range(entry.seats)]
        self.public, self.watchers, self.clock = entry.public, entry.watchers, entry.clock
        self.hints = entry.hints
        self.opened = entry.at
        self.rules = entry.rules
        self._enter(Stage.CLOSED if self.outdated else Stage.GATHERING, entry.at)

    def _enter(self, stage: Stage, at: int) -> None:
        self.stage = stage
        self.since = at
        self.paused = False
        for place in self.places:
            place.ready = False

    def _sit(self, entry: log.Sat) -> None:
        place = entry.place
        # What was answered there before was answered to somebody else, unless they come back.
        before = self.left.pop(entry.token, None) if entry.token else None
        mine = {} if before is None else self.answers.get(before, {})
        self.left = {who: n for who, n in self.left.items() if n != place}
        known = self.answers.pop(place, {})
        if entry.command in known:
            mine = {**mine, entry.command: known[entry.command]}
        if mine:
            self.answers[place] = mine
        who = Place(entry.name, entry.token, entry.bot, picture=entry.picture, taken=self.seq)
        who.sat = self.told
        self.places[place] = who
        if entry.token is not None and self.host is None:
            self.host = place

    def _rise(self, place: int) -> None:
        if (token := self.places[place].token) is not None:
            self.left[token] = place
        name = self.places[place].name
        self.places[place] = Place(name, bot="basic") if self.in_match else Place()
        if self.host == place:
            self.host = next((n for n, p in enumerate(self.places) if p.person), None)

    @property
    def in_match(self) -> bool:
        """Whether seats must not fall empty."""
        return self.stage not in (Stage.GATHERING, Stage.OVER, Stage.CLOSED)

    def _begin(self, entry: log.Began) -> None:
        if self.stage in (Stage.REVEALING, Stage.PROMISING):
            missing = self.deserted or self.missing()
            self.given_up.append(
                GivenUp(self.attempt, self.promises, self.reveals, sorted(map(int, missing)))
            )
            self._fail(missing)
        else:
            self.failures, self.given_up = {}, []
        self.left_out = {seat for seat, count in self.failures.items() if count >= FAILURES}
        self.attempt = entry.attempt
        self.promises, self.reveals = {SERVER: entry.promise}, {}
        self._enter(Stage.PROMISING if self.contributors() else Stage.REVEALING, entry.at)

    def _fail(self, missing: set[str]) -> None:
        for who in missing:
            self.failures[int(who)] = self.failures.get(int(who), 0) + 1

    def contributors(self) -> set[str]:
        """Who is asked for a seed: persons who have not failed too often."""
        return {str(n) for n, p in enumerate(self.places) if p.person and n not in self.left_out}

    def missing(self) -> set[str]:
        """Whose promise, or seed, is waited for. Whoever has promised one has to show it: without
        it another attempt is made, or else one could choose between deals by keeping it back."""
        if self.stage == Stage.PROMISING:
            return self.contributors() - self.promises.keys()
        return self.promises.keys() - {SERVER} - self.reveals.keys()

    @property
    def deserted(self) -> set[str]:
        """Who has promised a seed, and has left without showing it."""
        owed = self.promises.keys() - {SERVER} - self.reveals.keys()
        return {who for who in owed if not self.places[int(who)].person}

    def _deal(self, at: int) -> list[Event]:
        seeds = {SERVER: self.seeds[self.attempt], **self.reveals}
        promises = {who: self.promises[who] for who in seeds}
        without = [n for n, p in enumerate(self.places) if p.person and str(n) not in seeds]
        # Logs of earlier versions deal without a seed that was promised.
        layout = 1 if promises.keys() < self.promises.keys() else LAYOUT
        self.fair = FairDeal(self.id, self.attempt, promises, seeds, self.given_up, without, layout)
        self.match = Match(self.sheet, [p.name for p in self.places], self.fair.key())
        self.shown = False
        self.decision += 1
        self._enter(Stage.PLAYING, at)
        return self.match.opening

    def _act(self, entry: log.Acted) -> list[Event]:
        match = self.playing
        exposed = match.game.exposed
        events = match.play(entry.place, entry.action)
        self.decision += 1
        if match.game.exposed & ~exposed:
            self.exposed_since = self.decision
        self.since = entry.at
        if not entry.bot:
            self.places[entry.place].away = False
        if match.game.phase != RACING:
            self.race = None
            self.voids = 0
        if match.over == "round":
            self._enter(Stage.BETWEEN, entry.at)
        elif match.over == "match":
            self._enter(Stage.OVER, entry.at)
        return events

    def _continue(self, at: int) -> list[Event]:
        events = self.playing.next_round()
        self.decision += 1
        self._enter(Stage.PLAYING, at)
        return events

    @property
    def playing(self) -> Match:
        assert self.match is not None
        return self.match

    def plays_itself(self, place: int) -> bool:
        """Whether a bot decides at this place: its own, or one for a person who is away."""
        return not self.places[place].person or self.places[place].away

    def holder(self, token: str) -> int | None:
        """The place of a token's hash."""
        for n, place in enumerate(self.places):
            if place.token == token:
                return n
        return None

    def answer_to(self, token: str, command: str) -> str | None:
        """The refusal that a person's command has got, also where they have left meanwhile."""
        seat = self.holder(token)
        seat = self.left.get(token) if seat is None else seat
        return "no_seat" if seat is None else self.answers.get(seat, {}).get(command, "no_seat")

    def answered(self, seat: int | None, command: str) -> bool:
        """Whether a command of a seat has got its answer."""
        return seat is not None and command in self.answers.get(seat, ())

    def may_refuse(self, seat: int, at: int) -> bool:
        """Whether another refusal of a seat is kept, for copies of the command."""
        return _left(self.refusals, seat, REFUSALS, at)

    def may_arrange(self, seat: int, at: int) -> bool:
        """Whether somebody may sit down, rise or arrange things once more."""
        return _left(self.chores, seat, CHORES, at)

    def next_attempt(self, **by: Any) -> log.Entry:
        """Ask for seeds, with the promise of the server's own."""
        attempt = self.attempt + 1
        seed = bytes.fromhex(self.seeds[attempt])
        promise = commitment(self.id, attempt, SERVER, seed)
        return log.Began(**by, attempt=attempt, promise=promise)


def _spend(whole: dict[int, int], seat: int, allowance: Allowance, at: int) -> None:
    whole[seat] = max(whole.get(seat, 0), at) + allowance.every


def _left(whole: dict[int, int], seat: int, allowance: Allowance, at: int) -> bool:
    return whole.get(seat, 0) - at <= (allowance.burst - 1) * allowance.every


@lru_cache(64)
def _sheet(ruleset: bytes) -> Sheet:
    """Tables with the same ruleset share its sheet."""
    return Sheet.from_json(msgspec.json.decode(ruleset))


def open_table(table: str, edition: Edition, seats: int, at: int, **settings: Any) -> log.Entry:
    """The first entry of a log."""
    sheet = edition.sheet
    sheet.check_seats(seats)
    return log.Opened(
        at=at,
        table=table,
        edition=edition.file,
        ruleset=sheet.to_json(),
        seats=seats,
        rules=RULES,
        **settings,
    )
