"""What a client keeps of the fair deal: the promises of every attempt, as they were first seen.

A server that changes a promise after it has seen the seeds can choose the deal. So each client
keeps every promise when it first sees it, shows its own seed only when all promises are there, its
own among them, and plays no further where one of them is missing or another than before. What it
has kept is its receipt: whoever has one can hold a record against it.
"""

import contextlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from penultima import fair
from penultima.errors import Giver, RecordError, Unfair, Unreadable, short
from penultima.fair import SERVER, FairDeal
from penultima.folder import data_folder
from penultima.game import Match, replayed
from penultima.notation import cards_text
from penultima.record import Record

FORMAT: Final = "penultima receipt 1"
MOST_ATTEMPTS: Final = 60  # of a table
MOST_FILES: Final = 500
DEALT: Final = ("playing", "between", "over")  # stages of a table after a deal
_WHO: Final = re.compile("server|[0-9]")
_HEX: Final = re.compile("[0-9a-f]{64}")


class Attempt(msgspec.Struct):
    """What was seen of one attempt to deal."""

    attempt: int
    matches: int = 0  # that were over at the table before it
    seed: str | None = None  # our own
    given: bool = False  # the server has taken our promise
    promises: dict[str, str] = {}
    complete: bool = False  # nobody may promise any more
    reveals: dict[str, str] = {}
    dealt: bool = False
    over: bool = False  # the match that was dealt
    hands: dict[str, list[str]] = {}  # our own after each deal, by round


class Receipt(msgspec.Struct):
    """What a seat of a table has kept, attempt by attempt."""

    table: str
    seat: int
    server: str = ""
    attempts: list[Attempt] = []
    format: str = FORMAT

    @property
    def last(self) -> Attempt:
        return self.attempts[-1]

    @property
    def own(self) -> str:
        return str(self.seat)

    @property
    def promise(self) -> str | None:
        """The commitment to our own seed of the last attempt."""
        if self.last.seed is None:
            return None
        seed = bytes.fromhex(self.last.seed)
        return fair.commitment(self.table, self.last.attempt, self.own, seed)

    @property
    def own_is_in(self) -> bool:
        """Whether our own promise is among those of the last attempt, as we gave it."""
        return self.last.seed is not None and self.last.promises.get(self.own) == self.promise

    @property
    def code(self) -> str | None:
        """What players compare, once there is a deal."""
        if not self.attempts or not self.last.dealt:
            return None
        shown = {who: seed for who, seed in self.last.reveals.items() if who != SERVER}
        return fair.code(self.table, self.last.attempt, self.last.promises, shown)

    def see(
        self,
        stage: str,
        attempt: int,
        promises: Mapping[str, str],
        reveals: Mapping[str, str],
        matches: int,
    ) -> bool:
        """Keep what a table shows; whether anything is new. Raises `Unfair` where it is not what
        was shown before, or not what was promised."""
        if attempt < 1 and not self.attempts:
            return False
        before = msgspec.json.encode(self.attempts[-1:])
        self._reach(attempt, matches - (SERVER in reveals))
        _well_formed(promises, reveals)
        self._see_promises(stage, promises)
        self._see_reveals(promises, reveals)
        if stage in DEALT:
            for who in fair.people(promises.keys() - reveals.keys()):
                raise Unfair("dealt_without", who=_giver(who))
            self.last.dealt = True
            self.last.over = self.last.over or stage == "over"
        return msgspec.json.encode(self.attempts[-1:]) != before

    def _reach(self, attempt: int, matches: int) -> None:
        last = self.attempts[-1] if self.attempts else None
        if last is not None and attempt < last.attempt:
            raise Unfair("attempt_back", attempt=attempt)
        if last is not None and attempt > last.attempt and matches == last.matches:
            owed = last.promises.keys() - last.reveals.keys() - {SERVER}
            if not last.over and (last.dealt or (last.complete and not owed)):
                raise Unfair("dealt_again", attempt=last.attempt)
        if last is None or attempt > last.attempt:
            self.attempts = [*self.attempts, Attempt(attempt, matches)][-MOST_ATTEMPTS:]

    def _see_promises(self, stage: str, promises: Mapping[str, str]) -> None:
        kept = self.last
        for who in (SERVER, *fair.people(kept.promises)):
            if who not in promises:
                raise Unfair("promise_missing", who=_giver(who))
            if promises[who] != kept.promises.get(who, promises[who]):
                raise Unfair("promise_changed", who=_giver(who))
        if kept.complete:
            for who in fair.people(promises.keys() - kept.promises.keys()):
                raise Unfair("promise_added", who=_giver(who))
        kept.promises = dict(promises)
        kept.complete = kept.complete or stage == "revealing" or stage in DEALT
        if kept.given:
            self._own_must_be_in()

    def _see_reveals(self, promises: Mapping[str, str], reveals: Mapping[str, str]) -> None:
        kept = self.last
        for who in kept.reveals.keys() - reveals.keys():
            raise Unfair("seed_missing", who=_giver(who))
        for who, seed in reveals.items():
            promise = promises.get(who)
            if not fair.keeps(self.table, kept.attempt, who, seed, promise):
                raise Unfair("seed_changed", who=_giver(who))
        kept.reveals = dict(reveals)

    def make_seed(self) -> None:
        """Choose our own seed for the last attempt."""
        if self.last.seed is None:
            self.last.seed = fair.new_seed().hex()

    def taken(self, refused: bool) -> None:
        """The server has answered our promise. It may be too late, or another window of ours first:
        then nothing follows from it."""
        if not refused:
            self.last.given = True
            self._own_must_be_in()

    def _own_must_be_in(self) -> None:
        if self.own not in self.last.promises:
            raise Unfair("promise_missing", who=_giver(self.own))
        if not self.own_is_in:
            raise Unfair("promise_changed", who=_giver(self.own))

    def dealt(self, round_: int, hand: Iterable[str]) -> None:
        """Keep the hand that a round began with."""
        self.last.hands = {**self.last.hands, str(round_): list(hand)}

    # Holding a record against it

    def check(self, record: Record) -> Match:
        """Play a record again, and raise `RecordError` where it differs from what was kept."""
        if record.fair is None:
            raise RecordError("receipt_no_deal")
        kept = self._compare(record.fair)
        for step in replayed(record):
            hand = kept.hands.get(str(step.round)) if step.action is None else None
            if hand is not None:
                dealt = cards_text(step.match.sheet, step.match.game.hands[self.seat])
                if sorted(dealt) != sorted(hand):
                    raise RecordError("receipt_hand", round=step.round)
            match = step.match
        return match

    def _compare(self, deal: FairDeal) -> Attempt:
        known = {one.attempt: one for one in self.attempts}
        kept = known.get(deal.attempt)
        if self.table != deal.table or kept is None:
            raise RecordError("receipt_other", table=deal.table, attempt=deal.attempt)
        shown = {one.attempt: (one.commitments, one.seeds) for one in deal.given_up}
        shown[deal.attempt] = deal.commitments, deal.seeds
        for number, one in known.items():
            if number in shown:
                _same(one, *shown[number])
            elif deal.lists_attempts and one.matches == kept.matches and number < deal.attempt:
                raise RecordError("receipt_unlisted", attempt=number)
        return kept


