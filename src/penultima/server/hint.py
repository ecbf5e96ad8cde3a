"""Hints: what a person can expect of every action, from what the seat knows."""

from typing import Any, Final

from penultima.advice import place_of, ranked
from penultima.bots import MANNERS
from penultima.bots.host import question
from penultima.bots.mind import Estimate, PlainMind, Worlds
from penultima.bots.player import Question
from penultima.notation import action_text
from penultima.rules.ask import DECLINE
from penultima.server.table import Refusal, Stage, Table
from penultima.sharp import DEPTH, mind

ROLLOUTS: Final = 6_000  # shared by the actions
PLAIN_ROLLOUTS: Final = 120  # the same until there is machine code


def asked(table: Table, seat: int | None) -> Question:
    """What a person has to decide, where hints are allowed."""
    if seat is None:
        raise Refusal("no_seat")
    if not table.hints:
        raise Refusal("no_hints")
    if table.stage != Stage.PLAYING or not table.playing.legal(seat):
        raise Refusal("not_now")
    game = table.playing.game
    return question(table.sheet, game, seat, place_of(game, seat))


def think(question: Question, compiled: bool) -> list[dict[str, Any]]:
    """Every action with what is expected of it, the best first."""
    actions = question.legal + [DECLINE] * question.may_decline
    estimates = [Estimate(action) for action in actions]
    sheet = question.sheet
    thinker = mind(sheet) if compiled else PlainMind(sheet, MANNERS["basic"])
    worlds = max((ROLLOUTS if compiled else PLAIN_ROLLOUTS) // len(estimates), 1)
    thinker.try_out(question.seen, question.place, estimates, Worlds(0, 0, worlds, DEPTH))
    return [
        {
            "action": None if one.action == DECLINE else action_text(sheet, one.action),
            "win": round(one.rate, 4),
            "low": round(one.interval[0], 4),
            "high": round(one.interval[1], 4),
            "points": round(one.mean_points, 2),
        }
        for one in ranked(estimates)
    ]
