"""How strong the bots are: the match-ups that matter, on duplicate deals, with 95 % intervals.

`make bench-bots` prints the table of `docs/bots.md`. With a budget in milliseconds (`--sharp`) it
should have the machine for itself: as many processes as cores.
"""

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from penultima.arena import Contest, Line, Results, hold, line_ups
from penultima.edition import SHIPPED, shipped
from penultima.standings import standings


@dataclass(frozen=True)
class Match:
    """The first bot against as many of the second as there are other seats."""

    bots: tuple[str, str]
    edition: str
    players: int
    least: float  # share of rounds to reach


def match_ups(sharp: str) -> list[Match]:
    found = [
        Match(("basic", "eager"), "classic", 2, 0.62),
        Match((sharp, "eager"), "classic", 2, 0.70),
        Match((sharp, "basic"), "classic", 2, 0.56),
        Match((sharp, "eager"), "classic", 4, 0.36),
        Match((sharp, "basic"), "classic", 4, 0.28),
    ]
    for edition in SHIPPED:
        if edition != "classic":
            found += [Match((sharp, "basic"), edition, n, 1 / n) for n in (2, 4)]
    return found


def play(match: Match, games: int, seed: int, processes: int) -> Results:
    sheet = shipped(match.edition).sheet
    (bots,) = line_ups(match.bots, match.players)
    contest = Contest((Line(sheet, bots),), -(-games // match.players), seed)
    with ProcessPoolExecutor(processes, get_context("spawn")) as executor:
        return hold(contest, executor, _show, ahead=2 * processes)


def _show(results: Results) -> None:
    if sys.stderr.isatty():
        print(f"\r{results.rounds}/{results.all_rounds} ", end="", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--games", type=int, default=1000, help="rounds with sharp in classic")
    parser.add_argument("--sharp", default="sharp:20ms", help="which sharp (default sharp:20ms)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--only", type=int, help="the number of one match-up, from 1")
    options = parser.parse_args()
    print(f"{time.strftime('%Y-%m-%d')}, {options.processes} processes\n")
    print("| match-up | edition | seats | rounds | won | 95 % interval | to reach |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)
    chosen = match_ups(options.sharp)
    if options.only:
        chosen = chosen[options.only - 1 : options.only]
    for match in chosen:
        games = options.games // (1 if match.edition == "classic" else 2)
        if options.sharp not in match.bots:
            games *= 50
        results = play(match, games, options.seed, options.processes)
        one = standings(results)[0]
        print(
            f"\r| `{match.bots[0]}` against `{match.bots[1]}` | {match.edition} "
            f"| {match.players} | {results.rounds:,} | **{one.rate:.1%}** | "
            f"{one.low:.1%} … {one.high:.1%} | {match.least:.0%} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
