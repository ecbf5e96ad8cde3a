"""The rules as pages: all of them (`docs/rules/`), or those of one edition as it is played."""

from penultima.rulebook.clause import CLAUSES
from penultima.rulebook.edition import edition_page, effect_text
from penultima.rulebook.reference import page

__all__ = ["clauses", "edition_page", "effect_text", "page"]


def clauses() -> list[str]:
    """The numbers of all clauses, in order."""
    return list(CLAUSES)
