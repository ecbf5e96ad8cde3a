"""Every seat's chance as machine code."""

from functools import partial
from typing import Any

import numpy as np

from penultima import foresight
from penultima.bots.manner import Manner
from penultima.bots.tally import Tally
from penultima.cards import SEATS
from penultima.compiled import dtype, register, to_array
from penultima.foresight import DEPTH, foresee, shares
from penultima.machinecode import Entry
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import Sheet

register("cpu", without=(shares,), modules=(foresight,))


@partial(Entry, modules=(foresight,))
def foresee_game(
    rules: Any,
    starts: Any,
    results: Any,
    games: Any,
    traces: Any,
    masks: Any,
    seen: Any,
    tallies: Any,
    manners: Any,
    seed: int,
    worlds: int,
    depth: int,
) -> None:
    """See `foresight.foresee`."""
    foresee(
        rules[0],
        starts[0],
        results,
        games[0],
        traces[0],
        masks[0],
        seen[0],
        tallies[0],
        manners,
        seed,
        worlds,
        depth,
    )


class FastForesight:
    """As `foresight.PlainForesight`, compiled."""

    def __init__(self, sheet: Sheet, manner: Manner) -> None:
        size = sheet.rules.size
        self._rules = to_array(sheet.rules)
        self._games = np.zeros(1, dtype(Game, size))
        self._traces = np.zeros(1, dtype(Trace, size.bulk))
        self._masks = np.zeros((1, size.mask_words), np.int64)
        self._seen = np.zeros(1, dtype(Seen, size))
        self._tallies = np.zeros(1, dtype(Tally, size.bulk))
        self._manners = to_array(*[manner] * SEATS)

    def chances(self, game: Game, seed: int, worlds: int) -> list[float]:
        results = np.zeros(game.seats, np.int64)
        foresee_game(
            self._rules,
            to_array(game),
            results,
            self._games,
            self._traces,
            self._masks,
            self._seen,
            self._tallies,
            self._manners,
            seed,
            worlds,
            DEPTH,
        )
        return shares(results.tolist())