def _giver(who: str) -> Giver:
    return Giver("server") if who == SERVER else Giver("seat", number=int(who) + 1)


def _same(kept: Attempt, promises: Mapping[str, str], seeds: Mapping[str, str]) -> None:
    """Raise `RecordError` unless a record shows an attempt as it was seen."""
    seen = kept.promises.keys() | (promises.keys() if kept.complete else set())
    for who in sorted(seen):
        if kept.promises.get(who) != promises.get(who):
            raise RecordError("receipt_promise", who=who, attempt=kept.attempt)
    for who, seed in kept.reveals.items():
        if seeds.get(who) != seed:
            raise RecordError("receipt_seed", who=who, attempt=kept.attempt)


def _well_formed(promises: Mapping[str, str], reveals: Mapping[str, str]) -> None:
    for who, text in (*promises.items(), *reveals.items()):
        if not (_WHO.fullmatch(who) and _HEX.fullmatch(text)):
            raise Unfair("malformed", who=short(who))


def read(data: bytes, name: str) -> Receipt:
    """A receipt as a client has kept or exported it."""
    try:
        found = msgspec.json.decode(data, type=Receipt)
        if found.format != FORMAT:
            raise Unreadable("receipt", file=name, reason=short(found.format))
        for one in found.attempts:
            _well_formed(one.promises, one.reveals)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable("receipt", file=name, reason=short(str(error), 120)) from error
    except Unfair as error:
        raise Unreadable("receipt", file=name, reason=short(str(error), 120)) from error
    return found


def write(receipt: Receipt) -> bytes:
    return msgspec.json.format(msgspec.json.encode(receipt)) + b"\n"


class Receipts:
    """Where a client keeps its receipts: in its memory only."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, int], Receipt] = {}

    def find(self, server: str, table: str, seat: int) -> Receipt:
        """The receipt of a seat, or a new one."""
        new = Receipt(table, seat, server)
        return self._kept.setdefault((server, table, seat), new)

    def keep(self, receipt: Receipt) -> None:
        """Have it still when this program starts again."""


class ReceiptFolder(Receipts):
    """A folder with a file for each seat that was ever taken."""

    def __init__(self, folder: Path | None = None) -> None:
        super().__init__()
        self.folder = data_folder() / "receipts" if folder is None else folder

    def path(self, server: str, table: str, seat: int) -> Path:
        place = re.sub("[^A-Za-z0-9.-]+", "_", server)[-80:]
        return self.folder / place / f"{re.sub('[^A-Za-z0-9_-]', '_', table)[:40]}-{seat}.json"

    def find(self, server: str, table: str, seat: int) -> Receipt:
        path = self.path(server, table, seat)
        try:
            return read(path.read_bytes(), str(path))
        except FileNotFoundError:
            return Receipt(table, seat, server)

    def keep(self, receipt: Receipt) -> None:
        """All of it or nothing, and on the disk when this returns."""
        path = self.path(receipt.server, receipt.table, receipt.seat)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            self._make_room()
        aside = path.with_name(f".{path.name}.{os.getpid()}")
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as out:
            out.write(write(receipt))
            out.flush()
            os.fsync(out.fileno())
        aside.replace(path)

    def of_table(self, table: str) -> list[Path]:
        """The receipts that were kept at tables of that name, on whatever server."""
        if not re.fullmatch("[A-Za-z0-9_-]{1,40}", table):
            return []
        return sorted(self.folder.glob(f"*/{table}-[0-9].json"))

    def _make_room(self) -> None:
        found = sorted(self.folder.glob("*/*.json"), key=lambda path: path.stat().st_mtime_ns)
        for path in found[: -MOST_FILES + 1]:
            with contextlib.suppress(OSError):
                path.unlink()
