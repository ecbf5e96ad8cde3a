"""A table of policies: whole rounds and matches without people, in the subset of the core."""

from typing import Final

from penultima.bots.luck import start_luck
from penultima.bots.manner import Manner
from penultima.bots.policy import decide, look
from penultima.bots.tally import (
    Tally,
    count_action,
    count_bluff,
    count_match,
    count_round,
    round_winner,
)
from penultima.rules.actions import MATCH_OVER, OVER
from penultima.rules.ask import DECLINE, ask, choices, may_decline, seat_asked
from penultima.rules.chance import derive_key
from penultima.rules.deal import next_round, start_match
from penultima.rules.schema import Game, Ruleset, Seen, Trace
from penultima.rules.score import hand_points
from penultima.rules.step import step

MOST_ROUNDS: Final = 10_000  # a deck can be such that every round is blocked


def start_game(rules: Ruleset, game: Game, trace: Trace, seed: int, number: int) -> None:
    """Deal the first round of game `number` of a seed."""
    derive_key(seed, number, game.key, trace.words)
    start_match(rules, game, trace)
    start_luck(game, trace)


def start_round(rules: Ruleset, game: Game, trace: Trace) -> None:
    """Deal the next round."""
    next_round(rules, game, trace)
    start_luck(game, trace)


def play_on(
    rules: Ruleset,
    game: Game,
    trace: Trace,
    mask: list[int],
    seen: Seen,
    tally: Tally,
    manners: list[Manner],
    counting: bool,
    place: int,
) -> int:
    """Ask the next seat and take its answer; gives the place to go on from.

    `counting` also counts every action, which costs a little.
    """
    place = ask(rules, game, place)
    seat = seat_asked(game, trace, place)
    choices(rules, game, place, seat, mask)
    manner = manners[seat]
    look(rules, manner, game, seat, seen)
    action = decide(rules, manner, seen, mask, may_decline(game, place), trace)
    if action == DECLINE:
        return place + 1
    if counting:
        count_action(rules, game, tally, seat, action)
    step(rules, game, trace, seat, action)
    if counting:
        count_bluff(game, tally, action)
    return 0


def finish_round(
    rules: Ruleset,
    game: Game,
    trace: Trace,
    mask: list[int],
    seen: Seen,
    tally: Tally,
    manners: list[Manner],
    place: int,
) -> tuple[int, int]:
    """Play a round to its end; gives the winner, or NOBODY, and the points of all hands."""
    while game.phase != OVER:
        place = play_on(rules, game, trace, mask, seen, tally, manners, False, place)
    return round_winner(game), round_points(rules, game)


def round_points(rules: Ruleset, game: Game) -> int:
    """The points of all hands."""
    points = 0
    for seat in range(game.seats):
        points += hand_points(rules, game, seat)
    return points


def close_round(rules: Ruleset, game: Game, tally: Tally) -> None:
    """Count a round that is over."""
    count_round(rules, game, tally, round_points(rules, game))


def goes_on(game: Game, whole_match: bool) -> bool:
    """Whether another round belongs to this game."""
    return whole_match and game.over != MATCH_OVER and game.round < MOST_ROUNDS


def play_game(
    rules: Ruleset,
    game: Game,
    trace: Trace,
    mask: list[int],
    seen: Seen,
    tally: Tally,
    manners: list[Manner],
    seed: int,
    number: int,
    whole_match: bool,
    counting: bool,
) -> None:
    """Play game `number` of a seed: its first round, or the whole match."""
    start_game(rules, game, trace, seed, number)
    while True:
        place = 0
        while game.phase != OVER:
            place = play_on(rules, game, trace, mask, seen, tally, manners, counting, place)
        close_round(rules, game, tally)
        if not goes_on(game, whole_match):
            break
        start_round(rules, game, trace)
    if whole_match:
        count_match(game, tally)
