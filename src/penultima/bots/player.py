"""Who sits at a seat: something that is asked and answers. The table is not its business.

A bot of one's own is a class with a method `choose`, named `module:Class` on the command line:

    class Cautious:
        def choose(self, view: View) -> str | None:
            return "draw" if "draw" in view.legal else view.legal[0]

It gets what its seat may see (`penultima.view`), with the legal actions, and answers with one of
them, or with None to let an interrupt pass.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from penultima.bots.luck import roll
from penultima.bots.manner import Manner
from penultima.bots.policy import decide
from penultima.errors import Unreadable
from penultima.notation import read_action
from penultima.rules.actions import WORD
from penultima.rules.ask import DECLINE
from penultima.rules.schema import Seen, Trace
from penultima.ruleset import Sheet
from penultima.view import View


@dataclass(frozen=True)
class Question:
    """What a seat is asked, with all that it knows. `place` is where `rules.ask` stands."""

    sheet: Sheet
    seen: Seen
    view: View | None  # for a bot that wants it (`wants_view`)
    legal: list[int]
    place: int

    @property
    def may_decline(self) -> bool:
        return self.place < 2 * self.seen.seats

    @property
    def mask(self) -> list[int]:
        mask = [0] * self.sheet.rules.size.mask_words
        for action in self.legal:
            mask[action // WORD] |= 1 << action % WORD
        return mask


class Player(Protocol):
    """Answers with one of the legal actions, or with DECLINE where it may."""

    name: str

    def answer(self, question: Question) -> int: ...

    def reaction(self) -> float:
        """Seconds from the start of a race to the drop."""
        ...


class NoAction(Exception):
    """A user's bot has answered something that is the text of no action."""

    def __init__(self, given: object) -> None:
        super().__init__(given)
        self.given = given


class OwnPlayer:
    """A user's bot: any object with a method `choose`."""

    wants_view = True
    may_hang = True

    def __init__(self, name: str, bot: Any, seed: int) -> None:
        self.name = name
        self._bot = bot
        self._trace = Trace()
        self._trace.luck = seed

    def answer(self, question: Question) -> int:
        chosen = self._bot.choose(question.view)
        if chosen is None:
            return DECLINE
        text = str(chosen)
        try:
            return read_action(question.sheet, text)
        except Unreadable as error:
            raise NoAction(chosen) from error

    def reaction(self) -> float:
        return human_reaction(self._trace)


class PolicyPlayer:
    """A bot of the core on plain objects."""

    def __init__(self, name: str, manner: Manner, seed: int) -> None:
        self.name = name
        self.manner = manner
        self._trace = Trace()
        self._trace.luck = seed

    def answer(self, question: Question) -> int:
        return decide(
            question.sheet.rules,
            self.manner,
            question.seen,
            question.mask,
            question.may_decline,
            self._trace,
        )

    def reaction(self) -> float:
        return human_reaction(self._trace)


def human_reaction(trace: Trace) -> float:
    """Seconds as people need them: around 0.45, seldom below 0.25 or above 1."""
    total = sum(roll(trace, 1000) for _ in range(4)) / 4000
    return 0.2 + 0.5 * total + 0.3 * (roll(trace, 1000) / 1000) ** 4
