"""Snapshots of tables: what a log comes to up to an entry, so that loading need not begin at its
first one.

A snapshot is a cache and never the truth. It is used only where the version that made it is the one
that reads it, and where its digest, which covers the entry it ends with, says that it belongs to
this very log and is whole. Otherwise the log is folded from the beginning, and it is made anew.
"""

import asyncio
import hashlib
from dataclasses import fields
from typing import Any, Final, get_type_hints

import msgspec

from penultima import __version__
from penultima.errors import PenultimaError
from penultima.game import Match
from penultima.record import RULES, Round
from penultima.rules.schema import Game
from penultima.server import log
from penultima.server.metrics import Metrics
from penultima.server.store import Snapshot, Store
from penultima.server.table import Table

EVERY: Final = 128  # entries between two snapshots of a table
NEAR: Final = 16  # entries that are folded as fast as a snapshot is read
FORMAT: Final = 3
VERSION: Final = f"{FORMAT} {RULES} {__version__}"
# What the first entry says, and what is kept elsewhere.
WITHOUT: Final = frozenset({"seeds", "id", "edition", "sheet", "match"})


class _Match(msgspec.Struct, array_like=True):
    """Of a `Match`, what does not follow from its table."""

    names: list[str]
    key: list[int]
    game: bytes
    rounds: list[Round]


_hints: Final = get_type_hints(Table)
_names: Final = [one.name for one in fields(Table) if one.name not in WITHOUT]
_State: Any = msgspec.defstruct(
    "_State", [*((name, _hints[name]) for name in _names), ("match", _Match | None)]
)
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(_State).decode


def freeze(table: Table, last: log.Entry) -> Snapshot:
    """The snapshot of a table of which `last` is the last entry."""
    match, held = table.match, None
    if match is not None:
        held = _Match(match.names, match.key, match.game.to_bytes(), match.rounds)
    kept = {name: getattr(table, name) for name in _names}
    state = _encode(_State(**kept, match=held))
    digest = _digest(table.id, table.seq, last, state)
    return Snapshot(table.id, table.seq, VERSION, digest, state)


def thaw(snapshot: Snapshot, table: Table, last: log.Entry) -> bool:
    """Bring a table that knows its first entry to where a snapshot was made, which ends with
    `last`. False, and nothing is changed, where the snapshot cannot be used."""
    want = _digest(table.id, snapshot.seq, last, snapshot.state)
    if snapshot.version != VERSION or snapshot.digest != want or table.outdated:
        return False
    try:
        state = _decode(snapshot.state)
        match = None if state.match is None else _match(table, state.match)
    except (msgspec.MsgspecError, PenultimaError, ValueError, ArithmeticError):
        return False
    if state.seq != snapshot.seq:
        return False
    for name in _names:
        setattr(table, name, getattr(state, name))
    table.match = match
    return True


def _match(table: Table, held: _Match) -> Match:
    game = Game.from_bytes(held.game, table.sheet.rules.size)
    match = Match.at(table.sheet, game)
    match.names, match.key, match.rounds = held.names, held.key, held.rounds
    return match


def _digest(table: str, seq: int, last: log.Entry, state: bytes) -> str:
    head = f"{VERSION}\n{table}\n{seq}\n".encode()
    return hashlib.sha256(head + log.write(last) + b"\n" + state).hexdigest()


async def begin(store: Store, table: Table, snapshot: Snapshot | None) -> int:
    """Bring an empty table to where its snapshot was made; gives the number of that entry, or 0
    where there is none that can be used."""
    if snapshot is None or snapshot.version != VERSION:
        return 0
    ends = await store.ends(snapshot.table, snapshot.seq)
    if len(ends) < 2:
        return 0
    table.apply(ends[0])
    return snapshot.seq if thaw(snapshot, table, ends[1]) else 0


class Keeper:
    """Keeps the snapshot of a table near the end of its log."""

    __slots__ = ("_at", "_metrics", "_store", "_task")

    def __init__(self, store: Store, metrics: Metrics, at: int) -> None:
        self._store = store
        self._metrics = metrics
        self._at = at  # the entry with which the snapshot ends that is kept
        self._task: asyncio.Task[None] | None = None

    def took(self, table: Table, last: log.Entry | None) -> None:
        """A table has come to an entry."""
        if last is None or table.outdated or self._task is not None:
            return
        if table.seq - self._at >= EVERY:
            self._at = table.seq
            self._task = asyncio.create_task(self._keep(freeze(table, last)))

    async def _keep(self, snapshot: Snapshot) -> None:
        try:
            await self._store.keep(snapshot)
        except Exception as error:  # what is read from the log instead takes longer
            self._metrics.trouble("snapshot", error)
        finally:
            self._task = None

    async def finish(self, table: Table, last: log.Entry | None) -> None:
        """A table is let go: nothing of it needs to be folded again."""
        if self._task is not None:
            await self._task
        if last is not None and table.seq - self._at >= NEAR and not table.outdated:
            self._at = table.seq
            await self._keep(freeze(table, last))
