"""The compiled core: the same bytes as the interpreted one after every step."""

from random import Random
from typing import Any

import numpy as np
import pytest
from numba import njit

from penultima import compiled
from penultima.bots import MANNERS
from penultima.bots.manner import Manner
from penultima.bots.policy import decide
from penultima.bots.table import play_game
from penultima.bots.tally import Tally, log_bin, log_bin_start
from penultima.compiled import (
    advance_games,
    deal_games,
    decide_games,
    dtype,
    functions,
    play_games,
    to_array,
    to_plain,
)
from penultima.edition import SHIPPED, shipped
from penultima.game import Match, key_of_seed
from penultima.rules.actions import OVER
from penultima.rules.ask import NOT_ASKED, advance, answer, ask, may_decline, seat_asked
from penultima.rules.bits import bit_count, lowest_bit, nth_bit
from penultima.rules.check import check
from penultima.rules.deal import next_round, start_match
from penultima.rules.legal import legal
from penultima.rules.observe import observe
from penultima.rules.schema import STANDARD, WIDE, Game, Record, Ruleset, Seen, Size, Trace
from penultima.ruleset import Sheet
from tests.lockstep import random_table

# One process compiles for all of them.
pytestmark = pytest.mark.xdist_group("compiled")


@njit
def every_function(rules: Any, games: Any, traces: Any, seen: Any, mask: Any, tally: Any) -> int:
    """Calls every way into the core, so that all of it is compiled."""
    game, trace = games[0], traces[0]
    start_match(rules[0], game, trace)
    place = ask(rules[0], game, 0)
    seat = seat_asked(game, trace, place)
    legal(rules[0], game, seat, mask)
    place = answer(rules[0], game, trace, place, seat, -1)
    observe(rules[0], game, seat, seen[0])
    next_round(rules[0], game, trace)
    return int(check(rules[0], game, tally))


@pytest.mark.parametrize("cls", [Ruleset, Game, Seen, Trace, Tally])
@pytest.mark.parametrize("size", [STANDARD, WIDE, STANDARD.bulk], ids=["standard", "wide", "bulk"])
def test_both_carriers_have_the_same_bytes(cls: type[Record], size: Size) -> None:
    random = Random(1)
    data = bytes(random.randbytes(len(cls(size).to_bytes())))
    plain = cls.from_bytes(data, size)
    array = to_array(plain)
    assert array.tobytes()[: len(data)] == data
    assert to_plain(cls, array[0], size) == plain
    assert plain.copy() == plain
    assert plain.to_bytes() == data


def test_a_standard_game_takes_at_most_a_kibibyte() -> None:
    assert dtype(Game, STANDARD).itemsize <= 1024


@pytest.mark.parametrize("name", [f.__name__ for f in functions()])
def test_no_name_is_used_twice_in_the_core(name: str) -> None:
    """Registered functions are told apart in reports by their name alone."""
    assert [f.__name__ for f in functions()].count(name) == 1


def test_bits() -> None:
    random = Random(2)
    for _ in range(500):
        bits = random.getrandbits(60) & random.getrandbits(60)
        places = [place for place in range(60) if bits >> place & 1]
        assert bit_count(bits) == len(places)
        if places:
            assert lowest_bit(bits) == places[0]
            assert [nth_bit(bits, n) for n in range(len(places))] == places


def test_bins_begin_where_they_say() -> None:
    for number in range(10_001):
        place = log_bin(number)
        assert log_bin_start(place) <= number < log_bin_start(place + 1)


class Compiled:
    """A game played by compiled code beside the interpreted one."""

    def __init__(self, sheet: Sheet, game: Game) -> None:
        self.rules = to_array(sheet.rules)
        self.games = to_array(game)
        self.traces = np.zeros(1, dtype(Trace, sheet.rules.size))
        self.mask = np.zeros(sheet.rules.size.mask_words, np.int64)
        self.size = sheet.rules.size

    def bytes(self) -> bytes:
        return to_plain(Game, self.games[0], self.size).to_bytes()


