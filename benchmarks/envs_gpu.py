"""The environments on a GPU: do they write the same as on a CPU, and how fast?

`python -m benchmarks.envs_gpu verdict` steps the same tables on both sides, all editions, 2 to 10
seats, house rules, with bots and without, and compares every row, mask, reward and outcome after
every step. `python -m benchmarks.envs_gpu speed` times steps with random actions.
"""

import argparse
import sys
import time
from random import Random
from typing import Any

import numpy as np

from benchmarks.gpu import tables
from penultima import cuda
from penultima.edition import shipped
from penultima.envs.setup import REWARDS
from penultima.envs.tables import Tables
from penultima.envs.tensors import TensorEnv
from penultima.ruleset import Sheet


def compare(sheet: Sheet, players: int, games: int, steps: int, random: Random) -> int:
    """Step both sides with the same actions; gives the number of decisions."""
    import torch

    opponents = random.choice((None, "eager", "basic"))
    reward, auto = random.choice(list(REWARDS)), random.random() < 0.3
    edition = shipped(sheet.edition)
    options = {name: getattr(sheet.options, name) for name in sheet.options.names()}
    there = TensorEnv(games, edition, players, options, opponents, 0, reward, auto)
    bots: list[str | None] = [None] * players
    if opponents is not None:
        bots = [None, *[opponents] * (players - 1)]
    here = Tables(sheet, bots, games, REWARDS[reward], auto, same_step=True)
    here.deal(3)
    there.reset(seed=3)
    for step in range(steps):
        actions = here.sample()
        if step % 17 == 0:
            actions[::97] = random.randrange(here.layout.actions)  # some are not allowed
        if step:
            here.step(actions)
            there.step(torch.from_numpy(actions).to("cuda"))
        ended = here.outcomes != 0
        pairs: dict[str, tuple[Any, Any]] = {
            "observations": (here.observations, there.observations),
            "masks": (here.masks, there.masks),
            "outcomes": (here.outcomes, there.outcomes),
            "seats": (here.seats, there.seats),
            "finals": (here.finals[ended], there.finals.cpu()[torch.from_numpy(ended)]),
        }
        for name, (mine, theirs) in pairs.items():
            if not np.array_equal(mine, theirs.cpu().numpy()):
                sys.exit(f"{sheet.edition}, {players} seats, step {step}: {name} differ")
        if not np.allclose(here.rewards, there.rewards.cpu().numpy(), atol=1e-6):
            sys.exit(f"{sheet.edition}, {players} seats, step {step}: rewards differ")
    return games * steps


def verdict(games: int, steps: int, number: int) -> None:
    random = Random(1)
    decisions = 0
    for sheet, players in tables(random, number):
        decisions += compare(sheet, players, games, steps, random)
        print(f"{sheet.edition:<10} {players:>2} seats: the same", flush=True)
    print(f"{decisions:,} decisions, every row, mask, reward and outcome the same")


def speed(steps: int = 100) -> None:
    import torch

    def timed(work: Any) -> float:
        torch.cuda.synchronize()
        started = time.perf_counter()
        for _ in range(steps):
            work()
        torch.cuda.synchronize()
        return time.perf_counter() - started

    print(
        f"\n| {torch.cuda.get_device_name()}, classic, 4 players | games | step | with sampling |"
    )
    print("| --- | --- | --- | --- |")
    for opponents in (None, "eager"):
        for games in (65_536, 135_168, 262_144, 524_288):
            envs = TensorEnv(games, opponents=opponents)
            envs.reset(seed=1)
            for _ in range(100):  # into the middle of games
                envs.step(envs.sample())
            both = timed(lambda envs=envs: envs.step(envs.sample()))
            alone = both - timed(envs.sample)
            rates = [f"{games * steps / seconds / 1e6:.0f} million/s" for seconds in (alone, both)]
            name = "every seat" if opponents is None else "one seat against eager"
            print(f"| {name} | {games:,} | {rates[0]} | {rates[1]} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=("verdict", "speed", "all"))
    parser.add_argument("--games", type=int, default=512)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--tables", type=int, default=15)
    options = parser.parse_args()
    if reason := cuda.available():
        sys.exit(f"no GPU can be used: {reason}")
    if options.what in ("verdict", "all"):
        verdict(options.games, options.steps, options.tables)
    if options.what in ("speed", "all"):
        speed()


if __name__ == "__main__":
    main()
