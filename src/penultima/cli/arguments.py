"""Arguments that several commands share."""

import argparse
import re
from collections.abc import Callable
from typing import Any, Protocol

from penultima.edition import SHIPPED, Edition
from penultima.errors import Unreadable, short
from penultima.ruleset import NUMBERS, SWITCHES

SEED_LIMIT = 2**62


class Command(Protocol):
    """A subcommand of `penultima`."""

    name: str
    help: str
    examples: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace) -> int: ...


def add_edition(parser: argparse.ArgumentParser, default: str | None = "classic") -> None:
    parser.add_argument(
        "edition",
        nargs="?",
        default=default,
        metavar="EDITION",
        help=f"{', '.join(SHIPPED)}, or the path of a .toml file",
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--options", default="", metavar="NAME=VALUE,…", help="set rule options")


def add_table(parser: argparse.ArgumentParser, players: int, *, seeded: bool = True) -> None:
    text = f"2 to 10 (default {players})"
    parser.add_argument("--players", type=whole(2, 10), default=players, help=text)
    add_options(parser)
    if seeded:
        text = "the same cards every time"
        parser.add_argument("--seed", type=whole(0, SEED_LIMIT - 1), help=text)


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="for machines")


def whole(low: int, high: int) -> Callable[[str], int]:
    """The type of an argument that is a whole number in a range."""

    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not low <= int(text[:30]) <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number {low} to {high}")
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
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a whole number {low} to {high} (10k and 2.5M will do)"
        )

    return number


def seconds(text: str) -> float:
    """The type of an argument that is a time."""
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to 999")
    return float(text)


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
