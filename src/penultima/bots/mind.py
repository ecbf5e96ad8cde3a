"""What a bot that thinks ahead expects of each action, and how it comes to expect it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final, Protocol

from penultima.bots.manner import Manner
from penultima.bots.tally import Tally
from penultima.bots.think import BETTER, POINTS, RESULTS, SQUARES, WINS, WORSE, think
from penultima.cards import SEATS
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import Sheet

CLEAR: Final = 0.7  # standard errors by which an action must look better than the usual one


@dataclass
class Estimate:
    """What is expected of an action."""

    action: int
    tries: int = 0
    wins: int = 0
    points: int = 0
    squares: int = 0
    better: int = 0
    worse: int = 0

    @property
    def rate(self) -> float:
        return self.wins / max(self.tries, 1)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % for the chance to win the round (Wilson)."""
        n, z = max(self.tries, 1), 1.96
        middle = (self.rate + z * z / (2 * n)) / (1 + z * z / n)
        half = z * sqrt(self.rate * (1 - self.rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return middle - half, middle + half

    @property
    def gain(self) -> float:
        """By how much it surely wins more often than the first action that was tried with it."""
        sure = CLEAR * sqrt(self.better + self.worse)
        return (self.better - self.worse - sure) / max(self.tries, 1)

    @property
    def mean_points(self) -> float:
        return self.points / max(self.tries, 1)

    @property
    def points_error(self) -> float:
        """Half of the 95 % interval of the points."""
        n = max(self.tries, 1)
        return 1.96 * sqrt(max(self.squares / n - self.mean_points**2, 0) / n)


class Mind(Protocol):
    """Tries actions in imagined worlds."""

    def try_out(
        self, seen: Seen, place: int, estimates: list[Estimate], seed: int, first: int, worlds: int
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

    def try_out(
        self, seen: Seen, place: int, estimates: list[Estimate], seed: int, first: int, worlds: int
    ) -> None:
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
            seed,
            first,
            worlds,
        )
        add(estimates, worlds, list(zip(*results, strict=True)))


def add(estimates: list[Estimate], worlds: int, results: Sequence[Sequence[int]]) -> None:
    """Add what was counted for each action."""
    for estimate, counted in zip(estimates, results, strict=True):
        estimate.tries += worlds
        estimate.wins += counted[WINS]
        estimate.points += counted[POINTS]
        estimate.squares += counted[SQUARES]
        estimate.better += counted[BETTER]
        estimate.worse += counted[WORSE]
