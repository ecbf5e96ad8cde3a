"""The fair deal: the key of a match is made of seeds that nobody knew when all had been promised.

The server and every person each choose 32 random bytes and publish a commitment to them, a hash.
When all commitments are known, all seeds are revealed, and the key is a hash of all of them. Who
could still choose a seed did not know the others; who knows the others can no longer choose. The
seed of the server is shown when the match is over: then anybody can recompute every shuffle.

    commitment = SHA-256("penultima fair deal 1 commit" 00 table 00 attempt 00 who 00 seed)
    key        = SHA-256("penultima fair deal 1 key" 00 table 00 attempt 00 server's seed,
                         then for each person in order of seats: 00 who 00 seed)
    code       = SHA-256("penultima fair deal 1 code" 00 table 00 attempt,
                         then for the server and each person: 00 who 00 commitment,
                         then for each person: 00 who 00 seed), its first 40 bits

`table`, `attempt` and `who` ("server" or the number of a seat) are ASCII, seeds and commitments are
32 bytes, and the 32 bytes of the key are its eight words, each little-endian.

Players who compare the code find out whether all of them were shown the same promises: whoever
shows them different ones has to commit to all of it before knowing a person's seed.
"""

import hashlib
import re
import secrets
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from penultima.errors import RecordError

SERVER: Final = "server"
SEED_BYTES: Final = 32
LAYOUT: Final = 2  # of a record's lines; 1 did not list the attempts that came to nothing
CODE_LETTERS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
WORDS: Final = (  # that a record's lines about the deal begin with
    *("fair", "deal", "given_up", "attempt", "commit", "reveal"),
    *("without", "alone", "code"),
)
_DOMAIN: Final = b"penultima fair deal 1 "
_HEX: Final = re.compile("[0-9a-f]{64}")
_TABLE: Final = re.compile("[0-9A-Za-z_-]{1,40}")
_ATTEMPT: Final = re.compile("[1-9][0-9]{0,5}")
_SEATS: Final = re.compile("[0-9](,[0-9])*")


def new_seed() -> bytes:
    return secrets.token_bytes(SEED_BYTES)


def _parts(what: bytes, parts: Iterable[bytes]) -> bytes:
    return hashlib.sha256(b"\0".join([_DOMAIN + what, *parts])).digest()


def commitment(table: str, attempt: int, who: str, seed: bytes) -> str:
    """What is published first.

    >>> commitment("T", 1, "server", bytes(32))[:8]
    '39744917'
    """
    return _parts(b"commit", [table.encode(), b"%d" % attempt, who.encode(), seed]).hex()


def keeps(table: str, attempt: int, who: str, seed: str, promise: str | None) -> bool:
    """Whether a seed is the one that was promised."""
    return commitment(table, attempt, who, bytes.fromhex(seed)) == promise


def people(given: Iterable[str]) -> list[str]:
    """Who gave something besides the server, in order of seats."""
    return sorted((who for who in given if who != SERVER), key=int)


def code(table: str, attempt: int, promises: Mapping[str, str], seeds: Mapping[str, str]) -> str:
    """What players compare: short, and different where they were shown different promises.

    >>> code("T", 1, {"server": "00" * 32}, {})
    'd3ch-em5v'
    """
    parts = [table.encode(), b"%d" % attempt]
    for who in (SERVER, *people(promises)):
        parts += [who.encode(), bytes.fromhex(promises.get(who, ""))]
    for who in people(seeds):
        parts += [who.encode(), bytes.fromhex(seeds[who])]
    number = int.from_bytes(_parts(b"code", parts)[:5], "big")
    text = "".join(CODE_LETTERS[number >> shift & 31] for shift in range(35, -1, -5))
    return f"{text[:4]}-{text[4:]}"


@dataclass(frozen=True)
class GivenUp:
    """An attempt that came to nothing: what was promised and shown in it, and who did not do what
    they had promised."""

    attempt: int
    commitments: dict[str, str]
    seeds: dict[str, str]
    missing: list[int]


