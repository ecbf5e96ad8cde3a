"""The game for Gymnasium: one seat is the learner's, bots play the others.

import gymnasium, penultima.envs

env = gymnasium.make("Penultima-v0", opponents="basic")
observation, info = env.reset(seed=1)
while True:
    action = env.action_space.sample(info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)
    if terminated or truncated:
        break
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces

from penultima.bots import MANNERS
from penultima.bots.host import Host
from penultima.compiled import to_plain
from penultima.edition import Edition
from penultima.envs import picture
from penultima.envs.rows import from_core
from penultima.envs.setup import (
    ON_ILLEGAL,
    REWARDS,
    NotDealt,
    answer_of,
    bots_of,
    choice,
    edition_of,
    seed_of,
)
from penultima.envs.table import CUT_SHORT, FORBIDDEN, PLAYING
from penultima.envs.tables import Tables
from penultima.players import check as check_bot
from penultima.players import seat as sit_down
from penultima.rules.schema import Game

Array = np.ndarray[Any, Any]
Step = tuple[Array, float, bool, bool, dict[str, Any]]


class PenultimaEnv(gymnasium.Env[Array, np.int64]):
    """Settings are those of `aec.RawEnv`, and `opponents`: a bot's name for all other seats, or one
    for each, as on the command line (`sharp:500`, `mybots:Cautious`).

    The action mask is in `info["action_mask"]` and comes from `action_masks()` too.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": list(picture.MODES),
        "render_fps": 2,
    }

    def __init__(
        self,
        edition: str | Edition = "classic",
        players: int = 4,
        options: Mapping[str, Any] | None = None,
        opponents: str | Sequence[str] = "eager",
        seat: int = 0,
        reward: str = "round",
        auto: bool = False,
        illegal: str = "end",
        render_mode: str | None = None,
    ) -> None:
        self.edition = edition_of(edition, players, options)
        self.render_mode = picture.mode(render_mode)
        self.seat = seat
        self._raises = choice("illegal", illegal, ON_ILLEGAL) == "raise"
        names = bots_of(opponents, players, seat)
        for name in names:
            check_bot(name or "random")
        # Bots of the core play inside the compiled table, others are asked from here.
        inside = [name if name in MANNERS else None for name in names]
        rewarded = REWARDS[choice("reward", reward, list(REWARDS))]
        self._tables = Tables(self.edition.sheet, inside, reward=rewarded)
        self._tables.tables["auto"] = 1 << seat if auto else 0
        self._names = names
        self._host: Host | None = None
        self.layout = self._tables.layout
        self.action_space = spaces.Discrete(self.layout.actions)
        self.observation_space = spaces.Box(np.int8(0), self.layout.high, dtype=np.int8)
        self._action = np.zeros(1, np.int64)
        self._seed: int | None = None
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Deal anew: game 0 of a seed, or without one the next game of the seed in use."""
        super().reset(seed=seed)
        if seed is not None or self._seed is None:
            self._seed = seed_of(seed)
            self._tables.deal(self._seed)
            self._host = self._hosted(self._seed)
        else:
            self._tables.deal_next()
        self._ask_others()
        while self._tables.outcomes[0] != PLAYING:  # over before the learner was asked
            self._tables.deal_next()
            self._ask_others()
        self._over = False
        return self._told()

    def step(self, action: Any) -> Step:
        if self._over:
            raise NotDealt("reset", name="step")
        mask = self._tables.masks[0] if self._raises else None
        number = answer_of(action, self.layout, mask, f"player_{self.seat}")
        self._answer(number)
        self._ask_others()
        outcome = self._tables.outcomes[0]
        self._over = bool(outcome != PLAYING)
        observation, info = self._told()
        if outcome == FORBIDDEN:
            info["illegal"] = True
        reward = float(self._tables.rewards[0, self.seat])
        terminated = self._over and outcome != CUT_SHORT
        if self.render_mode == "human":
            self.render()
        return observation, reward, bool(terminated), bool(outcome == CUT_SHORT), info

    def action_masks(self) -> Array:
        """What is allowed now, as `sb3_contrib` asks for it."""
        return np.asarray(self._tables.masks[0], bool)

    def render(self) -> Any:
        """The table as the learner sees it, as `render_mode` says."""
        if self.render_mode is None:
            return None
        if self._seed is None:
            raise NotDealt("reset", name="render")
        return picture.render(self.edition, self._game(), self.seat, self.render_mode)

    def _told(self) -> tuple[Array, dict[str, Any]]:
        over = self._tables.outcomes[0] != PLAYING
        row = self._tables.observe(0, self.seat) if over else self._tables.observations[0].copy()
        return row, {"action_mask": self._tables.masks[0].copy()}

    def _answer(self, action: int) -> None:
        self._action[0] = action
        self._tables.step(self._action)

    def _ask_others(self) -> None:
        """Let bots that are not of the core answer until the learner is asked."""
        tables = self._tables
        while tables.outcomes[0] == PLAYING and tables.seats[0] != self.seat:
            assert self._host is not None
            seat, seats = int(tables.seats[0]), self.layout.seats
            asked = self._host.question(self._game(), seat, int(tables.tables["place"][0]))
            self._answer(from_core(self._host.answer(asked), seat, seats))

    def _game(self) -> Game:
        return to_plain(Game, self._tables.games[0], self.edition.sheet.rules.size)

    def _hosted(self, seed: int) -> Host | None:
        if all(name is None or name in MANNERS for name in self._names):
            return None
        players = [sit_down(name or "random", seed + n) for n, name in enumerate(self._names)]
        return Host(self.edition.sheet, players)
