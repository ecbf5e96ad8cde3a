"""A table in this process: its fold of the log, who is connected, and what is to be done when."""

import asyncio
import contextlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol

from penultima.server import answers, botseat, commands, due, frames, log, wire
from penultima.server.broadcast import Broadcast
from penultima.server.failpoint import failpoint
from penultima.server.metrics import Metrics
from penultima.server.past import finished
from penultima.server.settings import Pace
from penultima.server.snapshot import Keeper
from penultima.server.store import Append, Seeds, Store
from penultima.server.story import Happening
from penultima.server.table import Refusal, Stage, Table
from penultima.server.thinker import Thinker

CLAIM: Final = 4_000  # milliseconds within which a bot must have decided
AFTER_TROUBLE: Final = 1.0  # seconds
PRESENT: Final = 15_000  # milliseconds for which a process vouches for who is connected to it
DESCRIBE: Final = 300_000  # milliseconds after which a table is described again in any case
LULL: Final = 2_000  # milliseconds between two descriptions of a table while rounds come and go
_ROUNDS: Final = (Stage.PLAYING.value, Stage.BETWEEN.value)


class Listener(Protocol):
    """Somebody connected to a table."""

    token: str | None  # its hash

    def send(self, frame: bytes) -> None: ...

    def end(self, reason: str) -> None: ...


@dataclass
class Shop:
    """What every room of a process uses."""

    store: Store
    thinker: Thinker
    pace: Pace
    metrics: Metrics


