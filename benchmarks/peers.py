"""Ours against peers, one after another on one core in the same run; prints a table of ratios.

`make bench` makes an environment of its own for the peers (RLCard's UNO, OpenSpiel's crazy_eights)
and runs this. Rounds are repeated and the best of each is taken: the machine may be busy.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from benchmarks.interpreted import play as play_interpreted
from penultima.bots import MANNERS
from penultima.bots.tally import Tally
from penultima.compiled import dtype, play_games, to_array
from penultima.edition import SHIPPED, shipped
from penultima.rules.schema import STANDARD, Game, Seen, Trace

HERE = Path(__file__).parent
Rates = dict[str, float]


def compiled_rate(edition: str, seats: int, bot: str, seconds: float) -> float:
    """Decisions per second of compiled play: legal masks, ChaCha8 deals, full rules."""
    rules = to_array(shipped(edition).sheet.rules)
    games = np.zeros(1, dtype(Game))
    games["seats"] = seats
    traces = np.zeros(1, dtype(Trace, STANDARD.bulk))
    tallies = np.zeros(1, dtype(Tally, STANDARD.bulk))
    seen = np.zeros(1, dtype(Seen))
    manners = to_array(*[MANNERS[bot]] * 10)
    mask = np.zeros((1, 3), np.int64)

    def play(first: int, count: int) -> None:
        play_games(
            rules, games, traces, mask, seen, tallies, manners, 1, first, count, False, False
        )

    play(0, 1)
    tallies[:] = 0
    first = 0
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        play(first, 100)
        first += 100
    return float(tallies["decisions"][0] / (time.perf_counter() - started))


def threads_rate(threads: int, seconds: float) -> float:
    with ThreadPoolExecutor(threads) as pool:
        parts = [
            pool.submit(compiled_rate, "classic", 4, "random", seconds) for _ in range(threads)
        ]
        return sum(part.result() for part in parts)


def processes_rate(processes: int, seconds: float) -> float:
    code = (
        f"from benchmarks.peers import compiled_rate as f; print(f('classic',4,'random',{seconds}))"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    return sum(float(process.communicate()[0]) for process in running)


def peer_rates(python: str, script: str, seconds: float) -> Rates:
    command = [python, str(HERE / script), str(seconds)]
    found: Rates = json.loads(subprocess.check_output(command, text=True).splitlines()[-1])
    return found


def best(runs: list[Rates]) -> Rates:
    return {name: max(run[name] for run in runs) for name in runs[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--peers", required=True, help="the Python of the peers' environment")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    seconds = options.seconds
    ours, rlcard, openspiel = [], [], []
    for _ in range(options.repeat):
        ours.append({str(n): compiled_rate("classic", n, "random", seconds) for n in (2, 4)})
        rlcard.append(peer_rates(options.peers, "peer_rlcard.py", seconds))
        openspiel.append(peer_rates(options.peers, "peer_openspiel.py", seconds))
    print(f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {os.cpu_count()} cores, ", end="")
    print(f"Python {platform.python_version()}\n")
    print("| random play, one core, decisions/s | 2 players | 4 players |")
    print("| --- | --- | --- |")
    mine, theirs, other = best(ours), best(rlcard), best(openspiel)
    for name, rates in (
        ("Penultima, compiled", mine),
        ("RLCard UNO, `env.step`", theirs),
        ("OpenSpiel crazy_eights, `evaluate_bots`", other),
    ):
        print(f"| {name} | {rates['2']:,.0f} | {rates['4']:,.0f} |")
    for name, rates in (("RLCard", theirs), ("OpenSpiel", other)):
        ratios = [f"{mine[n] / rates[n]:.1f}×" for n in ("2", "4")]
        print(f"| **ratio to {name}** | **{ratios[0]}** | **{ratios[1]}** |")
    print("\n| edition, 4 players | random | eager |\n| --- | --- | --- |")
    for edition in SHIPPED:
        pair = [compiled_rate(edition, 4, bot, seconds) for bot in ("random", "eager")]
        print(f"| {edition} | {pair[0]:,.0f} | {pair[1]:,.0f} |")
    print("\n| seats, classic, random | decisions/s |\n| --- | --- |")
    for seats in (2, 3, 4, 6, 8, 10):
        print(f"| {seats} | {compiled_rate('classic', seats, 'random', seconds):,.0f} |")
    _, decisions, took = play_interpreted(shipped("classic").sheet, 4, seconds)
    print(f"\nInterpreted, classic, 4 players: {decisions / took:,.0f} decisions/s")
    both, apart = threads_rate(2, seconds), processes_rate(2, seconds)
    print(f"Two threads give {both / apart:.0%} of two processes.")


if __name__ == "__main__":
    main()
