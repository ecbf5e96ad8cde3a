"""Players that are programs.

`policy` has bots in the subset of the core, which also play compiled; `table` plays whole games
between them, `tally` counts what happens. A bot is given what its seat may do and knows, never a
game.
"""

from penultima.bots.policy import POLICIES

__all__ = ["POLICIES"]
