"""A table on this machine: people at one screen, bots at the other seats."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from math import inf

from penultima import players
from penultima.advice import hint
from penultima.bots.host import Host
from penultima.bots.mind import Estimate
from penultima.bots.player import PolicyPlayer
from penultima.edition import Edition
from penultima.errors import Illegal, Why
from penultima.event import Event
from penultima.game import Match
from penultima.notation import action_text, read_action
from penultima.refusal import why_not
from penultima.rules.actions import GOING_ON, RACING
from penultima.rules.ask import DECLINE, ask, may_decline, seat_asked
from penultima.rules.schema import Trace
from penultima.system import reason
from penultima.tui.seat import Anybody, Asked, Note, Update, aside, points_of, reader_of
from penultima.view import SPECTATOR, View, view, view_event

NOBODY_WILLING = -1


class LocalTable:
    """A `Seat` whose match is here; `keep` stores it after every step."""

    paced = False
    seconds_left: int | None = None
    phrases: tuple[str, ...] = ()
    hosts = True
    waits = may_sit = may_free = may_let_bot = False

    def __init__(
        self,
        edition: Edition,
        match: Match,
        bots: Mapping[int, str],
        keep: Callable[[Match], None] | None = None,
        story: Iterable[Event] | None = None,
        rounds: Iterable[list[int]] = (),
    ) -> None:
        self.edition = edition
        self.match = match
        self.names = match.names
        self.bots = dict(bots)
        self.people = [seat for seat in range(len(match.names)) if seat not in bots]
        self.reflex = False
        self.away: list[int] = []
        self.rounds = list(rounds)
        self.kept = False  # whether what has been played lies in a file
        luck = match.key[0] & 0xFFFF
        seated = [players.seat(bots.get(n, "basic"), luck + n) for n in range(len(match.names))]
        self._host = Host(edition.sheet, seated)
        self._keep = keep
        self._story = list(match.opening if story is None else story)
        self._begun = False
        self._trace = Trace(edition.sheet.rules.size)
        self._place = 0
        self._asked: Asked | Anybody | None = None
        self._willing: int | None = None  # who of several people interrupts, once they have said
        self._racing = False
        self._answer: asyncio.Event = asyncio.Event()
        self._given: int | None = None
        self._after = inf

    @property
    def deal_code(self) -> str | None:
        return None

    @property
    def over(self) -> str | None:
        return self.match.over

    def view(self, seat: int) -> View:
        return view(self.edition.sheet, self.match.game, seat)

    # What the people decide

    async def act(self, action: str | None, after: float | None = None) -> None:
        asked = self._asked
        if not isinstance(asked, Asked):
            raise Why("nothing_asked")
        if action is None and not asked.optional:
            raise Why("must_decide")
        if action is not None and action not in asked.choices:
            raise self._why_not(asked.seat, read_action(self.edition.sheet, action))
        self._given = DECLINE if action is None else read_action(self.edition.sheet, action)
        self._after = inf if after is None else after
        self._answer.set()

    def _why_not(self, seat: int, action: int) -> Why:
        if action in self.match.legal(seat):  # but others may call or catch before
            return Why("call_first")
        return why_not(self.edition.sheet, self.match.game, seat, action)

    async def speak_up(self, seat: int | None) -> None:
        if not isinstance(self._asked, Anybody) or (seat is not None and seat not in self.people):
            raise Why("nothing_asked")
        self._given = NOBODY_WILLING if seat is None else seat
        self._answer.set()

    async def go_on(self) -> None:
        if self.match.over != "round":
            raise Illegal("round_goes_on")
        self._answer.set()

    async def talk(self, phrase: str) -> None:
        raise Why("nothing_asked")

    async def again(self) -> bool:
        return False

    async def sit(self) -> None:
        raise Why("nothing_asked")

    async def remove_bot(self) -> None:
        raise Why("nothing_asked")

    async def let_bot(self) -> None:
        raise Why("nothing_asked")

    async def hint(self) -> list[Estimate]:
        asked = self._asked
        if not isinstance(asked, Asked) or not asked.choices:
            return []
        game = self.match.game
        return await aside(lambda: hint(self.edition.sheet, game, asked.seat))

    # What happens

    async def next(self) -> Update:
        if not self._begun:
            self._begun = True
            return self._saved(self._told(self._story))
        if self._asked is not None:
            return await self._answered()
        if self.match.over == "round":
            await self._wait()
            return self._step(self.match.next_round())
        if self.match.over == "match":
            await self._wait()
        return await self._go()

    async def _wait(self) -> int:
        self._answer.clear()
        await self._answer.wait()
        return DECLINE if self._given is None else self._given

    async def _answered(self) -> Update:
        given = await self._wait()
        asked, self._asked = self._asked, None
        if isinstance(asked, Anybody):
            self._willing = given
            return Update()
        assert asked is not None
        if self._racing:
            self._racing = False
            if action_text(self.edition.sheet, given) == "drop":
                return self._race(asked.seat)
        if given == DECLINE:
            self._place += 1
            return Update()
        return self._step(self.match.play(asked.seat, given))

    async def _go(self) -> Update:
        """Ask one seat after the other until something happens or a person has to answer."""
        rules, game = self.edition.sheet.rules, self.match.game
        while game.over == GOING_ON:
            self._place = place = ask(rules, game, self._place)
            optional = may_decline(game, place)
            seat = seat_asked(game, self._trace, place)
            if game.phase == RACING and not optional and self._runs():
                seat = self.people[0]
                self._racing = True
            if seat in self.bots:
                action = await self._bot(seat, place)
                if action != DECLINE:
                    return self._step(self.match.play(seat, action))
            elif asked := self._ask(seat, place, optional):
                self._asked = asked
                return Update(asked=asked)
            self._place += 1
        return Update()

    def _ask(self, seat: int, place: int, optional: bool) -> Asked | Anybody | None:
        if optional and len(self.people) > 1:
            if self._willing is None:
                return Anybody(self._could_interrupt(place))
            if seat != self._willing:
                return None
        legal = self._host.question(self.match.game, seat, place).legal
        if not legal and len(self.people) == 1:
            return None
        return Asked(seat, [action_text(self.edition.sheet, one) for one in legal], optional)

    def _could_interrupt(self, place: int) -> list[int]:
        """The people who would be asked from this place on: public facts alone decide."""
        rules, game = self.edition.sheet.rules, self.match.game
        found: set[int] = set()
        while may_decline(game, place):
            found.add(seat_asked(game, self._trace, place))
            place = ask(rules, game, place + 1)
        return sorted(found & set(self.people))

    async def _bot(self, seat: int, place: int) -> int:
        asked = self._host.question(self.match.game, seat, place)
        if isinstance(self._host.players[seat], PolicyPlayer):
            return self._host.answer(asked)
        return await aside(lambda: self._host.answer(asked))

    def _runs(self) -> bool:
        """Whether the one person here runs this race by hand (Q8)."""
        if not self.reflex or len(self.people) != 1:
            return False
        game, me = self.match.game, self.people[0]
        return game.counts[me] > 0 and not game.dropped >> me & 1

    def _race(self, me: int) -> Update:
        """Drop in the order of the times: the person's, and what bots need."""
        game = self.match.game
        times = {
            seat: self._after if seat == me else self._host.players[seat].reaction()
            for seat in range(game.seats)
            if game.counts[seat] > 0 and not game.dropped >> seat & 1
        }
        events: list[Event] = []
        for seat in sorted(times, key=lambda one: times[one]):
            if game.phase == RACING:
                events += self.match.play(seat, "drop")
        return self._step(events)

    def _step(self, events: list[Event]) -> Update:
        self._place = 0
        self._willing = None
        if self.match.over is not None:
            self.rounds.append(points_of(self.match.game.scores[: len(self.names)], self.rounds))
        return self._saved(self._told(events))

    def _saved(self, update: Update) -> Update:
        if self._keep is None:
            return update
        try:
            self._keep(self.match)
        except OSError as error:
            self._keep = None  # said once; the game goes on
            self.kept = False
            note = Note("table.not_saved", file=error.filename, reason=reason(error))
            return Update(update.events, notes=[note])
        self.kept = True
        return update

    def _told(self, events: Iterable[Event]) -> Update:
        reader = reader_of(self.people)
        seen_by = SPECTATOR if reader is None else reader
        return Update([view_event(event, seen_by) for event in events])
