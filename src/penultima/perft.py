"""Perft: how many positions lie a number of actions away, and a digest of them all.

Every action of every seat counts. A position where the round is over is a leaf wherever it is met.
Any implementation of the rules must reproduce the numbers; `divide` finds the branch that differs.
"""

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from penultima.notation import actions_in, move_text
from penultima.position import state_line
from penultima.rules.actions import OVER
from penultima.rules.legal import legal
from penultima.rules.schema import Game, Trace
from penultima.rules.step import step
from penultima.ruleset import Sheet


class Count(NamedTuple):
    """Leaves, the sum of their digests modulo 2**64, and the sum of all scores at them."""

    nodes: int
    digest: int
    points: int

    def plus(self, other: "Count") -> "Count":
        digest = (self.digest + other.digest) % 2**64
        return Count(self.nodes + other.nodes, digest, self.points + other.points)

    def to_json(self) -> dict[str, int | str]:
        return {"nodes": self.nodes, "digest": f"{self.digest:016x}", "points": self.points}


NOTHING_YET = Count(0, 0, 0)


def moves(sheet: Sheet, game: Game) -> list[tuple[int, int]]:
    """Every (seat, action) that is legal now, seats in order."""
    mask = [0] * sheet.rules.size.mask_words
    found = []
    for seat in range(game.seats):
        legal(sheet.rules, game, seat, mask)
        found += [(seat, action) for action in actions_in(mask)]
    return found


def perft(sheet: Sheet, game: Game, depth: int) -> Count:
    if depth == 0 or game.phase == OVER:
        line = hashlib.blake2b(state_line(sheet, game), digest_size=8).digest()
        return Count(1, int.from_bytes(line, "little"), sum(game.scores[: game.seats]))
    total = NOTHING_YET
    trace = Trace(sheet.rules.size)
    for seat, action in moves(sheet, game):
        after = game.copy()
        step(sheet.rules, after, trace, seat, action)
        total = total.plus(perft(sheet, after, depth - 1))
    return total


def divide(
    sheet: Sheet, game: Game, depth: int, progress: Callable[[int, int], None] | None = None
) -> dict[str, Count]:
    """The count behind each action of the position, by its text."""
    parts: dict[str, Count] = {}
    trace = Trace(sheet.rules.size)
    if depth == 0 or game.phase == OVER:
        return parts
    choices = moves(sheet, game)
    for done, (seat, action) in enumerate(choices):
        if progress is not None:
            progress(done, len(choices))
        after = game.copy()
        step(sheet.rules, after, trace, seat, action)
        parts[move_text(sheet, seat, action)] = perft(sheet, after, depth - 1)
    return parts
