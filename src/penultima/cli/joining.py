"""`penultima join`, `watch` and `host`: tables on a server, in the terminal."""

import argparse

from penultima.cli.arguments import add_edition, add_table, whole
from penultima.cli.serving import PORT
from penultima.cli.showing import add_plain


class Join:
    name = "join"
    help = "sit down at a table of a server"
    examples = """  penultima join https://cards.example/#/t/abc234
  penultima join abc234 --server http://192.168.1.5:8765 --name Ana
  penultima join abc234 --plain"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        _add_table(parser)
        _add_person(parser)
        parser.add_argument("--seat", type=whole(0, 9), help="which one (default: the first free)")

    def run(self, options: argparse.Namespace) -> int:
        from penultima.cli import online  # takes a moment to load

        return 0 if online.join(options) else 1


class Watch:
    name = "watch"
    help = "look on at a table of a server"
    examples = """  penultima watch https://cards.example/#/t/abc234
  penultima watch abc234 --plain"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        _add_table(parser)
        add_plain(parser)

    def run(self, options: argparse.Namespace) -> int:
        from penultima.cli import online

        online.watch(options)
        return 0


class Host:
    name = "host"
    help = "start a server, open a table there and sit down at it"
    examples = """  penultima host
  penultima host chili --players 5 --lan --clock 30
  penultima host --options stacking=same --name Ana"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_edition(parser)
        add_table(parser, players=4, seeded=False)
        # Refused with the reason, where others would look for a mistake of spelling.
        parser.add_argument("--seed", help=argparse.SUPPRESS)
        _add_person(parser)
        parser.add_argument("--lan", action="store_true", help="let the local network in")
        parser.add_argument("--port", type=whole(0, 65535), help=f"default {PORT}")
        parser.add_argument("--server", metavar="URL", help="open the table there instead")
        parser.add_argument("--public", action="store_true", help="list the table for everybody")
        parser.add_argument(
            "--clock", type=whole(0, 3600), default=0, help="seconds for a decision (default: none)"
        )

    def run(self, options: argparse.Namespace) -> int:
        from penultima.cli import online

        online.host(options)
        return 0


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="URL|CODE", help="the link of a table, or its code")
    parser.add_argument("--server", metavar="URL", help="where a code is good (default: here)")


def _add_person(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", default="", help="your name (default: of your account)")
    parser.add_argument("--answers", metavar="FILE", help="take the typed lines from a file")
    add_plain(parser)
