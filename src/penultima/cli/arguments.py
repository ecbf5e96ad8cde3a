"""Arguments that several commands share."""

import argparse
import re
from collections.abc import Callable
from typing import Any, Final, Protocol

from penultima.edition import Edition
from penultima.errors import Unreadable, UsageError, short
from penultima.ruleset import NUMBERS, SWITCHES

SEED_LIMIT: Final = 2**62
USUAL: Final = "classic"  # the edition that is played where none is named


class Command(Protocol):
    """A subcommand of `penultima`."""

    name: str
    examples: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace) -> int: ...


def add_edition(parser: argparse.ArgumentParser, text: str = "cli.option.edition_usual") -> None:
    parser.add_argument("edition", nargs="?", metavar="EDITION", help=text)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--options", default="", metavar="NAME=VALUE,…", help="cli.option.options")


def add_table(parser: argparse.ArgumentParser, players: int, *, seeded: bool = True) -> None:
    parser.add_argument(
        "--players",
        type=whole(2, 10),
        default=players,
        metavar="NUMBER",
        help="cli.option.players",
    )
    add_options(parser)
    if seeded:
        parser.add_argument(
            "--seed", type=whole(0, SEED_LIMIT - 1), metavar="SEED", help="cli.option.seed"
        )


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="cli.option.json")


def whole(low: int, high: int) -> Callable[[str], int]:
    """The type of an argument that is a whole number in a range."""

    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not low <= int(text[:30]) <= high:
            raise UsageError("whole", text=short(text), low=low, high=high)
        return int(text)

    return number


def many(low: int, high: int) -> Callable[[str], int]:
    """The type of an argument that can be a large number: 10000, 10k, 2.5M or 1G."""
    units = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}

    def number(text: str) -> int:
        found = re.fullmatch(r"([0-9]{1,18})(?:\.([0-9]{1,9}))?([kKmMgG]?)", text)
        if found:
            rest = found[2] or ""
            scaled = int(found[1] + rest) * units[found[3].lower()]
            value, left = divmod(scaled, int("1" + "0" * len(rest)))
            if left == 0 and low <= value <= high:
                return value
        raise UsageError("many", text=short(text), low=low, high=high)

    return number


def seconds(text: str) -> float:
    """The type of an argument that is a time."""
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", text):
        raise UsageError("seconds", text=short(text))
    return float(text)


def refuse_ignored(options: argparse.Namespace, other: str, *names: str) -> None:
    """Refuse what was given and would have no effect beside something else: options by their
    names, other arguments in capitals."""
    for name in names:
        if name in options.given or (
            name.isupper() and getattr(options, name.lower(), None) is not None
        ):
            raise UsageError("ignored", option=name, other=short(other))


def with_scheme(address: str) -> str:
    """The address of a server, without the slash at its end.

    >>> with_scheme("localhost:8765/")
    'http://localhost:8765'
    """
    return (address if "://" in address else f"http://{address}").rstrip("/")


def with_options(edition: Edition, text: str) -> Edition:
    return edition.with_options(read_options(text)) if text else edition


def read_options(text: str) -> dict[str, Any]:
    """`NAME=VALUE,NAME=VALUE` with values of the right type.

    >>> read_options("stacking=same,jump_in=true,target=200")
    {'stacking': 'same', 'jump_in': True, 'target': 200}
    """
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise Unreadable("option", text=short(part))
        if name in SWITCHES and value in ("true", "false", "on", "off"):
            options[name] = value in ("true", "on")
        elif name in NUMBERS and re.fullmatch("[0-9]{1,18}", value):
            options[name] = int(value)
        else:
            options[name] = value
    return options
