"""Measuring a race on the sockets of this process (`server.race` says what the times mean)."""

import asyncio
import time
from collections import deque
from typing import Final

from penultima.server import commands, log, race, wire
from penultima.server.failpoint import failpoint
from penultima.server.metrics import note
from penultima.server.race import LONGEST, SUSPICIOUS
from penultima.server.room import Room
from penultima.server.table import Table

PINGS: Final = 5  # before the signal
BETWEEN_PINGS: Final = 0.2  # seconds


class Line:
    """The round trips of a connection."""

    def __init__(self) -> None:
        self._sent: dict[int, float] = {}
        self._number = 0
        self._last: deque[float] = deque(maxlen=PINGS)
        self._usual: deque[float] = deque(maxlen=100)

    def ping(self) -> bytes:
        self._number += 1
        self._sent = {n: at for n, at in self._sent.items() if n > self._number - 20}
        self._sent[self._number] = time.perf_counter()
        return wire.encode(wire.Ping(n=self._number))

    def pong(self, number: int) -> None:
        sent = self._sent.pop(number, None)
        if sent is not None:
            trip = 1000 * (time.perf_counter() - sent)
            self._last.append(trip)
            self._usual.append(trip)

    @property
    def trip(self) -> int:
        """Milliseconds of a round trip: the middle one of the last few."""
        return int(sorted(self._last)[len(self._last) // 2]) if self._last else 0

    @property
    def suspicious(self) -> bool:
        """Whether the last round trips are longer than this line has shown to be possible."""
        return bool(self._usual) and self.trip > min(self._usual) + SUSPICIOUS


class RaceTrack:
    """One race for the racers who are connected here."""

    def __init__(self, room: Room) -> None:
        assert room.table.race is not None
        self._room = room
        self._number = room.table.race.number
        self._go = room.table.race.go
        self._signal: float | None = None
        self._allowances: dict[int, tuple[int, bool]] = {}
        self._done: set[int] = set()

    async def run(self) -> None:
        room = self._room
        for _ in range(PINGS):
            for listener in tuple(room.listeners):
                listener.send(listener.line.ping())
            await asyncio.sleep(BETWEEN_PINGS)
        for listener in tuple(room.listeners):  # frozen before the signal: no later pong counts
            seat = room.seat_of(listener)
            if seat is not None:
                self._allowances[seat] = listener.line.trip, listener.line.suspicious
        await asyncio.sleep(max(self._go - room.shop.store.now(), 0) / 1000)
        failpoint("race")
        if not self._on:
            return
        self._signal = time.perf_counter()
        frame = wire.encode(wire.Go(race=self._number))
        for listener in tuple(room.listeners):
            listener.send(frame)
        await asyncio.sleep(LONGEST / 1000)
        waited_for = (self._allowances.keys() | room.local) - self._done
        for seat in sorted(waited_for):
            if self._on and seat in race.racers(room.table):
                await self._write(seat, None, None, None)
        room.shop.metrics.count("races")

    @property
    def _on(self) -> bool:
        running = self._room.table.race
        return running is not None and running.number == self._number

    async def drop(self, seat: int, command: commands.Drop) -> str | None:
        """Somebody presses; gives the refusal."""
        if command.race != self._number or not self._on:
            return "not_now"
        if self._signal is None:  # before the signal: a false start
            await self._write(seat, 0, 0, command.id)
        else:
            measured = int(1000 * (time.perf_counter() - self._signal))
            await self._write(seat, measured, command.reaction, command.id)
        return self._room.table.answers.get((seat, command.id), "not_now")

    async def _write(
        self, seat: int, measured: int | None, reported: int | None, command: str | None
    ) -> None:
        self._done.add(seat)
        allowance, flagged = self._allowances.get(seat, (0, False))
        if flagged:
            self._room.shop.metrics.count("flagged")
            note("race flagged", table=self._room.table.id, seat=seat, trip=allowance)

        def entry(table: Table, at: int) -> list[log.Entry]:
            running = table.race
            if running is None or running.number != self._number:
                return []
            if table.plays_itself(seat) or seat in running.raced:  # the first press counts
                return []
            return [
                log.Raced(
                    at=at,
                    seat=seat,
                    command=command,
                    place=seat,
                    race=self._number,
                    measured=measured,
                    reported=reported,
                    allowance=allowance,
                    flagged=flagged,
                )
            ]

        await self._room.append(entry)
