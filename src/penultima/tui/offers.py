"""What the full screen asks and offers at a moment: a prompt, and chips to choose from."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.style import Style

from penultima.tui.board import Chip
from penultima.tui.keys import ACTIONS, FREE, LET_BOT, SIT, numbered
from penultima.tui.look import color_sign, color_style
from penultima.tui.seat import Anybody, Asked, Seat
from penultima.tui.wording import Wording, is_bluff
from penultima.view import View


@dataclass
class Choosing:
    """What people at the screen are in the middle of; all else is at the table."""

    asked: Asked | Anybody | None = None
    wild: str | None = None  # a wild card that waits for its color
    uncovered: int | None = None  # whose cards are on the screen
    notice: str = ""
    go_at: float | None = None  # when the signal of a race was given
    talking: bool = False
    ended: bool = False


@dataclass(frozen=True)
class Offers:
    seat: Seat
    words: Wording
    now: Choosing

    def is_race(self, asked: Asked | Anybody | None) -> bool:
        """Whether this is a race to be run by hand."""
        return self.seat.reflex and isinstance(asked, Asked) and "drop" in asked.choices

    def prompt(self, seen: View) -> str:
        if self.now.notice:
            return self.now.notice
        asked = self.now.asked
        if self.seat.may_sit:
            return self.words.say("online.seat_free")
        if seen.over is not None and not self.seat.people:
            return self.words.scores(seen.scores)
        if seen.over == "round":
            return self.words.scores(seen.scores) + " " + self.words.say("ask.next")
        if seen.over == "match":
            return self.words.scores(seen.scores) + " " + self.words.say("screen.again")
        if self.now.wild is not None:
            bluff = is_bluff(self.seat.edition.sheet, seen, self.now.wild)
            return self.words.say("screen.bluff" if bluff else "ask.name")
        if isinstance(asked, Anybody):
            return self.words.say("screen.anybody")
        if isinstance(asked, Asked):
            if self.now.uncovered != asked.seat:
                return self.words.say("ask.uncover", player=self.seat.names[asked.seat])
            if self.is_race(asked):
                return self.words.say("screen.wait" if self.now.go_at is None else "screen.go")
            if asked.optional:
                return self.words.say("screen.interrupt")
            shown = self.words.shown(seen) if len(self.seat.people) > 1 else None
            return " ".join(filter(None, (shown, self.words.question(seen, asked.choices))))
        return self.words.say("screen.waiting", player=self.seat.names[seen.turn])

    def chips(self, seen: View) -> list[Chip]:
        asked = self.now.asked
        if self.now.ended:
            return []
        if self.now.talking:
            phrases = zip("abcdefghijklmnop", self.seat.phrases, strict=False)
            chips = [
                Chip(key, self.words.say(f"talk.phrase.{one}"), f"say:{one}")
                for key, one in phrases
            ]
            return [*chips, Chip("escape", self.words.say("choice.back"), "back")]
        if not self.seat.people:
            return [Chip(SIT, self.words.say("choice.sit"), "sit")] if self.seat.may_sit else []
        if seen.over == "round":
            return [Chip("enter", self.words.say("choice.next"), "next")]
        if seen.over == "match":
            again = Chip("n", self.words.say("choice.again"), "again")
            free = Chip(FREE, self.words.say("online.remove"), "free")
            return [again, free] if self.seat.may_free else [again]
        if self.now.wild is not None:
            return [
                *self._colors([f"{self.now.wild}:{c}" for c in self.seat.edition.sheet.colors]),
                Chip("escape", self.words.say("choice.back"), "back"),
            ]
        if isinstance(asked, Anybody):
            digits = numbered(len(self.seat.names))
            chips = [Chip(digits[n], self.seat.names[n], f"seat:{n}") for n in asked.people]
            return [*chips, Chip("space", self.words.say("choice.nobody"), "pass")]
        if not isinstance(asked, Asked):
            return self._idle_chips(seen)
        if self.now.uncovered != asked.seat:
            return [Chip("enter", self.words.say("choice.uncover"), "uncover")]
        return self._asked_chips(asked, seen)

    def _idle_chips(self, seen: View) -> list[Chip]:
        """What a host can do about somebody who does not decide."""
        if not self.seat.may_let_bot:
            return []
        player = self.seat.names[seen.turn]
        return [Chip(LET_BOT, self.words.say("online.let_bot", player=player), "let_bot")]

    def _asked_chips(self, asked: Asked, seen: View) -> list[Chip]:
        chips: list[Chip] = []
        if any(choice.partition(":")[0] in seen.hand for choice in asked.choices):
            chips.append(Chip("enter", self.words.say("choice.play"), "play"))
        chips += self._colors([c for c in asked.choices if c.startswith("color:")])
        digits = numbered(len(self.seat.names))
        for choice in asked.choices:
            head, _, tail = choice.partition(":")
            if head in ("give", "swap"):
                chips.append(Chip(digits[int(tail)], self.words.label(choice, seen), choice))
            elif head in ACTIONS:
                chips.append(Chip(ACTIONS[head], self.words.label(choice, seen), choice))
        if asked.optional:
            chips.append(Chip("space", self.words.say("choice.pass"), "pass"))
        return chips

    def _colors(self, choices: Sequence[str]) -> list[Chip]:
        """Colors by digit; their letters work as well."""
        chips = []
        for digit, choice in zip(numbered(len(choices)), choices, strict=True):
            letter = choice.partition(":")[2]
            sign = color_sign(self.seat.edition, letter)
            label = f" {sign} {self.words.teller.color(letter)} ({letter})"
            style = color_style(self.seat.edition, letter) + Style(bold=True)
            chips.append(Chip(digit, label, choice, style))
        return chips
