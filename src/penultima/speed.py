"""Whether the core is compiled here. Where it is not, it is interpreted, and gives the same."""

import functools
from importlib import import_module


@functools.cache
def compiled() -> bool:
    """Whether Numba is there, and of use."""
    try:
        import_module("penultima.compiled")
    except ImportError:
        return False
    return True
