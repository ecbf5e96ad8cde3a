"""What test modules share: random play, soundness, and whether an error speaks to people."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from random import Random

from penultima.errors import PenultimaError
from penultima.game import Match, key_of_seed
from penultima.locale import LANGUAGES, say
from penultima.rules.check import check
from penultima.rules.check_pending import BAD_CHOICE, BAD_GUILT
from penultima.rules.check_round import BAD_PASSES, BAD_SCORES, BAD_SHOWN
from penultima.ruleset import Sheet
from tests.lockstep import choose

_PLACEHOLDER = re.compile(r"\{[a-z_]+\}")

# What the cards of a hand decide: it may be otherwise where they are only imagined.
OF_HANDS = BAD_CHOICE | BAD_GUILT | BAD_PASSES | BAD_SCORES | BAD_SHOWN


@cache
def edition_text(name: str) -> str:
    """The file of an edition that ships."""
    return (resources.files("penultima") / "editions" / f"{name}.toml").read_text("utf-8")


def in_all_languages(error: PenultimaError) -> list[str]:
    key = f"{error.area}.{error.code}"
    return [say(language, key, **error.details) for language in LANGUAGES]


def assert_speaks(error: PenultimaError) -> None:
    """The error is a whole sentence, in every language."""
    texts = in_all_languages(error)
    assert str(error) == texts[0]
    given = [str(detail) for detail in error.details.values()]
    for text in texts:
        assert text.endswith("."), text
        for left in _PLACEHOLDER.findall(text):
            assert any(left in detail for detail in given), text


def faults(match: Match) -> int:
    rules = match.sheet.rules
    return check(rules, match.game, [0] * rules.kinds)


def someone_can_act(match: Match) -> bool:
    return any(match.legal(seat) for seat in range(match.game.seats))


def go_on(match: Match, random: Random, steps: int) -> None:
    """Play on at random, as far as the match goes; every state is sound and can be stored."""
    for _ in range(steps):
        assert faults(match) == 0
        match.game.to_bytes()
        if match.over == "match":
            return
        if match.over == "round":
            match.next_round()
        else:
            assert someone_can_act(match), "nobody can act and the round is not over"
            match.play(*choose(match, random, wild=0.2))


def states(sheet: Sheet, seats: int, seed: int, most: int = 100_000) -> Iterator[Match]:
    """A match of random moves: as it begins, and after every step, to its end or `most` steps."""
    match = Match(sheet, [f"Player {seat}" for seat in range(seats)], key_of_seed(seed))
    random = Random(seed)
    yield match
    for _ in range(most):
        if match.over == "match":
            return
        go_on(match, random, steps=1)
        yield match
