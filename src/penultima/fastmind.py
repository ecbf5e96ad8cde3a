"""Thinking ahead as machine code."""

import numpy as np

from penultima.bots.manner import Manner
from penultima.bots.mind import Estimate, Worlds, add
from penultima.bots.tally import Tally
from penultima.bots.think import RESULTS
from penultima.cards import SEATS
from penultima.compiled import dtype, think_ahead, to_array
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import Sheet


class FastMind:
    """As `bots.mind.PlainMind`, compiled."""

    def __init__(self, sheet: Sheet, manner: Manner) -> None:
        size = sheet.rules.size
        self._rules = to_array(sheet.rules)
        self._games = np.zeros(2, dtype(Game, size))
        self._traces = np.zeros(1, dtype(Trace, size.bulk))
        self._masks = np.zeros((1, size.mask_words), np.int64)
        self._scratch = np.zeros(1, dtype(Seen, size))
        self._tallies = np.zeros(1, dtype(Tally, size.bulk))
        self._manners = to_array(*[manner] * SEATS)

    def try_out(self, seen: Seen, place: int, estimates: list[Estimate], worlds: Worlds) -> None:
        results = np.zeros((RESULTS, len(estimates)), np.int64)
        think_ahead(
            self._rules,
            to_array(seen),
            place,
            np.array([estimate.action for estimate in estimates]),
            results,
            self._games,
            self._traces,
            self._masks,
            self._scratch,
            self._tallies,
            self._manners,
            worlds.seed,
            worlds.first,
            worlds.number,
            worlds.depth,
        )
        add(estimates, worlds.number, results.T.tolist())