@dataclass(frozen=True)
class FairDeal:
    """What a record shows of how its key came about: commitments and seeds by who gave them, the
    attempts before that came to nothing, and the people whose seeds did not go in."""

    table: str
    attempt: int
    commitments: dict[str, str] = field(default_factory=dict)
    seeds: dict[str, str] = field(default_factory=dict)
    given_up: list[GivenUp] = field(default_factory=list)
    without: list[int] = field(default_factory=list)
    layout: int = LAYOUT

    def key(self) -> list[int]:
        """The key of the match, as the game holds it."""
        parts = [self.table.encode(), b"%d" % self.attempt, bytes.fromhex(self.seeds[SERVER])]
        for who in self.people:
            parts += [who.encode(), bytes.fromhex(self.seeds[who])]
        return list(struct.unpack("<8i", _parts(b"key", parts)))

    @property
    def people(self) -> list[str]:
        """Who else gave a seed, in order of seats."""
        return people(self.seeds)

    @property
    def code(self) -> str:
        """What the players could compare."""
        return code(self.table, self.attempt, self.commitments, self.seeds)

    @property
    def lists_attempts(self) -> bool:
        """Whether the attempts that came to nothing are listed, if there were any."""
        return self.layout > 1

    def check(self, key: list[int]) -> None:
        """Raise `RecordError` unless every seed was promised and all of them make the key."""
        if self.seeds.keys() != self.commitments.keys() or SERVER not in self.seeds:
            raise RecordError("fair_incomplete")
        self._check_seeds(self.attempt, self.commitments, self.seeds)
        for number, one in enumerate(self.given_up, self.attempt - len(self.given_up)):
            shown = {str(seat) for seat in one.missing} & one.seeds.keys()
            whole = SERVER in one.commitments and one.seeds.keys() <= one.commitments.keys()
            if one.attempt != number or not one.missing or shown or not whole:
                raise RecordError("fair_attempt", attempt=one.attempt)
            self._check_seeds(one.attempt, one.commitments, one.seeds)
        if {str(seat) for seat in self.without} & self.seeds.keys():
            raise RecordError("fair_incomplete")
        if self.key() != key:
            raise RecordError("fair_key")

    def _check_seeds(
        self, attempt: int, commitments: Mapping[str, str], seeds: Mapping[str, str]
    ) -> None:
        for who, seed in seeds.items():
            if not keeps(self.table, attempt, who, seed, commitments[who]):
                raise RecordError("fair_commitment", who=who)

    def lines(self) -> list[str]:
        """As a record shows it."""
        if self.layout == 1:
            shown = _shown(self.commitments, self.seeds)
            return [f"deal {self.table} {self.attempt}", *shown]
        lines = [f"fair {self.layout}", f"deal {self.table} {self.attempt}"]
        for one in self.given_up:
            lines.append(f"given_up {one.attempt} {_seats(one.missing)}")
            lines += _shown(one.commitments, one.seeds)
        lines.append(f"attempt {self.attempt}")
        lines += _shown(self.commitments, self.seeds)
        if self.without:
            lines.append(f"without {_seats(self.without)}")
        if not self.people:
            lines.append("alone")
        return [*lines, f"code {self.code}"]


def _seats(seats: Iterable[int]) -> str:
    return ",".join(str(seat) for seat in seats)


def _shown(commitments: Mapping[str, str], seeds: Mapping[str, str]) -> Iterator[str]:
    for word, given in (("commit", commitments), ("reveal", seeds)):
        order = [who for who in (SERVER, *people(given)) if who in given]
        yield from (f"{word} {who} {given[who]}" for who in order)


def read_lines(lines: list[str], at: int) -> FairDeal:
    """The lines of a record about its deal, of which the first is line `at`."""
    reader = _Reader()
    for number, line in enumerate(lines, at):
        if not reader.takes(*line.split(" ")):
            raise RecordError("fair_line", line=number)
    deal = reader.deal()
    if deal is None or lines != deal.lines():
        raise RecordError("fair_line", line=at)
    return deal


class _Reader:
    """Takes the lines one after another; that nothing is left out is seen by writing them again."""

    def __init__(self) -> None:
        self._layout = 1
        self._table = ""
        self._attempt = 0
        self._given_up: list[GivenUp] = []
        self._counted = GivenUp(0, {}, {}, [])
        self._open: GivenUp | None = None  # to which promises and seeds belong
        self._without: list[int] = []

    def takes(self, word: str, *values: str) -> bool:
        match word, *values:
            case "fair", "2" if not self._table:
                self._layout = LAYOUT
            case "deal", table, attempt if not self._table:
                if not (_TABLE.fullmatch(table) and _ATTEMPT.fullmatch(attempt)):
                    return False
                self._table, self._attempt = table, int(attempt)
                if self._layout == 1:
                    self._open = self._counted
            case "given_up", attempt, seats:
                if not (_ATTEMPT.fullmatch(attempt) and _SEATS.fullmatch(seats)):
                    return False
                self._open = GivenUp(int(attempt), {}, {}, _numbers(seats))
                self._given_up.append(self._open)
            case "attempt", attempt if attempt == str(self._attempt):
                self._open = self._counted
            case "commit", who, text if self._open is not None:
                return _put(self._open.commitments, who, text)
            case "reveal", who, text if self._open is not None:
                return _put(self._open.seeds, who, text)
            case "without", seats if _SEATS.fullmatch(seats):
                self._without = _numbers(seats)
            case ("alone",) | ("code", _):
                return self._layout > 1
            case _:
                return False
        return True

    def deal(self) -> FairDeal | None:
        counted = self._counted
        if not self._table or SERVER not in counted.commitments or SERVER not in counted.seeds:
            return None
        if counted.commitments.keys() != counted.seeds.keys():
            return None
        return FairDeal(
            table=self._table,
            attempt=self._attempt,
            commitments=counted.commitments,
            seeds=counted.seeds,
            given_up=self._given_up,
            without=self._without,
            layout=self._layout,
        )


def _numbers(seats: str) -> list[int]:
    return [int(seat) for seat in seats.split(",")]


def _put(given: dict[str, str], who: str, text: str) -> bool:
    known = who == SERVER or re.fullmatch("[0-9]", who)
    if not known or who in given or not _HEX.fullmatch(text):
        return False
    given[who] = text
    return True
