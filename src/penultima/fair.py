"""The fair deal: the key of a match is made of seeds that nobody knew when all had been promised.

The server and every person each choose 32 random bytes and publish a commitment to them, a hash.
When all commitments are known, all seeds are revealed, and the key is a hash of all of them. Who
could still choose a seed did not know the others; who knows the others can no longer choose. The
seed of the server is shown when the match is over: then anybody can recompute every shuffle.

    commitment = SHA-256("penultima fair deal 1 commit" 00 table 00 attempt 00 who 00 seed)
    key        = SHA-256("penultima fair deal 1 key" 00 table 00 attempt 00 server's seed,
                         then for each person in order of seats: 00 who 00 seed)

`table`, `attempt` and `who` ("server" or the number of a seat) are ASCII, seeds are 32 bytes, and
the 32 bytes of the key are its eight words, each little-endian.
"""

import hashlib
import re
import secrets
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from penultima.errors import RecordError

SERVER: Final = "server"
SEED_BYTES: Final = 32
_DOMAIN: Final = b"penultima fair deal 1 "
_HEX: Final = re.compile("[0-9a-f]{64}")
_TABLE: Final = re.compile("[0-9A-Za-z_-]{1,40}")


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


@dataclass(frozen=True)
class FairDeal:
    """What a record shows of how its key came about: commitments and seeds by who gave them."""

    table: str
    attempt: int
    commitments: dict[str, str] = field(default_factory=dict)
    seeds: dict[str, str] = field(default_factory=dict)

    def key(self) -> list[int]:
        """The key of the match, as the game holds it."""
        parts = [self.table.encode(), b"%d" % self.attempt, bytes.fromhex(self.seeds[SERVER])]
        for who in self.people:
            parts += [who.encode(), bytes.fromhex(self.seeds[who])]
        return list(struct.unpack("<8i", _parts(b"key", parts)))

    @property
    def people(self) -> list[str]:
        """Who else gave a seed, in order of seats."""
        return sorted((who for who in self.seeds if who != SERVER), key=int)

    def check(self, key: list[int]) -> None:
        """Raise `RecordError` unless every seed was promised and all of them make the key."""
        if self.seeds.keys() != self.commitments.keys() or SERVER not in self.seeds:
            raise RecordError("fair_incomplete")
        for who, seed in self.seeds.items():
            promised = self.commitments[who]
            if commitment(self.table, self.attempt, who, bytes.fromhex(seed)) != promised:
                raise RecordError("fair_commitment", who=who)
        if self.key() != key:
            raise RecordError("fair_key")

    def lines(self) -> list[str]:
        """As a record shows it."""
        order = [SERVER, *self.people]
        return [
            f"deal {self.table} {self.attempt}",
            *(f"commit {who} {self.commitments[who]}" for who in order),
            *(f"reveal {who} {self.seeds[who]}" for who in order),
        ]


def read_lines(lines: list[str], at: int) -> FairDeal:
    """The `deal`, `commit` and `reveal` lines of a record, of which the first is line `at`."""
    table, attempt = "", 0
    found: dict[str, dict[str, str]] = {"commit": {}, "reveal": {}}
    for number, line in enumerate(lines, at):
        word, *values = line.split(" ")
        if word == "deal" and number == at and len(values) == 2:
            table = values[0]
            if _TABLE.fullmatch(table) and re.fullmatch("[1-9][0-9]{0,3}", values[1]):
                attempt = int(values[1])
                continue
        elif word in found and len(values) == 2:
            who, text = values
            known = who == SERVER or re.fullmatch("[0-9]", who)
            if known and who not in found[word] and _HEX.fullmatch(text):
                found[word][who] = text
                continue
        raise RecordError("fair_line", line=number)
    deal = FairDeal(table, attempt, found["commit"], found["reveal"])
    if deal.seeds.keys() != deal.commitments.keys() or lines != deal.lines():
        raise RecordError("fair_line", line=at)
    return deal