@njit
def compiled_step(rules: Any, games: Any, traces: Any, seat: int, action: int) -> None:
    answer(rules[0], games[0], traces[0], 0, seat, action)


@njit
def compiled_legal(rules: Any, games: Any, seat: int, mask: Any) -> None:
    legal(rules[0], games[0], seat, mask)


@njit
def compiled_round(rules: Any, games: Any, traces: Any) -> None:
    next_round(rules[0], games[0], traces[0])


def follow(sheet: Sheet, seats: int, seed: int, actions: int) -> int:
    """Play both and compare the bytes and every seat's mask after every action."""
    random = Random(seed)
    match = Match(sheet, ["?"] * seats, key_of_seed(seed))
    other = Compiled(sheet, match.game)
    played = 0
    while match.over != "match" and played < actions:
        if match.over == "round":
            match.next_round()
            compiled_round(other.rules, other.games, other.traces)
        else:
            moves = [(seat, a) for seat in range(seats) for a in match.legal(seat)]
            plays = [move for move in moves if move[1] >= 60]
            seat, action = random.choice(plays if plays and random.random() < 0.5 else moves)
            match.play(seat, action)
            compiled_step(other.rules, other.games, other.traces, seat, action)
            played += 1
        assert other.bytes() == match.game.to_bytes()
        for seat in range(seats):
            compiled_legal(other.rules, other.games, seat, other.mask)
            mask = [0] * len(other.mask)
            legal(sheet.rules, match.game, seat, mask)
            assert other.mask.tolist() == mask
    return played


def test_compiled_and_interpreted_play_the_same_games() -> None:
    """All editions, user-made decks, 2 to 10 seats, random options and house rules."""
    played = 0
    for seed in range(150):
        sheet, seats, _ = random_table(Random(seed))
        played += follow(sheet, seats, seed, 120)
    assert played > 10_000


def test_a_wide_deck_plays_the_same() -> None:
    sheet = wide_sheet()
    assert sheet.rules.size == WIDE
    assert follow(sheet, 7, 1, 400) > 100


def wide_sheet() -> Sheet:
    from penultima.ruleset import Face, Options

    colors = "abcdef"
    faces = [
        Face(f"{letter}{number}", color, number, number, 2, marked=number % 3 == 0)
        for color, letter in enumerate(colors)
        for number in range(15)
    ]
    faces += [Face(f"{c}+3", n, None, 20, 2, "draw", 3) for n, c in enumerate(colors)]
    effects = ["none", "skip", "reverse", "draw", "give", "race", "demand"]
    faces += [
        Face(f"W{n}", -1, None, 50, 2, e, 2 if e in ("draw", "give", "race", "demand") else 0)
        for n, e in enumerate(effects)
    ]
    return Sheet("wide", colors, tuple(faces), Options(stacking="same", seven_zero=True))


@pytest.mark.parametrize("bot", ["random", "basic"])
def test_a_batch_advances_as_its_games_do_one_by_one(bot: str) -> None:
    sheet = shipped("violet").sheet.with_options({"jump_in": True})
    number, seats = 20, 3
    batch = Batch(sheet, seats, number)
    deal_games(batch.rules, batch.games, batch.traces, 9, 0)
    batch.traces["luck"] = np.arange(number) + 1
    one_by_one = [Alone(sheet, seats, place) for place in range(number)]
    for _ in range(60):
        advance_games(
            batch.rules,
            batch.games,
            batch.traces,
            batch.places,
            batch.seats,
            batch.actions,
            batch.masks,
            batch.seen,
        )
        for place, alone in enumerate(one_by_one):
            alone.advance()
            assert to_plain(Game, batch.games[place]) == alone.game
            assert to_plain(Seen, batch.seen[place]) == alone.seen
            assert batch.masks[place].tolist() == alone.mask
            assert (batch.places[place], batch.seats[place]) == (alone.place, alone.seat)
        manner = MANNERS[bot]
        decide_games(
            batch.rules,
            batch.games,
            batch.traces,
            batch.places,
            batch.masks,
            batch.seen,
            to_array(manner),
            batch.actions,
        )
        for place, alone in enumerate(one_by_one):
            alone.decide(manner)
            assert batch.actions[place] == alone.action
    assert batch.games["decisions"].sum() > 20 * number


