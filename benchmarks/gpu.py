"""The core on a GPU: is it the same game, and how fast?

`python -m benchmarks.gpu verdict` plays the same actions on the CPU and on the GPU, at least
100,000 games over all editions, 2 to 10 seats and house rules, and compares records, masks and
observations byte by byte after every step; then whole games between policies by their tallies.
`python -m benchmarks.gpu speed` times whole random games and single steps.
"""

import argparse
import sys
import time
from random import Random
from typing import Any

import numpy as np
from numba import cuda as device

from penultima import compiled, cuda, gpu
from penultima.bots import MANNERS
from penultima.bots.manner import Manner
from penultima.bots.tally import Tally
from penultima.compiled import dtype, to_array
from penultima.edition import SHIPPED, shipped
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import CHOICES, SWITCHES, Sheet
from penultima.sim import Job, play_chunk

Array = np.ndarray[Any, Any]
GAMES = {"random": 540_672, "eager": 4_325_376}


def tables(random: Random, number: int) -> list[tuple[Sheet, int]]:
    """Every edition plain and with random options, at every number of seats in turn."""
    found = []
    for place in range(number):
        sheet = shipped(SHIPPED[place % len(SHIPPED)]).sheet
        if place >= len(SHIPPED):
            options: dict[str, Any] = {n: random.choice(v) for n, v in CHOICES.items()}
            options |= {name: random.random() < 0.4 for name in SWITCHES}
            sheet = sheet.with_options(options)
        found.append((sheet, 2 + place % 9))
    return found


class Side:
    """The arrays of a batch on one side, CPU or GPU."""

    def __init__(self, sheet: Sheet, seats: int, games: int) -> None:
        rules = sheet.rules
        self.rules = to_array(rules)
        self.games = np.zeros(games, dtype(Game, rules.size))
        self.games["seats"] = seats
        self.traces = np.zeros(games, dtype(Trace, rules.size.bulk))
        self.places = np.full(games, -1, np.int64)
        self.seats = np.zeros(games, np.int64)
        self.actions = np.zeros(games, np.int64)
        self.masks = np.zeros((games, rules.size.mask_words), np.int64)
        self.seen = np.zeros(games, dtype(Seen, rules.size))

    def state(self) -> tuple[Array, ...]:
        return self.games, self.places, self.seats, self.masks, self.seen


def state_of(batch: gpu.Batch) -> tuple[Array, ...]:
    arrays = (batch.games, batch.places, batch.seats, batch.masks, batch.seen)
    return tuple(array.copy_to_host() for array in arrays)


def same_tensors(batch: gpu.Batch) -> None:
    """Every field seen through torch is what lies on the device."""
    try:
        import torch
    except ImportError:
        print("torch is not here: tensors were not compared")
        return
    for record in ("games", "seen"):
        host = getattr(batch, record).copy_to_host()
        for name in host.dtype.names:
            tensor = torch.as_tensor(batch.field(record, name), device="cuda")
            if not np.array_equal(tensor.cpu().numpy(), host[name]):
                raise SystemExit(f"DIFFERENT: the tensor of {record}.{name}")
    masks = torch.as_tensor(batch.masks, device="cuda")
    masks += 1  # no copy: the batch sees it
    if not np.array_equal(masks.cpu().numpy(), batch.masks.copy_to_host()):
        raise SystemExit("DIFFERENT: the tensor of masks is a copy")
    masks -= 1
    print("tensors: the same memory")


def same_steps(sheet: Sheet, seats: int, games: int, steps: int, seed: int, manner: Manner) -> int:
    """Play and compare; gives the number of decisions, or raises with the first difference."""
    side = Side(sheet, seats, games)
    other = gpu.Batch(sheet, seats, games)
    compiled.deal_games(side.rules, side.games, side.traces, seed, 0)
    side.traces["luck"] = np.arange(games) * 2 + 1
    other.deal(seed)
    for step in range(steps):
        compiled.advance_games(
            side.rules,
            side.games,
            side.traces,
            side.places,
            side.seats,
            side.actions,
            side.masks,
            side.seen,
        )
        other.advance()
        for name, ours, theirs in zip(
            ("games", "places", "seats", "masks", "seen"),
            side.state(),
            state_of(other),
            strict=True,
        ):
            if ours.tobytes() != theirs.tobytes():
                where = next(n for n in range(games) if ours[n].tobytes() != theirs[n].tobytes())
                raise SystemExit(
                    f"DIFFERENT: {sheet.edition} seats {seats} step {step} {name}[{where}]"
                )
        compiled.decide_games(
            side.rules,
            side.games,
            side.traces,
            side.places,
            side.masks,
            side.seen,
            to_array(manner),
            side.actions,
        )
        other.actions.copy_to_device(side.actions)
    return int(side.games["decisions"].sum())


