"""`penultima replay`: look at a match again."""

import argparse
import asyncio
import contextlib
import json
import sys
from pathlib import Path

from penultima.cli.arguments import refuse_ignored, whole
from penultima.cli.looking import position_of
from penultima.cli.showing import add_plain, is_plain, prepare, refuse_ignored_screen, write
from penultima.edition import Edition, load
from penultima.errors import EditionError, SaveError
from penultima.record import Record
from penultima.tui import saves
from penultima.tui.lines import Lines
from penultima.tui.replay import Replay, where
from penultima.tui.replay_plain import PlainReplay


class ReplayCommand:
    name = "replay"
    examples = """  penultima replay match.pen
  penultima replay match.pen --from 2.15 --seat 0
  penultima replay match.pen --plain --estimates
  penultima replay match.pen --from 1.20 --position"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", metavar="FILE", help="cli.option.replay_file")
        parser.add_argument(
            "--from",
            dest="start",
            default="1",
            metavar="ROUND[.ACTION]",
            help="cli.option.from",
        )
        parser.add_argument(
            "--seat", type=whole(0, 9), metavar="SEAT", help="cli.option.replay_seat"
        )
        parser.add_argument("--edition", metavar="FILE", help="cli.option.replay_edition")
        parser.add_argument(
            "--estimates",
            action="store_true",
            help="cli.option.estimates",
        )
        parser.add_argument("--position", action="store_true", help="cli.option.replay_position")
        add_plain(parser)

    def run(self, options: argparse.Namespace) -> int:
        refuse_ignored_screen(options)
        path = saves.newest() if options.file is None else Path(options.file)
        record = saves.read_record(path)
        edition = saves.edition_of(record.sheet, _named(options, record) or saves.source_of(path))
        replay = Replay.of(record, edition, options.seat)
        at = replay.find(*where(options.start))
        if options.position:
            refuse_ignored(options, "--position", "--seat", "--estimates", "--plain")
            if not _loads(edition):
                raise SaveError("no_edition", edition=edition.source)
            found = position_of(edition, replay.moments[at].game)
            print(json.dumps(found, ensure_ascii=False, indent=2))
            return 0
        if not (is_plain(options) or options.estimates):
            return _full_screen(replay, options, at)
        plain = PlainReplay(replay, options.lang, write, options.estimates)
        if sys.stdin.isatty() and sys.stdout.isatty() and not options.estimates:
            asyncio.run(plain.step_through(at, Lines(sys.stdin)))
        else:
            plain.tell_all(at)
        return 0


def _named(options: argparse.Namespace, record: Record) -> str | None:
    """The edition that is named, if it is one of this match."""
    if options.edition is not None and not saves.fits(record.sheet, load(options.edition)):
        raise SaveError("edition", file=options.edition)
    edition: str | None = options.edition
    return edition


def _loads(edition: Edition) -> bool:
    """Whether a position that names this edition could be read again."""
    with contextlib.suppress(EditionError):
        return saves.fits(edition.sheet, load(edition.source))
    return False


def _full_screen(replay: Replay, options: argparse.Namespace, at: int) -> int:
    prepare(options)
    from penultima.tui.app import TableApp
    from penultima.tui.replay_screen import ReplayScreen

    TableApp(ReplayScreen(replay, options.lang, at)).run()
    return 0
