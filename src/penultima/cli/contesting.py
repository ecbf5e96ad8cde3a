"""`penultima arena`: bots against bots on duplicate deals."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penultima.cli.arguments import (
    SEED_LIMIT,
    add_json,
    add_options,
    many,
    read_options,
    whole,
)
from penultima.cli.files import unwritable
from penultima.cli.working import Progress, add_workers, speak_of_speed, workers
from penultima.edition import SHIPPED, load
from penultima.errors import ArenaError
from penultima.locale import say

if TYPE_CHECKING:
    from penultima.arena import Contest, Results
    from penultima.bots.host import Forfeit
    from penultima.standings import Standing


class Arena:
    name = "arena"
    examples = """  penultima arena basic eager
  penultima arena sharp:20ms basic --players 4 --games 400
  penultima arena random eager basic sharp:300 --players 2 --json
  penultima arena mybots:Cautious basic --edition all --save contest.jsonl"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "bots",
            nargs="+",
            metavar="BOT",
            help="cli.option.arena_bots",
        )
        parser.add_argument(
            "--edition",
            default="classic",
            metavar="EDITION,…",
            help="cli.option.arena_edition",
        )
        parser.add_argument(
            "--players",
            default="",
            metavar="NUMBER,…",
            help="cli.option.arena_players",
        )
        parser.add_argument(
            "--games",
            type=many(1, 10**9),
            default=1000,
            metavar="NUMBER",
            help="cli.option.arena_games",
        )
        add_options(parser)
        parser.add_argument(
            "--seed",
            type=whole(0, SEED_LIMIT - 1),
            default=0,
            metavar="SEED",
            help="cli.option.arena_seed",
        )
        parser.add_argument("--save", metavar="FILE", help="cli.option.save")
        add_workers(parser)
        add_json(parser)

    def run(self, options: argparse.Namespace) -> int:
        from penultima.arena import Journal, Results, hold

        if options.save is not None and (why := unwritable(Path(options.save))):
            raise ArenaError("not_written", file=options.save, reason=why)
        contest = _contest(options)
        _prepare(contest, options.lang)
        journal = Journal(Path(options.save), contest) if options.save is not None else None
        watch = _Watch(Results(contest))
        stopped = False
        try:
            with workers(options) as executor:
                watch.bar.begin()
                results = hold(contest, executor, watch, journal, 2 * options.threads)
        except KeyboardInterrupt:
            results, stopped = watch.results, True
            print(f"\n{say(options.lang, 'sim.stopped')}", file=sys.stderr)
            if not results.chunks:
                raise
        seconds = watch.bar.end()
        if options.json:
            answer = _answer(results, seconds, not stopped)
            print(json.dumps(answer, ensure_ascii=False, indent=2))
        else:
            _print(results, options.lang)
        failed = results.first_forfeits()
        for bot, forfeit in failed.items():
            _blame(bot, results.forfeits(bot), forfeit, options.lang)
        return 130 if stopped else int(bool(failed))


def _blame(bot: str, moves: int, forfeit: "Forfeit", language: str) -> None:
    """Say that a bot is broken, and where: what it won it owes to `basic`."""
    text = say(language, "contest.forfeited", bot=bot, count=moves, what=forfeit.what(language))
    print(f"\n{text}\n{forfeit.traceback}".rstrip(), file=sys.stderr)


class _Watch:
    def __init__(self, results: "Results") -> None:
        self.results = results
        self.bar = Progress(results.all_rounds)

    def __call__(self, results: "Results") -> None:
        self.results = results
        self.bar.show(results.rounds, f"{results.rounds / self.bar.seconds:.1f} rounds/s")


