"""`penultima join`, `watch` and `host`: tables on a server, in the terminal."""

import argparse

from penultima.cli.arguments import add_edition, add_table, refuse_ignored, whole
from penultima.cli.showing import add_plain, refuse_ignored_screen


class Join:
    name = "join"
    examples = """  penultima join https://cards.example/#/t/abc234
  penultima join abc234 --server http://192.168.1.5:8765 --name Ana
  penultima join abc234 --plain"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        _add_table(parser)
        _add_person(parser)
        parser.add_argument("--seat", type=whole(0, 9), metavar="SEAT", help="cli.option.join_seat")

    def run(self, options: argparse.Namespace) -> int:
        from penultima.cli import online  # takes a moment to load

        _refuse(options)

        return 0 if online.join(options) else 1


class Watch:
    name = "watch"
    examples = """  penultima watch https://cards.example/#/t/abc234
  penultima watch abc234 --plain"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        _add_table(parser)
        add_plain(parser)

    def run(self, options: argparse.Namespace) -> int:
        from penultima.cli import online

        _refuse(options)
        online.watch(options)
        return 0


class Host:
    name = "host"
    examples = """  penultima host
  penultima host chili --players 5 --lan --clock 30
  penultima host --options stacking=same --name Ana"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        add_edition(parser)
        add_table(parser, players=4, seeded=False)
        # Refused with the reason, where others would look for a mistake of spelling.
        parser.add_argument("--seed", help=argparse.SUPPRESS)
        _add_person(parser)
        parser.add_argument("--lan", action="store_true", help="cli.option.lan")
        parser.add_argument(
            "--port", type=whole(0, 65535), metavar="NUMBER", help="cli.option.port"
        )
        parser.add_argument("--server", metavar="URL", help="cli.option.host_server")
        parser.add_argument("--public", action="store_true", help="cli.option.public")
        parser.add_argument(
            "--clock",
            type=whole(0, 3600),
            default=0,
            metavar="SECONDS",
            help="cli.option.clock",
        )

    def run(self, options: argparse.Namespace) -> int:
        from penultima.cli import online

        refuse_ignored_screen(options)
        online.host(options)
        return 0


def _refuse(options: argparse.Namespace) -> None:
    """Refuse what would have no effect."""
    if "/" in options.table:
        refuse_ignored(options, options.table, "--server")
    refuse_ignored_screen(options)


def _add_table(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="URL|CODE", help="cli.option.table_link")
    parser.add_argument("--server", metavar="URL", help="cli.option.server")


def _add_person(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", default="", metavar="NAME", help="cli.option.name")
    parser.add_argument("--answers", metavar="FILE", help="cli.option.answers")
    add_plain(parser)
