"""How long `penultima play` takes until its first screen stands: python -m benchmarks.startup

A pseudo-terminal is opened, the program started, and the clock stopped when the person's cards are
on the screen. The time of the processor is what the program needs by itself; on a machine that does
nothing else the clock shows hardly more.
"""

import argparse
import resource
import statistics
import sys
import time

from penultima.locale import say
from tests.terminal import PtyTerminal, wait_for


def seconds() -> tuple[float, float]:
    """From the start to the first screen: on the clock, and of the processor."""
    began, before = time.perf_counter(), _processor()
    with PtyTerminal("play", "--seed", "5", "--pace", "0", "--moment", "0") as terminal:
        wait_for(terminal, lambda text: say("en", "ask.turn") in text, "the first screen")
        took = time.perf_counter() - began
    return took, _processor() - before


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    runs = [seconds() for _ in range(parser.parse_args().runs)]
    for name, times in zip(("clock", "processor"), zip(*runs, strict=True), strict=True):
        middle = statistics.median(times)
        print(f"{name}: {min(times):.2f} s best, {middle:.2f} s median, {max(times):.2f} s worst")
    return 0


if __name__ == "__main__":
    sys.exit(main())
