"""A position as a plain dict, written and read."""

from typing import Any

from .cards import Card
from .state import State

# Fields that are the same in the state and in the dict.
PLAIN = (
    "color",
    "turn",
    "direction",
    "dealer",
    "phase",
    "choice",
    "due",
    "by",
    "guilty",
    "jump",
    "passes",
    "decisions",
    "renewals",
    "shuffled",
    "round",
    "over",
)
SEAT_SETS = ("called", "exposed", "dropped")


def write(s: State) -> dict[str, Any]:
    """Everything there is to know about a position."""
    position: dict[str, Any] = {name: getattr(s, name) for name in PLAIN}
    for name in SEAT_SETS:
        position[name] = sorted(getattr(s, name))
    place = s.place.__getitem__
    position["hands"] = [sorted([card.text for card in hand], key=place) for hand in s.hands]
    position["discard"] = [card.text for card in s.discard]
    position["pile"] = [card.text for card in reversed(s.pile)]
    position["drawn"] = s.drawn.text if s.drawn else None
    position["scores"] = list(s.scores)
    position["winner"] = list(s.winner) if isinstance(s.winner, list) else s.winner
    return position


def read(s: State, position: dict[str, Any]) -> None:
    """Set up a position in a state made for the same deck and number of seats."""
    kinds: dict[str, Card] = {card.text: card for card in s.cards}
    for name in PLAIN:
        setattr(s, name, position[name])
    for name in SEAT_SETS:
        setattr(s, name, set(position[name]))
    s.hands = [[kinds[text] for text in hand] for hand in position["hands"]]
    s.discard = [kinds[text] for text in position["discard"]]
    s.pile = [kinds[text] for text in reversed(position["pile"])]
    s.drawn = kinds[position["drawn"]] if position["drawn"] is not None else None
    s.scores = list(position["scores"])
    winner = position["winner"]
    s.winner = list(winner) if isinstance(winner, list) else winner
