"""MaskablePPO of sb3-contrib learns to beat `eager`, keeps what it learned and writes its curve:

    python examples/maskable_ppo.py --save maskable_ppo.zip --curve docs/learning/maskable_ppo.svg
    python examples/maskable_ppo.py --play maskable_ppo.zip               how much it wins

(or `make learn`).
"""

import argparse
import time
from pathlib import Path
from typing import Any

import curve
import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

from penultima.envs.vector import PenultimaVectorEnv  # and registers Penultima-v0

TABLE: dict[str, Any] = {"players": 2, "opponents": "eager", "auto": True}


class Scaled(gymnasium.ObservationWrapper):
    """Observations between 0 and 1."""

    def __init__(self, env: gymnasium.Env) -> None:
        super().__init__(env)
        self._scale = env.unwrapped.layout.scale
        self.observation_space = gymnasium.spaces.Box(0, 1, self._scale.shape, np.float32)

    def observation(self, observation: np.ndarray) -> np.ndarray:
        return observation * self._scale


def make() -> gymnasium.Env:
    return Scaled(gymnasium.make("Penultima-v0", **TABLE))


def won(model: MaskablePPO, rounds: int, greedy: bool = False) -> float:
    """The share of rounds won, as it plays or with the best action each time."""
    envs = PenultimaVectorEnv(256, **TABLE)
    rows, info = envs.reset(seed=10_000)
    # The first games of every table: the first to end are the short ones, and would mislead.
    left, wins = np.full(256, rounds // 256), 0
    while left.any():
        scaled = rows * envs.layout.scale
        actions, _ = model.predict(scaled, deterministic=greedy, action_masks=info["action_mask"])
        rows, rewards, ended, _, info = envs.step(actions)
        counted = ended & (left > 0)
        wins += int((rewards[counted] > 0).sum())
        left -= counted
    return wins / (rounds // 256 * 256)


class Curve(BaseCallback):
    """Looks at how strong the policy is after every so many decisions."""

    def __init__(self, every: int, rounds: int) -> None:
        super().__init__()
        self.every, self.rounds = every, rounds
        self.points: list[tuple[int, float]] = []
        self.started = time.perf_counter()

    def _on_rollout_start(self) -> None:
        if not self.points or self.num_timesteps >= self.points[-1][0] + self.every:
            self.look()

    def _on_step(self) -> bool:
        return True

    def look(self) -> None:
        self.points.append((self.num_timesteps, won(self.model, self.rounds)))
        took = time.perf_counter() - self.started
        decisions, share = self.points[-1]
        print(f"{decisions:>9,} decisions, {share:.1%} won, {took:.0f} s", flush=True)


def learn(
    decisions: int, seed: int, rounds: int
) -> tuple[MaskablePPO, list[tuple[int, float]], float]:
    """The model, its learning curve, and the share that it wins in the end with the best action
    each time.
    """
    settings: dict[str, Any] = {"learning_rate": lambda left: 1e-3 * left, "gamma": 0.997}
    settings |= {"n_steps": 256, "batch_size": 1024, "n_epochs": 4, "ent_coef": 0.01}
    settings["policy_kwargs"] = {"net_arch": [256, 256]}
    model = MaskablePPO("MlpPolicy", make_vec_env(make, 32, seed=seed), seed=seed, **settings)
    watcher = Curve(decisions // 10, rounds)
    model.learn(decisions, callback=watcher)
    watcher.look()
    return model, watcher.points, won(model, rounds, greedy=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--decisions", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=2_560, help="to judge by, at every point")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--curve", type=Path, help="an SVG to write, with a JSON beside it")
    parser.add_argument("--save", type=Path, help="keep what was learned there")
    parser.add_argument("--play", type=Path, metavar="FILE", help="play what was kept there")
    options = parser.parse_args()
    if options.play:
        share = won(MaskablePPO.load(options.play), options.rounds, greedy=True)
        print(f"{share:.1%} of {options.rounds} rounds won")
        return
    model, points, greedy = learn(options.decisions, options.seed, options.rounds)
    print(f"{greedy:.1%} won with the best action each time")
    if options.save:
        model.save(options.save)
    if options.curve:
        about = {"seed": options.seed, "rounds": options.rounds, "opponent": "eager", "players": 2}
        about["greedy"] = greedy
        curve.write(options.curve, "MaskablePPO (sb3-contrib): rounds won", points, about)


if __name__ == "__main__":
    main()
