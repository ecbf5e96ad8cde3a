"""Decisions per second of the interpreted core: random play, legal actions computed each time.

`make bench`, or `python -m benchmarks.interpreted --seconds 5`.
"""

import argparse
import time
from random import Random

from penultima.edition import SHIPPED, shipped
from penultima.game import key_of_seed
from penultima.notation import actions_in
from penultima.rules.actions import GOING_ON
from penultima.rules.ask import ask, choices, may_decline, seat_asked
from penultima.rules.deal import start_match
from penultima.rules.schema import Game, Trace
from penultima.rules.step import step
from penultima.ruleset import Sheet


def play(sheet: Sheet, seats: int, seconds: float) -> tuple[int, int, float]:
    """Rounds of random play: how many, how many decisions, in how many seconds."""
    rules = sheet.rules
    game, trace, mask = Game(rules.size), Trace(rules.size), [0] * rules.size.mask_words
    random = Random(1).random
    decisions = rounds = 0
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        game.seats = seats
        game.key = key_of_seed(1, rounds)
        start_match(rules, game, trace)
        place = 0
        while game.over == GOING_ON:
            place = ask(rules, game, place)
            seat = seat_asked(game, trace, place)
            choices(rules, game, place, seat, mask)
            actions = actions_in(mask)
            choice = int(random() * (len(actions) + may_decline(game, place)))
            if choice == len(actions):
                place += 1
                continue
            step(rules, game, trace, seat, actions[choice])
            decisions += 1
            place = 0
        rounds += 1
    return rounds, decisions, time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="per line (default 3)")
    options = parser.parse_args()
    print(f"{'edition':<10} {'seats':>5} {'rounds':>8} {'decisions':>10} {'per second':>11}")
    for name in SHIPPED:
        for seats in (2, 4, 10):
            rounds, decisions, took = play(shipped(name).sheet, seats, options.seconds)
            print(f"{name:<10} {seats:>5} {rounds:>8} {decisions:>10} {decisions / took:>11,.0f}")


if __name__ == "__main__":
    main()
