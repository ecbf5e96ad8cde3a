"""Chance: ChaCha with 8 rounds, one stream per purpose, round of play and index."""

import struct
from typing import TypeVar

T = TypeVar("T")

DEALER_DRAW = 1
DEAL = 2
RENEWAL = 3
RACE = 4
TIE = 5

CONSTANTS = struct.unpack("<4I", b"expand 32-byte k")
MASK = 0xFFFFFFFF

# RFC 8439, 2.3: the four columns of the 4 x 4 matrix, then its four diagonals.
QUARTERS = (
    (0, 4, 8, 12),
    (1, 5, 9, 13),
    (2, 6, 10, 14),
    (3, 7, 11, 15),
    (0, 5, 10, 15),
    (1, 6, 11, 12),
    (2, 7, 8, 13),
    (3, 4, 9, 14),
)


def rotate(word: int, bits: int) -> int:
    """A 32-bit word rotated to the left."""
    return ((word << bits) & MASK) | (word >> (32 - bits))


def block(key: bytes, counter: int, nonce: tuple[int, int, int]) -> list[int]:
    """The 16 output words of one ChaCha8 block."""
    start = [*CONSTANTS, *struct.unpack("<8I", key), counter, *nonce]
    x = list(start)
    for _ in range(4):  # each pass over columns and diagonals is two of the 8 rounds
        for a, b, c, d in QUARTERS:
            x[a] = (x[a] + x[b]) & MASK
            x[d] = rotate(x[d] ^ x[a], 16)
            x[c] = (x[c] + x[d]) & MASK
            x[b] = rotate(x[b] ^ x[c], 12)
            x[a] = (x[a] + x[b]) & MASK
            x[d] = rotate(x[d] ^ x[a], 8)
            x[c] = (x[c] + x[d]) & MASK
            x[b] = rotate(x[b] ^ x[c], 7)
    return [(word + first) & MASK for word, first in zip(x, start, strict=True)]


class Stream:
    """A stream of random numbers, the same for the same key and name on every machine."""

    def __init__(self, key: bytes, purpose: int, round_: int, index: int) -> None:
        if len(key) != 32:
            raise ValueError("a key has 32 bytes")
        self.key = key
        self.nonce = (purpose, round_, index)
        self.counter = 0
        self.waiting: list[int] = []

    def number(self) -> int:
        """The next 16-bit number."""
        if not self.waiting:
            for word in block(self.key, self.counter, self.nonce):
                self.waiting += [word & 0xFFFF, word >> 16]
            self.waiting.reverse()  # so that the next one can be popped from the end
            self.counter += 1
        return self.waiting.pop()

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, all equally likely."""
        while True:
            product = self.number() * n
            if product % 65536 >= 65536 % n:
                return product // 65536

    def shuffle(self, items: list[T]) -> None:
        """Shuffle a list in place, from its end."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
