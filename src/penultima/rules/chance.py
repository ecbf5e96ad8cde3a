"""Chance: ChaCha8 keyed by the match, one stream per purpose, unbiased bounded draws.

A stream is named by (purpose, round, index), which is the nonce, so no stream depends on how far
another was used. Of each block the first half is used: 32 numbers of a byte. All shuffles of a
round take theirs from one stream; those of the block in use lie in the game (`next_number`).
"""

from typing import Final

from penultima.rules.schema import Game, Trace

# Purposes.
SHUFFLES: Final = 1  # of a round; of round 0 that for the dealer
RACE_ORDER: Final = 2
TIE: Final = 3
POLICY: Final = 4
DROP_ORDER: Final = 5  # races that nobody runs by hand
SEED: Final = 6  # the keys of a simulation

ROUNDS: Final = 8
NUMBERS: Final = 32  # of a block: bytes
MASK32: Final = 0xFFFFFFFF
_SIGN: Final = 0x80000000


def block(
    key: list[int],
    counter: int,
    purpose: int,
    round_: int,
    index: int,
    words: list[int],
    rounds: int,
) -> None:
    """Write block `counter` of a stream into the 16 `words`, signed as records keep them.

    The layout is that of RFC 8439, with fewer rounds.
    """
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
    words[0] = signed(a0 + 0x61707865)
    words[1] = signed(a1 + 0x3320646E)
    words[2] = signed(a2 + 0x79622D32)
    words[3] = signed(a3 + 0x6B206574)
    words[4] = signed(b0 + k0)
    words[5] = signed(b1 + k1)
    words[6] = signed(b2 + k2)
    words[7] = signed(b3 + k3)
    words[8] = signed(c0 + k4)
    words[9] = signed(c1 + k5)
    words[10] = signed(c2 + k6)
    words[11] = signed(c3 + k7)
    words[12] = signed(d0 + e0)
    words[13] = signed(d1 + e1)
    words[14] = signed(d2 + e2)
    words[15] = signed(d3 + e3)


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


def fit(number: int, bound: int) -> int:
    """A byte made one of `bound`, all equally likely, or -1: throw it away.

    Only as many of its lower bits count as are needed; most often they are less than `bound`.
    """
    most = bound - 1
    most |= most >> 1
    most |= most >> 2
    most |= most >> 4
    number &= most
    return number if number < bound else -1


def derive_key(seed: int, number: int, key: list[int], words: list[int]) -> None:
    """Write the key of game `number` of a seed: both below 2**63. `words` is room for a block."""
    for word in range(8):
        key[word] = 0
    key[0] = signed(seed & MASK32)
    key[1] = signed(seed >> 32 & MASK32)
    block(key, number & MASK32, SEED, number >> 32 & MASK32, 0, words, ROUNDS)
    for word in range(8):
        key[word] = words[word]


def signed(word: int) -> int:
    """The lower 32 bits as a record keeps them."""
    return ((word + _SIGN) & MASK32) - _SIGN


def next_number(game: Game, trace: Trace) -> int:
    """The next number of the round's shuffles."""
    used = game.used
    place = used & NUMBERS - 1
    if place == 0:
        fetch_numbers(game, trace)
    game.used = used + 1
    return byte(game.numbers, place)


def fetch_numbers(game: Game, trace: Trace) -> None:
    """Write the numbers among which the next one of the round's shuffles is."""
    block(game.key, game.used // NUMBERS, SHUFFLES, game.round, 0, trace.words, ROUNDS)
    for word in range(NUMBERS // 4):
        game.numbers[word] = trace.words[word]


def byte(words: list[int], place: int) -> int:
    return words[place >> 2] >> ((place & 3) << 3) & 0xFF


def resume_numbers(game: Game, trace: Trace, used: int) -> None:
    """Go on with the round's shuffles where so many numbers are used."""
    if used > 0:
        game.used = used - 1
        fetch_numbers(game, trace)
    game.used = used


def start_lots(game: Game, trace: Trace) -> None:
    """Begin the lots of a round."""
    block(game.key, 0, DROP_ORDER, game.round, 0, trace.words, ROUNDS)
    game.lot = trace.words[0]


def draw_lot(game: Game, bound: int) -> int:
    """One of `bound` for this decision, by a hash: good for play, as the luck of bots is."""
    bits = (game.lot ^ game.decisions * 0x9E3779B1) & MASK32
    bits = (bits ^ bits >> 16) * 0x85EBCA6B & MASK32
    bits = (bits ^ bits >> 13) * 0xC2B2AE35 & MASK32
    return (bits ^ bits >> 16) * bound >> 32


def below(game: Game, trace: Trace, purpose: int, round_: int, index: int, bound: int) -> int:
    """The first number of a stream that makes one less than `bound`."""
    result = -1
    used = 0
    while result < 0:
        if used % NUMBERS == 0:
            block(game.key, used // NUMBERS, purpose, round_, index, trace.words, ROUNDS)
        result = fit(byte(trace.words, used % NUMBERS), bound)
        used += 1
    return result
