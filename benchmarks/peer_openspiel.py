"""OpenSpiel's crazy_eights by `evaluate_bots`; prints decisions per second as JSON."""

import json
import random
import sys
import time
from typing import Any

import pyspiel


def decisions_per_game(game: Any, games: int = 300) -> float:
    decisions = 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(actions, weights)[0])
            else:
                state.apply_action(random.choice(state.legal_actions()))
                decisions += 1
    return decisions / games


def decisions_per_second(players: int, seconds: float) -> float:
    game = pyspiel.load_game("crazy_eights", {"players": players})
    bots = [pyspiel.make_uniform_random_bot(player, player + 1) for player in range(players)]
    games = 0
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        pyspiel.evaluate_bots(game.new_initial_state(), bots, games)
        games += 1
    rate = games / (time.perf_counter() - started)
    return rate * decisions_per_game(game)


print(json.dumps({n: decisions_per_second(n, float(sys.argv[1])) for n in (2, 4)}))
