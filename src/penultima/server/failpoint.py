"""Places at which a test makes the server die, to see that nothing is lost.

`PENULTIMA_FAILPOINT=commit:3` kills the process when it comes to the place `commit` for the third
time. Without the variable a place costs nothing.
"""

import os
import signal
from collections.abc import Callable
from typing import Final

PLACES: Final = (
    *("decode", "append", "commit", "answer", "broadcast"),
    *("timer", "bot", "race", "promise", "reveal", "deal"),
)


def _armed(wanted: str) -> Callable[[str], None]:
    place, _, count = wanted.partition(":")
    left = int(count or 1)

    def come_to(here: str) -> None:
        nonlocal left
        if here == place:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return come_to


def _nothing(_here: str) -> None:
    pass


_wanted = os.environ.get("PENULTIMA_FAILPOINT", "")
failpoint: Callable[[str], None] = _armed(_wanted) if _wanted else _nothing
