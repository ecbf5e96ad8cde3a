"""Proximal policy optimisation in a page of torch, on many tables at once.

It learns Classic with two players against `eager` from won and lost rounds alone, keeps what it
learned and writes its learning curve:

    python examples/ppo.py --save ppo.pt --curve docs/learning/ppo.svg    (or `make learn`)
    python examples/ppo.py --play ppo.pt                                  watch it play a round
"""

import argparse
import time
from pathlib import Path

import curve
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from penultima.envs.layout import VERSION
from penultima.envs.single import PenultimaEnv
from penultima.envs.vector import PenultimaVectorEnv

TABLE = {"edition": "classic", "players": 2, "opponents": "eager", "auto": True}
TABLES, STEPS, EPOCHS, BATCH = 256, 64, 3, 2048
DISCOUNT, TRACE, CLIP, ENTROPY = 0.997, 0.95, 0.2, 0.01


class Player(nn.Module):
    """What to do (logits of the actions that the mask allows) and what it will come to."""

    def __init__(self, scale: np.ndarray, actions: int) -> None:
        super().__init__()
        self.register_buffer("scale", torch.from_numpy(scale))
        width = 256
        self.body = nn.Sequential(
            nn.Linear(len(scale), width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)
        nn.init.normal_(self.policy.weight, std=0.01)

    def forward(self, rows: torch.Tensor, masks: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        hidden = self.body(rows.float() * self.scale)
        logits = self.policy(hidden).masked_fill(masks == 0, -1e9)
        return Categorical(logits=logits), self.value(hidden).squeeze(-1)


def advantages(
    rewards: torch.Tensor, values: torch.Tensor, ended: torch.Tensor, after: torch.Tensor
) -> torch.Tensor:
    """How much better it went than expected, seen a few steps ahead (GAE)."""
    found = torch.zeros_like(rewards)
    ahead = torch.zeros_like(after)
    for step in reversed(range(len(rewards))):
        goes_on = 1 - ended[step]
        surprise = rewards[step] + DISCOUNT * after * goes_on - values[step]
        ahead = surprise + DISCOUNT * TRACE * goes_on * ahead
        found[step], after = ahead, values[step]
    return found


def improve(
    player: Player, optimizer: torch.optim.Optimizer, seen: dict[str, torch.Tensor]
) -> None:
    """Some passes over what was seen, never far from the policy that acted."""
    for _ in range(EPOCHS):
        for part in torch.randperm(len(seen["actions"])).split(BATCH):
            chances, values = player(seen["rows"][part], seen["masks"][part])
            ratio = (chances.log_prob(seen["actions"][part]) - seen["chances"][part]).exp()
            gain = seen["gains"][part]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            policy = torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            value = (values - seen["returns"][part]).square().mean()
            loss = 0.5 * value - policy - ENTROPY * chances.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(player.parameters(), 0.5)
            optimizer.step()


@torch.no_grad()
def won(player: Player, rounds: int, seed: int, greedy: bool = False) -> float:
    """The share of rounds won against `eager`, as it plays or with the best action each time."""
    envs = PenultimaVectorEnv(256, **TABLE)
    rows, info = envs.reset(seed=seed)
    # The first games of every table: the first to end are the short ones, and would mislead.
    left, wins = np.full(256, rounds // 256), 0
    while left.any():
        chances, _ = player(torch.from_numpy(rows), torch.from_numpy(info["action_mask"]))
        actions = chances.logits.argmax(1) if greedy else chances.sample()
        rows, rewards, ended, _, info = envs.step(actions.numpy())
        counted = ended & (left > 0)
        wins += int((rewards[counted] > 0).sum())
        left -= counted
    return wins / (rounds // 256 * 256)


def save(player: Player, file: Path) -> None:
    """Keep a policy, with the table and the layout that it has learned for."""
    torch.save({"layout": VERSION, "table": TABLE, "weights": player.state_dict()}, file)


def load(file: Path) -> tuple[Player, dict]:
    """A policy that was kept, and its table."""
    kept = torch.load(file, weights_only=True)
    if kept["layout"] != VERSION:
        raise SystemExit(f"{file} is for layout {kept['layout']}, this is {VERSION}: learn again.")
    layout = PenultimaEnv(**kept["table"]).layout
    player = Player(layout.scale, layout.actions)
    player.load_state_dict(kept["weights"])
    return player, kept["table"]


@torch.no_grad()
def play(file: Path, seed: int) -> None:
    """A round of a policy that was kept, shown move by move."""
    player, table = load(file)
    env = PenultimaEnv(**table, render_mode="human")
    row, info = env.reset(seed=seed)
    env.render()
    over, reward = False, 0.0
    while not over:
        mask = torch.from_numpy(info["action_mask"])
        action = int(player(torch.from_numpy(row), mask)[0].logits.argmax())
        print(f"> {env.layout.action_meaning(action)}")
        row, reward, over, _, info = env.step(action)
    print("won" if reward > 0 else "lost")


def learn(decisions: int, seed: int, rounds: int) -> tuple[Player, list[tuple[int, float]], float]:
    """The player, its learning curve, and the share that it wins in the end with the best action
    each time.
    """
    torch.manual_seed(seed)
    envs = PenultimaVectorEnv(TABLES, **TABLE)
    player = Player(envs.layout.scale, envs.layout.actions)
    optimizer = torch.optim.Adam(player.parameters(), lr=1e-3, eps=1e-5)
    rows, info = envs.reset(seed=seed)
    points, updates = [(0, won(player, rounds, seed + 1))], decisions // (TABLES * STEPS)
    started = time.perf_counter()
    for update in range(1, updates + 1):
        optimizer.param_groups[0]["lr"] = 1e-3 * (1 - (update - 1) / updates)
        kept: dict[str, list[torch.Tensor]] = {}
        for _ in range(STEPS):
            now = {"rows": torch.from_numpy(rows), "masks": torch.from_numpy(info["action_mask"])}
            with torch.no_grad():
                chances, now["values"] = player(now["rows"], now["masks"])
                now["actions"] = chances.sample()
                now["chances"] = chances.log_prob(now["actions"])
            rows, rewards, ended, _, info = envs.step(now["actions"].numpy())
            now |= {"rewards": torch.from_numpy(rewards), "ended": torch.from_numpy(ended).float()}
            for name, tensor in now.items():
                kept.setdefault(name, []).append(tensor)
        seen = {name: torch.stack(tensors) for name, tensors in kept.items()}
        with torch.no_grad():
            _, after = player(torch.from_numpy(rows), torch.from_numpy(info["action_mask"]))
        seen["gains"] = advantages(seen["rewards"], seen["values"], seen["ended"], after)
        seen["returns"] = seen["gains"] + seen["values"]
        improve(player, optimizer, {name: tensor.flatten(0, 1) for name, tensor in seen.items()})
        if update % max(updates // 20, 1) == 0:
            points.append((update * TABLES * STEPS, won(player, rounds, seed + 1)))
            took = time.perf_counter() - started
            print(
                f"{points[-1][0]:>9,} decisions, {points[-1][1]:.1%} won, {took:.0f} s", flush=True
            )
    return player, points, won(player, rounds, seed + 1, greedy=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--decisions", type=int, default=1_200_000)
    parser.add_argument("--rounds", type=int, default=5_000, help="to judge by, at every point")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--curve", type=Path, help="an SVG to write, with a JSON beside it")
    parser.add_argument("--save", type=Path, help="keep what was learned there")
    parser.add_argument("--play", type=Path, metavar="FILE", help="play what was kept there")
    options = parser.parse_args()
    if options.play:
        play(options.play, options.seed)
        return
    player, points, greedy = learn(options.decisions, options.seed, options.rounds)
    print(f"{greedy:.1%} won with the best action each time")
    if options.save:
        save(player, options.save)
    if options.curve:
        about = {"seed": options.seed, "rounds": options.rounds, "opponent": "eager", "players": 2}
        about["greedy"] = greedy
        curve.write(options.curve, "PPO on the vector environment: rounds won", points, about)


if __name__ == "__main__":
    main()
