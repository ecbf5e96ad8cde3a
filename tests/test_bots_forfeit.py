"""What becomes of a bot that fails, hangs or answers nonsense, and of one of a user's own."""

import logging
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from penultima.bots import MANNERS
from penultima.bots.host import Host
from penultima.bots.player import OwnPlayer, Player, PolicyPlayer, Question
from penultima.edition import SHIPPED, shipped
from penultima.game import Match, key_of_seed
from penultima.rules.ask import DECLINE
from penultima.rules.schema import Trace
from penultima.view import View
from tests.support import faults

# One process compiles for all of them.
pytestmark = pytest.mark.xdist_group("compiled")


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
        ("text", lambda question: "r7", "answered 'r7', which is not an action"),
        ("None", lambda question: None, "answered None, which is not an action"),
        ("huge", lambda question: 10**9, "answered 1000000000, which is not an action"),
        ("list", lambda question: [1] * 99, "which is not an action"),
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
