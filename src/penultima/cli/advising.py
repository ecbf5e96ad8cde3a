"""`penultima advise`: what to expect of every legal action, from what a seat knows."""

import argparse
import json
from pathlib import Path
from typing import Any

from penultima.advice import advice
from penultima.bots.mind import Estimate
from penultima.bots.think import FORGETTING
from penultima.cli.arguments import SEED_LIMIT, add_json, many, refuse_ignored, whole
from penultima.cli.looking import read_table
from penultima.cli.working import speak_of_speed
from penultima.errors import Illegal, UsageError
from penultima.game import Match
from penultima.locale import say
from penultima.notation import action_text
from penultima.rules.ask import DECLINE
from penultima.ruleset import Sheet
from penultima.tui import saves
from penultima.tui.replay import Replay, where


class Advise:
    name = "advise"
    examples = """  penultima advise --position FILE
  penultima advise match.pen --at 1.20
  penultima advise --position FILE --seat 2 --rollouts 100000 --json"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", metavar="FILE", help="cli.option.advise_file")
        parser.add_argument("--at", metavar="ROUND[.ACTION]", help="cli.option.at")
        parser.add_argument("--position", metavar="FILE", help="cli.option.position")
        parser.add_argument(
            "--seat", type=whole(0, 9), metavar="SEAT", help="cli.option.advise_seat"
        )
        parser.add_argument(
            "--rollouts",
            type=many(1, 10**8),
            default=20_000,
            metavar="NUMBER",
            help="cli.option.rollouts",
        )
        parser.add_argument(
            "--seed",
            type=whole(0, SEED_LIMIT - 1),
            default=0,
            metavar="SEED",
            help="cli.option.advise_seed",
        )
        add_json(parser)

    def run(self, options: argparse.Namespace) -> int:
        sheet, match = _asked(options)
        game = match.game
        seat = game.turn if options.seat is None else options.seat
        if not match.legal(seat):
            raise Illegal("nothing_to_decide", seat=seat)
        speak_of_speed(options.lang)
        found = advice(sheet, game, seat, options.rollouts, options.seed)
        if options.json:
            actions = [_row(sheet, estimate) for estimate in found]
            best = next(row["action"] for row in actions if not row["forgets_call"])
            answer = {"seat": seat, "best": best, "actions": actions}
            print(json.dumps(answer, ensure_ascii=False, indent=2))
        else:
            _print(sheet, found, seat, options.lang)
        return 0


def _asked(options: argparse.Namespace) -> tuple[Sheet, Match]:
    """The position of a file, or the moment of a match."""
    if options.file is None:
        refuse_ignored(options, "--position", "--at")
        if options.position is None:
            raise UsageError("no_position")
        edition, match = read_table(options.position)
        return edition.sheet, match
    refuse_ignored(options, options.file, "--position")
    record = saves.read_record(Path(options.file))
    replay = Replay.of(record, saves.edition_of(record.sheet))
    at = len(replay.moments) - 1 if options.at is None else replay.find(*where(options.at))
    return record.sheet, Match.at(record.sheet, replay.moments[at].game)


def _name(sheet: Sheet, action: int) -> str:
    if action <= FORGETTING:
        action = FORGETTING - action
    return "pass" if action == DECLINE else action_text(sheet, action)


def _row(sheet: Sheet, estimate: Estimate) -> dict[str, Any]:
    low, high = estimate.interval
    points, error = estimate.mean_points, estimate.points_error
    return {
        "action": _name(sheet, estimate.action),
        "forgets_call": estimate.action <= FORGETTING,
        "win": round(estimate.rate, 6),
        "low": round(low, 6),
        "high": round(high, 6),
        "points": round(points, 3),
        "points_low": round(points - error, 3),
        "points_high": round(points + error, 3),
        "rollouts": estimate.tries,
    }


def _print(sheet: Sheet, found: list[Estimate], seat: int, language: str) -> None:
    print(say(language, "advise.summary", seat=seat, rollouts=f"{found[0].tries:,}"))
    print()
    forgets = say(language, "advise.forgets")
    names = [
        _name(sheet, one.action) + (f" {forgets}" if one.action <= FORGETTING else "")
        for one in found
    ]
    width = max(len(name) for name in names)
    win, interval, points = (
        say(language, f"advise.{name}") for name in ("win", "interval", "points")
    )
    print(f"{'':<{width}}  {win:>6}  {interval:<15}  {points}")
    for name, one in zip(names, found, strict=True):
        low, high = one.interval
        spread = f"{low:.1%} … {high:.1%}"
        score = f"{one.mean_points:+.1f} ± {one.points_error:.1f}"
        print(f"{name:<{width}}  {one.rate:6.1%}  {spread:<15}  {score}")
