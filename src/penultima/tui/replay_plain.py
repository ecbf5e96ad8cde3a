"""A replay line by line: all of it, or step by step at a terminal."""

from collections.abc import Callable

from penultima.tui.lines import Lines
from penultima.tui.replay import Replay
from penultima.tui.wording import Wording


class PlainReplay:
    """Tells a match again from a place on; `estimates`: with what the bot expected each time."""

    def __init__(
        self, replay: Replay, language: str, write: Callable[[str], None], estimates: bool
    ) -> None:
        self.replay = replay
        self.words = Wording(replay.edition, replay.names, language, replay.seat)
        self._print = write
        self._estimates = estimates

    def write(self, text: str) -> None:
        self._print(f"{text}\n")

    def tell_all(self, at: int) -> None:
        for place in range(at, len(self.replay.moments)):
            self._tell(place)
            if self._estimates and self.replay.decided(place):
                self._tell_estimates(place)

    async def step_through(self, at: int, lines: Lines) -> None:
        self.write(self.words.say("replay.commands"))
        self._tell(at)
        while True:
            self._print(self.words.say("ask.prompt"))
            try:
                text = (await lines.next()).strip().lower()
            except EOFError:
                return
            match text:
                case "q" | "quit":
                    return
                case "e":
                    self._tell_estimates(at)
                    continue
                case "h":
                    self._tell_hands(at)
                    continue
                case "b":
                    at = max(at - 1, 0)
                case "n":
                    at = self.replay.round_after(at)
                case _:
                    if at + 1 == len(self.replay.moments):
                        self.write(self.words.say("replay.end"))
                        continue
                    at += 1
            self._tell(at)

    def _tell(self, at: int) -> None:
        moment = self.replay.moments[at]
        if moment.number == 0:
            self.write("")
        place = f"{moment.round}.{moment.number}"
        self.write(f"{place}  {' '.join(self.replay.sentences(at, self.words))}")
        if moment.number == 0:
            self._tell_hands(at)
        if moment.game.over:
            self.write(self.words.scores(self.replay.table(at).scores))

    def _tell_hands(self, at: int) -> None:
        for seat in range(len(self.replay.names)):
            hand = self.replay.hand(at, seat)
            if hand is not None:
                self.write(f"  {self.words.name(seat)}: {'  '.join(hand)}")

    def _tell_estimates(self, at: int) -> None:
        for line in self.replay.estimate_lines(at, self.words):
            self.write(f"  {line}")
