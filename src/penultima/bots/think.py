"""Thinking ahead: try every candidate in the same imagined worlds.

All candidates meet the same cards and the same luck, so that the difference between two of them
shows long before their chances do. A world is played on for so many decisions and then judged by
`outlook`, which says more about a round than how it happens to end.
"""

from typing import Final

from penultima.bots.luck import start_thought
from penultima.bots.manner import Manner
from penultima.bots.outlook import SURE, outlook
from penultima.bots.table import play_on, round_points
from penultima.bots.tally import Tally, round_winner
from penultima.bots.world import copy_game, imagine
from penultima.cards import NOBODY
from penultima.rules.actions import OVER, TURN
from penultima.rules.ask import answer
from penultima.rules.schema import Game, Ruleset, Seen, Trace

TO_THE_END: Final = 1 << 20  # as many decisions as a round can have, and more

# `FORGETTING - action` is a play after which the seat forgets to call, unlike the action itself.
FORGETTING: Final = -2

CHANCE: Final = 0  # to win the round, in ten thousandths
POINTS: Final = 1  # won or, when another wins, lost
SQUARES: Final = 2  # of those
AHEAD: Final = 3  # by how much the chance is better than that of the first action
AHEAD_SQUARES: Final = 4
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
    depth: int,
) -> None:
    """Try `actions` in the worlds `first`, `first + 1`, … of a seed, and add up how they end.

    The columns of `results` are the actions, its rows are named above. `depth` is how many
    decisions are played before a world is judged; points are known only at the end of a round.
    """
    for number in range(first, first + worlds):
        start_thought(trace, seed, number)
        imagine(rules, seen, world, trace)
        luck = trace.luck
        usual = 0
        for candidate in range(len(actions)):
            copy_game(rules, world, game)
            trace.luck = luck
            action = actions[candidate]
            forgets = action <= FORGETTING
            if forgets:
                action = FORGETTING - action
            after = answer(rules, game, trace, place, seen.seat, action)
            if forgets:  # the others may catch before the seat is asked to call late
                after = game.seats
            left = depth
            while game.phase != OVER and (left > 0 or game.phase != TURN):
                after = play_on(rules, game, trace, mask, scratch, tally, manners, False, after)
                left -= 1
            if game.phase == OVER:
                winner = round_winner(game)
                chance = SURE if winner == seen.seat else 0
                points = round_points(rules, game)
                if winner != seen.seat:
                    points = -points if winner != NOBODY else 0
                results[POINTS][candidate] += points
                results[SQUARES][candidate] += points * points
            else:
                chance = outlook(rules, game, seen.seat)
            if candidate == 0:
                usual = chance
            results[CHANCE][candidate] += chance
            results[AHEAD][candidate] += chance - usual
            results[AHEAD_SQUARES][candidate] += (chance - usual) * (chance - usual)
