"""Tables side by side as machine code: what every environment on a CPU is made of."""

from collections.abc import Sequence
from functools import partial
from types import ModuleType
from typing import Any, Final

import numpy as np

from penultima.bots import MANNERS
from penultima.bots.policy import uniform
from penultima.compiled import dtype, register, to_array
from penultima.envs import rows, table
from penultima.envs.layout import Layout
from penultima.envs.rows import from_core
from penultima.envs.table import FINISHED, PLAYING, Table, step_table, write_question, write_seen
from penultima.machinecode import Entry
from penultima.rules.ask import may_decline
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import Sheet

MODULES: Final[tuple[ModuleType, ...]] = (rows, table)
Array = np.ndarray[Any, Any]

register("cpu", modules=MODULES, called=table.CALLED)


@partial(Entry, modules=MODULES, vectorize=True)
def step_tables(
    rules: Any,
    tables: Any,
    games: Any,
    traces: Any,
    words: Any,
    seen: Any,
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
    """Take an answer at every table (`table.step_table`), and ask on."""
    for place in range(tables.shape[0]):
        outcomes[place] = step_table(
            rules[0],
            tables[place],
            games[place],
            traces[place],
            words[place],
            seen[0],
            manners,
            actions[place],
            same_step,
            rewards[place],
            finals[place],
        )
        write_question(
            rules[0],
            tables[place],
            games[place],
            words[place],
            seen[0],
            observations[place],
            masks[place],
        )
        seats[place] = tables[place].seat


@partial(Entry, modules=MODULES)
def observe_game(
    rules: Any, games: Any, seen: Any, place: int, seat: int, observation: Any
) -> None:
    """Write what any seat knows."""
    write_seen(rules[0], games[place], seat, seen[0], observation)


@partial(Entry, modules=MODULES)
def sample_tables(
    rules: Any, tables: Any, games: Any, traces: Any, words: Any, actions: Any
) -> None:
    """Any answer that is allowed, all equally likely, by the luck of the first trace."""
    for place in range(tables.shape[0]):
        if tables[place].state == PLAYING:
            optional = may_decline(games[place], tables[place].place)
            action = uniform(rules[0], words[place], optional, traces[0])
            actions[place] = from_core(action, tables[place].seat, games[place].seats)


class Tables:
    """Tables side by side, and the arrays that a step writes into.

    `bots` has a name for each seat, or None for one that is played from outside.
    """

    def __init__(
        self,
        sheet: Sheet,
        bots: Sequence[str | None],
        number: int = 1,
        reward: int = 0,
        auto: bool = False,
        same_step: bool = False,
    ) -> None:
        rules, size, seats = sheet.rules, sheet.rules.size, len(bots)
        self.layout = Layout(sheet, seats)
        outside = sum(1 << seat for seat, bot in enumerate(bots) if bot is None)
        self.tables = np.zeros(number, dtype(Table))
        self.tables["outside"] = outside
        self.tables["auto"] = outside if auto else 0
        self.tables["reward"] = reward
        self.tables["stride"] = number
        self.games = np.zeros(number, dtype(Game, size))
        self.games["seats"] = seats
        self.words = np.zeros((number, size.mask_words), np.int64)
        self.observations = np.zeros((number, self.layout.length), np.int8)
        self.finals = np.zeros_like(self.observations)
        self.masks = np.zeros((number, self.layout.actions), np.int8)
        self.rewards = np.zeros((number, seats), np.float32)
        self.outcomes = np.zeros(number, np.int8)
        self.seats = np.zeros(number, np.int64)
        self.actions = np.zeros(number, np.int64)
        self._rules = to_array(rules)
        self._traces = np.zeros(number, dtype(Trace, size.bulk))
        self._sampler = np.zeros(1, dtype(Trace, size.bulk))
        self._seen = np.zeros(1, dtype(Seen, size))
        self._manners = to_array(*(MANNERS[bot or "random"] for bot in bots))
        self._same_step = same_step

    def deal(self, seed: int, first: int = 0) -> None:
        """Start games `first`, `first + 1`, … of a seed."""
        self.tables["seed"] = seed
        self.tables["number"] = np.arange(first, first + len(self.tables))
        self._sampler["luck"] = seed
        self.deal_next()

    def deal_next(self) -> None:
        """Start the next game at every table."""
        self.tables["state"] = FINISHED
        self.step(self.actions)

    def step(self, actions: Array) -> None:
        """Take the answers of the seats asked."""
        step_tables(
            self._rules,
            self.tables,
            self.games,
            self._traces,
            self.words,
            self._seen,
            self._manners,
            actions,
            self._same_step,
            self.observations,
            self.masks,
            self.rewards,
            self.finals,
            self.outcomes,
            self.seats,
        )

    def observe(self, place: int, seat: int) -> Array:
        """What any seat of a table knows."""
        row = np.zeros(self.layout.length, np.int8)
        observe_game(self._rules, self.games, self._seen, place, seat, row)
        return row

    def sample(self) -> Array:
        """An answer for every table, all that are allowed equally likely; overwritten next time."""
        sample_tables(self._rules, self.tables, self.games, self._sampler, self.words, self.actions)
        return self.actions
