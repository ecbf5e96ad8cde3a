"""A second engine, slow and plain, to check the real one against.

It plays the same games from the same rules (shared/rules.md, clause by clause) with card objects
and lists. On purpose it shares nothing with src: no import, no table, no random generator. Where
the two engines differ, at least one of them has misread a clause.
"""

from .cards import Card, deck
from .chance import Stream
from .options import Options, options
from .perft import perft
from .table import Refused, Table

__all__ = ["Card", "Options", "Refused", "Stream", "Table", "deck", "options", "perft"]