def _contest(options: argparse.Namespace) -> "Contest":
    from penultima import players
    from penultima.arena import Contest, Line, line_ups

    for bot in options.bots:
        players.check(bot)
    names = SHIPPED if options.edition == "all" else options.edition.split(",")
    lines = []
    most = 2
    for name in names:
        edition = load(name.strip())
        if options.options:
            edition = edition.with_options(read_options(options.options))
        for seats in _seats(options.players, len(options.bots)):
            edition.sheet.check_seats(seats)
            most = max(most, seats)
            lines += [Line(edition.sheet, bots) for bots in line_ups(options.bots, seats)]
    return Contest(tuple(lines), -(-options.games // most), options.seed)


def _seats(text: str, bots: int) -> list[int]:
    if not text:
        return [min(max(bots, 2), 10)]
    found = []
    for part in text.split(","):
        if not part.strip().isascii() or not part.strip().isdigit() or len(part) > 3:
            raise ArenaError("players", text=part)
        if not 2 <= int(part) <= 10:
            raise ArenaError("players", text=part)
        found.append(int(part))
    return found


def _prepare(contest: "Contest", language: str) -> None:
    """Compile what is needed, for every size of deck, before the clock starts."""
    from penultima.arena import play_chunk
    from penultima.sharp import prepare

    if any(line.core or line.thinks for line in contest.lines):
        speak_of_speed(language)
    for line in {
        (line.sheet.rules.size, line.core, line.thinks): line for line in contest.lines
    }.values():
        if line.fast:
            play_chunk(line, 0, 0, 1)
        elif line.thinks:
            prepare(line.sheet)


def _rows(standings: "list[Standing]") -> list[dict[str, Any]]:
    return [
        {
            "bot": one.bot,
            "games": one.games,
            "wins": one.wins,
            "rate": round(one.rate, 6),
            "low": round(one.low, 6),
            "high": round(one.high, 6),
            "forfeits": one.forfeits,
        }
        for one in standings
    ]


def _answer(results: "Results", seconds: float, complete: bool) -> dict[str, Any]:
    from penultima.standings import pairs, standings

    skills = _ratings(results)
    rows = _rows(standings(results))
    for row in rows:
        if skills and row["bot"] in skills:
            mean, spread = skills[row["bot"]]
            row["rating"] = {"mean": round(mean, 3), "uncertainty": round(spread, 3)}
    return {
        "seed": results.contest.seed,
        "rounds": results.rounds,
        "seconds": round(seconds, 3),
        "complete": complete,
        "results": rows,
        "forfeits": {
            bot: {"count": results.forfeits(bot), "first": forfeit.what("en")}
            for bot, forfeit in results.first_forfeits().items()
        },
        "pairs": [
            {"bot": one, "against": other, "wins": ours, "losses": theirs, "share": round(share, 6)}
            for (one, other), (ours, theirs, share) in pairs(results).items()
        ],
        "tables": [
            {
                "edition": line.sheet.edition,
                "players": len(line.bots),
                "bots": list(line.bots),
                "results": _rows(standings(results, line)),
            }
            for line in results.contest.lines
        ],
    }


def _ratings(results: "Results") -> dict[str, tuple[float, float]] | None:
    from penultima.standings import ratings

    try:
        return ratings(results)
    except ImportError:
        return None


def _print(results: "Results", language: str) -> None:
    from penultima.standings import pairs, standings

    overall = standings(results)
    skills = _ratings(results)
    if skills is None:
        print(say(language, "contest.no_ratings"), file=sys.stderr)
    contest = results.contest
    print(say(language, "contest.summary", rounds=f"{results.rounds:,}", seed=contest.seed))
    width = max(len(one.bot) for one in overall)
    print()
    heads = ("bot", "won", "interval", "games", "forfeits", "rating")
    bot, won, spread, games, forfeits, rating = (say(language, f"contest.{h}") for h in heads)
    wide = max(len(forfeits), 7)
    print(f"{bot:<{width}}  {won:>6}  {spread:<15}  {games:>9}  {forfeits:>{wide}}  {rating}")
    for one in sorted(overall, key=lambda s: -s.rate):
        mean, error = (skills or {}).get(one.bot, (0, 0))
        rating = f"{mean:.1f} ± {error:.1f}" if error else ""
        interval = f"{one.low:.1%} … {one.high:.1%}"
        row = f"{one.bot:<{width}}  {one.rate:6.1%}  {interval:<15}  {one.games:>9,}"
        print(f"{row}  {one.forfeits:>{wide},}  {rating}".rstrip())
    if len(contest.lines) > 1:
        print(f"\n{say(language, 'contest.tables')}")
        for line in contest.lines:
            shares = ", ".join(
                f"{s.bot} {s.rate:.1%} ({s.low:.1%} … {s.high:.1%})"
                for s in standings(results, line)
            )
            print(f"  {line.sheet.edition}, {len(line.bots)}: {shares}")
    if len(overall) > 2:
        _print_pairs(pairs(results), [one.bot for one in overall], language)


def _print_pairs(
    found: dict[tuple[str, str], tuple[int, int, float]], bots: list[str], language: str
) -> None:
    width = max(len(bot) for bot in bots)
    print(f"\n{say(language, 'contest.pairs')}")
    print(" " * width + "".join(f"  {bot:>{width}}" for bot in bots))
    for one in bots:
        cells = [f"{found[one, other][2]:.1%}" if (one, other) in found else "–" for other in bots]
        print(f"{one:<{width}}" + "".join(f"  {cell:>{width}}" for cell in cells))
