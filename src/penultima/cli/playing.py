"""`penultima play`: a game in the terminal."""

import argparse
import secrets
from pathlib import Path
from typing import Final

from penultima import players
from penultima.cli import INTERRUPTED
from penultima.cli.arguments import (
    SEED_LIMIT,
    USUAL,
    add_edition,
    add_table,
    refuse_ignored,
    whole,
    with_options,
)
from penultima.cli.files import unwritable
from penultima.cli.showing import add_screen, refuse_ignored_screen, show
from penultima.cli.typed import typed
from penultima.cli.working import speak_of_speed
from penultima.edition import load
from penultima.errors import SaveError
from penultima.game import Match, key_of_seed
from penultima.locale import say
from penultima.naming import name_or
from penultima.sharp import prepare
from penultima.tui import saves
from penultima.tui.local import LocalTable

LATEST: Final = ""


class Play:
    name = "play"
    examples = """  penultima play
  penultima play chili --players 4 --bot easy
  penultima play revenge --people 2 --name Ana --name Boris
  penultima play classic --options stacking=same,seven_zero=true
  penultima play --resume
  penultima play --plain < answers.txt"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_edition(parser)
        add_table(parser, players=3)
        parser.add_argument(
            "--bot",
            default="basic",
            metavar="BOT,…",
            help="cli.option.bot",
        )
        parser.add_argument(
            "--people",
            type=whole(1, 10),
            default=1,
            metavar="NUMBER",
            help="cli.option.people",
        )
        parser.add_argument(
            "--name", action="append", default=[], metavar="NAME", help="cli.option.names"
        )
        parser.add_argument(
            "--resume",
            nargs="?",
            const=LATEST,
            metavar="FILE",
            help="cli.option.resume",
        )
        parser.add_argument("--record", metavar="FILE", help="cli.option.record")
        add_screen(parser)

    def run(self, options: argparse.Namespace) -> int:
        _refuse(options)
        while True:
            table, path = _resumed(options) if options.resume is not None else _begun(options)
            if any(bot.partition(":")[0] == "sharp" for bot in table.bots.values()):
                speak_of_speed(options.lang)
                prepare(table.edition.sheet)
            left = show(table, options)
            _say_where(table, path, options)
            if left == "interrupted":
                return INTERRUPTED
            if left != "again":
                return 0
            options.resume = options.seed = options.record = None


def _refuse(options: argparse.Namespace) -> None:
    """Refuse what would have no effect."""
    if options.resume is not None:
        settled = ("EDITION", "--players", "--options", "--seed", "--name", "--record")
        refuse_ignored(options, "--resume", *settled)
    refuse_ignored_screen(options)


def _begun(options: argparse.Namespace) -> tuple[LocalTable, Path]:
    edition = with_options(load(options.edition or USUAL), options.options)
    language, people = options.lang, options.people
    if people > options.players:
        raise SaveError("people", people=people, players=options.players)
    if len(options.name) > people:
        raise SaveError("names", names=len(options.name), people=people)
    persons = [say(language, "play.person", number=n + 1) for n in range(people)]
    names = [name_or(name, [person]) for name, person in zip(options.name, persons, strict=False)]
    names += persons[len(names) :]
    names += [say(language, "table.bot", number=n) for n in range(1, options.players - people + 1)]
    seed = secrets.randbelow(SEED_LIMIT) if options.seed is None else options.seed
    match = Match(edition.sheet, names, key_of_seed(seed))
    bots = dict(zip(range(people, options.players), _bots(options, people), strict=False))
    path = saves.fresh(edition.id) if options.record is None else Path(options.record)
    if options.record is not None and (why := unwritable(path, new=True, parents=True)):
        raise SaveError("not_new", file=str(path), reason=why)
    source = edition.source if edition.source == edition.id else str(Path(edition.source).resolve())
    return LocalTable(edition, match, bots, saves.Keeper(path, source, bots)), path


def _bots(options: argparse.Namespace, people: int) -> list[str]:
    names = options.bot.split(",")
    for name in names:
        players.check(name)
    seats = options.players - people
    if "--bot" in options.given and len(names) > seats:
        raise SaveError("bots", bots=len(names), seats=seats)
    return [names[n % len(names)] for n in range(seats)]


def _resumed(options: argparse.Namespace) -> tuple[LocalTable, Path]:
    path = saves.latest() if options.resume == LATEST else Path(options.resume)
    saved = saves.resume(path)
    bots = saved.bots
    if bots is None:
        seats = len(saved.match.names)
        options.players = seats
        bots = dict(zip(range(options.people, seats), _bots(options, options.people), strict=False))
    else:
        refuse_ignored(options, "--resume", "--bot", "--people")
    keeper = saves.Keeper(path, saved.edition.source, bots)
    table = LocalTable(saved.edition, saved.match, bots, keeper, saved.story, saved.rounds)
    return table, path


def _say_where(table: LocalTable, path: Path, options: argparse.Namespace) -> None:
    """Where the match lies now, and what can be done with it."""
    if not table.kept:
        return
    over = table.over == "match"
    words = ["replay"] if over else ["play", "--resume"]
    if over or path.parent != saves.folder():
        words.append(str(path))
    command = typed(*words)
    print(say(options.lang, "play.over" if over else "play.kept", file=path, command=command))
