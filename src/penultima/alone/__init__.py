"""A table on this device alone: one person and bots, without a server and without a network.

Its log, what it folds to, what may come next and what a seat is told are those of a server's table.
The clock and the line belong to the caller: `receive` takes a frame of the person's client, `wake`
what time has brought; both give the frames to show. `kept` is all that goes on from here later.
A browser runs this in a worker.
"""

import secrets
from collections.abc import Sequence
from typing import Final, Self

import msgspec

from penultima import __version__, players
from penultima.edition import Edition, load
from penultima.errors import PenultimaError, RecordError
from penultima.locale import say
from penultima.record import RULES
from penultima.rulebook import edition_page
from penultima.rules.ask import DECLINE
from penultima.server import answers, botseat, commands, due, frames, hint, log, race, wire
from penultima.server.settings import Pace
from penultima.server.store import Seeds
from penultima.server.story import Happening
from penultima.server.table import Refusal, Stage, Table

SEAT: Final = 0  # of the one person
NAME: Final = "device"  # of the table
TOKEN: Final = "0" * 64
SHARP: Final = "sharp:400ms"  # what `sharp` may think without machine code


class Alone:
    def __init__(self, secret: str, pace: Pace | None = None) -> None:
        self._seeds = Seeds(secret)
        self._pace = Pace() if pace is None else pace
        self._kept = [secret]
        self._asked: tuple[int, ...] = ()  # the decision for which bots were asked, and which
        self._signalled = 0  # the race whose signal was given
        self.table = Table(self._seeds)

    @classmethod
    def open(cls, new: str, at: int, pace: Pace | None = None) -> Self:
        """Sit down at a new table, a `NewTable` as JSON, and begin."""
        wanted = wire.decode_new(new)
        edition = load(wanted.edition or "classic").with_options(wanted.options)
        made = cls(secrets.token_hex(32), pace)
        draft = Table(made._seeds)
        first = answers.first_entries(draft, NAME, edition, wanted, TOKEN, at)
        made._take([*first, *answers.answer(draft, SEAT, commands.Begin(id="begin"), at)])
        return made

    @classmethod
    def resume(cls, kept: str, at: int, pace: Pace | None = None) -> Self:
        """Go on with what was kept; the time since then does not count."""
        secret, *lines = kept.split("\n")
        made = cls(secret, pace)
        made._take([log.read(line.encode()) for line in lines])
        if made.table.outdated:
            raise RecordError("rules", have=RULES, need=made.table.rules)
        made.table.since = at
        if made.table.race is not None:  # nobody can have seen its signal: it is run again
            made._signalled = made.table.race.number
        return made

    @property
    def kept(self) -> str:
        """The log since the match began, with the secret its deals are made of."""
        return "" if self.table.stage == Stage.CLOSED else "\n".join(self._kept)

    def rules(self, language: str) -> str:
        """The rules as they are played here, as Markdown."""
        return edition_page(Edition(self.table.edition, self.table.sheet, ""), language)

    # What the person does

    def receive(self, frame: str, at: int) -> list[bytes]:
        """What a frame of the client's leads to."""
        try:
            incoming = wire.decode_incoming(frame)
        except msgspec.MsgspecError as error:
            reason, known = str(error)[:200], wire.id_of(frame)
            return [wire.encode(wire.Problem(code="not_understood", message=reason, id=known))]
        match incoming:
            case wire.Hello(since=since):
                return [wire.encode(self._welcome(since, at))]
            case commands.Hint(id=id):
                return [wire.encode(self._hint(id))]
            case commands.Command() as command:
                why = frames.why_not(self.table, SEAT, command)
                try:
                    told = self._take(self._answer(command, at))
                    refused = self.table.answers.get(SEAT, {}).get(command.id, "not_now")
                except Refusal as refusal:  # the last of very many
                    told, refused = [], refusal.code
                told.append(wire.encode(frames.answer(command.id, refused, why)))
                if self.table.stage == Stage.CLOSED:
                    told.append(wire.encode(wire.Bye(reason="closed", retry=None)))
                return told
        return []  # a pong

    def _answer(self, command: commands.Command, at: int) -> list[log.Entry]:
        if self.table.answered(SEAT, command.id):
            return []
        match command:
            case commands.Drop():
                return self._drop(command, at)
            case commands.Leave():  # nobody else is here
                left = log.Rose(at=at, seat=SEAT, command=command.id, place=SEAT)
                return [left, *due.close(self.table, "left", at)]
        return answers.answer(self.table, SEAT, command, at)

    def _welcome(self, since: int | None, at: int) -> wire.Welcome:
        return wire.Welcome(
            version=wire.VERSION,
            server=__version__,
            now=at,
            seq=self.table.told,
            seat=SEAT,
            settings=frames.settings(self.table),
            state=self._state(),
            moments=[] if since is None else frames.earlier(self.table, SEAT, since),
            rounds=self.table.story.rounds,
        )

    def _state(self) -> wire.State:
        """How things stand; there is no server to fetch the records of finished matches from."""
        return msgspec.structs.replace(frames.state(self.table, SEAT, {SEAT}), matches=0)

    def _hint(self, id: str) -> wire.Outgoing:
        try:
            question = hint.asked(self.table, SEAT)
        except Refusal as refusal:
            return wire.Answer(id=id, refused=refusal.code)
        return wire.Advice(
            id=id, decision=self.table.decision, actions=hint.think(question, compiled=False)
        )

    def _drop(self, command: commands.Drop, at: int) -> list[log.Entry]:
        """A press in a race: no line lies between, so what the client measured is true."""
        running = self.table.race
        if running is None or running.number != command.race or SEAT in running.raced:
            return []
        # Before the signal: a false start.
        reaction = command.reaction if self._signalled == running.number else 0
        return [
            log.Raced(
                at=at,
                seat=SEAT,
                command=command.id,
                place=SEAT,
                race=running.number,
                measured=reaction,
                reported=reaction,
            )
        ]

    # What time brings

    def due(self) -> int | None:
        """When to wake this table next."""
        found = [due.deadline(self.table), self._bot_time(), self._race_time()]
        return min((at for at in found if at is not None), default=None)

    def wake(self, at: int) -> list[bytes]:
        """The first thing that is due at a time."""
        if _reached(self._race_time(), at):
            return self._race(at)
        if _reached(due.deadline(self.table), at):
            return self._take(due.tick(self.table, at))
        if _reached(self._bot_time(), at):
            return self._take(self._bot(at))
        return []

    def _race_time(self) -> int | None:
        """When the signal is given, and when nobody is waited for any more."""
        running = self.table.race
        if running is None or SEAT in running.raced or SEAT not in race.racers(self.table):
            return None
        return running.go + (race.LONGEST if self._signalled == running.number else 0)

    def _race(self, at: int) -> list[bytes]:
        assert self.table.race is not None
        number = self.table.race.number
        if self._signalled == number:
            return self._take([log.Raced(at=at, place=SEAT, race=number)])
        self._signalled = number
        return [wire.encode(wire.Go(race=number))]

    def _bot_time(self) -> int | None:
        table = self.table
        if table.stage != Stage.PLAYING or due.racing(table) or self._asked == self._bots():
            return None
        return table.since + (self._pace.moment if table.playing.game.exposed else self._pace.bot)

    def _bots(self) -> tuple[int, ...]:
        bots = [n for n in range(len(self.table.places)) if self.table.plays_itself(n)]
        return self.table.decision, *bots

    def _bot(self, at: int) -> list[log.Entry]:
        """The move of the first bot that makes one."""
        place, decision = 0, self.table.decision
        while (question := botseat.asked(self.table, place)) is not None:
            seat, place = question.seen.seat, question.place
            luck = self._seeds.luck(decision * 100 + place)
            name = self.table.places[seat].bot or "basic"
            player = players.seat(SHARP if name == "sharp" else name, luck)
            action = player.answer(question)
            if action != DECLINE:
                return botseat.move(self.table, seat, action, decision, at)
            place += 1
        self._asked = self._bots()
        return []

    # What happens

    def _take(self, entries: Sequence[log.Entry]) -> list[bytes]:
        """Apply entries, and tell of them."""
        new = [self._fold(entry) for entry in entries]
        told = frames.moments(new, SEAT)
        if not told:
            return []
        news = wire.News(seq=self.table.told, seat=SEAT, moments=told, state=self._state())
        return [wire.encode(news)]

    def _fold(self, entry: log.Entry) -> Happening:
        if isinstance(entry, log.Began) and self.table.stage == Stage.OVER:
            self._forget(entry.at)
        if isinstance(entry, log.Opened):
            self._opened = entry
        self._kept.append(log.write(entry).decode())
        events = self.table.apply(entry)
        return Happening(self.table.told, entry, events)

    def _forget(self, at: int) -> None:
        """What was before a new match matters no more."""
        seats = [
            log.Sat(at=at, place=n, name=p.name, token=p.token, bot=p.bot, picture=p.picture)
            for n, p in enumerate(self.table.places)
        ]
        first: list[log.Entry] = [self._opened, *seats]
        self._kept[1:] = [log.write(one).decode() for one in first]
        self.table.story.written.clear()


def _reached(due: int | None, at: int) -> bool:
    return due is not None and due <= at


def problem(new: str, language: str) -> str:
    """What is wrong with a table that somebody wants to open; nothing where it can be."""
    try:
        Alone.open(new, 0)
    except PenultimaError as error:
        return say(language, f"{error.area}.{error.code}", **error.details)
    return ""


def editions() -> bytes:
    """The editions to choose from, as a server offers them."""
    return wire.encode(frames.offered())
