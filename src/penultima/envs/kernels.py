"""Tables side by side on a GPU, one thread each: the same functions as on a CPU.

Rows lie the other way round than on a CPU, a number of all tables side by side, so that the threads
of a warp write next to each other.
"""

from functools import cache
from typing import Any, Final

from numba import cuda

from penultima.bots.policy import uniform
from penultima.compiled import dtype, register
from penultima.cuda import keep_apart
from penultima.envs import rows, table
from penultima.envs.rows import from_core
from penultima.envs.table import PLAYING, step_table, write_question
from penultima.rules.ask import may_decline
from penultima.rules.schema import Seen, Size, Trace

_APART: Final[tuple[Any, ...]] = (
    *(table.start_table, table.deal_on, table.write_rewards, table.write_seen),
)

register("cuda", without=_APART, modules=(rows, table))
for _function in _APART:
    keep_apart(_function)


def _step_tables(trace_type: Any, seen_type: Any, bots: bool) -> Any:
    def step_tables(
        rules: Any,
        tables: Any,
        games: Any,
        lucks: Any,
        words: Any,
        manners: Any,
        actions: Any,
        same_step: bool,
        observations: Any,
        masks: Any,
        rewards: Any,
        finals: Any,
        outcomes: Any,
        seats: Any,
    ) -> None:
        """As `tables.step_tables`."""
        place = cuda.grid(1)
        if place < tables.shape[0]:
            trace = cuda.local.array(1, trace_type)
            seen = cuda.local.array(1, seen_type)
            trace[0].on = 0
            trace[0].luck = lucks[place]
            players = manners if bots else None  # decided when the kernel is compiled
            outcomes[place] = step_table(
                rules[0],
                tables[place],
                games[place],
                trace[0],
                words[place],
                seen[0],
                players,
                actions[place],
                same_step,
                rewards[:, place],
                finals[:, place],
            )
            write_question(
                rules[0],
                tables[place],
                games[place],
                words[place],
                seen[0],
                observations[:, place],
                masks[:, place],
            )
            seats[place] = tables[place].seat
            lucks[place] = trace[0].luck

    return step_tables


def _sample_tables(trace_type: Any) -> Any:
    def sample_tables(
        rules: Any, tables: Any, games: Any, lucks: Any, words: Any, actions: Any
    ) -> None:
        """As `tables.sample_tables`, with luck for each table."""
        place = cuda.grid(1)
        if place < tables.shape[0] and tables[place].state == PLAYING:
            trace = cuda.local.array(1, trace_type)
            trace[0].luck = lucks[place]
            optional = may_decline(games[place], tables[place].place)
            action = uniform(rules[0], words[place], optional, trace[0])
            actions[place] = from_core(action, tables[place].seat, games[place].seats)
            lucks[place] = trace[0].luck

    return sample_tables


def functions(size: Size, bots: bool) -> tuple[Any, Any]:
    """To step and to sample, for a size of deck; without bots, none are compiled in."""
    trace, seen = dtype(Trace, size.bulk), dtype(Seen, size)
    return _step_tables(trace, seen, bots), _sample_tables(trace)


@cache
def kernels(size: Size, bots: bool) -> tuple[Any, Any]:
    """The same as kernels, ready to be launched."""
    step, sample = functions(size, bots)
    return cuda.jit(step), cuda.jit(sample)
