"""Environments for learning: PettingZoo, Gymnasium, many tables at once, and tensors on a GPU.

Importing this registers `Penultima-v0` with Gymnasium and `penultima_v0` with PettingZoo.
`docs/environments.md` describes them. Needs the extra `envs`.
"""

import gymnasium
import pettingzoo

gymnasium.register(
    "Penultima-v0",
    "penultima.envs.single:PenultimaEnv",
    vector_entry_point="penultima.envs.vector:PenultimaVectorEnv",
)
if hasattr(pettingzoo, "register"):  # since 1.26
    pettingzoo.register("aec", "penultima_v0", "penultima.envs.aec:env")
    pettingzoo.register("parallel", "penultima_v0", "penultima.envs.aec:parallel_env")
