"""The options of a table, and what each edition sets them to."""

from dataclasses import dataclass, fields
from typing import Any

CHOICES: dict[str, tuple[str, ...]] = {
    "drawn_no_match": ("must", "may"),  # T3
    "drawn_by_choice": ("must", "may"),  # T4
    "challengers": ("victim", "anybody"),  # A9
    "catch_window": ("begun", "made", "open"),  # G2, G3
    "call_duty": ("playing", "holding"),  # G1
    "demand": ("must", "may"),  # Q9
    "race": ("reflex", "chance"),  # Q8
    "scoring": ("winner", "tally"),  # P1, P3
    "stacking": ("off", "same", "four_on_two"),  # H1
}

SWITCHES = (
    "seven_zero",  # H2
    "jump_in",  # H3
    "draw_until_playable",  # H4
    "forced_play",  # H5
    "no_bluffing",  # H6
    "auto_call",  # H8
)

EVERY_EDITION: dict[str, str | int | bool] = {
    "demand": "must",
    "race": "reflex",
    "scoring": "winner",
    "target": 500,
    "hand_size": 7,
    "stacking": "off",
    "seven_zero": False,
    "jump_in": False,
    "draw_until_playable": False,
    "forced_play": False,
    "no_bluffing": False,
    "auto_call": False,
}

# The five rows of "What follows from which sheet".
ROWS = ("drawn_no_match", "drawn_by_choice", "challengers", "catch_window", "call_duty")
BY_EDITION: dict[str, tuple[str, str, str, str, str]] = {
    "classic": ("must", "must", "victim", "made", "playing"),
    "revenge": ("may", "may", "victim", "begun", "playing"),
    "chili": ("must", "may", "victim", "begun", "playing"),
    "triforce": ("must", "may", "victim", "begun", "playing"),
    "violet": ("must", "may", "anybody", "open", "holding"),
}


def options(edition: str) -> dict[str, Any]:
    """All options of an edition."""
    if edition not in BY_EDITION:
        raise ValueError(f"unknown edition: {edition!r}")
    return dict(zip(ROWS, BY_EDITION[edition], strict=True)) | EVERY_EDITION


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one table, checked."""

    drawn_no_match: str
    drawn_by_choice: str
    challengers: str
    catch_window: str
    call_duty: str
    demand: str
    race: str
    scoring: str
    target: int
    hand_size: int
    stacking: str
    seven_zero: bool
    jump_in: bool
    draw_until_playable: bool
    forced_play: bool
    no_bluffing: bool
    auto_call: bool

    @classmethod
    def checked(cls, given: dict[str, Any]) -> "Options":
        """Options from a complete dict; a missing, unknown or impossible one is an error."""
        if set(given) != {field.name for field in fields(cls)}:
            raise ValueError(f"options missing or unknown: {sorted(given)}")
        for name, value in given.items():
            if name in CHOICES:
                good = value in CHOICES[name]
            elif name in SWITCHES:
                good = isinstance(value, bool)
            else:  # H7
                good = isinstance(value, int) and not isinstance(value, bool) and value >= 1
            if not good:
                raise ValueError(f"option {name} cannot be {value!r}")
        return cls(**given)
