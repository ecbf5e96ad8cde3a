"""The command line: `penultima COMMAND --help` tells the rest."""

import argparse
import json
import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from penultima import __version__
from penultima.bots import POLICIES
from penultima.edition import SHIPPED, Edition, load
from penultima.errors import PenultimaError, PositionError, Unreadable
from penultima.game import Match, key_of_seed
from penultima.locale import LANGUAGES, from_environment, say
from penultima.notation import read_move
from penultima.perft import Count, divide, perft
from penultima.position import read_position, write_position
from penultima.rulebook import edition_page, page
from penultima.ruleset import SWITCHES, Options
from penultima.tui.plain import PlainTable, Stopped

SEED_LIMIT = 2**63


class _Parser(argparse.ArgumentParser):
    """Errors without the usage block: one line that says what is wrong and where to look."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    try:
        result: int = options.run(options)
        sys.stdout.flush()
        return result
    except PenultimaError as error:
        return _fail(error, options)
    except BrokenPipeError:  # the reader has seen enough: not an error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print(f"\n{say(options.lang, 'table.interrupted')}", file=sys.stderr)
        return 130


def _fail(error: PenultimaError, options: argparse.Namespace) -> int:
    text = say(options.lang, f"{error.area}.{error.code}", **error.details)
    if getattr(options, "json", False):
        code = f"{error.area}.{error.code}"
        answer: dict[str, Any] = {"error": text, "code": code}
        if (move := getattr(error, "move", None)) is not None:
            answer["action"] = move
        print(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        print(say(options.lang, "error.prefix", problem=text), file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="penultima",
        description="Card games of the UNO family: play them, simulate them, study them.",
        epilog="examples:\n  penultima play\n  penultima rules chili --lang es\n"
        "  penultima editions revenge",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"penultima {__version__}")
    parser.set_defaults(command=None, lang=from_environment())
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)

    def command(name: str, help: str, examples: str) -> argparse.ArgumentParser:
        added = commands.add_parser(
            name,
            help=help,
            description=f"{help[0].upper()}{help[1:]}.",
            epilog=f"examples:\n{examples}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.set_defaults(command=name, run=globals()[f"run_{name}"])
        added.add_argument("--lang", choices=LANGUAGES, default=from_environment(), help="language")
        return added

    play = command(
        "play",
        "play against bots, line by line",
        "  penultima play\n  penultima play chili --players 4\n"
        "  penultima play classic --options stacking=same,seven_zero=true",
    )
    _edition_argument(play, optional=True)
    _table_options(play, players=3)
    play.add_argument(
        "--bot", choices=sorted(POLICIES), default="eager", help="who plays against you"
    )
    play.add_argument("--name", default="", help="your name")
    play.add_argument("--record", metavar="FILE", help="write the match record there at the end")

    editions = command(
        "editions",
        "list the editions, or show one",
        "  penultima editions\n  penultima editions triforce\n  penultima editions my.toml --json",
    )
    _edition_argument(editions, optional=True, default=None)
    editions.add_argument("--json", action="store_true", help="for machines")

    rules = command(
        "rules",
        "print the rules of an edition",
        "  penultima rules classic\n  penultima rules chili --lang es --options jump_in=true",
    )
    _edition_argument(rules, optional=True)
    rules.add_argument("--options", default="", metavar="NAME=VALUE,…", help="set rule options")
    rules.add_argument("--all", action="store_true", help="all editions, options and house rules")

    count = command(
        "perft",
        "count and digest all positions a number of actions away",
        "  penultima perft --edition classic --players 2 --seed 1 --depth 6\n"
        "  penultima perft --position FILE --depth 4 --divide",
    )
    count.add_argument("--edition", default="classic", help="id, or path of a .toml file")
    count.add_argument(
        "--position", metavar="FILE", help="start from this position (- reads stdin)"
    )
    _table_options(count, players=2)
    count.add_argument("--depth", type=_whole(0, 40), default=4, help="actions (default 4)")
    count.add_argument("--divide", action="store_true", help="the count behind each first action")
    count.add_argument("--json", action="store_true", help="for machines")

    step = command(
        "step",
        "play actions from a position and print what comes of it",
        "  penultima step --position FILE --json\n"
        "  penultima step --position FILE --json 0:r7 1:draw 1:keep",
    )
    step.add_argument("--position", metavar="FILE", required=True, help="JSON (- reads stdin)")
    step.add_argument("--json", action="store_true", help="for machines (the only form)")
    step.add_argument("moves", nargs="*", metavar="SEAT:ACTION", help="actions in order")
    return parser


def _edition_argument(
    parser: argparse.ArgumentParser, optional: bool, default: str | None = "classic"
) -> None:
    parser.add_argument(
        "edition",
        nargs="?" if optional else None,
        default=default,
        metavar="EDITION",
        help=f"{', '.join(SHIPPED)}, or the path of a .toml file",
    )


def _table_options(parser: argparse.ArgumentParser, players: int) -> None:
    parser.add_argument(
        "--players", type=_whole(2, 10), default=players, help=f"2 to 10 (default {players})"
    )
    parser.add_argument("--options", default="", metavar="NAME=VALUE,…", help="set rule options")
    parser.add_argument("--seed", type=_whole(0, SEED_LIMIT - 1), help="the same cards every time")


def _whole(low: int, high: int) -> Any:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number {low} to {high}")
        return int(text)

    return number


def _with_options(edition: Edition, text: str) -> Edition:
    return edition.with_options(read_options(text)) if text else edition


def read_options(text: str) -> dict[str, Any]:
    """`NAME=VALUE,NAME=VALUE` with values of the right type."""
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise Unreadable("option", text=part)
        if name in SWITCHES and value in ("true", "false", "on", "off"):
            options[name] = value in ("true", "on")
        elif (
            isinstance(getattr(Options(), name, None), int) and value.isascii() and value.isdigit()
        ):
            options[name] = int(value[:9])
        else:
            options[name] = value
    return options


def run_play(options: argparse.Namespace) -> int:
    edition = _with_options(load(options.edition), options.options)
    language = options.lang
    seed = secrets.randbits(62) if options.seed is None else options.seed
    names = [options.name or say(language, "table.you")]
    names += [say(language, "table.bot", number=n) for n in range(1, options.players)]
    match = Match(edition.sheet, names, key_of_seed(seed))
    table = PlainTable(edition, match, language, options.bot, input, print)
    try:
        table.run()
    except (Stopped, KeyboardInterrupt):
        print(f"\n{say(language, 'table.goodbye')}")
    finally:
        if options.record:
            _save(match, options.record, language)
    return 0


def _save(match: Match, file: str, language: str) -> None:
    try:
        Path(file).write_text(match.record().to_text(), "utf-8")
    except OSError as error:
        print(say(language, "table.not_saved", file=file, reason=error.strerror), file=sys.stderr)
    else:
        print(say(language, "table.saved", file=file))


def run_editions(options: argparse.Namespace) -> int:
    names = SHIPPED if options.edition is None else (options.edition,)
    editions = [load(name) for name in names]
    if options.json:
        shown = [describe(edition) for edition in editions]
        print(
            json.dumps(shown if options.edition is None else shown[0], ensure_ascii=False, indent=2)
        )
        return 0
    for edition in editions:
        name = edition.file.name.in_language(options.lang)
        about = edition.file.about.in_language(options.lang) if edition.file.about else ""
        print(f"{edition.id:<10} {name:<12} {edition.sheet.cards:>3}  {about}")
    if options.edition is not None:
        _show_edition(editions[0], options.lang)
    return 0


def _show_edition(edition: Edition, language: str) -> None:
    sheet = edition.sheet
    print()
    for color, letter in enumerate(sheet.colors):
        print(f"  {letter}  {edition.color_name(color, language)}")
    print()
    shown = set()
    for kind, face in enumerate(sheet.faces):
        if face.symbol not in shown:
            shown.add(face.symbol)
            count = sum(f.count for f in sheet.faces if f.symbol == face.symbol)
            effect = f"{face.effect} {face.amount or ''}".strip() if face.effect != "none" else ""
            mark = "*" if face.marked else ""
            name = edition.symbol_name(kind, language)
            print(f"  {face.symbol + mark:<4} {name:<22} ×{count:<3} {face.points:>3}  {effect}")
    print()
    for name, value in sheet.to_json()["options"].items():
        source = edition.file.sources.get(name, "")
        text = str(value).lower() if isinstance(value, bool) else str(value)
        print(f"  {name:<20} {text:<12} {source}".rstrip())


def describe(edition: Edition) -> dict[str, Any]:
    """An edition for machines: its names, and the whole resolved ruleset."""
    names = {language: edition.file.name.in_language(language) for language in LANGUAGES}
    return {
        "id": edition.id,
        "name": names,
        "sheet": edition.file.sheet,
        "hash": edition.sheet.hash,
        "cards": edition.sheet.cards,
        "ruleset": edition.sheet.to_json(),
        "sources": edition.file.sources,
    }


def run_rules(options: argparse.Namespace) -> int:
    if options.all:
        print(page(options.lang), end="")
        return 0
    edition = _with_options(load(options.edition), options.options)
    print(edition_page(edition, options.lang), end="")
    return 0


def run_perft(options: argparse.Namespace) -> int:
    if options.position:
        edition, match = read_table(options.position)
        edition = _with_options(edition, options.options)
    else:
        edition = _with_options(load(options.edition), options.options)
        names = [str(seat) for seat in range(options.players)]
        match = Match(edition.sheet, names, key_of_seed(options.seed or 0))
    sheet, game = edition.sheet, match.game
    terminal = sys.stderr.isatty()

    def progress(done: int, of: int) -> None:
        if terminal:
            print(f"\r{done}/{of}", end="\r", file=sys.stderr, flush=True)

    parts = divide(sheet, game, options.depth, progress)
    total = Count(0, 0, 0)
    for part in parts.values():
        total = total.plus(part)
    if not parts:
        total = perft(sheet, game, 0)
    answer: dict[str, Any] = {
        "edition": edition.id,
        "players": game.seats,
        "seed": None if options.position else options.seed or 0,
        "depth": options.depth,
        **total.to_json(),
    }
    if options.divide:
        answer["divide"] = {move: part.to_json() for move, part in parts.items()}
    if options.json:
        print(json.dumps(answer, indent=2))
        return 0
    for move, part in parts.items() if options.divide else ():
        print(f"{move:<12} {part.nodes:>12} {part.digest:016x} {part.points:>8}")
    print(f"{'':<12} {total.nodes:>12} {total.digest:016x} {total.points:>8}")
    return 0


def run_step(options: argparse.Namespace) -> int:
    edition, match = read_table(options.position)
    events = []
    for text in options.moves:
        try:
            seat, action = read_move(edition.sheet, text)
            events += [event.to_json() for event in match.play(seat, action)]
        except PenultimaError as error:
            error.move = text
            raise
    game = match.game
    legal = {str(seat): match.legal_texts(seat) for seat in range(game.seats)}
    answer = {
        "edition": edition.source,
        "options": edition.sheet.to_json()["options"],
        **write_position(edition.sheet, game),
        "legal": {seat: actions for seat, actions in legal.items() if actions},
        "events": events,
    }
    print(json.dumps(answer, ensure_ascii=False, indent=2))
    return 0


def read_table(file: str) -> tuple[Edition, Match]:
    """The edition and the table of a position file."""
    data = _read_json(file)
    name = data.get("edition")
    if not isinstance(name, str):
        raise PositionError("edition")
    changes = data.get("options") or {}
    if not isinstance(changes, Mapping):
        raise PositionError("options")
    edition = load(name).with_options(changes)
    return edition, Match.at(edition.sheet, read_position(edition.sheet, data))


def _read_json(file: str) -> Mapping[str, Any]:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except OSError as error:
        raise Unreadable("no_file", file=file, reason=error.strerror or "") from error
    except UnicodeDecodeError as error:
        raise Unreadable("not_utf8", file=file) from error
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable("not_json", file=file, reason=str(error)) from error
    if not isinstance(data, dict):
        raise Unreadable("not_object", file=file)
    return data
