"""A table on a server: what it says becomes updates, what people decide becomes commands."""

import asyncio
import secrets
import time
from collections.abc import Iterable, Sequence
from math import inf
from typing import Any, Final

from penultima.bots.mind import Estimate
from penultima.bots.outlook import SURE
from penultima.client import Client, TableClient
from penultima.edition import Edition, with_names
from penultima.errors import PenultimaError
from penultima.event import Event
from penultima.fair import SERVER
from penultima.locale import Message, knows
from penultima.notation import read_action
from penultima.rules.ask import DECLINE
from penultima.server import commands, wire
from penultima.server.answers import PHRASES
from penultima.tui.seat import Asked, Note, Update, points_of
from penultima.view import SPECTATOR, View

WATCH: Final = 0.3  # seconds between two looks at the connection
HINT_PATIENCE: Final = 20.0
BEFORE_A_MATCH: Final = ("gathering", "over")  # when people sit down
NO_SEAT: Final = {"not_now": "online.begun", "taken": "online.full"}  # for now
# What people want to read of what happens around the game.
TOLD: Final = ("sat", "rose", "moved", "hosted", "away", "back", "voided", "paused", "said")


class Refused(PenultimaError):
    """A command that the table refuses; the server says why by a code."""

    area = "talk.refused"


class PersonClient(TableClient):
    """A connection whose races are run by a person, who wants to know what was before, and is told
    of the deal."""

    _since: int | None = 0

    def __init__(self, client: Client, table: str, name: str | None, place: int | None) -> None:
        super().__init__(client, table, name, place)
        self._notes: list[tuple[float, Note]] = []  # each with the frame that it goes with

    async def _drop(self, race: int) -> None:
        """The person presses, or does not."""

    def _notice(self, key: str, details: dict[str, object]) -> None:
        self._notes.append((self._seq or 0, Note(key, **details)))

    def take_notes(self, seq: float) -> list[Note]:
        """What there is to tell of the deal up to a frame, once."""
        found = [note for at, note in self._notes if at <= seq]
        self._notes = [(at, note) for at, note in self._notes if at > seq]
        return found