def verdict(games: int, steps: int) -> None:
    random = Random(1)
    chosen = tables(random, 50)
    each = -(-games // len(chosen))
    decisions = 0
    for place, (sheet, seats) in enumerate(chosen):
        manner = list(MANNERS.values())[place % len(MANNERS)]
        decisions += same_steps(sheet, seats, each, steps, place, manner)
    print(
        f"steps: {each * len(chosen)} games, {decisions} decisions, every record the same",
        flush=True,
    )
    batch = gpu.Batch(shipped("violet").sheet, 10, 1000)
    batch.deal(1)
    batch.advance()
    same_tensors(batch)
    for name in SHIPPED:
        for seats, bot in ((2, "random"), (4, "eager"), (10, "eager")):
            job = Job(shipped(name).sheet, (bot,) * seats, seed=3)
            number = 500 if bot == "random" else 4000
            on_gpu = gpu.simulate(job, number, in_flight=1024)
            size = job.sheet.rules.size.bulk
            if Tally.from_bytes(play_chunk(job, 0, number), size) != on_gpu:
                raise SystemExit(f"DIFFERENT: tallies of {name}, {seats} {bot}")
    print("whole games: every tally the same")
    print("VERDICT: the same")


def timed(launch: Any) -> float:
    """Seconds of the device's own clock, after a warm-up."""
    start, stop = device.event(), device.event()
    start.record()
    launch()
    stop.record()
    stop.synchronize()
    return float(device.event_elapsed_time(start, stop)) / 1000


def whole_games(name: str, seats: int, bot: str, in_flight: int, threads: int) -> None:
    number = GAMES[bot]
    job = Job(shipped(name).sheet, (bot,) * seats, seed=1)
    rules = job.sheet.rules
    tallies = device.to_device(np.zeros(in_flight, dtype(Tally, rules.size.bulk)))
    sheet, manners = device.to_device(to_array(rules)), device.to_device(gpu.shortened(job.manners))
    grid = (in_flight + threads - 1) // threads

    def launch() -> None:
        queue = device.to_device(np.array([0]))
        cuda.play_games[grid, threads](
            sheet, tallies, manners, seats, 1, queue, number, False, False
        )

    launch()
    device.synchronize()
    before = tallies.copy_to_host()["decisions"].sum()
    seconds = timed(launch)
    decisions = tallies.copy_to_host()["decisions"].sum() - before
    print(
        f"{name:<10} {seats:>2} {bot:<7} in flight {in_flight:>7} x{threads:<4} "
        f"{decisions / seconds / 1e6:>8.0f} M decisions/s  ({seconds:.2f} s)",
        flush=True,
    )


def single_steps(name: str, seats: int, games: int, steps: int) -> None:
    batch = gpu.Batch(shipped(name).sheet, seats, games)
    batch.deal(1)
    batch.advance()
    manner = MANNERS["random"]

    def choose_all() -> None:
        for _ in range(steps):
            batch.decide(manner)

    def launch() -> None:
        for _ in range(steps):
            batch.decide(manner)
            batch.advance()

    launch()
    device.synchronize()
    both = timed(launch)
    alone = timed(choose_all)
    print(f"{name:<10} {seats:>2} one step for {games} games, masks and observations: ", end="")
    seconds = both - alone
    print(f"{seconds / steps * 1e6:.0f} µs, {games * steps / seconds / 1e6:.0f} M/s", flush=True)


def speed(quick: bool) -> None:
    for in_flight in (16_896, 33_792, 67_584, 135_168) if not quick else ():
        for threads in (32, 64, 128, 256):
            whole_games("classic", 4, "random", in_flight, threads)
    for name in SHIPPED:
        whole_games(name, 4, "random", gpu.IN_FLIGHT, cuda.THREADS)
        whole_games(name, 4, "eager", gpu.IN_FLIGHT, cuda.THREADS)
    single_steps("classic", 4, 65_536, 50)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=("verdict", "speed", "all"))
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--quick", action="store_true", help="only the default layout")
    options = parser.parse_args()
    if reason := cuda.available():
        sys.exit(f"no GPU can be used: {reason}")
    started = time.perf_counter()
    if options.what in ("verdict", "all"):
        verdict(options.games, options.steps)
    if options.what in ("speed", "all"):
        speed(options.quick)
    print(f"{time.perf_counter() - started:.0f} s in all")


if __name__ == "__main__":
    main()
