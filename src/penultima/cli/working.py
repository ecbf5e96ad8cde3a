"""Long work on the command line: who does it, how fast that can be, and how far it is."""

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor

from penultima import speed
from penultima.cli.arguments import whole
from penultima.cli.threads import Threads
from penultima.errors import SimulationError
from penultima.locale import say
from penultima.system import reason


def add_workers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--threads",
        type=whole(1, 1024),
        default=os.cpu_count(),
        metavar="NUMBER",
        help="cli.option.threads",
    )
    parser.add_argument("--cluster", metavar="ADDRESS", help="cli.option.cluster")


@contextlib.contextmanager
def workers(options: argparse.Namespace) -> Iterator[Executor]:
    """Who does the work: threads, or a cluster."""
    if options.cluster:
        with _cluster(options.cluster) as executor:
            yield executor
        return
    executor = Threads(options.threads)
    try:
        yield executor
    finally:
        executor.shutdown(wait=False)


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError as error:
        raise SimulationError("no_extra", packages="distributed") from error
    try:
        client = Client(address, timeout="10s")
    except (OSError, TimeoutError, ValueError) as error:
        raise SimulationError("no_cluster", address=address, reason=reason(error)) from error
    try:
        yield client.get_executor()
    finally:
        client.close()


def speak_of_speed(language: str) -> None:
    """Say what would make it faster, or whenever something is compiled from now on."""
    if not speed.compiled():
        print(say(language, "sim.interpreted"), file=sys.stderr, flush=True)
        return
    from penultima import machinecode

    machinecode.watch_with(_Compiling(language))


class _Compiling:
    """Compilations, told to a person."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._shown = False

    def begins(self, name: str, kinds: int) -> None:
        self._say("sim.compiling", kinds=kinds)

    def goes_on(self, seconds: float, functions: int) -> None:
        if sys.stderr.isatty():
            self._shown = True
            text = say(
                self._language, "sim.compiling_on", seconds=f"{seconds:.0f}", functions=functions
            )
            print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)

    def ends(self, seconds: float) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr)
        self._shown = False
        self._say("sim.compiled", seconds=f"{seconds:.0f}")

    def _say(self, key: str, **details: object) -> None:
        print(say(self._language, key, **details), file=sys.stderr, flush=True)


class Progress:
    """A line on the terminal: how far, how fast, how long still."""

    def __init__(self, total: int) -> None:
        self.total = total
        self._started = time.perf_counter()
        self._shown = 0.0
        self._before = 0

    def begin(self, done: int = 0) -> None:
        self._started = time.perf_counter()
        self._before = done

    @property
    def seconds(self) -> float:
        return max(time.perf_counter() - self._started, 1e-9)

    def show(self, done: int, rate: str) -> None:
        now = time.perf_counter()
        if not sys.stderr.isatty() or now - self._shown < 0.1:
            return
        self._shown = now
        left = self.seconds * (self.total - done) / max(done - self._before, 1)
        bar = "█" * (24 * done // self.total)
        print(
            f"\r{bar:░<24} {done:,}/{self.total:,}  {rate}  {left:.0f} s ",
            end="",
            file=sys.stderr,
            flush=True,
        )

    def end(self) -> float:
        """Seconds since the beginning; clears the line."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        return time.perf_counter() - self._started
