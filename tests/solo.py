"""Somebody at a table of their own, by frames: what a browser does, without one.

Run as a program it plays on from a kept match on stdin and prints every frame.
"""

import json
import random
import sys
import time
from typing import Any, Final

from penultima.alone import NAME, Alone
from penultima.fair import commitment

SEED: Final = "ab" * 32


def new_table(edition: str, seats: int = 4, bot: str = "easy", **options: Any) -> str:
    bots = [{"place": n, "bot": bot, "name": f"Bot {n}"} for n in range(1, seats)]
    return json.dumps(
        {"edition": edition, "seats": seats, "name": "Ana", "bots": bots, "options": options}
    )


class Solo:
    """Presses what is allowed, at random; the clock jumps to whatever is due."""

    def __init__(self, table: Alone, at: int, seed: int = 1, reaction: int = 300) -> None:
        self.table, self.now = table, at
        self.frames: list[bytes] = []
        self.state: dict[str, Any] = {}
        self.events: list[dict[str, Any]] = []
        self.reaction = reaction
        self.took: list[float] = []  # seconds for each thing that time brought, most of all bots
        self._random = random.Random(seed)
        self._signal = 0
        hello = {"type": "hello", "version": 1, "table": NAME, "token": None, "since": 0}
        self.welcome = self._take(table.receive(json.dumps(hello), self.now))[0]

    def send(self, type: str, **details: Any) -> dict[str, Any]:
        """Send a command; gives its answer."""
        command = {"type": type, "id": f"{self._random.getrandbits(64):x}", **details}
        return self._take(self.table.receive(json.dumps(command), self.now))[-1]

    def _take(self, frames: list[bytes]) -> list[dict[str, Any]]:
        self.frames += frames
        told = [json.loads(frame) for frame in frames]
        for frame in told:
            self.state = frame.get("state", self.state)
            self.events += [e for m in frame.get("moments", []) for e in m["events"]]
            if frame["type"] == "go":
                self._signal = frame["race"]
        return told

    def step(self) -> None:
        """Do what is asked of us, or let time pass."""
        state, view = self.state, self.state["view"]
        race = state["race"]
        stage, attempt = state["stage"], state["attempt"]
        if stage == "promising" and "0" not in state["promises"]:
            seed = bytes.fromhex(SEED)
            self.send("promise", promise=commitment(NAME, attempt, "0", seed))
        elif stage == "revealing" and "0" not in state["reveals"]:
            self.send("reveal", seed=SEED)
        elif stage == "between" and not state["places"][0]["ready"]:
            self.send("ready")
        elif race and self._signal == race["race"]:
            self._signal = 0
            self.send("drop", race=race["race"], reaction=self.reaction)
        elif stage == "playing" and view["turn"] == 0 and view["phase"] != "race":
            action = self._random.choice(view["legal"])
            answer = self.send("act", action=action, decision=state["decision"])
            assert answer["refused"] is None, (answer, action)
        else:
            self.wait()

    def wait(self) -> None:
        """Let the next thing happen that time brings."""
        due = self.table.due()
        assert due is not None, f"nothing will ever happen: {self.state}"
        self.now = max(self.now, due)
        started = time.perf_counter()
        frames = self.table.wake(self.now)
        self.took.append(time.perf_counter() - started)
        self._take(frames)

    def play_match(self) -> None:
        while self.state["stage"] != "over" or self.table.due() is not None:
            self.step()


if __name__ == "__main__":
    solo = Solo(Alone.resume(sys.stdin.read(), 5_000), 5_000, seed=2)
    solo.play_match()
    sys.stdout.write("\n".join(frame.decode() for frame in solo.frames))
