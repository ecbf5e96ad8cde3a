"""Players that are programs.

`policy` and `basic` have bots in the subset of the core, which also play compiled; `manner` says
how each of them plays. `table` plays whole games between them, `tally` counts what happens. A bot
is given what its seat may do and knows, never a game.
"""

from typing import Final

from penultima.bots.manner import BASIC, EAGER, RANDOM, Manner, manner

__all__ = ["MANNERS", "Manner"]

# Found by letting changed weights play against unchanged ones (`docs/bots.md`).
_WEIGHTS: Final = {
    "color": 23,
    "symbol": -9,
    "wild": -97,
    "bold": -50,
    "bluff": -200,
    "take": 5,
    "skip": 12,
    "turn_back": 5,
    "give": 10,
    "race": 0,
    "demand": 10,
    "danger": 30,
    "lacks": 19,
    "points": -4,
    "last": 28,
}
_FORGETFUL: Final = {"call": 400, "catch": 150, "challenge": 20, "careless": 900}
MANNERS: Final[dict[str, Manner]] = {
    "random": manner(RANDOM),
    "eager": manner(EAGER),
    "basic": manner(BASIC, challenge=60, **_WEIGHTS),
    # For a table where people are new to the game.
    "easy": manner(BASIC, **_WEIGHTS, **_FORGETFUL),
}
