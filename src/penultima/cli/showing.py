"""How a table is shown: the full screen where there is one, else line by line."""

import argparse
import asyncio
import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import Final, TextIO

from penultima.cli.arguments import refuse_ignored, seconds
from penultima.cli.files import read_text
from penultima.tui.lines import Lines
from penultima.tui.plain import play
from penultima.tui.seat import Seat

COLORS: Final = {"truecolor": "truecolor", "256": "256", "16": "standard"}
MONOCHROME: Final = ("vt1", "vt2", "xterm-mono", "screen-mono")


def add_screen(parser: argparse.ArgumentParser) -> None:
    add_plain(parser)
    parser.add_argument("--answers", metavar="FILE", help="cli.option.answers")
    parser.add_argument(
        "--pace", type=seconds, default=0.9, metavar="SECONDS", help="cli.option.pace"
    )
    parser.add_argument(
        "--moment",
        type=seconds,
        default=3.0,
        metavar="SECONDS",
        help="cli.option.moment",
    )


def add_plain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plain", action="store_true", help="cli.option.plain")
    parser.add_argument(
        "--color",
        choices=("auto", *COLORS, "none"),
        default="auto",
        help="cli.option.color",
    )


def refuse_ignored_screen(options: argparse.Namespace) -> None:
    """Refuse what only a full screen follows where none is wanted."""
    for other in ("--plain", "--answers"):
        if other in options.given:
            refuse_ignored(options, other, "--pace", "--moment", "--color")


def is_plain(options: argparse.Namespace) -> bool:
    """Whether there is no screen to fill, or none is wanted."""
    if options.plain or getattr(options, "answers", None):
        return True
    return not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb"


def show(seat: Seat, options: argparse.Namespace) -> str | None:
    """Play at a table; gives how it was left: "quit", "again", "interrupted", or None."""
    if not is_plain(options):
        return _full_screen(seat, options)
    with answers(options.answers) as stream:
        try:
            asyncio.run(play(seat, options.lang, Lines(stream), write))
        except KeyboardInterrupt:
            return "interrupted"
    return None


def _full_screen(seat: Seat, options: argparse.Namespace) -> str | None:
    prepare(options)
    from penultima.tui.app import table_app  # Textual is for this screen only
    from penultima.tui.table import Manners

    return table_app(seat, options.lang, Manners(options.pace, options.moment)).run()


def prepare(options: argparse.Namespace) -> None:
    """What Textual reads when it is loaded."""
    if options.color in COLORS:
        os.environ["TEXTUAL_COLOR_SYSTEM"] = COLORS[options.color]
        os.environ.pop("NO_COLOR", None)
    elif options.color == "none" or os.environ.get("TERM", "").startswith(MONOCHROME):
        os.environ["NO_COLOR"] = "1"


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


@contextlib.contextmanager
def answers(file: str | None) -> Iterator[TextIO]:
    if file is None:
        yield sys.stdin
        return
    yield io.StringIO(read_text(file))