class RemoteSeat:
    """A `Seat` at a server's table, or a spectator's place before it."""

    paced = True
    phrases: tuple[str, ...] = PHRASES

    def __init__(self, client: Client, table: str, name: str | None, place: int | None) -> None:
        self.client = client
        self.code = table
        self.reflex = True
        self.people: list[int] = []
        self.rounds: list[list[int]] = []
        self.sat = False  # whether there ever was a seat for us
        self._table = PersonClient(client, table, name, place)
        self._watches = name is None
        self._edition: Edition | None = None
        self._view: View | None = None
        self._state: wire.State | None = None
        self._at = 0  # the frame that is shown
        self._shown = False  # the match is over, and the server has shown its seed
        self._ahead = 0  # milliseconds by which the server's clock is ahead of ours
        self._inbox: asyncio.Queue[wire.Outgoing | Note | None] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self._declined = -1  # the decision that the person lets be
        self._idle = -1  # the decision that the host was told of
        self._race: int | None = None
        self._go_at: float | None = None
        self._advice: dict[str, asyncio.Future[list[dict[str, Any]]]] = {}

    # How things stand

    @property
    def edition(self) -> Edition:
        assert self._edition is not None
        return self._edition

    @property
    def state(self) -> wire.State:
        assert self._state is not None
        return self._state

    @property
    def known(self) -> bool:
        """Whether the server has told how things stand."""
        return self._state is not None

    @property
    def playing(self) -> bool:
        """Whether there is a game to look at."""
        return self._view is not None

    @property
    def names(self) -> list[str]:
        return [place.name or "—" for place in self.state.places]

    @property
    def hosts(self) -> bool:
        return bool(self.people) and self.state.host == self.people[0]

    @property
    def waits(self) -> bool:
        refused = self.sat or self._table.refused is not None
        return self.known and not self._watches and not self.people and refused

    @property
    def may_sit(self) -> bool:
        free = any(place.kind == "empty" for place in self.state.places) if self.waits else False
        return free and self.state.stage in BEFORE_A_MATCH

    @property
    def may_free(self) -> bool:
        """Whether the host could give somebody the seat of a bot."""
        bots = any(place.kind == "bot" for place in self.state.places)
        return self.hosts and bots and self.state.stage in BEFORE_A_MATCH

    @property
    def may_let_bot(self) -> bool:
        state, settings = self._state, self._table.settings
        if not self.hosts or state is None or settings is None or state.stage != "playing":
            return False
        if state.view is None or state.view.phase == "race":
            return False
        place = state.places[state.view.turn]
        waited = 1000 * time.time() + self._ahead - state.since
        idle = place.kind == "person" and not place.away and waited >= settings.idle
        return idle and state.view.turn not in self.people

    @property
    def away(self) -> list[int]:
        return [n for n, place in enumerate(self.state.places) if place.away]

    @property
    def seconds_left(self) -> int | None:
        deadline = self.state.deadline
        if deadline is None or self.state.stage != "playing":
            return None
        return max(round((deadline - self._ahead) / 1000 - time.time()), 0)

    @property
    def deal_code(self) -> str | None:
        receipt = self._table.receipt
        return None if receipt is None else receipt.code

    @property
    def over(self) -> str | None:
        if self.state.stage == "over":  # only with its seed is the deal proven
            return "match" if self._shown else None
        return "round" if self.state.stage == "between" else None

    def view(self, seat: int) -> View:
        assert self._view is not None
        return self._view

    # What people decide

    async def act(self, action: str | None, after: float | None = None) -> None:
        if action is None:
            self._declined = self.state.decision
            self._inbox.put_nowait(Note(""))
        elif action == "drop":
            await self._drop(after)
        else:
            decision = self.state.decision
            await self.send(commands.Act(id=new_id(), action=action, decision=decision))

    async def _drop(self, after: float | None) -> None:
        if self._race is None:
            return
        if after is None:  # no screen has measured it
            after = inf if self._go_at is None else time.monotonic() - self._go_at
        reaction = 0 if after == inf else min(int(1000 * after), 60_000)
        await self.send(commands.Drop(id=new_id(), race=self._race, reaction=reaction))

    async def speak_up(self, seat: int | None) -> None:
        raise Refused("not_now")

    async def go_on(self) -> None:
        await self.send(commands.GetReady(id=new_id()))

    async def again(self) -> bool:
        await self.begin()
        return True

    async def begin(self) -> None:
        await self.send(commands.Begin(id=new_id()))

    async def talk(self, phrase: str) -> None:
        await self.send(commands.Say(id=new_id(), phrase=phrase))

    async def sit(self) -> None:
        refused = await self._table.sit()
        if refused is not None:
            raise Refused(refused)

    async def add_bot(self, bot: str) -> None:
        """Seat a bot at the first free place."""
        free = [n for n, place in enumerate(self.state.places) if place.kind == "empty"]
        if not free:
            raise Refused("taken")
        await self.send(commands.AddBot(id=new_id(), place=free[0], bot=bot))

    async def remove_bot(self) -> None:
        """Free the last place that a bot has."""
        bots = [n for n, place in enumerate(self.state.places) if place.kind == "bot"]
        if not bots:
            raise Refused("nobody_there")
        await self.send(commands.Remove(id=new_id(), place=bots[-1]))

    async def let_bot(self) -> None:
        refused = await self._table.let_bot()
        if refused is not None:
            raise Refused(refused)

    async def hint(self) -> list[Estimate]:
        command = commands.Hint(id=new_id())
        advice: asyncio.Future[list[dict[str, Any]]] = asyncio.get_running_loop().create_future()
        self._advice[command.id] = advice
        sent = asyncio.ensure_future(self._table.send(command))
        waiting: set[asyncio.Future[Any]] = {sent, advice}
        await asyncio.wait(waiting, timeout=HINT_PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        del self._advice[command.id]
        if advice.done():
            sent.cancel()
            return [self._estimate(one) for one in advice.result()]
        raise Refused((sent.result() if sent.done() else None) or "busy")

    def _estimate(self, given: dict[str, Any]) -> Estimate:
        name = given["action"]
        action = DECLINE if name is None else read_action(self.edition.sheet, name)
        return Estimate(action, tries=1, chance=round(given["win"] * SURE))

    async def send(self, command: commands.Command) -> None:
        refused = await self._table.send(command)
        if refused == "not_allowed" and (why := self._table.why) is not None:
            raise why
        if refused is not None:
            raise Refused(refused)

    # What happens

    async def next(self) -> Update:
        if not self._tasks:
            await self._table.__aenter__()
            self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._look())]
        while True:
            frame = await self._inbox.get()
            if frame is None and self._table.unfair is not None:
                broken = Note("fair.stopped", reason=self._table.unfair)
                return Update(notes=[*self._table.take_notes(inf), broken], ended=True)
            if frame is None:
                reason = self._table.ended or "closed"
                return Update(notes=[Note(f"online.bye.{reason}")], ended=True)
            if self._table.unfair is None and (update := self._take(frame)) is not None:
                return update

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await self._table.__aexit__()

    async def _listen(self) -> None:
        async for frame in self._table.frames():
            self._inbox.put_nowait(frame)
        self._inbox.put_nowait(None)

    async def _look(self) -> None:
        """Say when the connection is lost and when it is there again, and to the host that somebody
        does not decide."""
        before = True
        while True:
            await asyncio.sleep(WATCH)
            if self.may_let_bot and self._idle != self.state.decision:
                self._idle = self.state.decision
                player = self.names[self.view(SPECTATOR).turn]
                word = Message("command.bot")
                self._inbox.put_nowait(Note("online.idle", player=player, word=word))
            if self._state is not None and self._table.connected != before:
                before = self._table.connected
                self._inbox.put_nowait(Note("online.back" if before else "online.lost"))

    def _take(self, frame: wire.Outgoing | Note) -> Update | None:
        match frame:
            case Note():
                return Update(asked=self._asked(), notes=[frame] if frame.key else [])
            case wire.Welcome():
                self._edition = with_names(frame.settings.edition, frame.settings.options)
                self._ahead = frame.now - int(1000 * time.time())
                self._shown = frame.state.stage == "over"
                self._at = frame.seq
                first = self._state is None
                moments = this_round(frame.moments) if first else frame.moments
                update = self._news(frame.seat, frame.state, moments)
                self.rounds = [list(points) for points in frame.rounds]
                return update
            case wire.News():
                self._at = frame.seq
                return self._news(frame.seat, frame.state, frame.moments)
            case wire.Go(race=race):
                self._race, self._go_at = race, time.monotonic()
                return Update(asked=self._asked(), signal=True)
            case wire.Advice(id=id, actions=actions):
                if (waiting := self._advice.get(id)) is not None and not waiting.done():
                    waiting.set_result(actions)
            case wire.Answer(refused=str(code)) if frame.id == self._table.asked:
                note = NO_SEAT.get(code)
                notes = [Note(note or f"talk.refused.{code}")]
                return Update(notes=notes, ended=note is None)
            case wire.Problem() if frame.id == self._table.asked:
                return Update(notes=[Note("talk.refused.not_understood")], ended=True)
        return None

    def _news(self, seat: int | None, state: wire.State, moments: Iterable[wire.Moment]) -> Update:
        before = self._state
        self._state = state
        seated, self.people = bool(self.people), [] if seat is None else [seat]
        self.sat = self.sat or seat is not None
        if state.view is not None:
            if before is not None and before.stage in ("promising", "revealing"):
                self.rounds = []  # another match
            self._view = state.view
        if state.race is None:
            self._race = self._go_at = None
        else:
            self._race = state.race.race
        ended = state.stage in ("between", "over")
        ended = ended and (before is None or before.stage == "playing")
        if ended and self._view is not None:
            self.rounds.append(points_of(self._view.scores, self.rounds))
        events: list[Event] = []
        notes: list[Note] = []
        if seated and seat is None and self._table.refused == "removed":
            notes.append(Note("talk.refused.removed"))
        self._shown = state.stage == "over" and (self._shown or SERVER in state.reveals)
        for moment in moments:
            self._shown = self._shown or moment.entry.get("type") == "shown"
            notes += self._notes(moment.entry)
            events += [_event(one) for one in moment.events]
        return Update(events, self._asked(), [*notes, *self._table.take_notes(self._at)])

    def _notes(self, entry: dict[str, Any]) -> list[Note]:
        kind = entry.get("type")
        if kind not in TOLD:
            return []
        seat = entry.get("place", entry.get("seat"))
        if kind == "away" and entry.get("seat") is not None:
            return [self._let_bot(entry["seat"], entry["place"])]
        name = entry.get("name") or (self.names[seat] if seat is not None else "")
        if kind == "said":
            phrase = Message(f"talk.phrase.{entry['phrase']}")
            return [Note("online.said", speaker=name, phrase=phrase)]
        if kind == "paused":
            return [Note("online.happened.paused" if entry["on"] else "online.happened.resumed")]
        key = f"online.happened.{kind}"
        if seat is not None and seat in self.people and knows(f"{key}.you"):
            key += ".you"
        return [Note(key, player=name)]

    def _let_bot(self, host: int, place: int) -> Note:
        """The host lets a bot play for somebody."""
        key = "online.happened.let_bot"
        names = {"host": self.names[host], "player": self.names[place]}
        if place in self.people:
            return Note(f"{key}.you", **names)
        return Note(f"{key}.by_you" if host in self.people else key, **names)

    def _asked(self) -> Asked | None:
        state = self._state
        if state is None or state.stage != "playing" or state.view is None or not self.people:
            return None
        seat, seen = self.people[0], state.view
        if not seen.legal:
            return None
        optional = seat != seen.turn and seen.phase != "race"
        if optional and self._declined == state.decision:
            return None
        return Asked(seat, seen.legal, optional)


def this_round(moments: Sequence[wire.Moment]) -> list[wire.Moment]:
    """What has happened since cards were dealt, for somebody who comes to a match."""
    deals = [n for n, one in enumerate(moments) if one.entry["type"] in ("dealt", "continued")]
    return list(moments[deals[-1] :]) if deals else []


def _event(data: dict[str, Any]) -> Event:
    cards = data.get("cards")
    return Event(**{**data, "cards": None if cards is None else tuple(cards)})


def new_id() -> str:
    return secrets.token_hex(8)
