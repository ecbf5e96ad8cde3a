"""`sharp`: thinks ahead in imagined worlds before it decides, and says what it expects.

The thinking itself is `bots.think`, in the subset of the core: compiled where Numba is there,
interpreted (and slower) where it is not.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2, sqrt
from typing import Final, Protocol

from penultima.bots import MANNERS
from penultima.bots.manner import Manner
from penultima.bots.player import PolicyPlayer, Question
from penultima.bots.tally import Tally
from penultima.bots.think import BETTER, POINTS, RESULTS, SQUARES, WINS, WORSE, think
from penultima.cards import SEATS
from penultima.rules.actions import CALL, CATCH, DROP
from penultima.rules.ask import DECLINE
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import Sheet

ROLLOUTS: Final = 3000  # of a decision, where nothing else is said
CLEAR: Final = 0.7  # standard errors by which an action must look better than the usual one
BATCH: Final = 16  # worlds between two looks at the clock


@dataclass(frozen=True)
class Budget:
    """How long to think: in rollouts, or in milliseconds (then chance is not reproducible)."""

    rollouts: int = ROLLOUTS
    milliseconds: float | None = None


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


def mind(sheet: Sheet, manner: Manner = MANNERS["basic"]) -> Mind:
    """The fastest one there is."""
    try:
        from penultima.fastmind import FastMind
    except ImportError:
        return PlainMind(sheet, manner)
    return FastMind(sheet, manner)


def weigh(
    thinker: Mind, seen: Seen, place: int, actions: list[int], budget: Budget, seed: int
) -> list[Estimate]:
    """Estimate the actions; the weaker half is given up again and again, but never the first."""
    estimates = [Estimate(action) for action in actions]
    alive = estimates
    stages = max(ceil(log2(len(actions))), 1)
    first = 0
    started = time.perf_counter()
    for stage in range(1, stages + 1):
        if budget.milliseconds is None:
            worlds = max(budget.rollouts // (stages * len(alive)), 1)
            thinker.try_out(seen, place, alive, seed, first, worlds)
            first += worlds
        else:
            end = started + budget.milliseconds / 1000 * stage / stages
            while True:
                thinker.try_out(seen, place, alive, seed, first, BATCH)
                first += BATCH
                if time.perf_counter() >= end:
                    break
        rest = sorted(alive[1:], key=lambda e: -e.wins)
        alive = alive[:1] + rest[: max(len(alive) // 2, 1)]
    return estimates


class Sharp:
    """Decides by what it expects."""

    def __init__(self, name: str, budget: Budget, seed: int) -> None:
        self.name = name
        self.budget = budget
        self._seed = seed
        self._minds: dict[int, Mind] = {}
        self._habit = PolicyPlayer(name, MANNERS["basic"], seed)

    def answer(self, question: Question) -> int:
        for reflex in (CALL, CATCH, DROP):
            if reflex in question.legal:
                return reflex
        actions = question.legal + [DECLINE] * question.may_decline
        if len(actions) == 1:
            return actions[0]
        usual = self._habit.answer(question)
        actions.remove(usual)
        self._seed += 1
        found = weigh(
            self._mind(question.sheet),
            question.seen,
            question.place,
            [usual, *actions],
            self.budget,
            self._seed * 0x5851F42D4C957F2D & (1 << 61) - 1,
        )
        most = max(estimate.tries for estimate in found)
        best = max((estimate for estimate in found if estimate.tries == most), key=lambda e: e.gain)
        return best.action

    def reaction(self) -> float:
        return self._habit.reaction()

    def _mind(self, sheet: Sheet) -> Mind:
        known = self._minds.get(id(sheet))
        if known is None:
            known = self._minds[id(sheet)] = mind(sheet)
        return known
