"""Bots: none of them peeks, none stops the table, and all of them play whole matches.

`PENULTIMA_MATCHES=1000 pytest tests/test_bots.py` lets `sharp` play that many matches of each
edition.
"""

import logging
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from penultima import sharp
from penultima.bots import MANNERS
from penultima.bots.host import Host
from penultima.bots.manner import Manner
from penultima.bots.mind import PlainMind
from penultima.bots.player import OwnPlayer, Player, PolicyPlayer, Question
from penultima.bots.tally import Tally
from penultima.cards import MIN_SEATS, NOBODY, SEATS
from penultima.edition import SHIPPED, shipped
from penultima.game import Match, key_of_seed
from penultima.notation import action_text
from penultima.position import read_position
from penultima.rules.actions import (
    CALL,
    CATCH,
    COLOR,
    DRAW,
    GIVE,
    GIVING,
    NAME,
    OVER,
    RACING,
    SWAP,
    SWAPPING,
)
from penultima.rules.ask import DECLINE, ask, seat_asked
from penultima.rules.schema import STANDARD, Game, Trace
from penultima.ruleset import Sheet
from penultima.sharp import Budget, Sharp
from penultima.sim import Job, play_chunk
from penultima.view import View
from tests.lockstep import choose, random_options, random_table
from tests.support import faults
from tests.test_view import twin_of

# One process compiles for all of them.
pytestmark = pytest.mark.xdist_group("compiled")

BULK_MATCHES = 1_000
SHARP_MATCHES = int(os.environ.get("PENULTIMA_MATCHES", "4"))

Make = Callable[[Game, int], Player]


class Onlooker:
    """Is asked with a view, as a user's bot is; never answers."""

    name = "onlooker"
    wants_view = True

    def answer(self, question: Question) -> int:
        raise NotImplementedError

    def reaction(self) -> float:
        return 0.4


def ours(name: str) -> Make:
    return lambda _game, seed: PolicyPlayer(name, MANNERS[name], seed)


def a_sharp(_game: Game, seed: int) -> Player:
    return Sharp("sharp", Budget(8), seed)


class Peeker:
    """Has got hold of the game and does with each hidden thing what a cheat would."""

    name = "peeker"

    def __init__(self, game: Game, secret: Callable[[Game, int], int]) -> None:
        self._game = game
        self._secret = secret

    def answer(self, question: Question) -> int:
        known = self._secret(self._game, question.seen.seat)
        answers = question.legal + [DECLINE] * question.may_decline
        return answers[known % len(answers)]

    def reaction(self) -> float:
        return 0.4


def next_card(game: Game, seat: int) -> int:
    return game.deck[(game.base + max(game.pile - 1, 0)) % len(game.deck)]


def next_hand(game: Game, seat: int) -> int:
    return sum(kind * n for kind, n in enumerate(game.hands[(seat + 1) % game.seats]))


def verdict(game: Game, seat: int) -> int:
    return game.guilty


def coming_chance(game: Game, seat: int) -> int:
    return game.key[0]


def drawn_card(game: Game, seat: int) -> int:
    return game.drawn


def watched_tables(pairs: int) -> Iterator[tuple[Match, Random]]:
    """Random positions of all editions with random options, 2 to 6 seats."""
    for seed in range(pairs):
        random = Random(seed)
        sheet = shipped(random.choice(SHIPPED)).sheet.with_options(random_options(random))
        sheet = sheet.with_options({"hand_size": random.choice((3, 5, 7))})
        match = Match(sheet, ["?"] * random.randint(2, 6), key_of_seed(seed))
        for _ in range(random.randint(0, 60)):
            if match.over:
                break
            match.play(*choose(match, random, 0.3))
        if not match.over:
            yield match, random


def asked(sheet: Sheet, game: Game) -> list[tuple[int, int]]:
    """Places and seats that the driver goes through; in a race it is chance who comes last."""
    found = []
    place, trace = 0, Trace(sheet.rules.size)
    while place <= 2 * game.seats:
        place = ask(sheet.rules, game, place)
        racing = place == 2 * game.seats and game.phase == RACING
        found.append((place, NOBODY if racing else seat_asked(game, trace, place)))
        place += 1
    return found


