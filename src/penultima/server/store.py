"""What a server keeps: the logs of its tables above all, and what can be found without them.

The statements are the same for both databases; `sqlite.py` and `postgres.py` know how to run them.
A write is all or nothing, and an entry that somebody else has already written in its place makes it
nothing: so `append` decides every conflict.
"""

import hashlib
import hmac
import secrets
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Protocol

import msgspec

from penultima.server.log import Entry, read, write
from penultima.server.wire import PastMatch, TableSummary

SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS log (table_id TEXT NOT NULL, seq BIGINT NOT NULL,"
    " entry TEXT NOT NULL, UNIQUE (table_id, seq))",
    "CREATE TABLE IF NOT EXISTS tables (id TEXT PRIMARY KEY, secret TEXT NOT NULL,"
    " updated BIGINT NOT NULL, stage TEXT NOT NULL, public BIGINT NOT NULL, summary TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS tables_by_stage ON tables (stage, updated)",
    "CREATE TABLE IF NOT EXISTS matches (table_id TEXT NOT NULL, number BIGINT NOT NULL,"
    " ended BIGINT NOT NULL, record TEXT NOT NULL, UNIQUE (table_id, number))",
    "CREATE TABLE IF NOT EXISTS played (token TEXT NOT NULL, table_id TEXT NOT NULL,"
    " number BIGINT NOT NULL, summary TEXT NOT NULL, UNIQUE (token, table_id, number))",
    # A cache: what is in it can be made of the log again (`snapshot.py`).
    "CREATE TABLE IF NOT EXISTS snapshots (table_id TEXT PRIMARY KEY, seq BIGINT NOT NULL,"
    " version TEXT NOT NULL, digest TEXT NOT NULL, state BYTEA NOT NULL)",
    "CREATE INDEX IF NOT EXISTS tables_by_time ON tables (updated)",
    "CREATE INDEX IF NOT EXISTS open_tables ON tables (public, updated) WHERE stage <> 'closed'",
    "CREATE INDEX IF NOT EXISTS matches_by_end ON matches (ended)",
    "CREATE INDEX IF NOT EXISTS played_by_match ON played (table_id, number)",
    "CREATE TABLE IF NOT EXISTS move_codes (code TEXT PRIMARY KEY, table_id TEXT NOT NULL,"
    " place BIGINT NOT NULL, taken BIGINT NOT NULL, until BIGINT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS move_codes_by_end ON move_codes (until)",
    "CREATE TABLE IF NOT EXISTS claims (table_id TEXT PRIMARY KEY, decision BIGINT NOT NULL,"
    " process TEXT NOT NULL, until BIGINT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS claims_by_end ON claims (until)",
    "CREATE TABLE IF NOT EXISTS here (table_id TEXT NOT NULL, place BIGINT NOT NULL,"
    " process TEXT NOT NULL, until BIGINT NOT NULL, UNIQUE (table_id, place, process))",
    "CREATE INDEX IF NOT EXISTS here_by_end ON here (until)",
    # When a server last ran, and times in which none did, or which a clock skipped.
    "CREATE TABLE IF NOT EXISTS clock (id BIGINT PRIMARY KEY, at BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS health (id BIGINT PRIMARY KEY, at BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS clock_gaps (ended BIGINT PRIMARY KEY, length BIGINT NOT NULL)",
)
ROWS: Final = 500  # in one statement
SLICE: Final = 256  # entries that are read at a time
PURGED: Final = 100  # tables, or matches, in one transaction
DAY: Final = 86_400_000
SOON: Final = 60_000  # milliseconds: what is to end later than that was written by another clock
TABLES: Final = ("log", "tables", "matches", "played")  # what a backup holds

Statement = tuple[str, Sequence[Any]]
Rows = list[Sequence[Any]]
LogRow = tuple[str, int, str]  # the table, the number of an entry, and the entry


