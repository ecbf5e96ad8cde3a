"""Many games side by side for Gymnasium: one call of machine code steps them all.

import gymnasium, penultima.envs

envs = gymnasium.make_vec("Penultima-v0", num_envs=256, opponents="eager")
observations, info = envs.reset(seed=1)
while True:
    actions = envs.unwrapped.sample()  # any that the masks allow
    observations, rewards, terminations, truncations, info = envs.step(actions)
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from penultima.edition import Edition
from penultima.envs.rows import PASS
from penultima.envs.setup import (
    REWARDS,
    NotDealt,
    answers_of,
    bots_of,
    choice,
    edition_of,
    seed_of,
)
from penultima.envs.table import CUT_SHORT, FORBIDDEN, PLAYING
from penultima.envs.tables import Tables
from penultima.errors import EnvError, short

Array = np.ndarray[Any, Any]
Step = tuple[Array, Array, Array, Array, dict[str, Any]]
MODES: Final = {"same": AutoresetMode.SAME_STEP, "next": AutoresetMode.NEXT_STEP}


class PenultimaVectorEnv(VectorEnv[Array, Array, Array]):
    """Settings are those of `single.PenultimaEnv`; bots must be of the core.

    `opponents` None: every seat is played from outside. Then `info["seat"]` is who is asked,
    a reward goes to the seat that acted, and `info["rewards"]` has those of all seats.
    `autoreset` is "same" (a game that ends is dealt anew in the same step; what was seen at its end
    is in `info["final_obs"]`) or "next" (in the next step, whose action is ignored: the mask allows
    PASS alone).
    An illegal action ends the game with a reward of -1. With `copy` off, arrays are overwritten by
    the next step.
    """

    def __init__(
        self,
        num_envs: int = 1,
        edition: str | Edition = "classic",
        players: int = 4,
        options: Mapping[str, Any] | None = None,
        opponents: str | Sequence[str] | None = "eager",
        seat: int = 0,
        reward: str = "round",
        auto: bool = False,
        autoreset: str = "same",
        copy: bool = True,
    ) -> None:
        if not (isinstance(num_envs, int) and num_envs >= 1):
            raise EnvError("number", number=short(num_envs))
        self.edition = edition_of(edition, players, options)
        self.metadata = {"autoreset_mode": MODES[choice("autoreset", autoreset, list(MODES))]}
        self.num_envs = num_envs
        self.seat = None if opponents is None else seat
        bots: list[str | None] = [None] * players
        if opponents is not None:
            bots = bots_of(opponents, players, seat, compiled=True)
        rewarded = REWARDS[choice("reward", reward, list(REWARDS))]
        same = autoreset == "same"
        self._tables = Tables(self.edition.sheet, bots, num_envs, rewarded, auto, same)
        self.layout = self._tables.layout
        self.single_action_space = spaces.Discrete(self.layout.actions)
        self.single_observation_space = spaces.Box(np.int8(0), self.layout.high, dtype=np.int8)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._copy = copy
        self._seed: int | None = None
        self._rows = np.arange(num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Deal anew at all tables: games 0, 1, … of a seed, or the next ones of that in use."""
        super().reset(seed=seed)
        if seed is not None or self._seed is None:
            self._seed = seed_of(seed)
            self._tables.deal(self._seed)
        else:
            self._tables.deal_next()
        return self._given(self._tables.observations), self._info()

    def step(self, actions: Array) -> Step:
        tables = self._tables
        if self._seed is None:
            raise NotDealt("reset", name="step")
        # Copied: an array that cannot be written would be another type, and be compiled for.
        tables.actions[:] = answers_of(actions, self.num_envs)
        acted = self.seat if self.seat is not None else tables.seats.copy()
        tables.step(tables.actions)
        outcomes = tables.outcomes
        ended = outcomes != PLAYING
        if self.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP:
            tables.masks[ended, PASS] = 1
        info = self._info()
        if self.seat is None:
            info["rewards"] = self._given(tables.rewards)
        if ended.any():
            info["illegal"] = outcomes == FORBIDDEN
            if self.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP:
                info["final_obs"], info["_final_obs"] = self._given(tables.finals), ended
        cut = outcomes == CUT_SHORT
        rewards = tables.rewards[self._rows, acted]
        return self._given(tables.observations), rewards, ended & ~cut, cut, info

    def sample(self) -> Array:
        """An action for every table, all that are allowed equally likely."""
        if self._seed is None:
            raise NotDealt("reset", name="sample")
        return self._given(self._tables.sample())

    def _info(self) -> dict[str, Any]:
        info = {"action_mask": self._given(self._tables.masks)}
        if self.seat is None:
            info["seat"] = self._given(self._tables.seats)
        return info

    def _given(self, array: Array) -> Array:
        return array.copy() if self._copy else array
