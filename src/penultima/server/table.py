"""A table: what its log says has happened, and what may happen next.

`apply` folds one entry after another. `answer` says what a command leads to, `tick` what the time
leads to, `bot_asked` which bot is to decide: all of them return entries to append and change
nothing. Whoever appends first wins; the others apply what was appended and ask again. So any
process can serve any seat and fire any timer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from penultima.bots import MANNERS
from penultima.bots.host import question
from penultima.bots.player import Question
from penultima.errors import Unreadable
from penultima.fair import SERVER, FairDeal, commitment
from penultima.game import Match
from penultima.notation import action_text, read_action
from penultima.record import Record, clean_name
from penultima.rules.actions import CALL, CATCH
from penultima.rules.ask import DECLINE, ask, seat_asked
from penultima.rules.schema import Trace
from penultima.ruleset import Sheet
from penultima.server import commands, log

PHRASES: Final = (
    *("hello", "good_luck", "nice", "ouch", "hurry", "thinking"),
    *("sorry", "thanks", "well_played", "again", "bye"),
)
BOTS: Final = (*MANNERS, "sharp")
PATIENCE: Final = 20_000  # milliseconds for a promise, and again for a seed
BETWEEN: Final = 15_000  # before the next round, if not everybody is ready sooner


class Stage(StrEnum):
    GATHERING = "gathering"
    PROMISING = "promising"
    REVEALING = "revealing"
    PLAYING = "playing"
    BETWEEN = "between"  # rounds
    OVER = "over"  # the match; another may follow
    CLOSED = "closed"


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

    @property
    def empty(self) -> bool:
        return self.token is None and self.bot is None

    @property
    def person(self) -> bool:
        return self.token is not None


@dataclass
class Table:
    """The fold of a log. The server's seeds are kept apart from it, by attempt."""

    seeds: Mapping[int, str] = field(default_factory=dict)
    seq: int = 0
    id: str = ""
    stage: Stage = Stage.GATHERING
    sheet: Sheet = field(init=False)
    places: list[Place] = field(default_factory=list)
    host: int | None = None
    public: bool = False
    watchers: bool = True
    clock: int = 0
    attempt: int = 0
    promises: dict[str, str] = field(default_factory=dict)
    reveals: dict[str, str] = field(default_factory=dict)
    left_out: set[int] = field(default_factory=set)
    match: Match | None = None
    fair: FairDeal | None = None
    finished: list[Record] = field(default_factory=list)
    decision: int = 0  # goes up with every action
    exposed_since: int = 0  # the decision that exposed somebody
    since: int = 0  # when the stage or the decision began
    answers: dict[tuple[int, str], str | None] = field(default_factory=dict)

    # The fold

    def apply(self, entry: log.Entry) -> None:
        """Take the next entry of the log."""
        self.seq += 1
        if entry.seat is not None and entry.command is not None:
            refused = entry.code if isinstance(entry, log.Refused) else None
            self.answers.setdefault((entry.seat, entry.command), refused)
        match entry:
            case log.Opened():
                self._open(entry)
            case log.Sat():
                name = clean_name(entry.name)
                self.places[entry.place] = Place(name, entry.token, entry.bot)
                if entry.token is not None and self.host is None:
                    self.host = entry.place
            case log.Rose():
                self._rise(entry.place)
            case log.Hosted():
                self.host = entry.place
            case log.Away():
                self.places[entry.place].away = True
            case log.Began():
                self._begin(entry)
            case log.Promised():
                self.promises[str(entry.seat)] = entry.promise
                if self.promises.keys() - {SERVER} == self._contributors():
                    self._enter(Stage.REVEALING, entry.at)
            case log.Revealed():
                self.reveals[str(entry.seat)] = entry.seed
            case log.Dealt():
                self._deal(entry.at)
            case log.Acted():
                self._act(entry)
            case log.Ready():
                if entry.seat is not None:
                    self.places[entry.seat].ready = True
            case log.Continued():
                self._continue(entry.at)
            case log.Shown():
                self._finish()
            case log.Closed():
                self._enter(Stage.CLOSED, entry.at)
            case _:  # said, refused: nothing to remember
                pass

    def _open(self, entry: log.Opened) -> None:
        self.id = entry.table
        self.sheet = Sheet.from_json(entry.ruleset)
        self.places = [Place() for _ in range(entry.seats)]
        self.public, self.watchers, self.clock = entry.public, entry.watchers, entry.clock
        self._enter(Stage.GATHERING, entry.at)

    def _enter(self, stage: Stage, at: int) -> None:
        self.stage = stage
        self.since = at
        for place in self.places:
            place.ready = False

    def _rise(self, place: int) -> None:
        name = self.places[place].name
        playing = self.stage in (Stage.PLAYING, Stage.BETWEEN)
        self.places[place] = Place(name, bot="basic") if playing else Place()
        if self.host == place:
            self.host = next((n for n, p in enumerate(self.places) if p.person), None)

    def _begin(self, entry: log.Began) -> None:
        if self.stage == Stage.REVEALING or self.stage == Stage.PROMISING:
            self.left_out |= {int(who) for who in self._missing()}
        else:
            self.left_out = set()
        self.attempt = entry.attempt
        self.promises, self.reveals = {SERVER: entry.promise}, {}
        self._enter(Stage.PROMISING if self._contributors() else Stage.REVEALING, entry.at)

    def _contributors(self) -> set[str]:
        """Whose seeds go into the key: persons who have not failed to reveal."""
        return {str(n) for n, p in enumerate(self.places) if p.person and n not in self.left_out}

    def _missing(self) -> set[str]:
        given = self.promises if self.stage == Stage.PROMISING else self.reveals
        return self._contributors() - given.keys()

    def _deal(self, at: int) -> None:
        seeds = {SERVER: self.seeds[self.attempt], **self.reveals}
        promises = {who: self.promises[who] for who in seeds}
        self.fair = FairDeal(self.id, self.attempt, promises, seeds)
        self.match = Match(self.sheet, [p.name for p in self.places], self.fair.key())
        self.decision += 1
        self._enter(Stage.PLAYING, at)

    def _act(self, entry: log.Acted) -> None:
        match = self.playing
        exposed = match.game.exposed
        match.play(entry.place, entry.action)
        self.decision += 1
        if match.game.exposed & ~exposed:
            self.exposed_since = self.decision
        self.since = entry.at
        if not entry.bot:
            self.places[entry.place].away = False
        if match.over == "round":
            self._enter(Stage.BETWEEN, entry.at)
        elif match.over == "match":
            self._enter(Stage.OVER, entry.at)

    def _continue(self, at: int) -> None:
        self.playing.next_round()
        self.decision += 1
        self._enter(Stage.PLAYING, at)

    def _finish(self) -> None:
        record = self.playing.record()
        record.fair = self.fair
        self.finished.append(record)

    @property
    def playing(self) -> Match:
        assert self.match is not None
        return self.match

    # What may happen next

    def answer(self, seat: int, command: commands.Command, at: int) -> list[log.Entry]:
        """What a command of the person at `seat` leads to; nothing where it was answered before."""
        if (seat, command.id) in self.answers:
            return []
        try:
            return self._obey(seat, command, {"at": at, "seat": seat, "command": command.id})
        except Refusal as refusal:
            return [log.Refused(at=at, seat=seat, command=command.id, code=refusal.code)]

    def _obey(self, seat: int, command: commands.Command, by: dict[str, Any]) -> list[log.Entry]:
        if self.stage == Stage.CLOSED:
            raise Refusal("closed")
        match command:
            case commands.Act():
                return [self._action(seat, command, by)]
            case commands.Promise():
                return [self._promise(seat, command, by)]
            case commands.Reveal():
                return [self._reveal(seat, command, by)]
            case commands.GetReady():
                if self.stage != Stage.BETWEEN:
                    raise Refusal("not_now")
                return [log.Ready(**by)]
            case commands.Say():
                if command.phrase not in PHRASES:
                    raise Refusal("no_phrase")
                return [log.Said(**by, phrase=command.phrase)]
            case commands.Leave():
                return [log.Rose(**by, place=seat)]
            case _:
                return self._host_command(seat, command, by)

    def _host_command(
        self, seat: int, command: commands.Command, by: dict[str, Any]
    ) -> list[log.Entry]:
        if seat != self.host:
            raise Refusal("not_host")
        match command:
            case commands.PassHost():
                if not self._place(command.place).person:
                    raise Refusal("nobody_there")
                return [log.Hosted(**by, place=command.place)]
            case commands.AddBot():
                self._before_match()
                if not self._place(command.place).empty:
                    raise Refusal("taken")
                if command.bot not in BOTS:
                    raise Refusal("no_bot")
                return [log.Sat(**by, place=command.place, name=command.name, bot=command.bot)]
            case commands.Remove():
                self._before_match()
                if self._place(command.place).empty or command.place == seat:
                    raise Refusal("nobody_there")
                return [log.Rose(**by, place=command.place)]
            case commands.Begin():
                self._before_match()
                found: list[log.Entry] = [
                    log.Sat(at=by["at"], place=n, name=f"Bot {n}", bot="basic")
                    for n, place in enumerate(self.places)
                    if place.empty
                ]
                return [*found, self.next_attempt(**by)]
        raise Refusal("unknown")

    def _before_match(self) -> None:
        if self.stage not in (Stage.GATHERING, Stage.OVER):
            raise Refusal("not_now")

    def _place(self, place: int) -> Place:
        if place >= len(self.places):
            raise Refusal("no_place")
        return self.places[place]

    def next_attempt(self, **by: Any) -> log.Entry:
        """Ask for seeds; the server's own of that attempt must be in `seeds` already."""
        attempt = self.attempt + 1
        seed = bytes.fromhex(self.seeds[attempt])
        promise = commitment(self.id, attempt, SERVER, seed)
        return log.Began(**by, attempt=attempt, promise=promise)

    def _promise(self, seat: int, command: commands.Promise, by: dict[str, Any]) -> log.Entry:
        if self.stage != Stage.PROMISING or str(seat) not in self._missing():
            raise Refusal("not_now")
        return log.Promised(**by, promise=command.promise)

    def _reveal(self, seat: int, command: commands.Reveal, by: dict[str, Any]) -> log.Entry:
        if self.stage != Stage.REVEALING or str(seat) not in self._missing():
            raise Refusal("not_now")
        seed = bytes.fromhex(command.seed)
        if commitment(self.id, self.attempt, str(seat), seed) != self.promises[str(seat)]:
            raise Refusal("not_as_promised")
        return log.Revealed(**by, seed=command.seed)

    def _action(self, seat: int, command: commands.Act, by: dict[str, Any]) -> log.Entry:
        if self.stage != Stage.PLAYING:
            raise Refusal("not_now")
        match = self.playing
        try:
            action = read_action(self.sheet, command.action)
        except Unreadable:
            raise Refusal("no_action") from None
        if not self._timely(action, command.decision):
            raise Refusal("stale")
        if action not in match.legal(seat):
            raise Refusal("not_allowed")
        return log.Acted(**by, place=seat, action=command.action)

    def _timely(self, action: int, decision: int) -> bool:
        """Whether the action was chosen in view of the present.

        A call or a catch may answer any moment since the play that it is about: a table that moves
        on must not make it stale, and who has not seen that play cannot have meant it.
        """
        if action in (CALL, CATCH):
            return self.exposed_since <= decision <= self.decision or decision == self.decision
        return decision == self.decision

    def tick(self, at: int) -> list[log.Entry]:
        """What the time leads to."""
        waited = at - self.since
        if self.stage == Stage.REVEALING and not self._missing():
            return [log.Dealt(at=at)]
        if self.stage in (Stage.PROMISING, Stage.REVEALING) and waited >= PATIENCE:
            return [self.next_attempt(at=at)]
        if self.stage == Stage.BETWEEN and self.match is not None:
            people = [p for p in self.places if p.person and not p.away]
            if waited >= BETWEEN or all(place.ready for place in people):
                return [log.Continued(at=at)]
        if self.stage == Stage.OVER and not self._shown():
            return [log.Shown(at=at, seed=self.seeds[self.attempt])]
        late = self._late(at)
        return [log.Away(at=at, place=late)] if late is not None else []

    def _shown(self) -> bool:
        """Whether the server's seed of the last match is public."""
        return bool(self.finished) and self.finished[-1].fair == self.fair

    def _late(self, at: int) -> int | None:
        """The person whose time has run out."""
        if self.stage != Stage.PLAYING or not self.clock:
            return None
        turn = self.playing.game.turn
        place = self.places[turn]
        if not place.person or place.away or at - self.since < 1000 * self.clock:
            return None
        return turn

    def deadline(self) -> int | None:
        """When `tick` should be asked next, if time matters now."""
        if self.stage == Stage.REVEALING and not self._missing():
            return self.since
        if self.stage in (Stage.PROMISING, Stage.REVEALING):
            return self.since + PATIENCE
        if self.stage == Stage.BETWEEN:
            return self.since + BETWEEN
        if self.stage == Stage.OVER and not self._shown():
            return self.since
        if self.stage == Stage.PLAYING and self.clock:
            return self.since + 1000 * self.clock
        return None

    # Bots

    def plays_itself(self, place: int) -> bool:
        """Whether a bot decides at this place: its own, or one for a person who is away."""
        return not self.places[place].person or self.places[place].away

    def bot_asked(self) -> Question | None:
        """What the next bot has to decide, in the order of `rules.ask`; people are not waited for
        when they could interrupt, for they may do so at any time."""
        if self.stage != Stage.PLAYING:
            return None
        rules, game = self.sheet.rules, self.playing.game
        place = 0
        while place <= 2 * game.seats:
            place = ask(rules, game, place)
            seat = seat_asked(game, Trace(rules.size), place)
            if self.plays_itself(seat):
                asked = question(self.sheet, game, seat, place)
                if asked.legal:
                    return asked
            elif place == 2 * game.seats:
                return None
            place += 1
        return None

    def bot_move(self, asked: Question, action: int, decision: int, at: int) -> list[log.Entry]:
        """What a bot's answer to a question of that decision leads to."""
        if action == DECLINE or decision != self.decision or self.stage != Stage.PLAYING:
            return []
        seat = asked.seen.seat
        text = action_text(self.sheet, action)
        return [log.Acted(at=at, place=seat, action=text, bot=True)]

    # Coming in

    def sit(self, name: str, token: str, at: int, place: int | None = None) -> list[log.Entry]:
        """Give a person a place: the one asked for, or any; before a match only."""
        self._before_match()
        free = [n for n, p in enumerate(self.places) if p.empty]
        if not free or (place is not None and place not in free):
            raise Refusal("taken")
        return [log.Sat(at=at, place=free[0] if place is None else place, name=name, token=token)]

    def holder(self, token: str) -> int | None:
        """The place of a token's hash."""
        return next((n for n, p in enumerate(self.places) if p.token == token), None)


def open_table(table: str, sheet: Sheet, seats: int, at: int, **settings: Any) -> log.Entry:
    """The first entry of a log."""
    sheet.check_seats(seats)
    return log.Opened(at=at, table=table, ruleset=sheet.to_json(), seats=seats, **settings)
