"""Errors a user can cause. Each carries a code and details; the sentence comes from the catalogue.

`Unreadable` is what cannot be understood, `Illegal` what the rules forbid at this moment; neither
changes anything.
"""

from typing import Any


def short(value: object, most: int = 40) -> str:
    """Whatever was given, fit to be shown in a message: short, and harmless to a terminal."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except (ValueError, RecursionError):  # a number or a nesting beyond what Python prints
        text = type(value).__name__
    text = "".join(c if c.isprintable() else "�" for c in text[: most + 1])
    return text if len(text) <= most else text[: most - 3] + "..."


class PenultimaError(Exception):
    """The base of everything raised on purpose."""

    area = "error"

    def __init__(self, code: str, **details: Any) -> None:
        super().__init__(code, details)
        self.code = code
        self.details = details
        self.move: str | None = None  # the move among several that was refused

    def __str__(self) -> str:
        from penultima.locale import say  # only when somebody wants to read it

        return say("en", f"{self.area}.{self.code}", **self.details)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.code, self.details)


def _rebuild(cls: type[PenultimaError], code: str, details: dict[str, Any]) -> PenultimaError:
    return cls(code, **details)


class RulesetError(PenultimaError):
    """A deck or an option that no table could play by."""

    area = "ruleset"


class EditionError(PenultimaError):
    """An edition file that cannot be used."""

    area = "edition"


class Unreadable(PenultimaError):
    """Text or data that cannot be understood."""

    area = "unreadable"


class Illegal(PenultimaError):
    """An action that the rules do not allow this seat now."""

    area = "illegal"


class Why(PenultimaError):
    """What stands in the way of an action: a code, with the cards, color and number it speaks of.

    `card` and `top` are texts of cards, `color` is a letter, `count` a number.
    """

    area = "why"


class PositionError(PenultimaError):
    """A position that cannot occur."""

    area = "position"


class SimulationError(PenultimaError):
    """Bulk play that cannot be done as asked."""

    area = "simulation"


class RecordError(PenultimaError):
    """A match record that cannot be replayed."""

    area = "record"


class BotError(PenultimaError):
    """A bot that cannot sit down."""

    area = "bot"


class ArenaError(PenultimaError):
    """A contest that cannot be held as asked."""

    area = "arena"


class ServerError(PenultimaError):
    """A server that cannot run as asked, or a request that it refuses."""

    area = "server"


class EnvError(PenultimaError):
    """An environment for learning that cannot be made, or an action that it cannot take."""

    area = "envs"


class SaveError(PenultimaError):
    """A kept match that cannot be gone on with, or a place in it that is not there."""

    area = "save"


class UsageError(PenultimaError):
    """A command line that asks for what cannot be."""

    area = "usage"


class Giver(PenultimaError):
    """Whose promise or seed an `Unfair` is about: a detail of it, and never raised."""

    area = "fair.who"


class Unfair(PenultimaError):
    """A server that does not keep to the fair deal."""

    area = "fair.broken"
