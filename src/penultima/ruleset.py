"""A resolved ruleset: the faces of a deck, its colors and every option, as plain data.

A `Sheet` is what a match is played by. It knows its canonical JSON form and the hash of it (both go
into every match record), and makes the `Ruleset` that the core reads.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any, Final, Self

from penultima.cards import (
    COLORS,
    DEMAND,
    GIVE_AWAY,
    MIN_COLORS,
    MIN_SEATS,
    NO_COLOR,
    PLAIN,
    RACE,
    REVERSE,
    SEATS,
    SKIP,
    TAKE,
)
from penultima.errors import RulesetError, short
from penultima.rules.actions import WORD
from penultima.rules.legal import play_of
from penultima.rules.schema import STANDARD, WIDE, Ruleset, Size

# The effects by the names that edition files use.
EFFECTS: Final[Mapping[str, int]] = {
    "none": PLAIN,
    "skip": SKIP,
    "reverse": REVERSE,
    "draw": TAKE,
    "give": GIVE_AWAY,
    "race": RACE,
    "demand": DEMAND,
}
COUNTED: Final = ("draw", "give", "race", "demand")  # effects that need an amount

# The values of each option in the order of the ids in `rules.actions`.
CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "drawn_no_match": ("must", "may"),
    "drawn_by_choice": ("must", "may"),
    "challengers": ("victim", "anybody"),
    "catch_window": ("begun", "made", "open"),
    "call_duty": ("playing", "holding"),
    "demand": ("must", "may"),
    "race": ("reflex", "chance"),
    "scoring": ("winner", "tally"),
    "stacking": ("off", "same", "four_on_two"),
}
SWITCHES: Final = (
    "seven_zero",
    "jump_in",
    "draw_until_playable",
    "forced_play",
    "no_bluffing",
    "auto_call",
)
NUMBERS: Final[Mapping[str, tuple[int, int]]] = {"target": (1, 1_000_000), "hand_size": (1, 100)}
PILE_LEFT: Final = 5  # H7
# What symbols are made of: no small letters, so that no card can be mistaken for an action word.
SIGNS: Final = "[A-Z+*!?&%$#@<>=0-9-]"


@dataclass(frozen=True, slots=True)
class Options:
    """Every option of the rules; the defaults are those of the English sheet, house rules off."""

    drawn_no_match: str = "may"
    drawn_by_choice: str = "may"
    challengers: str = "victim"
    catch_window: str = "begun"
    call_duty: str = "playing"
    demand: str = "must"
    race: str = "reflex"
    scoring: str = "winner"
    target: int = 500
    hand_size: int = 7
    stacking: str = "off"
    seven_zero: bool = False
    jump_in: bool = False
    draw_until_playable: bool = False
    forced_play: bool = False
    no_bluffing: bool = False
    auto_call: bool = False

    @classmethod
    def names(cls) -> list[str]:
        return [field.name for field in fields(cls)]

    def changed(self, changes: Mapping[str, Any]) -> "Options":
        """These options with some set anew; a name or value that does not exist is refused."""
        for name, value in changes.items():
            check_option(name, value)
        return replace(self, **changes)


def check_option(name: str, value: object) -> None:
    if name in CHOICES:
        good = isinstance(value, str) and value in CHOICES[name]
        allowed = list(CHOICES[name])
    elif name in SWITCHES:
        good = isinstance(value, bool)
        allowed = ["true", "false"]
    elif name in NUMBERS:
        low, high = NUMBERS[name]
        good = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        allowed = [f"{low}–{high}"]
    else:
        raise RulesetError("option_unknown", option=short(name), allowed=Options.names())
    if not good:
        raise RulesetError("option_value", option=name, value=short(value), allowed=allowed)


@dataclass(frozen=True, slots=True)
class Face:
    """One kind of card: its text, what it counts and what it does."""

    text: str
    color: int  # NO_COLOR: wild
    number: int | None
    points: int
    count: int
    effect: str = "none"
    amount: int = 0
    challengeable: bool = False
    marked: bool = False

    @property
    def wild(self) -> bool:
        return self.color == NO_COLOR

    @property
    def symbol(self) -> str:
        """The text without the letter of the color."""
        return self.text if self.wild else self.text[1:]


@dataclass(frozen=True)
class Sheet:
    """Colors by their letters, faces with the colored ones first, and options."""

    edition: str
    colors: str
    faces: tuple[Face, ...]
    options: Options

    def __post_init__(self) -> None:
        self._check()

    def _check(self) -> None:
        """Refuse what the core cannot carry or no table could play."""
        if not MIN_COLORS <= len(self.colors) <= COLORS:
            raise RulesetError("colors", low=MIN_COLORS, high=COLORS)
        for letter in self.colors:
            if self.colors.count(letter) > 1:
                raise RulesetError("color_twice", color=letter)
        seen: set[str] = set()
        for face in self.faces:
            if face.text in seen:
                raise RulesetError("card_twice", card=face.text)
            seen.add(face.text)
        wild = [face.wild for face in self.faces]
        if wild != sorted(wild) or all(wild):
            raise RulesetError("card_order")
        for face in self.faces:
            self._check_face(face)
        if any(f.effect == "demand" for f in self.faces) and not any(f.marked for f in self.faces):
            raise RulesetError("no_marks")
        for name, value in asdict(self.options).items():
            check_option(name, value)
        if self._fitting_size() is None:
            raise RulesetError(
                "too_large",
                kinds=len(self.faces),
                cards=self.cards,
                most_kinds=WIDE.kinds,
                most_cards=WIDE.cards,
            )
        self.check_seats(MIN_SEATS)

    def _check_face(self, face: Face) -> None:
        def refuse(code: str, **details: object) -> None:
            raise RulesetError(code, card=face.text, **details)

        if not face.wild and not (
            0 <= face.color < len(self.colors) and face.text[:1] == self.colors[face.color]
        ):
            refuse("card_color")
        form = f"W{SIGNS}{{0,2}}" if face.wild else f"[a-z]{SIGNS}{{1,3}}"
        if not re.fullmatch(form, face.text):
            refuse("card_text")
        if face.effect not in EFFECTS:
            refuse("effect_unknown", effect=face.effect, allowed=list(EFFECTS))
        if (face.effect in COUNTED) != (face.amount > 0):
            refuse("effect_amount", effect=face.effect)
        if face.challengeable and not (face.wild and face.effect == "draw"):
            refuse("challengeable")
        if face.marked and face.wild:
            refuse("mark_on_wild")
        if face.number is not None and (face.wild or face.effect != "none"):
            refuse("number_and_effect")
        for name, low, high in (("count", 1, 100), ("points", 0, 1000), ("amount", 0, 20)):
            if not low <= getattr(face, name) <= high:
                refuse("card_range", field=name, low=low, high=high)
        if face.number is not None and not 0 <= face.number <= 99:
            refuse("card_range", field="number", low=0, high=99)

    def check_table(self, seats: int) -> None:
        """Refuse a number of seats that no table has (Q18)."""
        if not MIN_SEATS <= seats <= SEATS:
            raise RulesetError("seats", seats=seats, low=MIN_SEATS, high=SEATS)

    def check_seats(self, seats: int) -> None:
        """Refuse a number of seats for which the deck is too small (Q18, H7)."""
        self.check_table(seats)
        dealt = seats * self.options.hand_size
        most = (self.cards - PILE_LEFT) // seats
        # One card that may be turned up must remain whatever is dealt (S9).
        first = sum(f.count for f in self.faces if not (f.wild and f.effect == "draw"))
        most = min(most, (first - 1) // seats)
        if self.options.hand_size > most:
            raise RulesetError(
                "hand_size", seats=seats, dealt=dealt, cards=self.cards, left=PILE_LEFT, most=most
            )

    @property
    def cards(self) -> int:
        return sum(face.count for face in self.faces)

    def _fitting_size(self) -> Size | None:
        """The smaller size that holds this deck; None: neither does."""
        colored = sum(not face.wild for face in self.faces)
        plays = colored + (len(self.faces) - colored) * len(self.colors)
        for size in (STANDARD, WIDE):
            if (
                len(self.faces) <= size.kinds
                and self.cards <= size.cards
                and plays <= WORD * size.play_words
            ):
                return size
        return None

    def kind(self, text: str) -> int | None:
        """The kind of a card's text."""
        return self._kinds.get(text)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts of the cards, by kind."""
        return tuple(face.text for face in self.faces)

    @cached_property
    def _kinds(self) -> dict[str, int]:
        return {face.text: kind for kind, face in enumerate(self.faces)}

    def with_options(self, changes: Mapping[str, Any]) -> "Sheet":
        return Sheet(self.edition, self.colors, self.faces, self.options.changed(changes))

    def to_json(self) -> dict[str, Any]:
        return {
            "edition": self.edition,
            "colors": self.colors,
            "faces": [asdict(face) for face in self.faces],
            "options": asdict(self.options),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`, for data of unknown origin."""
        try:
            if set(data) != {"edition", "colors", "faces", "options"}:
                raise RulesetError("malformed")
            for value, kind in ((data["edition"], str), (data["colors"], str)):
                if not isinstance(value, kind):
                    raise RulesetError("malformed")
            faces = tuple(Face(**face) for face in data["faces"])
            for face in faces:
                _check_types(face)
            return cls(data["edition"], data["colors"], faces, Options().changed(data["options"]))
        except (TypeError, AttributeError) as error:
            raise RulesetError("malformed") from error

    @cached_property
    def canonical(self) -> str:
        """One line of JSON, the same for equal sheets."""
        return json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @cached_property
    def hash(self) -> str:
        return hashlib.sha256(self.canonical.encode()).hexdigest()

    @cached_property
    def rules(self) -> Ruleset:
        """The record that the core reads."""
        size = self._fitting_size()
        assert size is not None
        rules = Ruleset(size)
        rules.kinds = len(self.faces)
        rules.colored = sum(not face.wild for face in self.faces)
        rules.colors = len(self.colors)
        rules.cards = self.cards
        symbols = [face.symbol for face in self.faces]
        for kind, face in enumerate(self.faces):
            word, bit = kind // WORD, 1 << kind % WORD
            rules.count[kind] = face.count
            rules.points[kind] = face.points
            rules.color[kind] = face.color
            rules.number[kind] = -1 if face.number is None else face.number
            rules.symbol[kind] = symbols.index(face.symbol)
            rules.effect[kind] = EFFECTS[face.effect]
            rules.amount[kind] = face.amount
            rules.challengeable[kind] = int(face.challengeable)
            if face.marked:
                rules.marked[word] |= bit
            if face.wild:
                rules.wild[word] |= bit
                named = range(rules.colors)
            else:
                rules.same_color[face.color][word] |= bit
                named = range(1)
                for other, its in enumerate(self.faces):
                    if not its.wild and its.symbol == face.symbol:
                        rules.same_symbol[other][word] |= bit
            for color in named:
                play = play_of(rules, kind, color) - WORD
                rules.plays[kind][play // WORD] |= 1 << play % WORD
                rules.played_kind[play] = kind
                rules.played_color[play] = color if face.wild else face.color
        for name, value in asdict(self.options).items():
            code = CHOICES[name].index(value) if name in CHOICES else int(value)
            setattr(rules, name, code)
        return rules


def _check_types(face: Face) -> None:
    expected: dict[str, tuple[type, ...]] = {"text": (str,), "effect": (str,)}
    for field in fields(Face):
        value = getattr(face, field.name)
        kinds = expected.get(field.name, (int,))
        if field.name == "number" and value is None:
            continue
        if not isinstance(value, kinds) or (
            isinstance(value, bool) != (field.name in ("challengeable", "marked"))
        ):
            raise RulesetError("malformed")
