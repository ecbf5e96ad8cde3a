"""What every number of an observation and every action means.

>>> from penultima.edition import load
>>> layout = Layout(load("classic").sheet, seats=4)
>>> layout.length, layout.actions, layout["hand"], layout.meaning(layout["top"].start)
(351, 120, slice(0, 54, None), 'top: b0')
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from penultima.envs.rows import MOST, MOST_FRESH, PASS, PERCENT, play_actions
from penultima.notation import PHASE_NAMES, action_text, is_action
from penultima.rules.actions import GIVE, PHASES, PLAY, SWAP
from penultima.ruleset import Sheet

VERSION: Final = 1  # of the layout; a row of another version means something else


@dataclass(frozen=True)
class Part:
    """Some numbers of a row that belong together; `high` is the largest value of each."""

    name: str
    meaning: str
    each: str  # what there is a number for
    labels: tuple[str, ...]
    high: tuple[int, ...]


def parts(sheet: Sheet, seats: int) -> list[Part]:
    """All of a row, in order (`rows.write_observation`)."""
    cards = tuple(face.text for face in sheet.faces)
    copies = tuple(face.count for face in sheet.faces)
    colors = tuple(sheet.colors)
    places = ("own", *(f"+{place}" for place in range(1, seats)))

    def by_kind(name: str, meaning: str, high: tuple[int, ...] = (1,) * len(cards)) -> Part:
        return Part(name, meaning, "kind", cards, high)

    def by_seat(name: str, meaning: str, high: int = 1) -> Part:
        return Part(name, meaning, "seat", places, (high,) * seats)

    def one(name: str, meaning: str, high: int = 1) -> Part:
        return Part(name, meaning, "", ("",), (high,))

    return [
        by_kind("hand", "cards of the kind in the own hand", copies),
        by_kind("gone", "cards of the kind in the discard pile", copies),
        by_kind("shown", "of a hand shown in a challenge to this seat, what is left", copies),
        by_kind("top", "1: the kind on top of the discard pile"),
        by_kind("drawn", "1: the card this seat has just drawn and may play"),
        Part(
            "color",
            "1: the color in play; none before one is named",
            "color",
            colors,
            (1,) * len(colors),
        ),
        Part(
            "phase",
            "1: what the table waits for",
            "phase",
            tuple(PHASE_NAMES[phase] for phase in range(PHASES)),
            (1,) * PHASES,
        ),
        by_seat("counts", "cards in the hand", MOST),
        by_seat("turn", "1: the seat the table waits for"),
        by_seat("dealer", "1: the dealer"),
        by_seat("by", "1: the seat whose card is pending"),
        by_seat("shown_of", "1: the seat whose hand was shown to this one"),
        by_seat("called", "1: has called"),
        by_seat("exposed", "1: has one card and has not called: may be caught"),
        by_seat("dropped", "1: has dropped its cards in a race"),
        by_seat("winners", "1: has won, when the round or match is over"),
        by_seat("scores", "the score in hundredths of the target, at most 100", PERCENT),
        Part(
            "lacked",
            f"0: never drew on the color; {MOST_FRESH}: has just drawn on it, one less for every "
            "card gained since",
            "seat and color",
            tuple(f"{place} {color}" for place in places for color in colors),
            (MOST_FRESH,) * (seats * len(colors)),
        ),
        one("direction", "1: by rising seat numbers, 0: by falling ones"),
        one("due", "cards that are to be drawn or given", MOST),
        one("choice", "1: drew although a card could be played"),
        one("jump", "1: the card on top may be jumped in on"),
        one("passes", "passes in a row with nothing left to draw", seats),
        one("pile", "cards in the draw pile", MOST),
        one("renewals", "how often the pile was renewed in this round", MOST),
        one("decisions", "decisions of this round, in hundreds", PERCENT),
        one("round", "number of the round in the match", MOST),
        one("round_over", "1: the round is over"),
        one("match_over", "1: the match is over"),
    ]


class Layout:
    """The rows of a table: how long they are and what stands where."""

    def __init__(self, sheet: Sheet, seats: int) -> None:
        sheet.check_seats(seats)
        self.sheet, self.seats = sheet, seats
        self.parts = parts(sheet, seats)
        self.high = np.array([high for part in self.parts for high in part.high], np.int8)
        self.length = len(self.high)
        self.actions = play_actions(sheet.rules)
        self._slices: dict[str, slice] = {}
        at = 0
        for part in self.parts:
            self._slices[part.name] = slice(at, at + len(part.labels))
            at += len(part.labels)

    def __getitem__(self, name: str) -> slice:
        """Where a part stands."""
        return self._slices[name]

    @property
    def scale(self) -> "np.ndarray[Any, Any]":
        """Factors that bring every number between 0 and 1."""
        return (1 / self.high).astype(np.float32)

    def meaning(self, index: int) -> str:
        """What a number of an observation means."""
        for part in self.parts:
            where = self._slices[part.name]
            if where.start <= index < where.stop:
                label = part.labels[index - where.start]
                return f"{part.name}: {label}" if label else part.name
        raise IndexError(index)

    def action_meaning(self, action: int) -> str | None:
        """An action as text, seats counted from the own one; None: an id that nothing has."""
        if action == PASS:
            return "pass"
        if not is_action(self.sheet, action):
            return None
        if GIVE <= action < PLAY:
            first, word = (SWAP, "swap") if action >= SWAP else (GIVE, "give")
            place = action - first
            return f"{word}:+{place}" if 0 < place < self.seats else None
        return action_text(self.sheet, action)
