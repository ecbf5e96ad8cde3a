"""`sharp`: thinks ahead in imagined worlds before it decides, and says what it expects.

The thinking itself is `bots.think`, in the subset of the core: compiled where Numba is there,
interpreted (and slower) where it is not.
"""

import time
from dataclasses import dataclass
from math import ceil, log2
from typing import Final

from penultima import speed
from penultima.bots import MANNERS
from penultima.bots.manner import Manner
from penultima.bots.mind import Estimate, Mind, PlainMind, Worlds
from penultima.bots.player import PolicyPlayer, Question
from penultima.rules.actions import CALL, CATCH, DROP
from penultima.rules.ask import DECLINE
from penultima.rules.schema import Seen
from penultima.ruleset import Sheet

ROLLOUTS: Final = 6000  # of a decision, where nothing else is said
DEPTH: Final = 20  # decisions before an imagined world is judged
BATCH: Final = 16  # worlds between two looks at the clock


@dataclass(frozen=True)
class Budget:
    """How long to think: in rollouts, or in milliseconds (then chance is not reproducible)."""

    rollouts: int = ROLLOUTS
    milliseconds: float | None = None


def mind(sheet: Sheet, manner: Manner = MANNERS["basic"]) -> Mind:
    """The fastest one there is."""
    if not speed.compiled():
        return PlainMind(sheet, manner)
    from penultima.fastmind import FastMind

    return FastMind(sheet, manner)


def prepare(sheet: Sheet) -> None:
    """Compile now, where anything is compiled, what thinking with this deck takes."""
    mind(sheet).try_out(Seen(sheet.rules.size), 0, [Estimate(DECLINE)], Worlds(0, 0, 0))


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
            thinker.try_out(seen, place, alive, Worlds(seed, first, worlds, DEPTH))
            first += worlds
        else:
            end = started + budget.milliseconds / 1000 * stage / stages
            while True:
                thinker.try_out(seen, place, alive, Worlds(seed, first, BATCH, DEPTH))
                first += BATCH
                if time.perf_counter() >= end:
                    break
        rest = sorted(alive[1:], key=lambda e: -e.chance)
        alive = alive[:1] + rest[: max(len(alive) // 2, 1)]
    return estimates


class Sharp:
    """Decides by what it expects."""

    def __init__(self, name: str, budget: Budget, seed: int) -> None:
        self.name = name
        self.budget = budget
        self._seed = seed
        self._sheet: Sheet | None = None
        self._thinker: Mind | None = None
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
        if self._thinker is None or self._sheet is not sheet:
            self._sheet, self._thinker = sheet, mind(sheet)
        return self._thinker
