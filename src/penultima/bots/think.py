"""Thinking ahead: try every candidate in the same imagined worlds, each played to its end.

All candidates meet the same cards and the same luck, so that the difference between two of them
shows long before their chances do.
"""

from typing import Final

from penultima.bots.luck import start_thought
from penultima.bots.manner import Manner
from penultima.bots.table import finish_round
from penultima.bots.tally import Tally
from penultima.bots.world import copy_game, imagine
from penultima.rules.ask import answer
from penultima.rules.schema import Game, Ruleset, Seen, Trace

WINS: Final = 0  # rounds won
POINTS: Final = 1  # won or, when another wins, lost
SQUARES: Final = 2  # of those
BETTER: Final = 3  # worlds in which this action wins and the first one does not
WORSE: Final = 4  # and the other way round
RESULTS: Final = 5


def think(
    rules: Ruleset,
    seen: Seen,
    place: int,
    actions: list[int],
    results: list[list[int]],
    world: Game,
    game: Game,
    trace: Trace,
    mask: list[int],
    scratch: Seen,
    tally: Tally,
    manners: list[Manner],
    seed: int,
    first: int,
    worlds: int,
) -> None:
    """Try `actions` in the worlds `first`, `first + 1`, … of a seed, and add up how they end.

    The columns of `results` are the actions, its rows are named below.
    """
    for number in range(first, first + worlds):
        start_thought(trace, seed, number)
        imagine(rules, seen, world, trace)
        luck = trace.luck
        first_wins = False
        for candidate in range(len(actions)):
            copy_game(rules, world, game)
            trace.luck = luck
            after = answer(rules, game, trace, place, seen.seat, actions[candidate])
            winner, total = finish_round(rules, game, trace, mask, scratch, tally, manners, after)
            won = winner == seen.seat
            if candidate == 0:
                first_wins = won
            if not won:
                total = -total if winner >= 0 else 0
            results[WINS][candidate] += won
            results[POINTS][candidate] += total
            results[SQUARES][candidate] += total * total
            results[BETTER][candidate] += won and not first_wins
            results[WORSE][candidate] += first_wins and not won
