"""What all environments are asked for in the same words, and how a wrong word is answered."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from gymnasium.error import ResetNeeded

from penultima.bots import MANNERS
from penultima.edition import Edition, load
from penultima.envs.layout import Layout
from penultima.envs.table import MATCH_WIN, POINTS, ROUND_WIN
from penultima.errors import EnvError, short

REWARDS: Final = {"round": ROUND_WIN, "points": POINTS, "match": MATCH_WIN}
# What becomes of an action that is not legal: the game ends and costs whoever took it 1, or an
# error is raised and nothing changes.
ON_ILLEGAL: Final = ("end", "raise")
SEED_LIMIT: Final = 2**62


class NotDealt(EnvError, ResetNeeded):
    """A step where no game is in play."""


def answers_of(actions: object, tables: int) -> "np.ndarray[Any, Any]":
    """Actions of many tables as an array of numbers; those that are none are illegal there."""
    given = np.asarray(actions)
    if given.dtype.kind not in "iu":
        raise EnvError("whole", kind=str(given.dtype))
    if given.shape != (tables,):
        raise EnvError("shape", given=given.size, wanted=tables)
    return given


def edition_of(
    edition: str | Edition, players: int, options: Mapping[str, Any] | None = None
) -> Edition:
    """An edition by name, path or as it is, with options set anew, for so many players."""
    found = load(edition) if isinstance(edition, str) else edition
    found = found.with_options(options or {})
    found.sheet.check_seats(players)
    return found


def choice(name: str, value: object, allowed: Sequence[str]) -> str:
    """A setting that must be one of some words."""
    if not isinstance(value, str) or value not in allowed:
        raise EnvError("choice", name=name, value=short(value), allowed=list(allowed))
    return value


def bots_of(
    bots: str | Sequence[str], players: int, seat: int, compiled: bool = False
) -> list[str | None]:
    """Who sits where: one name for all other seats, or one for each; None at the learner's."""
    if not (isinstance(seat, int) and 0 <= seat < players):
        raise EnvError("seat", seat=short(seat), most=players - 1)
    names = [bots] * (players - 1) if isinstance(bots, str) else list(bots)
    if len(names) != players - 1:
        raise EnvError("bots", given=len(names), wanted=players - 1)
    if compiled:
        for name in names:
            choice("opponents", name, list(MANNERS))
    return [*names[:seat], None, *names[seat:]]


def answer_of(action: object, layout: Layout, mask: Any, agent: str) -> int:
    """An action as a number; with a `mask` only one that it allows."""
    number = action if isinstance(action, int) else getattr(action, "item", lambda: None)()
    if not (isinstance(number, int) and 0 <= number < layout.actions):
        raise EnvError("action", action=short(action), most=layout.actions - 1)
    if mask is not None and not mask[number]:
        text = layout.action_meaning(number) or str(number)
        raise EnvError("illegal", action=text, agent=agent)
    return number


def seed_of(seed: int | None) -> int:
    """A seed as the core takes it; a fresh one for None."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) % SEED_LIMIT
    if seed < 0:
        raise EnvError("seed", seed=short(seed))
    return seed % SEED_LIMIT
