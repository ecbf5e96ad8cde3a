"""Chance: the cipher against published vectors, the sampler by full enumeration."""

from collections import Counter

import pytest

from penultima.edition import shipped
from penultima.game import key_of_seed
from penultima.rules.chance import (
    RACE_ORDER,
    SHUFFLES,
    below,
    block,
    derive_key,
    draw_lot,
    fit,
    signed,
    start_lots,
)
from penultima.rules.pile import lift, settle, shuffle
from penultima.rules.schema import Game, Trace
from tests.reference import Stream


def keystream(key: bytes, counter: int, nonce: tuple[int, int, int], rounds: int) -> str:
    words = [0] * 16
    block(
        [int.from_bytes(key[i : i + 4], "little") for i in range(0, 32, 4)],
        counter,
        *nonce,
        words,
        rounds,
    )
    return b"".join(word.to_bytes(4, "little", signed=True) for word in words).hex()


def test_the_block_function_matches_rfc_8439_section_2_3_2() -> None:
    assert keystream(bytes(range(32)), 1, (0x09000000, 0x4A000000, 0), 20) == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
    )


@pytest.mark.parametrize(
    ("first_byte", "counter", "stream"),
    [
        (
            0,
            0,
            "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
            "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42",
        ),
        (
            0,
            1,
            "d2aefa0deaa5c151bf0adb6c01f2a5adc0fd581259f9a2aadcf20f8fd566a26b"
            "5032ec38bbc5da98ee0c6f568b872a65a08abf251deb21bb4b56e5d8821e68aa",
        ),
        (
            1,
            0,
            "cf5ee9a0494aa9613e05d5ed725b804b12f4a465ee635acc3a311de8740489ea"
            "289d04f43c7518db56eb4433e498a1238cd8464d3763ddbb9222ee3bd8fae3c8",
        ),
    ],
)
def test_chacha8_matches_the_published_256_bit_vectors(
    first_byte: int, counter: int, stream: str
) -> None:
    key = bytes([first_byte]) + bytes(31)
    assert keystream(key, counter, (0, 0, 0), 8) == stream


def test_every_result_of_the_sampler_is_equally_likely() -> None:
    for bound in range(1, 257):
        results = Counter(fit(number, bound) for number in range(256))
        thrown = results.pop(-1, 0)
        assert sorted(results) == list(range(bound))
        assert len(set(results.values())) == 1
        assert thrown < 128  # more often than not a number is used


def a_game(seed: int) -> Game:
    game = Game()
    game.key = key_of_seed(seed)
    return game


def test_streams_agree_with_the_reference() -> None:
    for seed in range(20):
        game, trace = a_game(seed), Trace()
        key = b"".join((word & 0xFFFFFFFF).to_bytes(4, "little") for word in game.key)
        for bound in range(1, 241):
            stream = Stream(key, RACE_ORDER, seed, bound)
            assert below(game, trace, RACE_ORDER, seed, bound, bound) == stream.below(bound)


RULES = shipped("chili").sheet.rules  # 112 cards


def shuffled(game: Game, round_: int, size: int) -> list[int]:
    """The cards 0, 1, 2, … as a shuffled pile, from its bottom."""
    game.deck = list(range(112))
    game.pile = size
    game.round = round_
    shuffle(game)
    settle(RULES, game, Trace())
    assert game.deck[size:] == list(range(size, 112))
    return game.deck[:size]


def test_shuffles_agree_with_the_reference() -> None:
    for size in range(1, 113):
        game = a_game(size)
        key = b"".join((word & 0xFFFFFFFF).to_bytes(4, "little") for word in game.key)
        stream = Stream(key, SHUFFLES, 2, 0)
        for _ in range(3):  # each goes on where the last one stopped
            cards = list(range(size))
            stream.shuffle(cards)
            assert shuffled(game, 2, size) == cards
            assert game.used == stream.used


def test_cards_come_off_the_pile_as_a_shuffle_in_one_go_would_have_them() -> None:
    for size in range(1, 113):
        game, trace = a_game(size), Trace()
        cards = shuffled(game.copy(), 1, size)
        game.base = size % 112  # the pile goes round the end of the deck
        game.deck = [(n - game.base) % 112 for n in range(112)]
        game.pile, game.round = size, 1
        shuffle(game)
        assert [lift(RULES, game, trace) for _ in range(size)] == cards[::-1]


def test_a_stream_does_not_depend_on_how_another_was_used() -> None:
    game, trace = a_game(1), Trace()
    first = shuffled(game.copy(), 1, 112)
    for index in range(50):
        below(game, trace, RACE_ORDER, 1, index, 10)
    assert shuffled(game.copy(), 1, 112) == first
    shuffled(game, 0, 112)
    game.used = 0
    assert shuffled(game, 1, 112) == first


def test_every_order_of_few_cards_comes_up_about_equally_often() -> None:
    orders: Counter[tuple[int, ...]] = Counter()
    for seed in range(6000):
        orders[tuple(shuffled(a_game(seed), 1, 4))] += 1
    assert len(orders) == 24
    chi_square = sum((count - 250) ** 2 / 250 for count in orders.values())
    assert chi_square < 60  # 23 degrees of freedom: beyond this once in 40,000 times


def test_keys_of_a_seed_differ_by_game_and_by_seed() -> None:
    keys = {tuple(key_of_seed(seed, number)) for seed in range(50) for number in range(50)}
    assert len(keys) == 2500
    assert key_of_seed(2**63 - 1, 2**40) != key_of_seed(2**31 - 1, 2**40)


def test_key_words_are_signed_as_the_record_keeps_them() -> None:
    assert [signed(word) for word in (0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)] == [
        0,
        2**31 - 1,
        -(2**31),
        -1,
    ]
    key = [0] * 8
    derive_key(5, 6, key, [0] * 16)
    assert all(-(2**31) <= word < 2**31 for word in key)


def test_every_racer_is_as_often_first_to_drop() -> None:
    game, trace = a_game(1), Trace()
    first: Counter[int] = Counter()
    for game.round in range(1, 101):
        start_lots(game, trace)
        for game.decisions in range(0, 3000, 50):
            first[draw_lot(game, 5)] += 1
    chi_square = sum((first[racer] - 1200) ** 2 / 1200 for racer in range(5))
    assert chi_square < 26  # 4 degrees of freedom: beyond this once in 30,000 times