def watch_for_peeking(make: Make, pairs: int) -> int:
    """Ask a player in pairs of worlds that look alike to it; gives the number of answers."""
    compared = 0
    for match, random in watched_tables(pairs):
        sheet, game = match.sheet, match.game
        host = Host(sheet, [Onlooker()] * game.seats)
        for place, seat in asked(sheet, game):
            if seat == NOBODY:
                seat = random.randrange(game.seats)
            question = host.question(game, seat, place)
            if not question.legal:
                continue
            other = twin_of(match, seat, random).game
            assert asked(sheet, other) == asked(sheet, game)
            assert host.question(other, seat, place) == question
            seed = random.getrandbits(60)
            one = make(game, seed).answer(question)
            assert make(other, seed).answer(host.question(other, seat, place)) == one
            assert one in question.legal or (one == DECLINE and question.may_decline)
            compared += 1
    return compared


@pytest.mark.parametrize("name", MANNERS)
def test_bots_of_the_core_do_not_peek(name: str) -> None:
    assert watch_for_peeking(ours(name), 500) > 400


def test_sharp_does_not_peek() -> None:
    assert watch_for_peeking(a_sharp, 400) > 300


def test_sharp_does_not_peek_without_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharp, "mind", lambda sheet: PlainMind(sheet, MANNERS["basic"]))
    assert watch_for_peeking(a_sharp, 100) > 80


@pytest.mark.parametrize("secret", [next_card, next_hand, verdict, coming_chance, drawn_card])
def test_a_player_that_peeks_is_found(secret: Callable[[Game, int], int]) -> None:
    with pytest.raises(AssertionError):
        watch_for_peeking(lambda game, seed: Peeker(game, secret), 500)


class Odd:
    """Does as it is told when the table waits for it, and lets interrupts pass."""

    def __init__(self, name: str, do: Callable[[Question], Any]) -> None:
        self.name = name
        self.asked = 0
        self._do = do

    def answer(self, question: Question) -> int:
        if question.may_decline:
            return DECLINE
        self.asked += 1
        given: int = self._do(question)
        return given

    def reaction(self) -> float:
        return 0.4


def fail(question: Question) -> int:
    raise RuntimeError("lost the thread")


def leave(question: Question) -> int:
    sys.exit("enough for today")


def forbidden(question: Question) -> int:
    return next(action for action in range(180) if action not in question.legal)


def play_beside(player: Player, seed: int = 1, patience: float = 10.0) -> tuple[Host, Match]:
    """A round of three in which `player` sits first and basic bots beside it."""
    sheet = shipped("violet").sheet
    match = Match(sheet, ["?"] * 3, key_of_seed(seed))
    others = [PolicyPlayer(f"basic {seat}", MANNERS["basic"], seat) for seat in (1, 2)]
    host = Host(sheet, [player, *others], patience)
    host.play_round(match.game, Trace())
    assert match.over and faults(match) == 0
    return host, match


@pytest.mark.parametrize(
    ("what", "do", "told"),
    [
        ("raises", fail, "raised RuntimeError: lost the thread"),
        ("leaves", leave, "raised SystemExit: enough for today"),
        ("forbidden", forbidden, "which is not allowed now"),
        ("text", lambda question: "r7", "answered 'r7', which is no action"),
        ("None", lambda question: None, "answered None, which is no action"),
        ("huge", lambda question: 10**9, "answered 1000000000, which is no action"),
        ("list", lambda question: [1] * 99, "which is no action"),
        ("declines", lambda question: DECLINE, "answered nothing although it has to decide"),
    ],
)
def test_a_bot_that_fails_forfeits_its_moves_to_basic(
    what: str, do: Callable[[Question], Any], told: str, caplog: pytest.LogCaptureFixture
) -> None:
    bot = Odd(f"odd-{what}", do)
    with caplog.at_level(logging.WARNING, "penultima.bots"):
        host, _ = play_beside(bot)
    assert host.forfeits == bot.asked == len(caplog.messages) > 3
    for line in caplog.messages:
        assert line.startswith(f"odd-{what} ") and told in line
        assert line.endswith(": basic plays this move") and "\n" not in line


class Unspeakable:
    """Cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


class Incomparable:
    def __eq__(self, other: object) -> bool:
        raise ValueError("the truth of this is ambiguous")

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    "do",
    [
        lambda question: 7,
        lambda question: -5,
        lambda question: float("nan"),
        lambda question: float(question.legal[-1]),
        lambda question: Unspeakable(),
        lambda question: Incomparable(),
        lambda question: question.legal.append(179) or 179,
    ],
    ids=["no word", "negative", "nan", "float", "unspeakable", "incomparable", "widens the law"],
)
def test_no_answer_whatever_stops_the_table(do: Callable[[Question], Any]) -> None:
    bot = Odd("odd", do)
    host, _ = play_beside(bot)
    assert host.forfeits == bot.asked > 3


class Leaver:
    """A user's bot that ends the program, or tries to."""

    def choose(self, view: View) -> str | None:
        sys.exit("enough for today")


