"""Measuring a race on the sockets of this process (`server.race` says what the times mean)."""

import asyncio
import math
import time
from collections.abc import Callable
from typing import Final

import msgspec

from penultima.server import commands, log, race, wire
from penultima.server.failpoint import failpoint
from penultima.server.metrics import note
from penultima.server.race import LONGEST, SUSPICIOUS, WOBBLE
from penultima.server.room import Room
from penultima.server.table import Table

PINGS: Final = 5  # before the signal
USUAL: Final = 100  # pongs by which a line is known
BETWEEN_PINGS: Final = 0.2  # seconds


class Line:
    """The round trips of a connection; `kernel` gives what TCP has measured, where it says
    something of the client."""

    def __init__(
        self,
        kernel: Callable[[], float | None] = lambda: None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._kernel = kernel
        self._clock = clock
        self._sent: dict[int, float] = {}
        self._number = 0
        self._usual: list[float] = []  # of the last USUAL pongs

    def ping(self) -> bytes:
        self._number += 1
        self._sent = {n: at for n, at in self._sent.items() if n > self._number - 20}
        self._sent[self._number] = self._clock()
        return wire.encode(wire.Ping(n=self._number))

    def pong(self, number: int) -> None:
        sent = self._sent.pop(number, None)
        if sent is not None:
            trip = 1000 * (self._clock() - sent)
            self._usual = [*self._usual[1 - USUAL :], trip]

    @property
    def _last(self) -> list[float]:
        return self._usual[-PINGS:]

    @property
    def trip(self) -> int:
        """Milliseconds of a round trip: the middle one of the last few."""
        return int(sorted(self._last)[len(self._last) // 2]) if self._last else 0

    @property
    def allowance(self) -> int:
        """What is made up for: the longest of the last few, as far as the line's fastest round
        trip makes it likely. The middle one would be too little every second time, and the more
        so the longer the line."""
        if not self._last:
            return 0
        return math.ceil(min(max(self._last), min(self._usual) + WOBBLE))

    @property
    def suspicious(self) -> bool:
        """Whether the last round trips are longer than this line has shown to be possible, or all
        of them longer than TCP has. That is a hint and changes no time: an honest client may have
        a proxy of its own, at which TCP's round trips end."""
        if not self._usual:
            return False
        fastest, kernel = min(self._usual), self._kernel()
        held = kernel is not None and fastest > kernel + SUSPICIOUS
        return held or self.trip > fastest + SUSPICIOUS


class RaceTrack:
    """One race for the racers who are connected here."""

    def __init__(self, room: Room) -> None:
        assert room.table.race is not None
        self._room = room
        self._number = room.table.race.number
        self._go = room.table.race.go
        self._signal: float | None = None
        self._lines: dict[Line, tuple[int, int, bool]] = {}  # seat, allowance, flagged
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
                line = listener.line
                self._lines[line] = seat, line.allowance, line.suspicious
        await asyncio.sleep(max(self._go - room.now(), 0) / 1000)
        failpoint("race")
        if not self._on:
            return
        self._signal = time.perf_counter()
        frame = wire.encode(wire.Go(race=self._number))
        for listener in tuple(room.listeners):
            listener.send(frame)
        await asyncio.sleep(LONGEST / 1000)
        waited_for = ({seat for seat, _, _ in self._lines.values()} | room.local) - self._done
        for seat in sorted(waited_for):
            if self._on and seat in race.racers(room.table):
                await self._write(log.Raced(at=0, place=seat, race=self._number))
        room.shop.metrics.count("races")

    @property
    def _on(self) -> bool:
        running = self._room.table.race
        return running is not None and running.number == self._number

    async def drop(self, seat: int, command: commands.Drop, line: Line) -> str | None:
        """Somebody presses, on a line; gives the refusal."""
        if command.race != self._number or not self._on:
            return "not_now"
        measured = reported = 0
        if self._signal is not None:  # or else before the signal: a false start
            measured = int(1000 * (time.perf_counter() - self._signal))
            reported = command.reaction
        allowance, flagged = self._allowed(seat, line)
        if flagged:
            self._room.shop.metrics.count("flagged")
            note("race flagged", table=self._room.table.id, seat=seat, allowance=allowance)
        raced = log.Raced(
            at=0,
            seat=seat,
            command=command.id,
            place=seat,
            race=self._number,
            measured=measured,
            reported=reported,
            allowance=allowance,
            flagged=flagged,
        )
        await self._write(raced)
        return self._room.table.answers.get(seat, {}).get(command.id, "not_now")

    def _allowed(self, seat: int, line: Line) -> tuple[int, bool]:
        """What is made up for on the line that was pressed on: a second, slower connection of the
        same person gains nothing. Who came back after the measuring is known by the line before."""
        if line in self._lines:
            return self._lines[line][1:]
        known = [rest for there, *rest in self._lines.values() if there == seat]
        allowance, flagged = min(known, default=(0, False))
        return int(allowance), bool(flagged)

    async def _write(self, raced: log.Raced) -> None:
        self._done.add(raced.place)

        def entry(table: Table, at: int) -> list[log.Entry]:
            running = table.race
            if running is None or running.number != self._number:
                return []
            # The first press counts.
            if table.plays_itself(raced.place) or raced.place in running.raced:
                return []
            return [msgspec.structs.replace(raced, at=at)]

        await self._room.append(entry)
