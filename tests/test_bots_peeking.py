"""No bot peeks: what it cannot know makes no difference to what it does."""

from collections.abc import Callable, Iterator
from random import Random

import pytest

from penultima import sharp
from penultima.bots import MANNERS
from penultima.bots.host import Host
from penultima.bots.mind import PlainMind
from penultima.bots.player import Player, PolicyPlayer, Question
from penultima.cards import NOBODY
from penultima.edition import SHIPPED, shipped
from penultima.game import Match, key_of_seed
from penultima.rules.actions import (
    RACING,
)
from penultima.rules.ask import DECLINE, ask, seat_asked
from penultima.rules.schema import Game, Trace
from penultima.ruleset import Sheet
from penultima.sharp import Budget, Sharp
from tests.lockstep import choose, random_options
from tests.test_view import twin_of

# One process compiles for all of them.
pytestmark = pytest.mark.xdist_group("compiled")

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
