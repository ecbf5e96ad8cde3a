"""Simulations on a GPU: the same games and the same tally as on a CPU, thread by thread."""

from collections.abc import Callable
from typing import Final

import numpy as np
from numba import cuda as device

from penultima.bots.tally import Tally
from penultima.compiled import dtype, to_array
from penultima.cuda import THREADS, add_up, blocks, play_games
from penultima.rules.schema import Game
from penultima.sim import Job, as_tally

IN_FLIGHT: Final = 32_768  # more would not fit the caches
SLICE: Final = 32 * IN_FLIGHT  # games between two looks at the clock


def simulate(
    job: Job,
    games: int,
    progress: Callable[[Tally], None] = lambda tally: None,
    in_flight: int = IN_FLIGHT,
) -> Tally:
    """Play the games; see `penultima.sim.simulate`."""
    rules = job.sheet.rules
    bulk = rules.size.bulk
    plain = np.zeros(in_flight, dtype(Game, rules.size))
    plain["seats"] = job.seats
    on_device = device.to_device(plain)
    tallies = device.to_device(np.zeros(in_flight, dtype(Tally, bulk)))
    total = device.to_device(np.zeros(1, dtype(Tally, bulk)))
    columns = dtype(Tally, bulk).itemsize // 8
    sheet, policies = device.to_device(to_array(rules)), device.to_device(np.array(job.policies))
    for first in range(0, games, SLICE):
        count = min(SLICE, games - first)
        queue = device.to_device(np.array([first]))
        play_games[blocks(in_flight), THREADS](
            sheet, on_device, tallies, policies, job.seed, queue, first + count, job.matches, True
        )
        add_up[blocks(columns), THREADS](
            tallies.view(np.int64).reshape(in_flight, columns), total.view(np.int64)
        )
        progress(as_tally(job, total.copy_to_host()))
    return as_tally(job, total.copy_to_host())
