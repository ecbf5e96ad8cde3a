"""The command line: `penultima COMMAND --help` tells the rest."""

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from penultima import __version__
from penultima.cli import (
    administering,
    advising,
    contesting,
    joining,
    looking,
    playing,
    replaying,
    serving,
    simulating,
    verifying,
)
from penultima.errors import PenultimaError
from penultima.locale import LANGUAGES, from_environment, say

# Each adds its own arguments and says what to run.
_COMMANDS = (
    playing.Play(),
    replaying.ReplayCommand(),
    joining.Join(),
    joining.Watch(),
    joining.Host(),
    serving.Serve(),
    simulating.Simulate(),
    contesting.Arena(),
    advising.Advise(),
    verifying.Verify(),
    administering.Admin(),
    looking.Editions(),
    looking.Rules(),
    looking.Perft(),
    looking.Step(),
)


class _Parser(argparse.ArgumentParser):
    """Errors without the usage block: one line that says what is wrong and where to look."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal may lack letters: show their codes
            stream.reconfigure(errors="backslashreplace")
    try:
        return _run(arguments)
    except BrokenPipeError:  # the reader has seen enough: not an error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    try:
        options = parser.parse_args(arguments)
    finally:
        sys.stdout.flush()  # --help leaves by an exception
    try:
        if options.command is None:
            return serving.start_or_open(options.lang)
        result: int = options.command.run(options)
        sys.stdout.flush()
        return result
    except PenultimaError as error:
        result = _fail(error, options)
        sys.stdout.flush()
        return result
    except KeyboardInterrupt:
        print(f"\n{say(options.lang, 'table.interrupted')}", file=sys.stderr)
        return 130


def _fail(error: PenultimaError, options: argparse.Namespace) -> int:
    text = say(options.lang, f"{error.area}.{error.code}", **error.details)
    if getattr(options, "json", False):
        answer: dict[str, Any] = {"error": text, "code": f"{error.area}.{error.code}"}
        if error.move is not None:
            answer["action"] = error.move
        print(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        print(say(options.lang, "error.prefix", problem=text), file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="penultima",
        description="Card games of the UNO family: play them, simulate them, study them.",
        epilog="Without a command the game starts in a browser.\n\nexamples:\n  penultima\n"
        "  penultima play\n  penultima rules chili --lang es\n"
        "  penultima simulate revenge --players 4",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"penultima {__version__}")
    parser.set_defaults(command=None, lang=from_environment())
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)
    for command in _COMMANDS:
        added = commands.add_parser(
            command.name,
            help=command.help,
            description=f"{command.help[0].upper()}{command.help[1:]}.",
            epilog=f"examples:\n{command.examples}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.set_defaults(command=command)
        added.add_argument("--lang", choices=LANGUAGES, default=from_environment(), help="language")
        command.add_arguments(added)
    return parser
