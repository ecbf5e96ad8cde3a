"""All tables of a process: opened, found, looked after."""

import asyncio
import secrets
from typing import Any, Final

from penultima.edition import Edition
from penultima.errors import ServerError
from penultima.server import answers, commands, due, frames, log, snapshot, wire
from penultima.server.limiter import Limiter
from penultima.server.metrics import Metrics, note
from penultima.server.pulse import Pulse
from penultima.server.racetrack import RaceTrack
from penultima.server.room import PRESENT, Room, Shop
from penultima.server.settings import ServerSettings
from penultima.server.store import DAY, MovableSeat, Opening, Seeds, Store, hashed
from penultima.server.table import Stage, Table
from penultima.server.thinker import Thinker
from penultima.server.workshop import Workshop

LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"  # none that is taken for another
CODE: Final = 6
MOVE_CODE: Final = 8
MOVE_TIME: Final = 300_000  # milliseconds for which a code for another device is good
HEARTBEAT: Final = 5  # seconds between two looks after everything
SWEEP: Final = 60  # seconds between two looks for tables to close


def code(length: int) -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(length))


class Hub:
    def __init__(self, store: Store, settings: ServerSettings) -> None:
        self.store = store
        self.settings = settings
        self.metrics = Metrics()
        self.pulse = Pulse(store.touch)
        self.limiter = Limiter(settings.limits, settings.proxies)
        self.thinker = Thinker(settings.thinking)
        self.workshop = Workshop(self.limiter.worked)
        self.rooms: dict[str, Room] = {}
        self._shop = Shop(store, self.thinker, settings.pace, self.metrics)
        self._tracks: dict[str, tuple[RaceTrack, asyncio.Task[None]]] = {}
        self._loading: dict[str, asyncio.Lock] = {}
        self._care: asyncio.Task[None] | None = None
        self._errands: set[asyncio.Task[Any]] = set()
        self.metrics.gauges = {
            "rooms": lambda: len(self.rooms),
            "connections": lambda: self.limiter.sockets,
            "bots_waiting": lambda: self.thinker.waiting,
        }

    def start(self) -> None:
        self.thinker.start()
        self._care = asyncio.create_task(self._take_care())

    # Tables

    async def open(self, edition: Edition, new: wire.NewTable, token: str | None) -> wire.Seated:
        """Open a table; who gives a name sits down at it."""
        if await self.store.count() >= self.settings.limits.tables:
            raise ServerError("full")
        now = self.store.now()
        for _ in range(10):
            secret = secrets.token_hex(32)
            table = Table(Seeds(secret))
            entries = answers.first_entries(table, code(CODE), edition, new, token, now)
            if await self.store.open(Opening(entries, frames.summary(table), secret)):
                note("table opened", table=table.id, edition=edition.id, seats=new.seats)
                return wire.Seated(table.id, None if token is None else table.holder(token))
        raise ServerError("full")

    async def room(self, table: str) -> Room | None:
        """A table that exists, as this process knows it."""
        if table in self.rooms:
            return self.rooms[table]
        async with self._loading.setdefault(table, asyncio.Lock()):
            try:
                if table not in self.rooms:
                    await self._load(table)
            finally:
                self._loading.pop(table, None)
        return self.rooms.get(table)

    async def _load(self, table: str) -> None:
        found = await self.store.find(table)
        if found is None:
            return
        seeds, kept = found
        folded = Table(seeds)
        at = await snapshot.begin(self.store, folded, kept)
        room = Room(self._shop, folded, seeds, on_entry=self._look, kept=at)
        async for entries in self.store.slices(table, folded.seq):
            for entry in entries:
                room.fold(entry)
            await asyncio.sleep(0)  # for those who play at other tables
        if table in self.rooms:  # somebody else tried again after the same trouble
            return
        self.rooms[table] = room
        if self.store.shared:  # nobody told us of what came while we were reading
            await room.look_around()

    async def quick(self, edition: Edition, wanted: wire.QuickMatch, token: str) -> wire.Seated:
        """A seat at a public table that waits for people, or at a new one."""
        for found in await self.store.lobby():
            fits = wanted.edition is None or found.edition == edition.id
            if not (fits and found.free and found.stage == Stage.GATHERING):
                continue
            room = await self.room(found.table)
            if room is None or not room.local | room.elsewhere:
                continue
            seated = await room.sit(
                token, commands.Sit(id=code(12), name=wanted.name, picture=wanted.picture)
            )
            if seated.seat is not None:
                return wire.Seated(found.table, seated.seat)
        new = wire.NewTable(name=wanted.name, picture=wanted.picture, public=True, seats=4)
        return await self.open(edition, new, token)

    async def move_code(self, table: str, token: str) -> wire.MoveCode | None:
        """A code with which another device takes the seat."""
        room = await self.room(table)
        place = None if room is None else room.table.holder(token)
        if place is None:
            return None
        assert room is not None
        made, until = code(MOVE_CODE), self.store.now() + MOVE_TIME
        seat = MovableSeat(table, place, room.table.places[place].taken)
        await self.store.put_code(hashed(made), seat, until)
        return wire.MoveCode(made, until)

    async def move(self, made: str, token: str) -> wire.Seated | None:
        """Give the seat of a code to whoever brings it, unless the person who asked for the code
        has given up the seat since, was removed from it, or has moved it already."""
        seat = await self.store.take_code(hashed(made), self.store.now())
        room = None if seat is None else await self.room(seat.table)
        if seat is None or room is None:
            return None

        def moved(table: Table, at: int) -> list[log.Entry]:
            place = table.places[seat.place]
            if not place.person or place.taken != seat.taken or table.holder(token) is not None:
                return []
            return [log.Moved(at=at, place=seat.place, token=token)]

        await room.append(moved)
        return wire.Seated(room.table.id, room.table.holder(token))

    async def close_table(self, table: str, reason: str) -> bool:
        room = await self.room(table)
        if room is None:
            return False
        closed = await room.append(
            lambda t, at: [] if t.stage == Stage.CLOSED else due.close(t, reason, at)
        )
        # Also where it was closed before: who closed it may have died before saying so.
        await self.store.describe(frames.summary(room.table), self.store.now())
        if closed:
            note("table closed", table=table, reason=reason)
        return bool(closed)

    # Races

    def _look(self, room: Room, entry: log.Entry) -> None:
        if isinstance(entry, log.Armed) and room.table.race is not None:
            track = RaceTrack(room)
            task = asyncio.create_task(track.run())
            task.add_done_callback(self._done)
            self._tracks[room.table.id] = track, task

    def track(self, room: Room) -> RaceTrack | None:
        found = self._tracks.get(room.table.id)
        return found[0] if found else None

    # Looking after things

    def heard(self, table: str, what: str) -> None:
        """Another process has news of a table."""
        if (room := self.rooms.get(table)) is not None:
            task = asyncio.create_task(room.catch_up() if what == "log" else room.look_elsewhere())
            self._errands.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._errands.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.metrics.trouble("errand", error)

    async def _take_care(self) -> None:
        swept = 0.0
        loop = asyncio.get_running_loop()
        while True:
            try:
                await self._beat()
                if loop.time() - swept > SWEEP:
                    swept = loop.time()
                    await self._sweep()
            except Exception as error:  # a database that is away comes back
                self.metrics.trouble("care", error)
            await asyncio.sleep(HEARTBEAT)

    async def _beat(self) -> None:
        """Vouch for who is here, look for news that were missed, let go of empty rooms."""
        await self.store.database.mend()
        if self.store.shared:
            here = [(t, place) for t, room in self.rooms.items() for place in room.local]
            await self.store.be_here(here, self.store.now() + PRESENT)
            for room in tuple(self.rooms.values()):
                if room.listeners:
                    await room.look_around()
        unused = self.settings.pace.grace + PRESENT
        for table, room in tuple(self.rooms.items()):
            if not room.listeners and room.now() - room.table.last > unused and room.idle:
                del self.rooms[table]
                self._tracks.pop(table, None)
                await room.close()

    async def _sweep(self) -> None:
        now = self.store.now()
        # After a start or a jump of the clock, times from before say nothing of who is gone.
        steady = 1000 * self.store.database.steady > self.settings.pace.idle
        for table in await self.store.idle(now - self.settings.pace.idle) if steady else ():
            room = self.rooms.get(table)
            if room is None or not room.listeners:
                try:
                    await self.close_table(table, "idle")
                except Exception as error:  # of one table, which must not keep the others
                    self.metrics.trouble("sweep", error)
        await self.store.forget_before(await self.store.horizon(now, self.settings.keep_days * DAY))

    def say_goodbye(self) -> None:
        """Tell everybody to come back."""
        for room in self.rooms.values():
            for listener in tuple(room.listeners):
                listener.end("restart")

    @property
    def occupied(self) -> bool:
        """Whether anybody is connected."""
        return any(room.listeners for room in self.rooms.values())

    async def close(self) -> None:
        self.say_goodbye()
        if self._care is not None:
            self._care.cancel()
        for _, task in self._tracks.values():
            task.cancel()
        await asyncio.gather(*(room.close() for room in self.rooms.values()))
        await self.thinker.close()
        await self.workshop.close()
        await self.store.close()