class Database(Protocol):
    """Runs statements with numbered parameters (`?1`)."""

    shared: bool  # whether other processes use it too

    @property
    def steady(self) -> float:
        """Seconds for which this process has known the clock to go on without a jump."""
        ...

    def now(self) -> int:
        """The time in milliseconds, the same for all who use the database."""
        ...

    async def write(self, statements: Sequence[Statement]) -> Rows | None:
        """All in one transaction, durable when this returns; gives the rows of the last one, or
        None, with nothing done, where something unique is there already."""
        ...

    async def append(self, rows: Sequence[LogRow]) -> bool:
        """Add rows to the log, all or none: durable when this returns True; False where an entry of
        such a number is there already."""
        ...

    async def read(self, statement: str, *values: Any) -> Rows: ...

    async def notify(self, table: str, what: str) -> None:
        """Tell other processes that there is news of a table: "log" or "here"."""
        ...

    async def mend(self) -> None:
        """Asked for now and then: put right what may have come loose meanwhile."""
        ...

    async def close(self) -> None: ...


class Seeds:
    """The server's seeds of a table, by attempt: made of the table's secret, never in its log."""

    def __init__(self, secret: str) -> None:
        self._secret = bytes.fromhex(secret)

    def __getitem__(self, attempt: int) -> str:
        return self._made(b"seed %d" % attempt).hex()

    def _made(self, what: bytes) -> bytes:
        return hmac.digest(self._secret, b"penultima " + what, hashlib.sha256)

    def luck(self, decision: int) -> int:
        """What a bot's chance goes by in a decision."""
        return int.from_bytes(self._made(b"bot %d" % decision)[:7], "little")

    __iter__: ClassVar[None] = None  # there is one for every attempt: they have no end


@dataclass(frozen=True)
class Finished:
    """A match whose record can be fetched, and by whom: players by the hash of their token."""

    number: int
    ended: int
    record: str
    players: Mapping[str, PastMatch]


@dataclass(frozen=True)
class MovableSeat:
    """What a move code is good for: a place while whoever asked for the code has it. `taken` is
    the entry with which they took it."""

    table: str
    place: int
    taken: int


@dataclass(frozen=True)
class Append:
    """Entries that follow on entry `after` of a table, and what they change outside the log."""

    table: str
    after: int
    entries: Sequence[Entry]
    finished: Sequence[Finished] = field(default_factory=tuple)


