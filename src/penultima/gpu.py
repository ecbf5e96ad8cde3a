"""Games on a GPU: the same games and the same tally as on a CPU, thread by thread.

`simulate` plays whole games. A `Batch` is stepped from outside; what it holds can be seen by any
library that knows `__cuda_array_interface__` (torch, CuPy, JAX) without a copy:

    batch = Batch(sheet, seats=4, games=65_536)
    batch.deal(seed=1)
    batch.advance()
    hands = torch.as_tensor(batch.field("seen", "hand"), device="cuda")  # changes with the batch
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numba import cuda as device

from penultima.bots.manner import BASIC, Manner
from penultima.bots.tally import Tally
from penultima.compiled import dtype, to_array
from penultima.cuda import (
    THREADS,
    add_up,
    advance_games,
    blocks,
    deal_games,
    decide_games,
    play_games,
)
from penultima.rules.ask import NOT_ASKED
from penultima.rules.schema import Game, Seen
from penultima.ruleset import Sheet
from penultima.sim import Job, added

IN_FLIGHT: Final = 33_792  # 8 warps on each of an H200's processors: more do not fit its cache
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
    tallies = device.to_device(np.zeros(in_flight, dtype(Tally, bulk)))
    total = Tally(bulk)
    columns = dtype(Tally, bulk).itemsize // 8
    sheet, manners = device.to_device(to_array(rules)), device.to_device(shortened(job.manners))
    for first in range(0, games, SLICE):
        count = min(SLICE, games - first)
        queue = device.to_device(np.array([first]))
        part = device.to_device(np.zeros(1, dtype(Tally, bulk)))
        play_games[blocks(in_flight), THREADS](
            sheet, tallies, manners, job.seats, job.seed, queue, first + count, job.matches, True
        )
        add_up[blocks(columns), THREADS](
            tallies.view(np.int64).reshape(in_flight, columns), part.view(np.int64)
        )
        total = added(total, Tally.from_bytes(part.copy_to_host().tobytes(), bulk))
        progress(total)
    return total


def shortened(manners: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Only the policies, where they play without a look at the table."""
    policies = manners["policy"]
    return manners if (policies == BASIC).any() else policies.copy()


class Batch:
    """Games side by side on the GPU: see `rules.ask.advance` for what a step is."""

    def __init__(self, sheet: Sheet, seats: int, games: int) -> None:
        rules = sheet.rules
        plain = np.zeros(games, dtype(Game, rules.size))
        plain["seats"] = seats
        self.rules = device.to_device(to_array(rules))
        self.games = device.to_device(plain)
        self.seen = device.to_device(np.zeros(games, dtype(Seen, rules.size)))
        self.masks = device.to_device(np.zeros((games, rules.size.mask_words), np.int64))
        self.places = device.to_device(np.full(games, NOT_ASKED))
        self.seats = device.to_device(np.zeros(games, np.int64))
        self.actions = device.to_device(np.zeros(games, np.int64))
        self.lucks = device.to_device(np.arange(games) * 2 + 1)
        self._grid = blocks(games), THREADS

    def deal(self, seed: int, first: int = 0) -> None:
        """Start the matches `first`, `first + 1`, … of a seed; `advance` then asks."""
        deal_games[self._grid](self.rules, self.games, seed, first)
        self.places.copy_to_device(np.full(len(self.games), NOT_ASKED))

    def advance(self) -> None:
        """Take the `actions` of the `seats` asked, and ask on."""
        advance_games[self._grid](
            self.rules, self.games, self.places, self.seats, self.actions, self.masks, self.seen
        )

    def decide(self, manner: Manner) -> None:
        """Let bots of one manner fill `actions`."""
        decide_games[self._grid](
            self.rules,
            self.games,
            self.lucks,
            self.places,
            self.masks,
            self.seen,
            device.to_device(to_array(manner)),
            self.actions,
        )

    def field(self, record: str, name: str) -> "Field":
        """A field of all `games`, or of all that is `seen`."""
        array = getattr(self, record)
        return Field(array.dtype, name, array.device_ctypes_pointer.value, len(array), array)


class Field:
    """One field of an array of records, seen through the array interface: nothing is copied."""

    def __init__(
        self, record: "np.dtype[Any]", name: str, address: int, length: int, owner: object
    ) -> None:
        kind, offset = record.fields[name][:2] if record.fields else (record, 0)
        inner = kind.base.itemsize * np.cumprod((1, *kind.shape[:0:-1]))[::-1]
        self._owner = owner  # keeps the memory alive
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": (length, *kind.shape),
            "typestr": kind.base.str,
            "strides": (record.itemsize, *(int(n) for n in inner[: len(kind.shape)])),
            "data": (address + offset, False),
        }