class Batch:
    """Arrays for games side by side."""

    def __init__(self, sheet: Sheet, seats: int, number: int) -> None:
        size = sheet.rules.size
        self.rules = to_array(sheet.rules)
        self.games = np.zeros(number, dtype(Game, size))
        self.games["seats"] = seats
        self.traces = np.zeros(number, dtype(Trace, size.bulk))
        self.places = np.full(number, NOT_ASKED)
        self.seats = np.zeros(number, np.int64)
        self.actions = np.zeros(number, np.int64)
        self.masks = np.zeros((number, sheet.rules.size.mask_words), np.int64)
        self.seen = np.zeros(number, dtype(Seen, size))


class Alone:
    """One of those games, interpreted."""

    def __init__(self, sheet: Sheet, seats: int, number: int) -> None:
        self.rules = sheet.rules
        self.game, self.trace, self.seen = Game(), Trace(), Seen()
        self.game.seats = seats
        self.game.key = key_of_seed(9, number)
        start_match(self.rules, self.game, self.trace)
        self.trace.luck = number + 1
        self.mask = [0] * self.rules.size.mask_words
        self.place, self.seat, self.action = NOT_ASKED, 0, 0

    def advance(self) -> None:
        self.place, self.seat = advance(
            self.rules,
            self.game,
            self.trace,
            self.place,
            self.seat,
            self.action,
            self.mask,
            self.seen,
        )

    def decide(self, manner: Manner) -> None:
        if self.game.phase != OVER:
            optional = may_decline(self.game, self.place)
            self.action = decide(self.rules, manner, self.seen, self.mask, optional, self.trace)


@pytest.mark.parametrize("edition", SHIPPED)
def test_whole_games_between_policies_are_the_same(edition: str) -> None:
    sheet = shipped(edition).sheet.with_options({"target": 100})
    for seats, bot in ((2, "random"), (4, "eager"), (10, "easy"), (3, "basic")):
        manners = [MANNERS[bot]] * seats
        tally, game, trace, seen = Tally(), Game(), Trace(), Seen()
        game.seats = seats
        for number in range(3):
            play_game(
                sheet.rules, game, trace, [0] * 3, seen, tally, manners, 7, number, True, True
            )
        games = np.zeros(1, dtype(Game))
        games["seats"] = seats
        tallies = np.zeros(1, dtype(Tally, STANDARD.bulk))
        play_games(
            to_array(sheet.rules),
            games,
            np.zeros(1, dtype(Trace, STANDARD.bulk)),
            np.zeros((1, 3), np.int64),
            np.zeros(1, dtype(Seen)),
            tallies,
            to_array(*manners),
            7,
            0,
            3,
            True,
            True,
        )
        assert to_plain(Game, games[0]) == game
        assert to_plain(Tally, tallies[0]) == tally
        assert tally.matches == 3


@pytest.mark.parametrize("with_deposit", [False, True])
def test_the_nth_bit_is_found_on_every_cpu(
    with_deposit: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if with_deposit and not compiled.HAS_DEPOSIT:
        with_deposit = False  # an older CPU has the other way only
    monkeypatch.setattr(compiled, "HAS_DEPOSIT", with_deposit)

    @njit
    def nth(word: int, choice: int) -> int:
        return nth_bit(word, choice)

    for word in (1, 0b1011, (1 << 60) - 1, 0x0A5_0000_0000_0001):
        places = [place for place in range(60) if word >> place & 1]
        assert [nth(word, choice) for choice in range(len(places))] == places


def test_all_of_the_core_compiles() -> None:
    rules = shipped("triforce").sheet.rules
    games = np.zeros(1, dtype(Game))
    games["seats"] = 3
    traces, seen = np.zeros(1, dtype(Trace)), np.zeros(1, dtype(Seen))
    room = np.zeros(56, np.int64)
    assert every_function(to_array(rules), games, traces, seen, np.zeros(3, np.int64), room) == 0
