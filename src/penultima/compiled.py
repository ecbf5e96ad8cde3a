"""The rules core as machine code: NumPy records for the data, Numba for the functions.

No rule is written here. The record types come from the schema, and the very functions of
`penultima.rules` are registered with Numba from outside, so that compiled entry points can call
them.
"""

from types import FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np
from numba.extending import register_jitable

from penultima.rules import (
    ask,
    chance,
    check,
    deal,
    legal,
    notes,
    observe,
    pile,
    score,
    step,
)
from penultima.rules.schema import STANDARD, Record, Size

MODULES: tuple[ModuleType, ...] = (
    chance,
    notes,
    pile,
    score,
    deal,
    legal,
    step,
    observe,
    ask,
    check,
)

_R = TypeVar("_R", bound=Record)


def functions() -> list[FunctionType]:
    """Every function of the core."""
    return [
        value
        for module in MODULES
        for value in vars(module).values()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    ]


def _register() -> None:
    for function in functions():
        register_jitable(function)


_register()


def dtype(cls: type[Record], size: Size = STANDARD) -> np.dtype[Any]:
    """The NumPy record of a schema class; its bytes are those of `Record.to_bytes`."""
    fields = [(n, f"<i{f.width}", f.dimensions(size)) for n, f in cls.FIELDS.items()]
    return np.dtype(fields, align=True)


def to_array(*records: Record) -> np.ndarray[Any, Any]:
    """Plain objects as an array of records."""
    first = records[0]
    array = np.zeros(len(records), dtype(type(first), first.size))
    for place, plain in enumerate(records):
        for name in first.FIELDS:
            array[name][place] = getattr(plain, name)
    return array


def to_plain(cls: type[_R], element: Any, size: Size = STANDARD) -> _R:
    """One element of such an array as a plain object."""
    plain = cls(size)
    for name in cls.FIELDS:
        setattr(plain, name, element[name].tolist())
    return plain
