"""The environments on a GPU: the kernels compile, and a machine without one is told so.

Whether they write the same rows as on a CPU is what `python -m benchmarks.envs_gpu verdict` tells.
"""

from typing import Any

import numba
import pytest
from numba import types

from penultima.bots.manner import Manner
from penultima.compiled import dtype
from penultima.rules.schema import STANDARD, Game, Ruleset, Size

pytest.importorskip("numba_cuda", reason="numba-cuda is made for Linux and Windows")

from numba import cuda

from penultima import cuda as core
from penultima.envs import kernels
from penultima.envs.table import Table
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
