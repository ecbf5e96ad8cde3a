"""The engine's face: a table at which actions are played."""

import copy
from collections.abc import Callable
from typing import Any

from . import actions, positions
from .cards import Card
from .dealing import deal, draw_dealer, name_color
from .effects import put_down
from .legal import legal
from .scoring import end_round
from .state import State

MOST_DECISIONS = 10_000  # Q22
LEAST_PILE = 5  # H7

PLAIN_ACTIONS: dict[str, Callable[[State, int], None]] = {
    "draw": actions.draw,
    "keep": actions.keep,
    "call": actions.call,
    "catch": actions.catch,
    "accept": actions.accept,
    "challenge": actions.challenge,
    "drop": actions.drop,
}


class Refused(ValueError):
    """An action that is not legal; nothing was changed."""


class Table(State):
    """A match at one table."""

    def __init__(
        self, cards: list[Card], colors: str, seats: int, options: dict[str, Any], key: bytes
    ) -> None:
        super().__init__(cards, colors, seats, options, key)
        if not 2 <= seats <= 10:
            raise ValueError("2 to 10 players")  # Q18
        if len(cards) - seats * self.options.hand_size < LEAST_PILE:
            raise ValueError("the hands leave too few cards in the pile")  # H7

    @classmethod
    def from_position(
        cls,
        cards: list[Card],
        colors: str,
        options: dict[str, Any],
        position: dict[str, Any],
        key: bytes,
    ) -> "Table":
        """A table in a given position, however it may have come about."""
        table = cls.__new__(cls)
        State.__init__(table, cards, colors, len(position["hands"]), options, key)
        positions.read(table, position)
        return table

    def start_match(self) -> None:
        """Find the dealer and deal the first round."""
        self.scores = [0] * self.seats
        self.dealer = draw_dealer(self)
        self.round = 1
        deal(self)

    def next_round(self) -> None:
        """Deal the next round; the deal passes to the left (P2, Q17)."""
        if self.over != "round":
            raise Refused("there is no next round now")
        self.dealer = self.left_of(self.dealer)
        self.round += 1
        deal(self)

    def legal(self, seat: int) -> set[str]:
        """All actions of a seat, as texts."""
        return legal(self, seat)

    def play(self, seat: int, action: str) -> None:
        """Carry out an action of a seat."""
        if action not in legal(self, seat):
            raise Refused(f"seat {seat} cannot {action!r} now")
        self.decisions += 1
        verb, _, rest = action.partition(":")
        if verb in PLAIN_ACTIONS:
            PLAIN_ACTIONS[verb](self, seat)
        elif verb == "color":
            name_color(self, rest)
        elif verb == "give":
            actions.give(self, seat, int(rest))
        elif verb == "swap":
            actions.swap(self, seat, int(rest))
        else:
            card = next(held for held in self.hands[seat] if held.text == verb)
            put_down(self, seat, card, rest)
        gone_out = self.by is not None and not self.hands[self.by]  # what that started goes on
        if self.decisions >= MOST_DECISIONS and self.phase != "over" and not gone_out:
            end_round(self, None)  # Q22

    def position(self) -> dict[str, Any]:
        """The whole position as a plain dict."""
        return positions.write(self)

    def copy(self) -> "Table":
        """A table that can be played on without changing this one."""
        twin = copy.copy(self)
        twin.hands = [list(hand) for hand in self.hands]
        twin.discard = list(self.discard)
        twin.pile = list(self.pile)
        twin.called = set(self.called)
        twin.exposed = set(self.exposed)
        twin.dropped = set(self.dropped)
        twin.scores = list(self.scores)
        return twin
