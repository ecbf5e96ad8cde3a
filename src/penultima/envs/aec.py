"""The game for PettingZoo: every seat is an agent, asked one at a time.

    from penultima.envs import aec

    env = aec.env(edition="classic", players=4)
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        action = None if over else env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

Agents are asked in the order of `rules.ask`: after every step who is exposed may call, then who
could interrupt may do so (action PASS lets it pass), then whom the table waits for must decide.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from penultima.compiled import to_plain
from penultima.edition import Edition
from penultima.envs import picture
from penultima.envs.rows import PASS
from penultima.envs.setup import (
    ON_ILLEGAL,
    REWARDS,
    NotDealt,
    answer_of,
    choice,
    edition_of,
    seed_of,
)
from penultima.envs.table import CUT_SHORT, FORBIDDEN, PLAYING
from penultima.envs.tables import Tables
from penultima.errors import EnvError
from penultima.rules.schema import Game

Observation = dict[str, "np.ndarray[Any, Any]"]


def env(**settings: Any) -> "RawEnv":
    """A table. It checks its use itself: PettingZoo's wrappers would take half of the time."""
    return RawEnv(**settings)


def parallel_env(**settings: Any) -> Any:
    """The same as a parallel environment: only the action of the agent asked counts.

    The masks of the others allow PASS alone, which is never all that the one asked may do.
    """
    return turn_based_aec_to_parallel(_Together(**settings))


class RawEnv(AECEnv[str, Observation, "int | None"], EzPickle):
    """One table; `edition` is a name, a path or an `Edition`, `options` are house rules.

    `reward` is "round", "points" or "match" (a whole match to its target). `auto` asks agents for
    turn decisions only: calls, catches and drops are made for them, other interrupts declined.
    An `illegal` action ends the game ("end", the default) or raises an error ("raise").
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "penultima_v0",
        "render_modes": list(picture.MODES),
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        edition: str | Edition = "classic",
        players: int = 4,
        options: Mapping[str, Any] | None = None,
        reward: str = "round",
        auto: bool = False,
        illegal: str = "end",
        render_mode: str | None = None,
    ) -> None:
        EzPickle.__init__(self, edition, players, options, reward, auto, illegal, render_mode)
        super().__init__()
        self.edition = edition_of(edition, players, options)
        self.render_mode = picture.mode(render_mode)
        self._raises = choice("illegal", illegal, ON_ILLEGAL) == "raise"
        rewarded = REWARDS[choice("reward", reward, list(REWARDS))]
        self._tables = Tables(self.edition.sheet, [None] * players, reward=rewarded, auto=auto)
        self.layout = self._tables.layout
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        actions = self.layout.actions
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(np.int8(0), self.layout.high, dtype=np.int8),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._seed: int | None = None
        self._action = np.zeros(1, np.int64)
        self._no_mask = np.zeros(actions, np.int8)

    def __getattr__(self, name: str) -> Any:
        """What is not there before the first `reset`."""
        if name in AECEnv.__annotations__:
            raise AttributeError(str(EnvError("reset", name=name)))
        raise AttributeError(name)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal anew: game 0 of a seed, or without one the next game of the seed in use."""
        if seed is not None or self._seed is None:
            self._seed = seed_of(seed)
            self._tables.deal(self._seed)
        else:
            self._tables.deal_next()
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._tables.seats[0]]
        self._skip_agent_selection = None

    def observe(self, agent: str) -> Observation:
        """What an agent knows; only the one that is asked has actions in its mask."""
        tables = self._tables
        if agent == self.possible_agents[tables.seats[0]]:
            row, mask = tables.observations[0].copy(), tables.masks[0].copy()
            return {"observation": row, "action_mask": mask}
        return {
            "observation": tables.observe(0, self._seats[agent]),
            "action_mask": self._no_mask.copy(),
        }

    def step(self, action: int | None) -> None:
        if not self.agents:
            raise NotDealt("reset", name="step")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        tables = self._tables
        mask = tables.masks[0] if self._raises else None
        self._action[0] = answer_of(action, self.layout, mask, agent)
        tables.step(self._action)
        self._cumulative_rewards[agent] = 0.0
        outcome = tables.outcomes[0]
        if outcome == PLAYING:
            self.agent_selection = self.possible_agents[tables.seats[0]]
        else:
            self._end(agent, outcome)
        if self.render_mode == "human":
            self.render()

    def _end(self, agent: str, outcome: int) -> None:
        for other, reward in zip(self.agents, self._tables.rewards[0].tolist(), strict=True):
            self.rewards[other] = reward
        self._accumulate_rewards()
        ended = self.truncations if outcome == CUT_SHORT else self.terminations
        for other in self.agents:
            ended[other] = True
        if outcome == FORBIDDEN:
            self.infos[agent]["illegal"] = True

    def render(self) -> Any:
        """The table as the agent asked sees it, as `render_mode` says."""
        if self.render_mode is None:
            return None
        game = to_plain(Game, self._tables.games[0], self.edition.sheet.rules.size)
        seat = int(self._tables.seats[0])
        return picture.render(self.edition, game, seat, self.render_mode)

    def close(self) -> None:
        """Nothing has to be closed."""


class _Together(RawEnv):
    """As everybody sees it who acts at the same time: there is always an action, if only PASS."""

    def observe(self, agent: str) -> Observation:
        seen = super().observe(agent)
        if not seen["action_mask"].any():
            seen["action_mask"][PASS] = 1
        return seen