@dataclass(frozen=True)
class Opening:
    """A new table: its first entries, and the secret that its seeds are made of."""

    entries: Sequence[Entry]
    summary: TableSummary
    secret: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the log of a table comes to up to an entry, by a version of ours."""

    table: str
    seq: int
    version: str
    digest: str
    state: bytes


class Store:
    """The tables of a server, in a database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.shared = database.shared
        self.now = database.now
        self._process = secrets.token_hex(8)

    async def open(self, new: Opening) -> bool:
        """Write a new table, unless its id is taken."""
        sql = (
            "INSERT INTO tables (id, updated, stage, public, summary, secret)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        )
        row = _row(new.summary, new.entries[-1].at)
        lines = add_to_log(log_rows(new.summary.table, 0, new.entries))
        return await self.database.write([(sql, (*row, new.secret)), lines]) is not None

    async def append(self, new: Append) -> bool:
        """Write entries, unless others were written in their place."""
        rows = log_rows(new.table, new.after, new.entries)
        if new.finished:
            done = await self.database.write([add_to_log(rows), *_kept(new)]) is not None
        else:
            done = await self.database.append(rows)
        if done:
            await self.database.notify(new.table, "log")
        return done

    async def describe(self, summary: TableSummary, at: int) -> None:
        """Keep what can be found of a table without reading its log."""
        sql = "UPDATE tables SET updated = ?2, stage = ?3, public = ?4, summary = ?5 WHERE id = ?1"
        await self.database.write([(sql, _row(summary, at))])

    async def entries(self, table: str, after: int = 0) -> list[Entry]:
        """The log of a table from an entry on."""
        return [entry async for entries in self.slices(table, after) for entry in entries]

    async def slices(self, table: str, after: int = 0) -> AsyncIterator[list[Entry]]:
        """The same, so few at a time that nobody else has to wait for long."""
        sql = "SELECT entry FROM log WHERE table_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3"
        while rows := await self.database.read(sql, table, after, SLICE):
            yield [read(row[0].encode()) for row in rows]
            after += len(rows)
            if len(rows) < SLICE:
                return

    async def ends(self, table: str, seq: int) -> list[Entry]:
        """The first entry of a table, and that of a number, as far as there are."""
        sql = "SELECT entry FROM log WHERE table_id = ?1 AND seq IN (1, ?2) ORDER BY seq"
        return [read(row[0].encode()) for row in await self.database.read(sql, table, seq)]

    async def find(self, table: str) -> tuple[Seeds, Snapshot | None] | None:
        """A table's seeds, and its snapshot if there is one."""
        sql = (
            "SELECT secret, seq, version, digest, state FROM tables"
            " LEFT JOIN snapshots ON table_id = id WHERE id = ?1"
        )
        rows = await self.database.read(sql, table)
        if not rows:
            return None
        secret, seq, version, digest, state = rows[0]
        if not (isinstance(seq, int) and isinstance(state, bytes)):
            return Seeds(secret), None
        return Seeds(secret), Snapshot(table, seq, version, digest, state)

    async def keep(self, new: Snapshot) -> None:
        """Keep a snapshot instead of the one before."""
        sql = (
            "INSERT INTO snapshots (table_id, seq, version, digest, state)"
            " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (table_id) DO UPDATE"
            " SET seq = ?2, version = ?3, digest = ?4, state = ?5"
        )
        values = (new.table, new.seq, new.version, new.digest, new.state)
        await self.database.write([(sql, values)])

    async def summary(self, table: str) -> TableSummary | None:
        rows = await self.database.read("SELECT summary FROM tables WHERE id = ?1", table)
        return _summary(rows[0]) if rows else None

    async def lobby(self, most: int = 50) -> list[TableSummary]:
        """Public tables that are open, the newest first."""
        sql = (
            "SELECT summary FROM tables WHERE public = 1 AND stage <> 'closed'"
            " ORDER BY updated DESC LIMIT ?1"
        )
        return [_summary(row) for row in await self.database.read(sql, most)]

    async def tables(self, most: int = 1000) -> list[TableSummary]:
        """All tables, the newest first."""
        sql = "SELECT summary FROM tables ORDER BY updated DESC LIMIT ?1"
        return [_summary(row) for row in await self.database.read(sql, most)]

    async def count(self) -> int:
        """How many tables are open."""
        sql = "SELECT COUNT(*) FROM tables WHERE stage <> 'closed' AND public >= 0"  # an index
        rows = await self.database.read(sql)
        return int(rows[0][0])

    async def touch(self) -> None:
        """Write something that nobody needs, to see whether it can be done."""
        sql = "INSERT INTO health VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET at = ?1"
        await self.database.write([(sql, (self.now(),))])

    async def idle(self, before: int) -> list[str]:
        """Open tables at which nothing has happened, and nobody has been, since a time."""
        sql = (
            "SELECT id FROM tables WHERE stage <> 'closed' AND updated < ?1 AND NOT EXISTS"
            " (SELECT 1 FROM here WHERE table_id = id AND until >= ?1)"
        )
        return [row[0] for row in await self.database.read(sql, before)]

    async def horizon(self, now: int, keep: int) -> int:
        """The time before which nothing need be kept. Only time in which a server ran counts: a
        clock that is set ahead removes nothing. To be asked now and then."""
        await self.database.write(
            [
                ("DELETE FROM clock_gaps WHERE ended > ?1", (now,)),  # it was set back again
                (
                    "INSERT INTO clock_gaps SELECT CAST(?1 AS BIGINT), ?1 - at FROM clock"
                    " WHERE id = 1 AND at < ?2 ON CONFLICT DO NOTHING",
                    (now, now - DAY),
                ),
                (
                    "INSERT INTO clock VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET at = ?1",
                    (now,),
                ),
            ]
        )
        before = now - keep
        sql = "SELECT ended, length FROM clock_gaps ORDER BY ended DESC"
        for ended, length in await self.database.read(sql):
            if ended < before:
                break
            before -= length
        return before

    async def forget_before(self, before: int) -> None:
        """Remove what closed tables and records from before a time have left; of many some, so
        that nobody waits long."""
        closed = (
            "SELECT id FROM tables WHERE stage = 'closed' AND updated < ?1"
            f" ORDER BY updated, id LIMIT {PURGED}"
        )
        ended = (
            "SELECT table_id, number FROM matches WHERE ended < ?1"
            f" ORDER BY ended, table_id, number LIMIT {PURGED}"
        )
        await self.database.write(
            [
                (f"DELETE FROM log WHERE table_id IN ({closed})", (before,)),
                (f"DELETE FROM snapshots WHERE table_id IN ({closed})", (before,)),
                (f"DELETE FROM tables WHERE id IN ({closed})", (before,)),
                (f"DELETE FROM played WHERE (table_id, number) IN ({ended})", (before,)),
                (f"DELETE FROM matches WHERE (table_id, number) IN ({ended})", (before,)),
                ("DELETE FROM move_codes WHERE until < ?1", (before,)),
                ("DELETE FROM claims WHERE until < ?1", (before,)),
                ("DELETE FROM here WHERE until < ?1", (before,)),
            ]
        )

    # Records and who may see them

    async def record(self, table: str, number: int, token: str) -> str | None:
        """The record of a match, for one of its players."""
        sql = (
            "SELECT record FROM matches JOIN played USING (table_id, number)"
            " WHERE table_id = ?1 AND number = ?2 AND token = ?3"
        )
        rows = await self.database.read(sql, table, number, token)
        return str(rows[0][0]) if rows else None

    async def records(self, table: str) -> list[str]:
        """All records of a table, for whoever runs the server."""
        sql = "SELECT record FROM matches WHERE table_id = ?1 ORDER BY number"
        return [row[0] for row in await self.database.read(sql, table)]

    async def history(self, token: str, most: int = 500) -> list[PastMatch]:
        """A person's matches, the last one first."""
        sql = (
            "SELECT summary FROM played JOIN matches USING (table_id, number)"
            " WHERE token = ?1 ORDER BY ended DESC LIMIT ?2"
        )
        rows = await self.database.read(sql, token, most)
        return [msgspec.json.decode(row[0], type=PastMatch) for row in rows]

    async def forget(self, token: str) -> None:
        """Forget a person's matches; a record that nobody may fetch any more goes too. A few at a
        time, so that others get in between."""
        own = (
            "SELECT table_id, number FROM played WHERE token = ?1"
            f" ORDER BY table_id, number LIMIT {PURGED}"
        )
        orphans = (
            f"DELETE FROM matches WHERE (table_id, number) IN ({own}) AND NOT EXISTS"
            " (SELECT 1 FROM played WHERE played.table_id = matches.table_id"
            " AND played.number = matches.number AND token <> ?1)"
        )
        delete = (
            f"DELETE FROM played WHERE token = ?1 AND (table_id, number) IN ({own})"
            " RETURNING number"
        )
        while await self.database.write([(orphans, (token,)), (delete, (token,))]):
            pass

    # Codes, claims and presence

    async def put_code(self, code: str, seat: MovableSeat, until: int) -> None:
        sql = "INSERT INTO move_codes VALUES (?1, ?2, ?3, ?4, ?5)"
        await self.database.write([(sql, (code, seat.table, seat.place, seat.taken, until))])

    async def take_code(self, code: str, at: int) -> MovableSeat | None:
        """What a code moves; it is good for once."""
        sql = (
            "DELETE FROM move_codes WHERE code = ?1 AND until >= ?2"
            " RETURNING table_id, place, taken"
        )
        rows = await self.database.write([(sql, (code, at))])
        return MovableSeat(*rows[0]) if rows else None

    async def claim(self, table: str, decision: int, at: int, until: int) -> bool:
        """Whether this process is to think about a decision: nobody else's claim still holds."""
        sql = (
            "INSERT INTO claims VALUES (?1, ?2, ?5, ?4) ON CONFLICT (table_id) DO UPDATE"
            " SET decision = ?2, process = ?5, until = ?4"
            " WHERE claims.decision <> ?2 OR claims.until < ?3 OR claims.until > ?6"
            " OR claims.process = ?5 RETURNING decision"
        )
        values = (table, decision, at, until, self._process, until + SOON)
        return bool(await self.database.write([(sql, values)]))

    async def be_here(self, places: Sequence[tuple[str, int]], until: int) -> None:
        """These people are connected to this process."""
        for first in range(0, len(places), ROWS):
            values: list[Any] = [self._process, until]
            rows = []
            for table, place in places[first : first + ROWS]:
                values += [table, place]
                rows.append(f"(?{len(values) - 1}, ?{len(values)}, ?1, ?2)")
            sql = (
                f"INSERT INTO here VALUES {', '.join(rows)}"
                " ON CONFLICT (table_id, place, process) DO UPDATE SET until = ?2"
            )
            await self.database.write([(sql, values)])

    async def be_gone(self, table: str, places: Collection[int]) -> None:
        """These people are connected to this process no longer."""
        sql = "DELETE FROM here WHERE table_id = ?1 AND place = ?2 AND process = ?3"
        await self.database.write([(sql, (table, place, self._process)) for place in places])

    async def who_is_elsewhere(self, table: str, at: int) -> set[int]:
        """Who is connected to another process."""
        sql = (
            "SELECT place FROM here WHERE table_id = ?1 AND until >= ?2 AND until < ?4"
            " AND process <> ?3"
        )
        rows = await self.database.read(sql, table, at, self._process, at + SOON)
        return {row[0] for row in rows}

    # Backups

    async def dump(self) -> dict[str, list[list[Any]]]:
        """Everything worth keeping, table by table."""
        return {
            name: [list(row) for row in await self.database.read(f"SELECT * FROM {name}")]
            for name in TABLES
        }

    async def restore(self, dumped: Mapping[str, Sequence[Sequence[Any]]]) -> bool:
        """Put a dump into an empty database; False, with nothing done, where it is not empty."""
        statements: list[Statement] = []
        for name in TABLES:
            for row in dumped[name]:
                numbers = ", ".join(f"?{n}" for n in range(1, len(row) + 1))
                statements.append((f"INSERT INTO {name} VALUES ({numbers})", row))
        return await self.database.write(statements) is not None

    async def close(self) -> None:
        await self.database.close()


def log_rows(table: str, after: int, entries: Sequence[Entry]) -> list[LogRow]:
    """Entries that follow on a number, as they are kept."""
    return [(table, seq, write(entry).decode()) for seq, entry in enumerate(entries, after + 1)]


def add_to_log(rows: Sequence[LogRow]) -> Statement:
    """One statement for any rows, which does all or nothing."""
    places = (f"(?{n}, ?{n + 1}, ?{n + 2})" for n in range(1, 3 * len(rows), 3))
    values = [value for row in rows for value in row]
    return f"INSERT INTO log (table_id, seq, entry) VALUES {', '.join(places)}", values


def _kept(new: Append) -> Iterator[Statement]:
    """What is kept of the matches that entries bring to their end."""
    for match in new.finished:
        values: tuple[Any, ...] = (new.table, match.number, match.ended, match.record)
        yield "INSERT INTO matches VALUES (?1, ?2, ?3, ?4)", values
        for token, past in match.players.items():
            values = (token, new.table, match.number, msgspec.json.encode(past).decode())
            yield "INSERT INTO played VALUES (?1, ?2, ?3, ?4)", values


def _row(summary: TableSummary, at: int) -> tuple[str, int, str, int, str]:
    text = msgspec.json.encode(summary).decode()
    return summary.table, at, summary.stage, int(summary.public), text


def _summary(row: Sequence[Any]) -> TableSummary:
    return msgspec.json.decode(row[0], type=TableSummary)


def hashed(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(b"penultima token\0" + token.encode()).hexdigest()
