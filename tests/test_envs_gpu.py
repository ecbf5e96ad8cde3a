"""The environments on a GPU: the kernels compile, and run as plain Python they write what those of
a CPU write; a machine without a GPU is told so.

Whether they do so on a GPU is what `python -m benchmarks.envs_gpu verdict` tells.
"""

from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest
from numba import types

from penultima.bots import MANNERS
from penultima.bots.manner import Manner
from penultima.compiled import dtype
from penultima.edition import SHIPPED, shipped
from penultima.envs.tables import Tables
from penultima.rules.schema import STANDARD, Game, Ruleset, Seen, Size, Trace
from penultima.ruleset import Sheet

pytest.importorskip("numba_cuda", reason="numba-cuda is made for Linux and Windows")

from numba import cuda

from penultima import cuda as core
from penultima.envs import kernels
from penultima.envs.table import FINISHED, Table
from penultima.envs.tensors import TensorEnv
from penultima.errors import EnvError
from tests.support import assert_speaks
from tests.test_cuda import HOPPER, no_gpu_needed

__all__ = ["no_gpu_needed"]  # a fixture
pytestmark = pytest.mark.xdist_group("cuda")


def arrays(size: Size) -> dict[str, Any]:
    classes = {"rules": Ruleset, "tables": Table, "games": Game, "manners": Manner}
    found = {name: numba.from_dtype(dtype(cls, size))[::1] for name, cls in classes.items()}
    found |= dict.fromkeys(("lucks", "actions", "seats"), types.int64[::1])
    found |= dict.fromkeys(("observations", "masks", "finals"), types.int8[:, ::1])
    found |= {"words": types.int64[:, ::1], "rewards": types.float32[:, ::1]}
    return found | {"outcomes": types.int8[::1], "same_step": types.boolean}


@pytest.mark.usefixtures("no_gpu_needed")
@pytest.mark.parametrize(
    ("which", "bots"), [(0, False), (0, True), (1, False)], ids=["step", "step, bots", "sample"]
)
def test_a_kernel_compiles(which: int, bots: bool) -> None:
    function = kernels.functions(STANDARD, bots)[which]
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    signature = tuple(arrays(STANDARD)[name] for name in names)
    ptx, _ = cuda.compile_ptx(function, signature, cc=HOPPER)
    assert ".target sm_90" in ptx


def test_a_machine_without_a_gpu_is_told_so() -> None:
    if core.available() is None:
        envs = TensorEnv(8)
        envs.reset(seed=1)
        assert envs.observations.shape == (8, envs.layout.length)
    else:
        with pytest.raises(EnvError, match="No GPU can be used") as raised:
            TensorEnv(8)
        assert_speaks(raised.value)
    with pytest.raises(EnvError):
        TensorEnv(0)


class Memory(list[Any]):
    """What a kernel takes for an array of records."""

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)


def junk(record: Any) -> Any:
    """A record as a thread's own memory has it: nobody has cleared it."""
    for name, value in ((name, getattr(record, name)) for name in record.FIELDS):
        if isinstance(value, int):
            setattr(record, name, 77)
        elif value and isinstance(value[0], list):
            setattr(record, name, [[77] * len(row) for row in value])
        else:
            setattr(record, name, [77] * len(value))
    return record


class Threads:
    """A GPU by hand: the kernels as plain Python, one thread after another."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, here: Tables, sheet: Sheet) -> None:
        size, seats = sheet.rules.size, here.rewards.shape[1]
        number = len(here.tables)
        self._tables = Memory(Table() for _ in range(number))
        self._games = Memory(Game(size) for _ in range(number))
        for place, table in enumerate(self._tables):
            for name in ("outside", "auto", "reward", "stride"):
                setattr(table, name, int(here.tables[place][name]))
            self._games[place].seats = seats
        self._rules = [sheet.rules]
        self._lucks, self._sampler = [0] * number, list(range(number))
        self._words = [[0] * size.mask_words for _ in range(number)]
        self.observations, self.finals = here.observations.T.copy(), here.finals.T.copy()
        self.masks, self.rewards = here.masks.T.copy(), here.rewards.T.copy()
        self.outcomes, self.seats = [0] * number, [0] * number
        self.actions = [0] * number
        self._place = 0
        kinds: dict[Any, Any] = {dtype(Trace, size.bulk): Trace, dtype(Seen, size): Seen}
        local = SimpleNamespace(array=lambda _, kind: [junk(kinds[kind](size))])
        gpu = SimpleNamespace(grid=lambda _: self._place, local=local)
        monkeypatch.setattr(kernels, "cuda", gpu)

    def deal(self, seed: int) -> None:
        for number, table in enumerate(self._tables):
            table.seed, table.number, table.state = seed, number, FINISHED

    def launch(self, kernel: Any, *arguments: Any) -> None:
        for place in range(len(self._tables)):
            self._place = place
            kernel(self._rules, self._tables, self._games, *arguments)

    def step(self, kernel: Any, manners: Any, actions: Any) -> None:
        written = (self.observations, self.masks, self.rewards, self.finals)
        asked = (self._lucks, self._words, manners, actions, True)
        self.launch(kernel, *asked, *written, self.outcomes, self.seats)

    def sample(self, kernel: Any) -> list[int]:
        self.launch(kernel, self._sampler, self._words, self.actions)
        return self.actions


@pytest.mark.parametrize("edition", SHIPPED)
@pytest.mark.parametrize("opponent", [None, "basic"])
def test_a_kernel_writes_what_the_cpu_writes(
    edition: str, opponent: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = shipped(edition).sheet.with_options({"hand_size": 3})
    bots = [None, opponent, opponent]
    here = Tables(sheet, bots, 6, same_step=True)
    there = Threads(monkeypatch, here, sheet)
    step, sample = kernels.functions(sheet.rules.size, opponent is not None)
    manners = [MANNERS[bot or "random"] for bot in bots]
    here.deal(5)
    there.deal(5)
    ended = 0
    for number in range(120):
        actions = there.sample(sample) if number else [0] * 6
        if number:
            masks = here.masks
            assert all(masks[place][action] for place, action in enumerate(actions))
            if number % 25 == 0:
                actions[number % 6] = int(masks[number % 6].argmin())  # one that is not allowed
            here.step(np.array(actions))
        there.step(step, manners, actions)
        ended += int(np.count_nonzero(here.outcomes))
        assert there.outcomes == here.outcomes.tolist()
        assert there.seats == here.seats.tolist()
        assert np.array_equal(there.observations.T, here.observations)
        assert np.array_equal(there.masks.T, here.masks)
        assert np.allclose(there.rewards.T, here.rewards)
        over = here.outcomes != 0
        assert np.array_equal(there.finals.T[over], here.finals[over])
    assert ended