def test_a_bot_of_ones_own_cannot_end_the_program(caplog: pytest.LogCaptureFixture) -> None:
    host, _ = play_beside(OwnPlayer("mine:Leaver", Leaver(), 1))
    assert host.forfeits > 3
    assert "mine:Leaver raised SystemExit: enough for today" in caplog.text


def test_a_timeout_in_the_bot_itself_is_told_as_what_it_is(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def lose_a_connection(question: Question) -> int:
        raise TimeoutError("the server is gone")

    play_beside(Odd("remote", lose_a_connection))
    assert "remote raised TimeoutError: the server is gone" in caplog.text


class Sleeper:
    """Hangs until the test is over."""

    def __init__(self) -> None:
        self.asked = 0
        self.wake = threading.Event()

    def choose(self, view: View) -> str | None:
        self.asked += 1
        self.wake.wait(60)
        return None


def test_a_bot_that_hangs_is_waited_for_once(caplog: pytest.LogCaptureFixture) -> None:
    bot = Sleeper()
    started = time.perf_counter()
    try:
        host, _ = play_beside(OwnPlayer("sleeper", bot, 1), patience=0.05)
    finally:
        bot.wake.set()
    assert time.perf_counter() - started < 3
    assert bot.asked == 1
    assert host.forfeits == len(caplog.messages) > 3
    told = "sleeper has not answered for 0.05 seconds: basic plays this move"
    assert set(caplog.messages) == {told}


def test_a_bot_that_hangs_does_not_keep_the_program_from_ending() -> None:
    script = """
        import time
        from penultima.bots import MANNERS
        from penultima.bots.host import Host
        from penultima.bots.player import OwnPlayer, PolicyPlayer
        from penultima.edition import shipped
        from penultima.game import Match, key_of_seed
        from penultima.rules.schema import Trace

        class Sleeper:
            def choose(self, view):
                time.sleep(6)

        sheet = shipped("classic").sheet
        players = [OwnPlayer("sleeper", Sleeper(), 1), PolicyPlayer("b", MANNERS["basic"], 2)]
        match = Match(sheet, ["a", "b"], key_of_seed(1))
        Host(sheet, players, patience=0.05).play_round(match.game, Trace())
    """
    subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], check=True, capture_output=True, timeout=4
    )


class Cautious:
    """A user's bot."""

    def __init__(self) -> None:
        self.views: list[View] = []

    def choose(self, view: View) -> str | None:
        self.views.append(view)
        for wish in ("call", "catch"):
            if wish in view.legal:
                return wish
        if view.turn != view.seat and view.phase != "race":
            return None
        return view.legal[-1]


@pytest.mark.parametrize("edition", SHIPPED)
def test_a_users_bot_plays_whole_rounds(edition: str) -> None:
    sheet = shipped(edition).sheet.with_options({"jump_in": True, "challengers": "anybody"})
    bot = Cautious()
    players = [OwnPlayer("cautious", bot, 1)] + [
        PolicyPlayer("easy", MANNERS["easy"], seat) for seat in range(3)
    ]
    host = Host(sheet, players)
    for seed in range(5):
        match = Match(sheet, ["?"] * 4, key_of_seed(seed))
        host.play_round(match.game, Trace())
        assert match.over and faults(match) == 0
    assert host.forfeits == 0
    assert len(bot.views) > 20
    assert all(view.seat == 0 and view.legal for view in bot.views)


def test_reactions_are_human() -> None:
    players: list[Player] = [
        PolicyPlayer("basic", MANNERS["basic"], 1),
        OwnPlayer("own", Cautious(), 2),
        Sharp("sharp", Budget(8), 3),
    ]
    for player in players:
        times = [player.reaction() for _ in range(500)]
        assert all(0.2 <= seconds <= 1.0 for seconds in times)
        assert 0.4 < sum(times) / 500 < 0.6 and len(set(times)) > 100


def play_matches(bot: str, sheet: Sheet, seats: int, count: int) -> Tally:
    job = Job(sheet, (bot,) * seats, seed=seats, matches=True)
    return Tally.from_bytes(play_chunk(job, 0, count), STANDARD.bulk)


