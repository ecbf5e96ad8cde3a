"""Matches kept on this machine: each a record, beside it who sits where while it is not over."""

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from penultima.edition import SHIPPED, Edition, load, nameless
from penultima.errors import EditionError, SaveError, Unreadable, short
from penultima.event import Event
from penultima.folder import data_folder
from penultima.game import Match, replayed
from penultima.record import MOST_BYTES, Record
from penultima.ruleset import Sheet
from penultima.system import reason
from penultima.tui.seat import points_of


def folder() -> Path:
    return data_folder() / "matches"


def fresh(edition: str) -> Path:
    """Where a new match is kept: a file that is not there yet."""
    begun = f"{datetime.now():%Y-%m-%d-%H%M%S}"
    names = (f"{begun}-{edition}{more}.pen" for more in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(path for name in names if not (path := folder() / name).exists())


@dataclass(frozen=True)
class Keeper:
    """Writes a match to a file after every step; what is there is always a whole record."""

    path: Path
    edition: str
    bots: Mapping[int, str]

    @property
    def _seats(self) -> Path:
        return _seats_of(self.path)

    def __call__(self, match: Match) -> None:
        over = match.over == "match"
        _write(self.path, match.record().to_text())
        if over or not self._seats.exists():
            seats = Seats(self.edition, dict(self.bots), over)
            _write(self._seats, msgspec.json.encode(seats).decode() + "\n")


@dataclass(frozen=True)
class Saved:
    """A match to go on with: its table, and the story of the round so far."""

    path: Path
    edition: Edition
    match: Match
    bots: dict[int, str] | None  # None: nobody has written it down
    story: list[Event]
    rounds: list[list[int]]


def latest() -> Path:
    """The match that was played last and is not over."""
    kept = sorted(folder().glob("*.pen"), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in kept:
        seats = _read_seats(path)
        if seats is not None and not seats.over:
            return path
    raise SaveError("nothing", folder=str(folder()))


def newest() -> Path:
    """The match that was played last, over or not."""
    found = list(folder().glob("*.pen"))
    if not found:
        raise SaveError("none", folder=str(folder()))
    return max(found, key=lambda path: path.stat().st_mtime_ns)


def source_of(path: Path) -> str | None:
    """The edition that a kept match was begun with, where that is known."""
    seats = _read_seats(path)
    return None if seats is None else seats.edition


def resume(path: Path) -> Saved:
    record = read_record(path)
    story: list[Event] = []
    rounds: list[list[int]] = []
    for step in replayed(record):
        if step.action is None:
            story = []
        story += step.events
        if step.match.over is not None:
            rounds.append(points_of(step.match.game.scores[: len(record.names)], rounds))
    match = step.match
    if match.over == "match":
        raise SaveError("over", file=str(path))
    seats = _read_seats(path)
    edition = edition_of(record.sheet, None if seats is None else seats.edition)
    return Saved(path, edition, match, None if seats is None else seats.bots, story, rounds)


def read_record(path: Path) -> Record:
    try:
        with path.open("rb") as file:
            return Record.from_text(file.read(MOST_BYTES + 1).decode("utf-8-sig"))
    except (OSError, UnicodeEncodeError) as error:
        raise Unreadable("no_file", file=str(path), reason=reason(error)) from error
    except UnicodeDecodeError as error:
        raise Unreadable("not_utf8", file=str(path)) from error


def edition_of(sheet: Sheet, source: str | None = None) -> Edition:
    """The names for a ruleset: of the edition it comes from if that is here, else its letters."""
    for name in (source, sheet.edition if sheet.edition in SHIPPED else None):
        if name is None:
            continue
        with contextlib.suppress(EditionError):
            edition = load(name)
            if fits(sheet, edition):
                return Edition(edition.file, sheet, edition.source)
    return nameless(sheet)


def fits(sheet: Sheet, edition: Edition) -> bool:
    """Whether an edition has the cards of a ruleset."""
    return (edition.sheet.faces, edition.sheet.colors) == (sheet.faces, sheet.colors)


def _seats_of(path: Path) -> Path:
    return path.with_name(path.name + ".seats")


class Seats(msgspec.Struct, frozen=True):
    """Who sits where, and by which edition."""

    edition: str
    bots: dict[int, str]
    over: bool = False


def _read_seats(path: Path) -> Seats | None:
    try:
        return msgspec.json.decode(_seats_of(path).read_bytes(), type=Seats)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        raise SaveError("seats", file=str(_seats_of(path)), reason=short(str(error))) from error


def _write(path: Path, text: str) -> None:
    """All of it or nothing: written aside, flushed, then put in its place."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
