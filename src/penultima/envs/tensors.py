"""Many games side by side on a GPU, as torch tensors that a step writes in place.

    from penultima.envs.tensors import TensorEnv

    envs = TensorEnv(65_536, edition="classic", players=4)
    envs.reset(seed=1)
    while True:
        policy = network(envs.observations.float() * envs.scale)
        actions = policy.masked_fill(envs.masks == 0, -inf).softmax(1).multinomial(1).flatten()
        envs.step(actions)  # then look at envs.rewards and envs.outcomes

Nothing is copied to the host. Needs the extras `envs` and `gpu`, torch, and an NVIDIA GPU.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numba import cuda

from penultima.bots import MANNERS
from penultima.compiled import dtype, to_array
from penultima.cuda import THREADS, available, blocks
from penultima.edition import Edition
from penultima.envs.kernels import kernels
from penultima.envs.layout import Layout
from penultima.envs.setup import REWARDS, bots_of, choice, edition_of, seed_of
from penultima.envs.table import FINISHED, Table
from penultima.errors import EnvError, short
from penultima.rules.schema import Game

Tensor = Any  # torch is imported when it is needed


class TensorEnv:
    """Settings are those of `vector.PenultimaVectorEnv`; a game that ends is dealt anew at once.

    Tensors, one row for each game, overwritten by every step:
    `observations` and `finals` (what was seen when a game ended) int8, `masks` int8, `rewards` of
    all seats float32, `outcomes` int8 (0: goes on, 1: over, 2: cut short, 3: illegal action) and
    `seats`, who is asked.
    """

    def __init__(
        self,
        games: int,
        edition: str | Edition = "classic",
        players: int = 4,
        options: Mapping[str, Any] | None = None,
        opponents: str | Sequence[str] | None = None,
        seat: int = 0,
        reward: str = "round",
        auto: bool = False,
    ) -> None:
        if not (isinstance(games, int) and games >= 1):
            raise EnvError("number", number=short(games))
        self.edition = edition_of(edition, players, options)
        bots: list[str | None] = [None] * players
        if opponents is not None:
            bots = bots_of(opponents, players, seat, compiled=True)
        rewarded = REWARDS[choice("reward", reward, list(REWARDS))]
        if reason := available():
            raise EnvError("no_gpu", reason=reason)
        sheet, size = self.edition.sheet, self.edition.sheet.rules.size
        self.layout = Layout(sheet, players)
        outside = sum(1 << place for place, bot in enumerate(bots) if bot is None)
        plain = np.zeros(games, dtype(Table))
        plain["outside"] = outside
        plain["auto"] = outside if auto else 0
        plain["reward"] = rewarded
        plain["stride"] = games
        self._plain = plain
        dealt = np.zeros(games, dtype(Game, size))
        dealt["seats"] = players
        self._rules = cuda.to_device(to_array(sheet.rules))
        self._tables, self._games = cuda.to_device(plain), cuda.to_device(dealt)
        self._words = cuda.to_device(np.zeros((games, size.mask_words), np.int64))
        self._lucks = cuda.to_device(np.zeros(games, np.int64))
        self._sampler = cuda.to_device(np.zeros(games, np.int64))
        self._manners = cuda.to_device(to_array(*(MANNERS[bot or "random"] for bot in bots)))
        self._step, self._sample = kernels(size, opponents is not None)
        self._grid = blocks(games), THREADS
        self._make_tensors(games, players)

    def _make_tensors(self, games: int, players: int) -> None:
        import torch

        def zeros(*shape: int, kind: Any = torch.int8) -> Tensor:
            return torch.zeros(shape, dtype=kind, device="cuda")

        # As the kernel writes them, tables last; what is given out is the same memory turned.
        length, actions = self.layout.length, self.layout.actions
        rows, finals = zeros(length, games), zeros(length, games)
        masks, rewards = zeros(actions, games), zeros(players, games, kind=torch.float32)
        self.observations, self.finals = rows.T, finals.T
        self.masks, self.rewards = masks.T, rewards.T
        self.outcomes = zeros(games)
        self.seats, self.actions = zeros(games, kind=torch.int64), zeros(games, kind=torch.int64)
        self.scale = torch.from_numpy(self.layout.scale).to("cuda")
        written = (rows, masks, rewards, finals, self.outcomes, self.seats)
        self._written = tuple(cuda.as_cuda_array(tensor) for tensor in written)

    def reset(self, seed: int | None = None) -> None:
        """Deal games 0, 1, … of a seed."""
        self._plain["seed"] = seed = seed_of(seed)
        self._plain["number"] = np.arange(len(self._plain))
        self._plain["state"] = FINISHED
        self._tables.copy_to_device(self._plain)
        self._sampler.copy_to_device(np.arange(len(self._plain)) * 2 + seed % 2**32)
        self.step(self.actions)

    def step(self, actions: Tensor) -> None:
        """Take the answers of the seats asked (int64), and ask on."""
        if actions.dtype != self.actions.dtype:
            raise EnvError("whole", kind=str(actions.dtype))
        if actions.shape != self.actions.shape:
            raise EnvError("shape", given=actions.numel(), wanted=len(self._plain))
        self._step[self._grid](
            self._rules,
            self._tables,
            self._games,
            self._lucks,
            self._words,
            self._manners,
            cuda.as_cuda_array(actions),
            True,
            *self._written,
        )

    def sample(self) -> Tensor:
        """An action for every table, all that are allowed equally likely; overwritten next time."""
        self._sample[self._grid](
            self._rules,
            self._tables,
            self._games,
            self._sampler,
            self._words,
            cuda.as_cuda_array(self.actions),
        )
        return self.actions
