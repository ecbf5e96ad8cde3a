"""Players that are programs. A bot is given what its seat sees and answers with an action.

`BOTS` names those that ship.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Final, Protocol

from penultima.bots.simple import eager, uniform
from penultima.view import View


class Bot(Protocol):
    """Choose one of `view.legal`; None declines, where the table only asks (`may_decline`)."""

    def __call__(self, view: View, may_decline: bool, random: Random) -> str | None: ...


BOTS: Final[Mapping[str, Callable[[View, bool, Random], str | None]]] = {
    "random": uniform,
    "eager": eager,
}
