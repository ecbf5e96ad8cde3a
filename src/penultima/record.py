"""The match record (`.pen`): a readable text from which a whole match can be played again.

It holds the versions, the whole resolved ruleset with its hash, the seats, the key of chance (with
the seeds it was made of, where people dealt together), and every action round by round with a
digest of the state at each round's end.
"""

import json
import re
import textwrap
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from penultima.errors import PositionError, RecordError, RulesetError, Unreadable
from penultima.fair import WORDS, FairDeal, read_lines
from penultima.graphemes import JOINER, cut, joins
from penultima.keys import read_key, write_key
from penultima.notation import move_text, read_move
from penultima.ruleset import Sheet

FORMAT: Final = 1
RULES: Final = 3  # goes up whenever a golden digest changes
LINE: Final = 96
MOST_BYTES: Final = 64 * 1024 * 1024
NAME_LENGTH: Final = 40
NAMELESS: Final = "?"  # what is left of a name that shows nothing
MOST_MARKS: Final = 2  # over one letter: more would cover other people's lines
BLANK: Final = "\u115f\u1160\u2800\u3164\uffa0"  # letters and signs that show nothing
_DIGEST: Final = re.compile("[0-9a-f]{64}")


@dataclass(slots=True)
class Round:
    """The actions of a round, and the digest of the state after the last of them."""

    moves: list[tuple[int, int]] = field(default_factory=list)
    digest: str = ""
    ended: bool = False


@dataclass(slots=True)
class Record:
    sheet: Sheet
    names: list[str]
    key: list[int]
    rounds: list[Round]
    rules: int = RULES
    fair: FairDeal | None = None

    def to_text(self) -> str:
        """The file as text; `Record.from_text` reads it back.

        A round that is not over yet ends in `state` instead of `end`.
        """
        lines = [
            f"penultima {FORMAT}",
            f"rules {self.rules}",
            f"ruleset {self.sheet.hash}",
            self.sheet.canonical,
            f"key {write_key(self.key)}",
        ]
        if self.fair:
            lines += self.fair.lines()
        lines += [f"seat {seat} {name}" for seat, name in enumerate(self.names)]
        for number, played in enumerate(self.rounds, 1):
            lines.append(f"round {number}")
            moves = " ".join(move_text(self.sheet, *move) for move in played.moves)
            lines += textwrap.wrap(moves, LINE, break_long_words=False, break_on_hyphens=False)
            lines.append(f"{'end' if played.ended else 'state'} {played.digest}")
        return "\n".join(lines) + "\n"

    @classmethod
    def from_text(cls, text: str) -> "Record":
        if len(text) > MOST_BYTES:
            raise RecordError("too_long", bytes=MOST_BYTES)
        return _Reader(text).record()


def clean_name(name: str) -> str:
    """A player's name fit for one line: printable, trimmed, bounded.

    >>> clean_name(" Ana\\n👩\u200d👩\u200d👧 ")
    'Ana 👩\u200d👩\u200d👧'
    """
    kept, marks = "", 0
    for char in filter(_may_show, name):
        marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= MOST_MARKS:
            kept += char
    kept = "".join(c for at, c in enumerate(kept) if c != JOINER or joins(kept, at))
    return cut(" ".join(kept.split()), NAME_LENGTH).strip() or NAMELESS


def _may_show(char: str) -> bool:
    return (char.isprintable() and char not in BLANK) or char.isspace() or char == JOINER


class _Reader:
    """Goes through the lines; every error names the one it stands in."""

    def __init__(self, text: str) -> None:
        self.lines: Iterator[tuple[int, str]] = enumerate(text.split("\n"), 1)
        self.at = 0
        self.line = ""

    def record(self) -> Record:
        self._next()
        if self._number("penultima") != FORMAT:
            raise RecordError("format", line=self.at, have=FORMAT, need=self.line[:40])
        self._next()
        rules = self._number("rules")
        if rules != RULES:
            raise RecordError("rules", have=RULES, need=rules)
        sheet = self._sheet()
        self._next()
        key = self._key()
        self._next()
        fair = self._fair()
        names = self._names()
        try:
            sheet.check_seats(len(names))
        except RulesetError as error:
            raise RecordError("ruleset", line=self.at, problem=error) from error
        return Record(sheet, names, key, self._rounds(sheet), rules, fair)

    def _next(self) -> None:
        self.at, self.line = next(self.lines, (self.at + 1, ""))

    def _value(self, word: str) -> str:
        head, _, value = self.line.partition(" ")
        if head != word or not value:
            raise RecordError("expected", line=self.at, word=word, found=self.line[:40])
        return value

    def _number(self, word: str) -> int:
        value = self._value(word)
        if not re.fullmatch("[0-9]{1,6}", value):
            raise RecordError("expected", line=self.at, word=word, found=self.line[:40])
        return int(value)

    def _digest(self, word: str) -> str:
        value = self._value(word)
        if not _DIGEST.fullmatch(value):
            raise RecordError("digest_form", line=self.at)
        return value

    def _sheet(self) -> Sheet:
        self._next()
        want = self._digest("ruleset")
        self._next()
        try:
            sheet = Sheet.from_json(json.loads(self.line))
        except (ValueError, RecursionError) as error:
            raise RecordError("ruleset_json", line=self.at) from error
        except RulesetError as error:
            raise RecordError("ruleset", line=self.at, problem=error) from error
        if sheet.canonical != self.line or sheet.hash != want:
            raise RecordError("ruleset_hash", line=self.at)
        return sheet

    def _key(self) -> list[int]:
        try:
            key = read_key(self._value("key"))
        except PositionError as error:
            raise RecordError("key", line=self.at) from error
        if f"key {write_key(key)}" != self.line:
            raise RecordError("key", line=self.at)
        return key

    def _fair(self) -> FairDeal | None:
        first, lines = self.at, []
        while self.line.partition(" ")[0] in WORDS:
            lines.append(self.line)
            self._next()
        return read_lines(lines, first) if lines else None

    def _names(self) -> list[str]:
        names: list[str] = []
        while self.line.startswith("seat "):
            head, _, name = self._value("seat").partition(" ")
            if head != str(len(names)) or name != clean_name(name):
                raise RecordError("seat", line=self.at, seat=len(names))
            names.append(name)
            self._next()
        return names

    def _rounds(self, sheet: Sheet) -> list[Round]:
        rounds: list[Round] = []
        while self.line:
            if rounds and not rounds[-1].ended:
                raise RecordError("after_state", line=self.at)
            if self._number("round") != len(rounds) + 1:
                raise RecordError("round_number", line=self.at, want=len(rounds) + 1)
            rounds.append(self._round(sheet))
            self._next()
        if not rounds:
            raise RecordError("expected", line=self.at, word="round", found="")
        for at, line in self.lines:
            if line:
                raise RecordError("after_end", line=at)
        return rounds

    def _round(self, sheet: Sheet) -> Round:
        played = Round()
        self._next()
        while not self.line.startswith(("end ", "state ")):
            if not self.line:
                raise RecordError("cut_off", line=self.at)
            try:
                played.moves += [read_move(sheet, text) for text in self.line.split(" ")]
            except Unreadable as error:
                raise RecordError("move", line=self.at, problem=error) from error
            self._next()
        played.ended = self.line.startswith("end ")
        played.digest = self._digest("end" if played.ended else "state")
        return played
