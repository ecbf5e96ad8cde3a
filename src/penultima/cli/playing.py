"""`penultima play`: a game in the terminal."""

import argparse
import secrets
import sys
from pathlib import Path

from penultima import players
from penultima.cli.arguments import SEED_LIMIT, add_edition, add_table, with_options
from penultima.edition import load
from penultima.game import Match, key_of_seed
from penultima.locale import say
from penultima.tui.plain import PlainTable, Stopped


class Play:
    name = "play"
    help = "play against bots, line by line"
    examples = """  penultima play
  penultima play chili --players 4
  penultima play classic --options stacking=same,seven_zero=true"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_edition(parser)
        add_table(parser, players=3)
        parser.add_argument(
            "--bot", default="basic", help=f"who plays against you: {', '.join(players.NAMES)}"
        )
        parser.add_argument("--name", default="", help="your name")
        parser.add_argument(
            "--record", metavar="FILE", help="write the match record there at the end"
        )

    def run(self, options: argparse.Namespace) -> int:
        edition = with_options(load(options.edition), options.options)
        language = options.lang
        players.check(options.bot)
        seed = secrets.randbelow(SEED_LIMIT) if options.seed is None else options.seed
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
