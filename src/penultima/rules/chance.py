"""Chance: ChaCha8 keyed by the match, one stream per purpose, unbiased bounded draws.

A stream is named by (purpose, round, index), which is the nonce, so no stream depends on how far
another was used. Each 32-bit word of it gives two 16-bit numbers, the low half first.
"""

from typing import Final

from penultima.rules.schema import Game, Trace

# Purposes.
DEALER_DRAW: Final = 1
DEAL: Final = 2
RENEWAL: Final = 3
RACE_ORDER: Final = 4
TIE: Final = 5
POLICY: Final = 6
REST: Final = 7  # cards that a position does not name
DROP_ORDER: Final = 8  # a race that nobody runs by hand
SEED: Final = 9  # the keys of a simulation

ROUNDS: Final = 8
NUMBERS: Final = 32  # 16-bit numbers in a block
MASK32: Final = 0xFFFFFFFF


def block(
    key: list[int],
    counter: int,
    purpose: int,
    round_: int,
    index: int,
    words: list[int],
    rounds: int,
) -> None:
    """Write block `counter` of a stream into the 16 `words` (RFC 8439 layout, fewer rounds)."""
    k0 = key[0] & MASK32
    k1 = key[1] & MASK32
    k2 = key[2] & MASK32
    k3 = key[3] & MASK32
    k4 = key[4] & MASK32
    k5 = key[5] & MASK32
    k6 = key[6] & MASK32
    k7 = key[7] & MASK32
    a0, a1, a2, a3 = 0x61707865, 0x3320646E, 0x79622D32, 0x6B206574
    b0, b1, b2, b3, c0, c1, c2, c3 = k0, k1, k2, k3, k4, k5, k6, k7
    d0 = counter & MASK32
    d1 = purpose & MASK32
    d2 = round_ & MASK32
    d3 = index & MASK32
    e0, e1, e2, e3 = d0, d1, d2, d3
    for _ in range(rounds // 2):
        a0, b0, c0, d0 = quarter(a0, b0, c0, d0)
        a1, b1, c1, d1 = quarter(a1, b1, c1, d1)
        a2, b2, c2, d2 = quarter(a2, b2, c2, d2)
        a3, b3, c3, d3 = quarter(a3, b3, c3, d3)
        a0, b1, c2, d3 = quarter(a0, b1, c2, d3)
        a1, b2, c3, d0 = quarter(a1, b2, c3, d0)
        a2, b3, c0, d1 = quarter(a2, b3, c0, d1)
        a3, b0, c1, d2 = quarter(a3, b0, c1, d2)
    words[0] = (a0 + 0x61707865) & MASK32
    words[1] = (a1 + 0x3320646E) & MASK32
    words[2] = (a2 + 0x79622D32) & MASK32
    words[3] = (a3 + 0x6B206574) & MASK32
    words[4] = (b0 + k0) & MASK32
    words[5] = (b1 + k1) & MASK32
    words[6] = (b2 + k2) & MASK32
    words[7] = (b3 + k3) & MASK32
    words[8] = (c0 + k4) & MASK32
    words[9] = (c1 + k5) & MASK32
    words[10] = (c2 + k6) & MASK32
    words[11] = (c3 + k7) & MASK32
    words[12] = (d0 + e0) & MASK32
    words[13] = (d1 + e1) & MASK32
    words[14] = (d2 + e2) & MASK32
    words[15] = (d3 + e3) & MASK32


def quarter(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    a = (a + b) & MASK32
    d ^= a
    d = ((d << 16) | (d >> 16)) & MASK32
    c = (c + d) & MASK32
    b ^= c
    b = ((b << 12) | (b >> 20)) & MASK32
    a = (a + b) & MASK32
    d ^= a
    d = ((d << 8) | (d >> 24)) & MASK32
    c = (c + d) & MASK32
    b ^= c
    b = ((b << 7) | (b >> 25)) & MASK32
    return a, b, c, d


def bounded(number: int, bound: int, space: int) -> int:
    """One of `space` equally likely numbers made one of `bound`, or -1: throw it away.

    Exactly `space // bound` numbers lead to each result, which is what makes it fair.
    """
    product = number * bound
    rest = product % space
    if rest < bound and rest < space % bound:
        return -1
    return product // space


def derive_key(seed: int, number: int, key: list[int], words: list[int]) -> None:
    """Write the key of game `number` of a seed: both below 2**63. `words` is room for a block."""
    for word in range(8):
        key[word] = 0
    key[0] = signed(seed & MASK32)
    key[1] = signed(seed >> 32 & MASK32)
    block(key, number & MASK32, SEED, number >> 32 & MASK32, 0, words, ROUNDS)
    for word in range(8):
        key[word] = signed(words[word])


def signed(word: int) -> int:
    """A 32-bit word as the record keeps it."""
    return word - 0x100000000 if word > 0x7FFFFFFF else word


def below(game: Game, trace: Trace, purpose: int, round_: int, index: int, bound: int) -> int:
    """The first number of a stream that makes one less than `bound`, all of them equally likely."""
    result = -1
    at = 0
    while result < 0:
        if at % NUMBERS == 0:
            block(game.key, at // NUMBERS, purpose, round_, index, trace.words, ROUNDS)
        number = trace.words[at % NUMBERS // 2] >> (at % 2 * 16) & 0xFFFF
        result = bounded(number, bound, 0x10000)
        at += 1
    return result