@dataclass
class Room:
    shop: Shop
    table: Table
    seeds: Seeds
    listeners: set[Any] = field(default_factory=set)
    elsewhere: set[int] = field(default_factory=set)  # people connected to other processes
    on_entry: Callable[["Room", log.Entry], None] | None = None
    kept: int = 0  # the entry with which its snapshot ends
    pages: dict[str, str] = field(default_factory=dict)  # its rules, by language
    _gone: dict[int, int] = field(default_factory=dict)  # since when a person is not connected
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _timer: asyncio.TimerHandle | None = None
    _timer_at: int = 0
    _advancing: asyncio.Task[None] | None = None
    _asked: tuple[int, ...] = ()  # the decision for which bots were asked, and who was away
    _vouched: set[int] = field(default_factory=set)  # who others know to be connected here
    _described: wire.TableSummary | None = None
    _described_at: int = 0
    _described_as: wire.TableSummary | None = None
    _ahead: int = 0  # milliseconds by which this table's clock is ahead of the store's
    _last: log.Entry | None = None
    _keeper: Keeper = field(init=False)

    def __post_init__(self) -> None:
        self._keeper = Keeper(self.shop.store, self.shop.metrics, self.kept)

    def now(self) -> int:
        """The time at this table, never before its last entry: where the clock was set back, the
        table goes on from there, instead of waiting until the clock has caught up."""
        now = self.shop.store.now() + self._ahead
        behind = max(self.table.last - now, 0)
        self._ahead += behind
        return now + behind

    # What happens

    async def append(self, make: Callable[[Table, int], list[log.Entry]]) -> list[log.Entry]:
        """Append what `make` finds right at present; when others were faster, it is asked anew."""
        async with self._lock:
            while entries := make(self.table, self.now()):
                failpoint("append")
                new = Append(self.table.id, self.table.seq, entries, finished(self.table, entries))
                written = await self.shop.store.append(new)
                failpoint("commit")
                if written:
                    self._take(entries)
                    return entries
                self.shop.metrics.count("conflicts")
                await self._take_missed()
            return []

    async def catch_up(self) -> None:
        """Take what other processes have appended."""
        async with self._lock:
            await self._take_missed()

    async def _take_missed(self) -> None:
        async for entries in self.shop.store.slices(self.table.id, self.table.seq):
            self._take(entries)
            await asyncio.sleep(0)

    def _take(self, entries: Sequence[log.Entry]) -> None:
        """Apply what is in the log, and tell everybody."""
        if not entries:
            return
        seated = [listener for listener in self.listeners if self.seat_of(listener) is not None]
        new = [self.fold(entry) for entry in entries]
        self.shop.metrics.count("entries", len(entries))
        failpoint("broadcast")
        self._tell(new)
        for entry in entries:
            if self.on_entry is not None:
                self.on_entry(self, entry)
        if any(isinstance(entry, log.Moved) for entry in entries):
            for listener in seated:
                if self.seat_of(listener) is None:
                    listener.end("moved")
        if self.table.stage == Stage.CLOSED:
            for listener in tuple(self.listeners):
                listener.end("closed")
        self._keeper.took(self.table, self._last)
        self.plan()

    def fold(self, entry: log.Entry) -> Happening:
        events = self.table.apply(entry)
        happening = Happening(self.table.told, entry, events)
        self._last = entry
        if not isinstance(entry, log.Acted):
            self._described_as = None
        if isinstance(entry, log.Dealt):
            failpoint("deal")
        return happening

    def _tell(self, new: Sequence[Happening]) -> None:
        told = Broadcast(self.table, self.here, new)
        if told.empty:
            return
        for listener in tuple(self.listeners):
            seat = self.seat_of(listener)
            if seat is None and not self.table.watchers and self.table.in_match:
                listener.end("forbidden")  # came in while one could sit down, and did not
                continue
            listener.send(told.frame(seat))

    # People

    def seat_of(self, listener: Listener) -> int | None:
        return None if listener.token is None else self.table.holder(listener.token)

    def is_open_to(self, token: str | None) -> bool:
        """Whether somebody need not know the table's code: it is public, or they have a seat."""
        return self.table.public or (token is not None and self.table.holder(token) is not None)

    @property
    def local(self) -> set[int]:
        """The seats of people who are connected to this process."""
        seats = {self.seat_of(listener) for listener in self.listeners}
        return {seat for seat in seats if seat is not None}

    @property
    def here(self) -> Collection[int]:
        return self.local | self.elsewhere

    def enter(self, listener: Listener, since: int | None) -> wire.Welcome:
        """Somebody is connected: how things stand, and what was missed."""
        before = self.here
        others = tuple(self.listeners)
        self.listeners.add(listener)
        self._presence(before, others)
        seat = self.seat_of(listener)
        from penultima import __version__

        return wire.Welcome(
            version=wire.VERSION,
            server=__version__,
            now=self.now(),
            seq=self.table.told,
            seat=seat,
            settings=frames.settings(self.table),
            state=frames.state(self.table, seat, self.here),
            moments=[] if since is None else frames.earlier(self.table, seat, since),
            rounds=self.table.story.rounds,
        )

    def leave(self, listener: Listener) -> None:
        before = self.here
        self.listeners.discard(listener)
        self._presence(before, tuple(self.listeners))

    def _presence(self, before: Collection[int], told: Sequence[Listener]) -> None:
        """See who is here, and tell who does not know yet."""
        now = self.now()
        here = self.here
        for seat, place in enumerate(self.table.places):
            if seat in here or not place.person:
                self._gone.pop(seat, None)
            else:
                self._gone.setdefault(seat, now)
        if here != before:
            frame = wire.encode(wire.Here(places=sorted(here)))
            for listener in told:
                listener.send(frame)
        self.plan()

    async def vouch(self) -> None:
        """Tell other processes who is connected to this one, where that has changed."""
        store = self.shop.store
        if not store.shared or (local := self.local) == self._vouched:
            return
        gone, self._vouched = self._vouched - local, local
        if gone:
            await store.be_gone(self.table.id, gone)
        await store.be_here([(self.table.id, seat) for seat in local], store.now() + PRESENT)
        await store.database.notify(self.table.id, "here")

    async def look_around(self) -> None:
        """Take what other processes have done without our hearing of it."""
        await self.catch_up()
        await self.look_elsewhere()

    async def look_elsewhere(self) -> None:
        """See who is connected to other processes."""
        before = self.here
        store = self.shop.store
        self.elsewhere = await store.who_is_elsewhere(self.table.id, store.now())
        self._presence(before, tuple(self.listeners))

    async def obey(self, listener: Listener, command: commands.Command) -> wire.Answer:
        """Do what somebody asks for, once."""
        token = listener.token
        if token is None:
            return wire.Answer(id=command.id, refused="no_seat")
        if isinstance(command, commands.Sit):
            return await self.sit(token, command)
        if isinstance(command, commands.Promise | commands.Reveal):
            failpoint("promise" if isinstance(command, commands.Promise) else "reveal")

        why: wire.Why | None = None

        def reply(table: Table, at: int) -> list[log.Entry]:
            nonlocal why
            seat = table.holder(token)  # asked anew each time: it may have changed hands
            if seat is None:
                return []
            why = frames.why_not(table, seat, command)
            return answers.answer(table, seat, command, at)

        try:
            await self.append(reply)
            refused = self.table.answer_to(token, command.id)
        except Refusal as refusal:  # one too many to be kept
            refused = refusal.code
        self.shop.metrics.count("refusals" if refused else "commands")
        return frames.answer(command.id, refused, why)

    async def sit(self, token: str, command: commands.Sit) -> wire.Answer:
        """Give a person a place, or the one that they have."""
        before = self.here
        try:
            await self.append(lambda table, at: answers.sit(table, token, command, at))
        except Refusal as refusal:  # one too many to be kept
            return wire.Answer(id=command.id, refused=refusal.code)
        if (refused := self.table.turned_away.get((token, command.id))) is not None:
            return wire.Answer(id=command.id, refused=refused)
        self._presence(before, tuple(self.listeners))
        await self.vouch()
        seat = self.table.holder(token)
        return wire.Answer(id=command.id, seat=self.table.left.get(token) if seat is None else seat)

    # Time

    def plan(self) -> None:
        """See to it that what is due next is done in time."""
        at = self._next()
        if self._timer is not None:
            if at == self._timer_at:
                return
            self._timer.cancel()
            self._timer = None
        if at is not None and (self._advancing is None or self._advancing.done()):
            wait = max(at - self.now(), 0) / 1000
            self._timer = asyncio.get_running_loop().call_later(wait, self._wake)
            self._timer_at = at

    def _next(self) -> int | None:
        """When there is something to do, while a person is at the table."""
        if not self.local:
            return self._describe_at()
        found = [due.deadline(self.table), self._bot_time(), self._describe_at()]
        found += [at for _, at in self._absent()]
        return min((at for at in found if at is not None), default=None)

    def _bot_time(self) -> int | None:
        if self.table.stage != Stage.PLAYING or due.racing(self.table):
            return None
        bots = self._playing_themselves()
        if not bots or self._asked == (self.table.decision, *bots):
            return None
        return max(self._bot_acts() - self.shop.thinker.lead, self.table.since)

    def _bot_acts(self) -> int:
        """When a bot acts: after a fixed pause, so that nobody learns how long it had to think."""
        pace = self.shop.pace
        return self.table.since + (pace.moment if self.table.playing.game.exposed else pace.bot)

    def _playing_themselves(self) -> list[int]:
        return [n for n in range(len(self.table.places)) if self.table.plays_itself(n)]

    def _absent(self) -> list[tuple[int, int]]:
        """People who are not connected, and when that has consequences."""
        wait = self.shop.pace.grace if self.table.in_match else self.shop.pace.gone
        return [
            (seat, at + wait)
            for seat, at in self._gone.items()
            if self.table.places[seat].person and not self.table.places[seat].away
        ]

    def _describe_at(self) -> int | None:
        if self._described == self._summary:
            return self._described_at + DESCRIBE if self.listeners else None
        rounds = self._described is not None and self._described.stage in _ROUNDS
        return self._described_at + LULL if rounds else 0

    @property
    def _summary(self) -> wire.TableSummary:
        """What anybody may know of the table, of which most moves change nothing."""
        if self._described_as is None or self._described_as.stage != self.table.stage.value:
            self._described_as = frames.summary(self.table)
        return self._described_as

    def _wake(self) -> None:
        self._timer = None
        self._advancing = asyncio.create_task(self._advance())
        self._advancing.add_done_callback(self._advanced)

    def _advanced(self, task: asyncio.Task[None]) -> None:
        self._advancing = None
        if task.cancelled():
            return
        if (error := task.exception()) is None:
            self.plan()
        else:  # a database that is away, say: try again, but not at once
            self.shop.metrics.trouble("table", error)
            self._timer = asyncio.get_running_loop().call_later(AFTER_TROUBLE, self._wake)

    async def _advance(self) -> None:
        failpoint("timer")
        now = self.now()
        if (at := self._describe_at()) is not None and at <= now:
            self._described, self._described_at = self._summary, now
            await self.shop.store.describe(self._described, self.shop.store.now())
        if not self.local:
            return
        if self.shop.store.shared and any(at <= now for _, at in self._absent()):
            await self.look_elsewhere()
        for seat, at in self._absent():
            if at <= now:
                await self.append(partial(self._missed, seat))
        if (at := due.deadline(self.table)) is not None and at <= now:
            await self.append(due.tick)
        if (at := self._bot_time()) is not None and at <= now:
            await self._let_bots_play()

    def _missed(self, seat: int, table: Table, at: int) -> list[log.Entry]:
        """What becomes of the place of somebody who is gone, and has not come meanwhile."""
        place = table.places[seat]
        if not place.person or place.away or seat in self.here:
            return []
        return [log.Away(at=at, place=seat) if table.in_match else log.Rose(at=at, place=seat)]

    async def _let_bots_play(self) -> None:
        decision = self.table.decision
        now = self.shop.store.now()
        asked = decision, *self._playing_themselves()
        store = self.shop.store
        if store.shared and not await store.claim(self.table.id, decision, now, now + CLAIM):
            await asyncio.sleep(CLAIM / 4000)  # somebody else is at it, or has died
            return
        failpoint("bot")
        last: list[int] = []

        def ask(place: int) -> Any:
            if self.table.decision != decision:
                return None
            found = botseat.asked(self.table, place)
            if found is None:
                return None
            seat = found.seen.seat
            last[:] = [seat]
            name = self.table.places[seat].bot or "basic"
            return found, name, self.seeds.luck(decision * 100 + found.place)

        acts = self._bot_acts()
        action = await self.shop.thinker.decide(ask)
        if action is None:
            self._asked = asked
            return
        await asyncio.sleep(max(acts - self.now(), 0) / 1000)
        await self.append(lambda table, at: botseat.move(table, last[0], action, decision, at))

    @property
    def idle(self) -> bool:
        """Whether nothing is under way that would be lost with the room."""
        return self._timer is None and self._advancing is None

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._advancing is not None:
            self._advancing.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self._advancing
        await self._keeper.finish(self.table, self._last)
