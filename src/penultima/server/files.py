"""Open files: how many a process may have, and that connections never take the last of them."""

import contextlib
import sys
from typing import Final

RESERVE: Final = 96  # for the database, workers, and what libraries open
ENOUGH: Final = 65_536
LEAST: Final = 16  # connections, however few files there are


def raise_limit() -> None:
    """Allow this process as many files as it may allow itself."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def left_for_connections() -> int:
    """How many connections this process can hold."""
    if sys.platform == "win32":
        return ENOUGH
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return ENOUGH if soft == resource.RLIM_INFINITY else max(soft - RESERVE, LEAST)
