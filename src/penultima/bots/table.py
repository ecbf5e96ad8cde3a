"""A table of policies: whole rounds and matches without people, in the subset of the core."""

from typing import Final

from penultima.bots.policy import decide, start_luck
from penultima.bots.tally import Tally, count_action, count_bluff, count_match, count_round
from penultima.rules.actions import MATCH_OVER, OVER
from penultima.rules.ask import DECLINE, ask, may_decline, seat_asked
from penultima.rules.chance import derive_key
from penultima.rules.deal import next_round, start_match
from penultima.rules.legal import legal
from penultima.rules.schema import Game, Ruleset, Trace
from penultima.rules.score import hand_points
from penultima.rules.step import step

MOST_ROUNDS: Final = 10_000  # a deck can be such that every round is blocked


def play_round(
    rules: Ruleset,
    game: Game,
    trace: Trace,
    mask: list[int],
    tally: Tally,
    policies: list[int],
    counting: bool,
) -> None:
    """Play a dealt round to its end; `counting` also counts every action, which costs a little."""
    start_luck(game, trace)
    place = 0
    while game.phase != OVER:
        place = ask(rules, game, place)
        seat = seat_asked(game, trace, place)
        legal(rules, game, seat, mask)
        action = decide(rules, policies[seat], mask, may_decline(game, place), trace)
        if action == DECLINE:
            place += 1
        else:
            if counting:
                count_action(game, tally, seat, action)
            step(rules, game, trace, seat, action)
            if counting:
                count_bluff(game, tally, action)
            place = 0
    points = 0
    for seat in range(game.seats):
        points += hand_points(rules, game, seat)
    count_round(rules, game, tally, points)


def play_game(
    rules: Ruleset,
    game: Game,
    trace: Trace,
    mask: list[int],
    tally: Tally,
    policies: list[int],
    seed: int,
    number: int,
    whole_match: bool,
    counting: bool,
) -> None:
    """Play game `number` of a seed: its first round, or the whole match."""
    derive_key(seed, number, game.key, trace.words)
    start_match(rules, game, trace)
    play_round(rules, game, trace, mask, tally, policies, counting)
    if whole_match:
        while game.over != MATCH_OVER and game.round < MOST_ROUNDS:
            next_round(rules, game, trace)
            play_round(rules, game, trace, mask, tally, policies, counting)
        count_match(game, tally)
