"""RLCard's UNO, random play through its own environment; prints steps per second as JSON."""

import json
import random
import sys
import time

import rlcard


def steps_per_second(players: int, seconds: float) -> float:
    env = rlcard.make("uno", config={"seed": 1})
    env.game.num_players = players  # its own setting is ignored for this game
    env.num_players = players
    steps = 0
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(random.choice(list(state["legal_actions"])))
            steps += 1
    return steps / (time.perf_counter() - started)


print(json.dumps({n: steps_per_second(n, float(sys.argv[1])) for n in (2, 4)}))
