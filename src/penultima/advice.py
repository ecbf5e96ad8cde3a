"""Advice for people: what to expect of every action, from what their seat knows."""

import time
from typing import Final

from penultima.bots import MANNERS
from penultima.bots.host import question
from penultima.bots.mind import Estimate, PlainMind, Worlds
from penultima.bots.think import FORGETTING
from penultima.rules.actions import CALL, PLAY, RACING
from penultima.rules.ask import DECLINE
from penultima.rules.schema import Game
from penultima.ruleset import Sheet
from penultima.sharp import BATCH, DEPTH, mind

HINT_SECONDS: Final = 1.0


def advice(sheet: Sheet, game: Game, seat: int, rollouts: int, seed: int) -> list[Estimate]:
    """What to expect of every action, best first; only what the seat knows goes in.

    A play to the last card is tried twice: calling in time, and forgetting to call (G2).
    """
    asked = question(sheet, game, seat, place_of(game, seat))
    estimates = [Estimate(action) for action in asked.legal + [DECLINE] * asked.may_decline]
    if CALL in asked.legal and seat == game.turn and game.counts[seat] == 2:
        plays = [action for action in asked.legal if action >= PLAY]
        estimates += [Estimate(FORGETTING - action) for action in plays]
    worlds = max(rollouts // len(estimates), 1)
    mind(sheet).try_out(asked.seen, asked.place, estimates, Worlds(seed, 0, worlds))
    return ranked(estimates)


def hint(sheet: Sheet, game: Game, seat: int, seconds: float = HINT_SECONDS) -> list[Estimate]:
    """The same at once: nothing is compiled, and imagined rounds are judged before their end."""
    asked = question(sheet, game, seat, place_of(game, seat))
    estimates = [Estimate(action) for action in asked.legal + [DECLINE] * asked.may_decline]
    thinker = PlainMind(sheet, MANNERS["basic"])
    end = time.perf_counter() + seconds
    first = 0
    while estimates:
        thinker.try_out(asked.seen, asked.place, estimates, Worlds(0, first, BATCH, DEPTH))
        first += BATCH
        if time.perf_counter() >= end:
            break
    return ranked(estimates)


def ranked(estimates: list[Estimate]) -> list[Estimate]:
    return sorted(estimates, key=lambda e: (-e.rate, -e.mean_points))


def place_of(game: Game, seat: int) -> int:
    """Where `rules.ask` stands when it asks this seat."""
    if seat == game.turn or game.phase == RACING:
        return 2 * game.seats
    return game.seats + (seat - game.turn) * game.direction % game.seats