@pytest.mark.parametrize("edition", SHIPPED)
@pytest.mark.parametrize("bot", MANNERS)
def test_a_thousand_matches_of_each_bot_come_to_their_end(bot: str, edition: str) -> None:
    sheet = shipped(edition).sheet
    tables = range(MIN_SEATS, SEATS + 1)
    left = BULK_MATCHES
    for seats in tables:
        count = left // (SEATS + 1 - seats)
        left -= count
        tally = play_matches(bot, sheet, seats, count)
        assert tally.matches == count
        assert tally.rounds == tally.match_rounds >= count
        assert tally.limited == 0 or bot == "random"
        assert sum(tally.wins) == tally.rounds - tally.blocked
        assert count <= sum(tally.match_wins) <= count * seats
        assert all(tally.match_wins[:seats]) and not any(tally.match_wins[seats:])
        assert sum(map(sum, tally.actions)) == tally.decisions
        assert tally.points >= sheet.options.target * count  # somebody had to get there
        assert tally.challenges_right <= tally.bluffs
        if bot != "random":
            assert tally.turns / tally.rounds < 250
        if bot in ("eager", "basic"):
            assert tally.caught == 0  # they never forget to call
    assert left == 0


@pytest.mark.parametrize("edition", SHIPPED)
def test_sharp_plays_whole_matches_and_never_forfeits(edition: str) -> None:
    for number in range(SHARP_MATCHES):
        random = Random(number)
        seats = random.choice((2, 3, 4, 6))
        sheet = shipped(edition).sheet
        if number % 2:
            sheet = sheet.with_options({"jump_in": True, "stacking": "same", "seven_zero": True})
        players = [Sharp("sharp", Budget(8), seat) for seat in range(seats)]
        host = Host(sheet, players)
        match = Match(sheet, ["?"] * seats, key_of_seed(number))
        while True:
            host.play_round(match.game, Trace())
            assert faults(match) == 0 and match.game.phase == OVER
            if match.over == "match":
                break
            match.next_round()
        assert host.forfeits == 0


def test_the_same_seeds_play_the_same_match_by_a_host() -> None:
    sheet = shipped("triforce").sheet

    def played() -> Game:
        players: list[Player] = [
            Sharp("sharp", Budget(8), 1),
            PolicyPlayer("e", MANNERS["easy"], 2),
        ]
        match = Match(sheet, ["?"] * 2, key_of_seed(4))
        Host(sheet, players).play_round(match.game, Trace())
        return match.game

    assert played() == played()


def questions(sheet: Sheet, seats: int, seed: int, steps: int = 120) -> Iterator[Question]:
    """Whatever anybody is asked in a random match."""
    random = Random(seed)
    match = Match(sheet, ["?"] * seats, key_of_seed(seed))
    host = Host(sheet, [PolicyPlayer("", MANNERS["random"], 0)] * seats)
    trace = Trace(sheet.rules.size)
    for _ in range(steps):
        if match.over == "match":
            return
        if match.over == "round":
            match.next_round()
        place = 0
        while place <= 2 * seats:
            place = ask(sheet.rules, match.game, place)
            question = host.question(match.game, seat_asked(match.game, trace, place), place)
            if question.legal:
                yield question
            place += 1
        match.play(*choose(match, random, 0.1))


@pytest.mark.parametrize("name", MANNERS)
def test_a_bot_of_the_core_never_answers_what_is_not_allowed(name: str) -> None:
    player = PolicyPlayer(name, MANNERS[name], 1)
    met: Counter[int] = Counter()
    for seed in range(60):
        sheet, seats, _ = random_table(Random(seed))
        for question in questions(sheet, seats, seed, 60):
            answer = player.answer(question)
            allowed = question.legal + [DECLINE] * question.may_decline
            assert answer in allowed, [action_text(sheet, action) for action in question.legal]
            met[question.seen.phase] += 1
    assert sum(met.values()) > 3_000 and len(met) == OVER  # every phase


def test_easy_forgets_to_call_at_times_and_basic_never_does() -> None:
    calls: Counter[str] = Counter()
    asked_to = 0
    for seed in range(40):
        sheet = shipped("classic").sheet.with_options({"hand_size": 3})
        for question in questions(sheet, 3, seed, 30):
            if CALL in question.legal:
                asked_to += 1
                for name in ("basic", "easy", "eager"):
                    player = PolicyPlayer(name, MANNERS[name], seed * 1000 + asked_to)
                    calls[name] += player.answer(question) == CALL
    assert asked_to > 50
    assert calls["basic"] == calls["eager"] == asked_to
    assert 0.3 * asked_to < calls["easy"] < 0.9 * asked_to


