"""Clients that remember what they were told, and the log that must agree with them."""

import contextlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
from websockets.exceptions import ConnectionClosed

from penultima.client import Client, TableClient
from penultima.game import Match
from penultima.record import Record
from penultima.server import commands, frames, log, wire
from penultima.server.past import finished
from penultima.server.store import Seeds
from penultima.server.table import Attempts, Stage, Table


class Witness(TableClient):
    """Remembers the answer to every command; a copy must be answered alike."""

    def __init__(self, client: Client, table: str, name: str, place: int | None = None) -> None:
        super().__init__(client, table, name, place)
        self.told: dict[str, str | None] = {}
        self.moments: dict[int, dict[str, Any]] = {}
        self.copies = 0

    async def send(self, command: commands.Command) -> str | None:
        """Every third command once more after it was answered, as if that had not arrived."""
        refused = await super().send(command)
        if len(self.told) % 3 == 0 and self._socket is not None:
            with contextlib.suppress(ConnectionClosed):
                await self._socket.send(msgspec.json.encode(command).decode())
        return refused

    async def _take(self, socket: Any, frame: wire.Outgoing) -> None:
        if isinstance(frame, wire.News | wire.Welcome):
            self.moments |= {moment.seq: moment.entry for moment in frame.moments}
        if isinstance(frame, wire.Answer):
            self.copies += frame.id in self.told
            assert self.told.setdefault(frame.id, frame.refused) == frame.refused
        await super()._take(socket, frame)


def sqlite_log(data: Path, table: str) -> tuple[list[log.Entry], Seeds]:
    """The log of a table and its seeds, from the file of a server that is not running."""
    connection = sqlite3.connect(data / "tables.sqlite")
    try:
        rows = connection.execute(
            "SELECT seq, entry FROM log WHERE table_id = ? ORDER BY seq", (table,)
        ).fetchall()
        (secret,) = connection.execute(
            "SELECT secret FROM tables WHERE id = ?", (table,)
        ).fetchone()
    finally:
        connection.close()
    return whole(rows), Seeds(secret)


async def postgres_log(address: str, table: str) -> tuple[list[log.Entry], Seeds]:
    """The same from a shared database."""
    connection = await asyncpg.connect(address)
    try:
        sql = "SELECT seq, entry FROM log WHERE table_id = $1 ORDER BY seq"
        rows = await connection.fetch(sql, table)
        secret = await connection.fetchval("SELECT secret FROM tables WHERE id = $1", table)
    finally:
        await connection.close()
    return whole(rows), Seeds(secret)


def whole(rows: Iterable[Sequence[Any]]) -> list[log.Entry]:
    """The entries of a log that has no gap."""
    found = list(rows)
    assert [row[0] for row in found] == list(range(1, len(found) + 1)), "a log without a gap"
    return [log.read(row[1].encode()) for row in found]


def check(entries: Sequence[log.Entry], seeds: Seeds, witnesses: Sequence[Witness]) -> Table:
    """That nothing acknowledged was lost or done twice, and that everybody saw what happened."""
    done = Counter((e.seat, e.command) for e in entries if e.command is not None)
    assert max(done.values()) == 1, "nothing is done twice"
    refused = {(e.seat, e.command): e.code for e in entries if isinstance(e, log.Refused)}
    for witness in witnesses:
        for command, told in witness.told.items():
            key = witness.seat, command
            if told is None:
                assert key in done, "nothing that was acknowledged is lost"
                assert key not in refused
            elif key in done:
                assert refused[key] == told
    table = lawful(entries, seeds)
    numbered = counted(entries)
    for witness in witnesses:
        for seq, entry in witness.moments.items():
            assert entry == frames.public(numbered[seq - 1]), "nothing is told that is not saved"
        assert witness.state is not None
        folded = frames.state(table, witness.seat, [])
        assert _seen(witness.state) == _seen(folded), "what a client shows is the fold of the log"
    for text in records_in(entries, seeds):
        assert Match.replay(Record.from_text(text)).over == "match"
    return table


def counted(entries: Sequence[log.Entry]) -> list[log.Entry]:
    """The entries that are counted for clients, whose numbers say nothing of a race."""
    return [entry for entry in entries if not isinstance(entry, log.Raced)]


def records_in(entries: Sequence[log.Entry], seeds: Attempts) -> list[str]:
    """The records of the matches that a log holds."""
    table = Table(seeds)
    found = []
    for entry in entries:
        found += [match.record for match in finished(table, [entry])]
        table.apply(entry)
    return found


def lawful(entries: Sequence[log.Entry], seeds: Seeds) -> Table:
    """The fold of a log in which everybody did what they might, and every timer fired once."""
    table = Table(seeds)
    for entry in entries:
        match entry:
            case log.Acted(place=place, bot=True):
                assert table.plays_itself(place), "a bot plays for nobody who is there"
            case log.Acted(action=action, command=command):
                assert command is not None or action == "drop"
            case log.Away(place=place):
                assert not table.plays_itself(place), "nobody goes away twice"
            case log.Armed(race=race):
                assert table.race is None, "one race at a time"
                assert race == table.races + 1
            case log.Continued():
                assert table.stage == Stage.BETWEEN, "a round is dealt once"
            case log.Dealt():
                assert table.stage == Stage.REVEALING, "a match is dealt once"
            case log.Shown():
                assert not table.shown, "a seed is shown once"
            case _:
                pass
        table.apply(entry)
    return table


def _seen(state: wire.State) -> Any:
    """All of a state but who is connected."""
    seen = msgspec.to_builtins(state)
    for place in seen["places"]:
        del place["here"]
    return seen
