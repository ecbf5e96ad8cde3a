"""The core as CUDA: every kernel compiles to machine code for a GPU, whether there is one or not.

Whether it plays the same games on one is what `python -m benchmarks.gpu verdict` tells.
"""

from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest
from numba import types

from penultima.bots.manner import Manner
from penultima.bots.tally import Tally
from penultima.compiled import dtype
from penultima.rules.schema import STANDARD, WIDE, Game, Record, Ruleset, Seen, Size

pytest.importorskip("numba_cuda", reason="numba-cuda is made for Linux and Windows")

from numba import cuda
from numba.cuda import dispatcher

from penultima import cuda as kernels
from penultima.gpu import Field

HOPPER = (9, 0)
pytestmark = pytest.mark.xdist_group("cuda")


@pytest.fixture
def no_gpu_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions called from a kernel are compiled for the current device: pretend there is one."""
    pretended = SimpleNamespace(compute_capability=HOPPER)
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: pretended)


def arrays(size: Size) -> dict[str, Any]:
    classes = {"rules": Ruleset, "games": Game, "tallies": Tally, "seen": Seen, "manners": Manner}
    found = {name: numba.from_dtype(dtype(cls, size))[::1] for name, cls in classes.items()}
    vectors = ("queue", "places", "seats", "actions", "lucks", "total")
    found |= dict.fromkeys(vectors, types.int64[::1])
    found |= dict.fromkeys(("masks", "rows"), types.int64[:, ::1])
    found |= dict.fromkeys(("seed", "first", "last", "players"), types.int64)
    found |= dict.fromkeys(("whole_match", "counting"), types.boolean)
    return found | {"policies": types.int16[::1]}


@pytest.mark.usefixtures("no_gpu_needed")
@pytest.mark.parametrize(
    ("kernel", "size"),
    [
        ("play_games", STANDARD),
        ("play_games blindly", STANDARD),
        ("deal_games", STANDARD),
        ("advance_games", STANDARD),
        ("decide_games", STANDARD),
        ("add_up", STANDARD),
        ("advance_games", WIDE),
    ],
    ids=["play", "play blindly", "deal", "advance", "decide", "add up", "advance, wide"],
)
def test_a_kernel_compiles(kernel: str, size: Size) -> None:
    name, _, blindly = kernel.partition(" ")
    function = getattr(kernels, name).py_func
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    kinds = arrays(size.bulk)
    if blindly:
        kinds["manners"] = kinds["policies"]
    signature = tuple(kinds[name] for name in names)
    ptx, _ = cuda.compile_ptx(function, signature, cc=HOPPER)
    assert ".target sm_90" in ptx


@pytest.mark.parametrize("cls", [Game, Seen])
def test_a_field_lies_where_the_record_has_it(cls: type[Record]) -> None:
    array = np.zeros(5, dtype(cls))
    array.view(np.uint8)[:] = np.arange(array.nbytes) % 251
    for name in cls.FIELDS:
        field = Field(array.dtype, name, array.ctypes.data, 5, array)
        told = SimpleNamespace(__array_interface__=field.__cuda_array_interface__)
        assert np.array_equal(np.asarray(told), array[name]), name


def test_a_machine_without_a_gpu_is_told_so() -> None:
    reason = kernels.available()
    assert reason is None or len(reason) > 5
