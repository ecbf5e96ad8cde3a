"""The same news for everybody at a table, with what they share made and encoded once.

What comes out is, byte for byte of meaning, a `wire.News` for every reader; how frames are put
together is nobody's concern but this module's. What a seat may see is asked of `penultima.view`.
"""

from collections.abc import Collection, Sequence
from typing import Final

from penultima.server import wire
from penultima.server.frames import common, in_view, is_told, moments
from penultima.server.story import Happening
from penultima.server.table import Table
from penultima.view import SPECTATOR, shown_to, view_open, view_own

_END: Final = b"null}"  # of a state without a view, which is its last field
assert wire.State.__struct_fields__[-1] == "view"


class Broadcast:
    """News of what has happened, to be told to seats and watchers."""

    def __init__(self, table: Table, here: Collection[int], new: Sequence[Happening]) -> None:
        self._table = table
        self._told = [one for one in new if is_told(one.entry)]
        self._readers = {shown_to(event) for one in self._told for event in one.events}
        self._moments: dict[int, bytes] = {}
        self._made: dict[int, bytes] = {}
        if not self._told:
            return
        state = wire.encode(common(table, here))
        self._end = b"}"
        if in_view(table):
            there = wire.encode(view_open(table.sheet, table.playing.game))
            state, self._end = state[: -len(_END)], b"," + there[1:] + b"}}"
        self._state = state

    @property
    def empty(self) -> bool:
        """Whether nobody is told of what has happened."""
        return not self._told

    def frame(self, seat: int | None) -> bytes:
        """The news for a seat, or for a watcher."""
        reader = SPECTATOR if seat is None else seat
        made = self._made.get(reader)
        if made is None:
            made = self._made[reader] = self._put_together(reader)
        return made

    def _put_together(self, reader: int) -> bytes:
        seat = b"null" if reader == SPECTATOR else b"%d" % reader
        table = self._table
        own = b""
        if len(self._end) > 1:
            own = wire.encode(view_own(table.sheet, table.playing.game, reader))[:-1]
        head = b'{"type":"news","seq":%d,"seat":%b,"moments":' % (table.told, seat)
        return b"".join((head, self._moments_of(reader), b',"state":', self._state, own, self._end))

    def _moments_of(self, reader: int) -> bytes:
        """What happened, which most readers see in the same way."""
        who = reader if reader in self._readers else SPECTATOR
        if who not in self._moments:
            seat = None if who == SPECTATOR else who
            self._moments[who] = wire.encode(moments(self._told, seat))
        return self._moments[who]
