"""Commands that show: editions, rules, positions and counts of them."""

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from penultima.cli.arguments import (
    USUAL,
    add_edition,
    add_json,
    add_options,
    add_table,
    read_options,
    refuse_ignored,
    whole,
    with_options,
)
from penultima.cli.files import named, read_text
from penultima.edition import MARK, SHIPPED, Edition, load
from penultima.errors import PenultimaError, PositionError, Unreadable
from penultima.game import Match, key_of_seed
from penultima.locale import LANGUAGES, say
from penultima.notation import read_move
from penultima.perft import Count, divide, perft
from penultima.position import read_position, write_position
from penultima.rulebook import edition_page, effect_text, page
from penultima.rules.schema import Game
from penultima.ruleset import CHOICES


class Editions:
    name = "editions"
    examples = """  penultima editions
  penultima editions triforce
  penultima editions my.toml --json"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_edition(parser, "cli.option.edition")
        add_json(parser)

    def run(self, options: argparse.Namespace) -> int:
        names = SHIPPED if options.edition is None else (options.edition,)
        editions = [load(name) for name in names]
        if options.json:
            shown = [describe(edition) for edition in editions]
            print(
                json.dumps(
                    shown if options.edition is None else shown[0], ensure_ascii=False, indent=2
                )
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
            effect = (
                effect_text(face, sheet.options, language)
                if face.effect != "none" or face.wild
                else ""
            )
            mark = MARK if face.marked else ""
            name = edition.symbol_name(kind, language)
            line = f"  {face.symbol + mark:<4} {name:<22} ×{count:<3} {face.points:>3}  {effect}"
            print(line.rstrip())
    print()
    for name, value in sheet.to_json()["options"].items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        print(f"  {name:<20} {text:<12} {_option(name, value, language)}")
        if source := edition.file.sources.get(name):
            print(f"{'':<36}{source}")


def _option(name: str, value: object, language: str) -> str:
    """What an option is, and what its value means, in words."""
    title = say(language, f"web.option.{name}")
    return f"{title}: {say(language, f'web.value.{value}')}" if name in CHOICES else title


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


class Rules:
    name = "rules"
    examples = """  penultima rules classic
  penultima rules chili --lang es --options jump_in=true
  penultima rules --all"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_edition(parser)
        add_options(parser)
        parser.add_argument("--all", action="store_true", help="cli.option.all")

    def run(self, options: argparse.Namespace) -> int:
        if options.all:
            refuse_ignored(options, "--all", "EDITION", "--options")
            print(page(options.lang), end="")
            return 0
        edition = with_options(load(options.edition or USUAL), options.options)
        print(edition_page(edition, options.lang), end="")
        return 0


class Perft:
    name = "perft"
    examples = """  penultima perft --edition classic --players 2 --seed 1 --depth 6
  penultima perft --position FILE --depth 4 --divide"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--edition", default="classic", metavar="EDITION", help="cli.option.perft_edition"
        )
        parser.add_argument("--position", metavar="FILE", help="cli.option.perft_position")
        add_table(parser, players=2)
        parser.add_argument(
            "--depth", type=whole(0, 40), default=4, metavar="NUMBER", help="cli.option.depth"
        )
        parser.add_argument("--divide", action="store_true", help="cli.option.divide")
        add_json(parser)

    def run(self, options: argparse.Namespace) -> int:
        if options.position is not None:
            refuse_ignored(options, "--position", "--edition", "--players", "--seed")
            edition, match = read_table(options.position, read_options(options.options))
        else:
            edition = with_options(load(options.edition), options.options)
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


class Step:
    name = "step"
    examples = """  penultima step --position FILE --json
  penultima step --position FILE --json 0:r7 1:draw 1:keep"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--position", metavar="FILE", required=True, help="cli.option.position")
        parser.add_argument("--json", action="store_true", help="cli.option.step_json")
        parser.add_argument("moves", nargs="*", metavar="SEAT:ACTION", help="cli.option.moves")

    def run(self, options: argparse.Namespace) -> int:
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
            **position_of(edition, game),
            "legal": {seat: actions for seat, actions in legal.items() if actions},
            "events": events,
        }
        print(json.dumps(answer, ensure_ascii=False, indent=2))
        return 0


def position_of(edition: Edition, game: Game) -> dict[str, Any]:
    """A position that can be read again: with its edition and options."""
    options = edition.sheet.to_json()["options"]
    return {
        "edition": edition.source,
        "options": options,
        **write_position(edition.sheet, game),
    }


def read_table(file: str, more: Mapping[str, Any] | None = None) -> tuple[Edition, Match]:
    """The edition and the table of a position file, under its options and `more` of them."""
    data = _read_json(file)
    name = data.get("edition")
    if not isinstance(name, str):
        raise PositionError("edition")
    changes = data.get("options") or {}
    if not isinstance(changes, Mapping):
        raise PositionError("options")
    edition = load(name).with_options({**changes, **(more or {})})
    return edition, Match.at(edition.sheet, read_position(edition.sheet, data))


def _read_json(file: str) -> Mapping[str, Any]:
    text = read_text(file)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable("not_json", file=named(file), reason=str(error)) from error
    if not isinstance(data, dict):
        raise Unreadable("not_object", file=named(file))
    return data
