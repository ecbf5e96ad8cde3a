"""Chance: ChaCha with 8 rounds, one stream per purpose, round of play and index."""

import struct
from typing import TypeVar

T = TypeVar("T")

SHUFFLES = 1
RACE = 2
TIE = 3

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
    """A stream of random numbers, the same for the same key and name on every machine.

    Its numbers are the first 32 bytes of each block. `used` says how many of them are gone.
    """

    def __init__(self, key: bytes, purpose: int, round_: int, index: int, used: int = 0) -> None:
        if len(key) != 32:
            raise ValueError("a key has 32 bytes")
        self.key = key
        self.nonce = (purpose, round_, index)
        self.used = used
        self.block = -1  # which one `bytes` is of
        self.bytes = b""

    def number(self) -> int:
        """The next byte."""
        counter, place = divmod(self.used, 32)
        if counter != self.block:
            self.block = counter
            self.bytes = struct.pack("<16I", *block(self.key, counter, self.nonce))
        self.used += 1
        return self.bytes[place]

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, all equally likely: the next whose lowest bits make one."""
        bits = (n - 1).bit_length()
        while True:
            number = self.number() & ((1 << bits) - 1)
            if number < n:
                return number

    def shuffle(self, items: list[T]) -> None:
        """Shuffle a list in place, from its end."""
        for i in reversed(range(len(items))):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
