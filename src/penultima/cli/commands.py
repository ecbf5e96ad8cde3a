"""All commands, and how one of them is run."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Final

from penultima import __version__, players
from penultima.bots import MANNERS
from penultima.cli import (
    administering,
    advising,
    contesting,
    helping,
    joining,
    looking,
    playing,
    replaying,
    serving,
    simulating,
    verifying,
)
from penultima.cli.parser import Parser, harmless, speaking
from penultima.edition import SHIPPED
from penultima.errors import PenultimaError, UsageError
from penultima.locale import LANGUAGES, say
from penultima.server.settings import Limits, Pace

# Each adds its own arguments and says what to run.
COMMANDS: Final = (
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
    helping.Help(),
    helping.Completion(),
)
EXAMPLES: Final = """  penultima
  penultima play
  penultima rules chili --lang es
  penultima simulate revenge --players 4"""

# Errors about a name, with the details that hold it and what it could have been.
_NAMES: Final = {
    ("edition", "unknown"): ("name", "allowed"),
    ("bot", "unknown"): ("bot", "names"),
    ("simulation", "bots"): ("bot", "allowed"),
    ("ruleset", "option_unknown"): ("option", "allowed"),
}


def run(words: Sequence[str], language: str) -> int:
    with speaking(language):
        parser, parsers = parser_of(language)
        try:
            options, left = parser.parse_known_args(words)
        finally:
            sys.stdout.flush()  # --help leaves by an exception
        mine = parser if options.command is None else parsers[options.command.name]
        if left:
            mine.unknown(left)
    try:
        if options.command is None:
            alone = argparse.Namespace(given=set())
            return serving.start_or_open(parsers["serve"].parse_args(["--open"], alone))
        options.given = mine.given(words)
        status: int = options.command.run(options)
        return status
    except UsageError as error:
        mine.error(say(language, f"{error.area}.{error.code}", **error.details))
    except PenultimaError as error:
        return _fail(error, options, mine)


def parser_of(language: str) -> tuple[Parser, dict[str, Parser]]:
    """The parser of everything, and that of each command."""
    with speaking(language):
        return _parser_of(language)


def _parser_of(language: str) -> tuple[Parser, dict[str, Parser]]:
    details = {
        "editions": SHIPPED,
        "bots": players.NAMES,
        "policies": tuple(MANNERS),
        "paces": [field.name for field in fields(Pace)],
        "limits": [field.name for field in fields(Limits)],
        "port": serving.PORT,
    }
    examples = say(language, "cli.examples")
    parser = Parser(
        language=language,
        prog="penultima",
        description=say(language, "cli.about"),
        epilog=f"{say(language, 'cli.alone')}\n\n{examples}\n{EXAMPLES}",
    )
    parser.add_argument(
        "-V",
        "--version",
        action="version",
        version=f"penultima {__version__}",
        help="cli.option.version",
    )
    _add_language(parser)
    parser.set_defaults(command=None)
    made = parser.add_subparsers(metavar=say(language, "cli.word.COMMAND"), parser_class=Parser)
    parsers = {}
    for command in COMMANDS:
        help_ = say(language, f"cli.command.{command.name}")
        added = made.add_parser(
            command.name,
            language=language,
            help=help_,
            description=f"{help_[0].upper()}{help_[1:]}.",
            epilog=f"{examples}\n{command.examples}",
        )
        added.details = details
        added.set_defaults(command=command)
        _add_language(added)
        command.add_arguments(added)
        parsers[command.name] = added
    return parser, parsers


def _add_language(parser: Parser) -> None:
    parser.add_argument(
        "--lang", choices=LANGUAGES, default=parser.language, help="cli.option.lang"
    )


def _fail(error: PenultimaError, options: argparse.Namespace, parser: Parser) -> int:
    code = f"{error.area}.{error.code}"
    text = say(options.lang, code, **error.details)
    if names := _NAMES.get((error.area, error.code)):
        name, allowed = (error.details[key] for key in names)
        text += parser.meant(name, allowed)
    if getattr(options, "json", False):
        answer: dict[str, Any] = {"error": text, "code": code}
        if error.move is not None:
            answer["action"] = error.move
        print(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        print(harmless(say(options.lang, "error.prefix", problem=text)), file=sys.stderr)
    return 1