def test_easy_overlooks_a_missing_call_at_times_and_basic_never_does() -> None:
    catches: Counter[str] = Counter()
    seen = 0
    for seed in range(60):
        sheet = shipped("classic").sheet.with_options({"hand_size": 2})
        for question in questions(sheet, 3, seed, 30):
            if CATCH in question.legal and CALL not in question.legal:
                seen += 1
                for name in ("basic", "easy"):
                    player = PolicyPlayer(name, MANNERS[name], seed * 1000 + seen)
                    catches[name] += player.answer(question) == CATCH
    assert seen > 50
    assert catches["basic"] == seen
    assert 0.1 * seen < catches["easy"] < 0.6 * seen


@pytest.mark.parametrize("name", MANNERS)
def test_a_manner_is_the_same_after_it_was_bytes(name: str) -> None:
    manner = MANNERS[name]
    again = Manner.from_bytes(manner.to_bytes())
    assert again == manner
    assert all(getattr(again, field) == getattr(manner, field) for field in Manner.FIELDS)
    for chance in ("call", "catch", "challenge", "careless"):
        assert 0 <= getattr(manner, chance) <= 1000


def test_manners_differ() -> None:
    assert len({manner.to_bytes() for manner in MANNERS.values()}) == len(MANNERS)


def answer_at(name: str, edition: str, seat: int, seed: int, **fields: Any) -> str:
    """What a bot does in a written position."""
    sheet = shipped(edition).sheet
    game = read_position(sheet, fields)
    host = Host(sheet, [PolicyPlayer(name, MANNERS[name], seed)] * game.seats)
    return action_text(sheet, host.answer(host.question(game, seat, 2 * game.seats)))


def test_basic_names_the_color_it_holds_most() -> None:
    hands = [["W", "g1", "g4", "g6", "b2", "y9"], ["r1", "r2", "r3", "r4"]]
    for seed in range(20):
        said = answer_at("basic", "classic", 0, seed, hands=hands, discard=["r8"], turn=0)
        assert said == "W:g"


def test_basic_names_the_color_it_holds_most_for_a_turned_wild_card() -> None:
    met = 0
    player = PolicyPlayer("basic", MANNERS["basic"], 1)
    for seed in range(150):
        for question in questions(shipped("classic").sheet, 4, seed, 1):
            if question.seen.phase == NAME:
                met += 1
                color = player.answer(question) - COLOR
                assert question.seen.colors[color] == max(question.seen.colors)
    assert met > 3


def test_basic_gives_and_swaps_with_the_shortest_hand() -> None:
    met: Counter[int] = Counter()
    player = PolicyPlayer("basic", MANNERS["basic"], 1)
    for seed in range(60):
        sheet = shipped(SHIPPED[seed % 5]).sheet.with_options({"seven_zero": True})
        for question in questions(sheet, 2 + seed % 5, seed):
            seen = question.seen
            first = {GIVING: GIVE, SWAPPING: SWAP}.get(seen.phase)
            if first is None or question.may_decline or {CALL, CATCH} & set(question.legal):
                continue
            met[seen.phase] += 1
            others = [seat for seat in range(seen.seats) if seat != seen.seat]
            chosen = player.answer(question) - first
            assert chosen in others
            assert seen.counts[chosen] == min(seen.counts[seat] for seat in others)
    assert met[GIVING] > 20 and met[SWAPPING] > 20


def test_basic_keeps_its_wild_cards_while_another_card_fits() -> None:
    hands = [["W", "W4", "r1", "b2", "b5", "y9"], ["r2", "r3", "r4", "r5"]]
    for seed in range(20):
        said = answer_at("basic", "classic", 0, seed, hands=hands, discard=["r8"], turn=0)
        assert said == "r1"


def test_basic_does_not_draw_while_a_card_fits() -> None:
    player = PolicyPlayer("basic", MANNERS["basic"], 1)
    met = 0
    for seed in range(10):
        for question in questions(shipped("classic").sheet, 4, seed):
            if max(question.legal) >= 60 and CALL not in question.legal:
                met += 1
                assert player.answer(question) not in (DRAW, DECLINE)
    assert met > 100
