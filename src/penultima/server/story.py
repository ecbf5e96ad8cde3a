"""What a table has told lately, for those who come back: bounded, and a fold of the log.

It keeps secrets; what a seat may know of it is decided where it is told (`server.frames`). A server
has many tables, so happenings are kept as text: a tenth of the memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Final

import msgspec

from penultima.event import Event
from penultima.server import log

HISTORY_LIMIT: Final = 128  # happenings
ROUNDS_LIMIT: Final = 200  # of a match
_SILENT: Final = (log.Opened, log.Raced, log.Refused, log.TurnedAway)  # nobody is told of these


@dataclass(frozen=True, slots=True)
class Happening:
    """An entry as it was applied, with what it made happen in the game; `seq` is its number for
    clients (`Table.told`)."""

    seq: int
    entry: log.Entry
    events: list[Event]


_row: Final = attrgetter(*Event.__slots__)
_write: Final = msgspec.json.Encoder().encode
_read: Final = msgspec.json.Decoder(list[list[Any]]).decode


@dataclass
class Story:
    written: list[tuple[int, bytes, bytes]] = field(default_factory=list)  # happenings
    rounds: list[list[int]] = field(default_factory=list)  # what each brought, by seat

    def take(self, seq: int, entry: log.Entry, events: list[Event], seats: int) -> None:
        """The next entry of the log, and what it made happen."""
        if isinstance(entry, log.Dealt):
            self.rounds = []
        if isinstance(entry, log.Acted) and (points := round_points(events, seats)) is not None:
            self.rounds = [*self.rounds, points][-ROUNDS_LIMIT:]
        if not isinstance(entry, _SILENT):
            self.written.append((seq, log.write(entry), _write([_row(event) for event in events])))
            del self.written[:-HISTORY_LIMIT]

    def since(self, seq: int) -> list[Happening]:
        """What was told after a number."""
        return [
            Happening(at, log.read(entry), [_event(row) for row in _read(events)])
            for at, entry, events in self.written
            if at > seq
        ]


def _event(row: list[Any]) -> Event:
    event = Event(*row)
    return event if event.cards is None else replace(event, cards=tuple(event.cards))


def round_points(events: Sequence[Event], seats: int) -> list[int] | None:
    """What the round that ended with these events brought every seat; None: it goes on.

    >>> round_points([Event("win_round", 1, points=30)], 3)
    [0, 30, 0]
    """
    if not any(one.what in ("win_round", "block") for one in events):
        return None
    told = "score" if any(one.what == "score" for one in events) else "win_round"
    points = [0] * seats
    for one in events:
        if one.what == told and one.seat is not None:
            points[one.seat] = one.points or 0
    return points
