"""The environments for learning, one core: ours against PettingZoo's classics in the same run.

`make bench-envs` makes an environment with the classics and runs this. Every environment is timed
by PettingZoo's own `performance_benchmark`, several times in turn, and the best of each is taken.
Seconds are those of the processor, not of the wall: the machine may be busy. Then many tables
at once; `benchmarks.envs_gpu` does that on a GPU.
"""

import argparse
import contextlib
import importlib
import io
import os
import platform
import re
import sys
import time
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
from pettingzoo.test import performance_benchmark

from penultima.edition import SHIPPED
from penultima.envs import aec
from penultima.envs.vector import PenultimaVectorEnv

CLASSICS = (
    *("rps_v2", "tictactoe_v3", "connect_four_v3", "leduc_holdem_v4", "texas_holdem_v4"),
    *("texas_holdem_no_limit_v6", "chess_v6", "go_v5", "hanabi_v5"),
)

benchmark = sys.modules["pettingzoo.test.performance_benchmark"]


def classics() -> dict[str, Callable[[], Any]]:
    """PettingZoo's own, as far as their dependencies are there."""
    found: dict[str, Callable[[], Any]] = {}
    for name in CLASSICS:
        try:
            module = importlib.import_module(f"pettingzoo.classic.{name}")
            module.env().reset(seed=1)
        except Exception as error:
            print(f"{name} is left out: {type(error).__name__}: {str(error)[:80]}")
        else:
            found[name] = module.env
    return found


def turns(make: Callable[[], Any]) -> float:
    """Turns a second, as PettingZoo counts them."""
    said = io.StringIO()
    clock = SimpleNamespace(time=time.process_time)
    with contextlib.redirect_stdout(said), patch.object(benchmark, "time", clock):
        performance_benchmark(make())
    found = re.search(r"([0-9.]+) turns per second", said.getvalue())
    assert found
    return float(found[1])


def vector_rate(number: int, seconds: float, **settings: Any) -> float:
    """Decisions from outside a second; sampling them is part of the time."""
    envs = PenultimaVectorEnv(number, **settings)
    envs.reset(seed=1)
    envs.step(envs.sample())
    steps, started = 0, time.process_time()
    while time.process_time() - started < seconds:
        for _ in range(20):
            envs.step(envs.sample())
        steps += 20
    return steps * number / (time.process_time() - started)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, {os.cpu_count()} cores, ", end="")
    print(f"Python {platform.python_version()}\n")
    ours = {f"Penultima, {n} players": (lambda n=n: aec.env(players=n)) for n in (2, 4, 10)}
    theirs = classics()
    rates = dict.fromkeys([*ours, *theirs], 0.0)
    for _ in range(options.repeat):
        for name, make in {**ours, **theirs}.items():
            rates[name] = max(rates[name], turns(make))
    print("\n| AEC, `performance_benchmark` | turns/s |\n| --- | --- |")
    for name in sorted(rates, key=lambda name: -rates[name]):
        print(f"| {name} | {rates[name]:,.0f} |")
    fastest = max(theirs, key=lambda name: rates[name])
    slowest = min(ours, key=lambda name: rates[name])
    print(f"\n{slowest}: {rates[slowest] / rates[fastest]:.2f} times {fastest}")
    print("\n| VectorEnv, 256 tables, 4 players | every seat | one seat against eager |")
    print("| --- | --- | --- |")
    for edition in SHIPPED:
        cells = []
        for opponents in (None, "eager"):
            tries = [
                vector_rate(256, options.seconds, edition=edition, opponents=opponents)
                for _ in range(options.repeat)
            ]
            cells.append(f"{np.max(tries) / 1e6:.2f} million/s")
        print(f"| {edition} | {cells[0]} | {cells[1]} |")


if __name__ == "__main__":
    main()
