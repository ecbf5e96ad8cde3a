"""What a bot that thinks ahead expects of each action, and how it comes to expect it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final, Protocol

from penultima.bots.manner import Manner
from penultima.bots.outlook import SURE
from penultima.bots.tally import Tally
from penultima.bots.think import (
    AHEAD,
    AHEAD_SQUARES,
    CHANCE,
    POINTS,
    RESULTS,
    SQUARES,
    TO_THE_END,
    think,
)
from penultima.cards import SEATS
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import Sheet

CLEAR: Final = 0.7  # standard errors by which an action must look better than the usual one


@dataclass
class Estimate:
    """What is expected of an action."""

    action: int
    tries: int = 0
    chance: int = 0  # sums, as `bots.think` counts
    points: int = 0
    squares: int = 0
    ahead: int = 0
    ahead_squares: int = 0

    @property
    def rate(self) -> float:
        return self.chance / SURE / max(self.tries, 1)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % for the chance to win a round that was played to its end (Wilson)."""
        n, z = max(self.tries, 1), 1.96
        middle = (self.rate + z * z / (2 * n)) / (1 + z * z / n)
        half = z * sqrt(self.rate * (1 - self.rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return middle - half, middle + half

    @property
    def gain(self) -> float:
        """By how much it is surely better than the first action that was tried with it."""
        n = max(self.tries, 1)
        mean = self.ahead / n
        error = sqrt(max(self.ahead_squares / n - mean * mean, 0) / n)
        return (mean - CLEAR * error) / SURE

    @property
    def mean_points(self) -> float:
        return self.points / max(self.tries, 1)

    @property
    def points_error(self) -> float:
        """Half of the 95 % interval of the points."""
        n = max(self.tries, 1)
        return 1.96 * sqrt(max(self.squares / n - self.mean_points**2, 0) / n)


@dataclass(frozen=True)
class Worlds:
    """Which worlds of a seed are imagined, and how far they are played."""

    seed: int
    first: int
    number: int
    depth: int = TO_THE_END


class Mind(Protocol):
    """Tries actions in imagined worlds."""

    def try_out(
        self, seen: Seen, place: int, estimates: list[Estimate], worlds: Worlds
    ) -> None: ...


class PlainMind:
    """Without any library."""

    def __init__(self, sheet: Sheet, manner: Manner) -> None:
        size = sheet.rules.size
        self._rules = sheet.rules
        self._games = Game(size), Game(size)
        self._trace, self._seen, self._tally = Trace(size), Seen(size), Tally(size)
        self._mask = [0] * size.mask_words
        self._manners = [manner] * SEATS

    def try_out(self, seen: Seen, place: int, estimates: list[Estimate], worlds: Worlds) -> None:
        results = [[0] * len(estimates) for _ in range(RESULTS)]
        think(
            self._rules,
            seen,
            place,
            [estimate.action for estimate in estimates],
            results,
            *self._games,
            self._trace,
            self._mask,
            self._seen,
            self._tally,
            self._manners,
            worlds.seed,
            worlds.first,
            worlds.number,
            worlds.depth,
        )
        add(estimates, worlds.number, list(zip(*results, strict=True)))


def add(estimates: list[Estimate], tries: int, results: Sequence[Sequence[int]]) -> None:
    """Add what was counted for each action."""
    for estimate, counted in zip(estimates, results, strict=True):
        estimate.tries += tries
        estimate.chance += counted[CHANCE]
        estimate.points += counted[POINTS]
        estimate.squares += counted[SQUARES]
        estimate.ahead += counted[AHEAD]
        estimate.ahead_squares += counted[AHEAD_SQUARES]
