"""Editions: a TOML file, validated, becomes a `Sheet` to play by and the names to show.

The five that ship lie in `editions/`; a user's own is a path to such a file. `docs/editions.md`
describes the format.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

import msgspec

from penultima.cards import NO_COLOR
from penultima.errors import EditionError, RulesetError, short
from penultima.graphemes import joins
from penultima.locale import Message
from penultima.ruleset import SIGNS, Face, Options, Sheet
from penultima.system import reason

SHIPPED: Final = ("classic", "revenge", "chili", "triforce", "violet")
MARK: Final = "♣"  # what text shows of a mark: the pictures have a clover of three rounded leaves
MOST_BYTES: Final = 64 * 1024
MOST_LINES: Final = 3_000
MOST_PARTS: Final = 8  # of a dotted key: what tomllib does with one is quadratic in them
MOST_NESTED: Final = 32  # brackets in brackets
MOST_WORD: Final = 64  # letters of a key, digits of a number: quadratic as well

Effect = Literal["none", "skip", "reverse", "draw", "give", "race", "demand"]
Shape = Literal["circle", "square", "triangle", "diamond", "star", "hexagon"]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Count = Annotated[int, msgspec.Meta(ge=1, le=100)]
Points = Annotated[int, msgspec.Meta(ge=0, le=1000)]
Amount = Annotated[int, msgspec.Meta(ge=1, le=20)]
Symbol = Annotated[str, msgspec.Meta(pattern=rf"^{SIGNS}{{1,3}}$(?!\n)")]
WildSymbol = Annotated[str, msgspec.Meta(pattern=rf"^W{SIGNS}{{0,2}}$(?!\n)")]


class Name(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A name in the three languages."""

    en: Text
    es: Text
    ru: Text

    def in_language(self, language: str) -> str:
        return str(getattr(self, language, self.en))


class ColorEntry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    letter: Annotated[str, msgspec.Meta(pattern=r"^[a-z]$(?!\n)")]
    name: Name
    hue: Annotated[str, msgspec.Meta(pattern=r"^#[0-9a-f]{6}$(?!\n)")]
    shape: Shape


class CardEntry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Colored cards: a set of numbers, or one symbol, in every color or in some."""

    copies: Count
    numbers: Annotated[
        list[Annotated[int, msgspec.Meta(ge=0, le=99)]], msgspec.Meta(max_length=20)
    ] = []
    symbol: Symbol | None = None
    name: Name | None = None
    points: Points | None = None
    effect: Effect = "none"
    amount: Amount | None = None
    marked: bool = False
    colors: list[str] | None = None


class WildEntry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    symbol: WildSymbol
    copies: Count
    name: Name
    points: Points
    effect: Effect = "none"
    amount: Amount | None = None
    challengeable: bool = False


class EditionFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The file as it is written."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_-]{0,30}$(?!\n)")]
    name: Name
    colors: list[ColorEntry]
    cards: list[CardEntry]
    about: Name | None = None
    sheet: Text | None = None
    mark: Name | None = None
    wilds: list[WildEntry] = []
    options: dict[str, str | int | bool] = {}
    sources: dict[str, Text] = {}


@dataclass(frozen=True)
class Edition:
    """A deck with its names, and the sheet it is played by."""

    file: EditionFile
    sheet: Sheet
    source: str  # what `load` finds it by

    @property
    def id(self) -> str:
        return self.file.id

    def color_name(self, color: int, language: str) -> str:
        return self.file.colors[color].name.in_language(language)

    def symbol_name(self, kind: int, language: str) -> str:
        """What a face is called without its color: a number, or the name of the symbol."""
        face = self.sheet.faces[kind]
        if face.number is not None:
            return str(face.number)
        if face.wild:
            names = [entry.name for entry in self.file.wilds if entry.symbol == face.symbol]
        else:  # one symbol may go by several names, each in some of the colors
            letter = face.text[0]
            names = [
                entry.name
                for entry in self.file.cards
                if entry.symbol == face.symbol and (entry.colors is None or letter in entry.colors)
                if entry.name is not None
            ]
        return names[0].in_language(language) if names else face.symbol

    def with_options(self, changes: Mapping[str, Any]) -> "Edition":
        return replace(self, sheet=self.sheet.with_options(changes))


def with_names(file: EditionFile, options: Options) -> Edition:
    """An edition from elsewhere, as it is played there."""
    sheet = replace(_sheet(file), options=options)
    return Edition(file, sheet, file.id)


def nameless(sheet: Sheet) -> Edition:
    """A sheet whose edition file is not at hand: its letters and symbols serve as names."""
    hues = ("#1f5fbf", "#1e7d3c", "#c4262e", "#e8b800", "#6b3fa0", "#d9488b")
    colors = [
        ColorEntry(letter, Name(letter, letter, letter), hue, shape)
        for letter, hue, shape in zip(sheet.colors, hues, get_args(Shape), strict=False)
    ]
    name = sheet.edition
    return Edition(EditionFile(name, Name(name, name, name), colors, []), sheet, name)


@cache
def shipped(name: str) -> Edition:
    """One of the five editions that come with the package."""
    text = (resources.files("penultima") / "editions" / f"{name}.toml").read_text("utf-8")
    return replace(read(text, f"{name}.toml"), source=name)


def named(name: str) -> str | None:
    """The id of the shipped edition that a name means: an id, or what an edition is called in any
    language; capitals and accents do not matter.

    >>> named("Trefoil"), named("trebol"), named("реванш"), named("uno")
    ('triforce', 'triforce', 'revenge', None)
    """
    return name if name in SHIPPED else _names().get(_plain(name))


@cache
def _names() -> Mapping[str, str]:
    files = [shipped(edition).file for edition in SHIPPED]
    return {
        _plain(name): file.id
        for file in files
        for name in (file.id, file.name.en, file.name.es, file.name.ru)
    }


def _plain(name: str) -> str:
    apart = unicodedata.normalize("NFD", name.strip().casefold())
    return "".join(char for char in apart if not unicodedata.combining(char))


def load(name: str) -> Edition:
    """An edition by its id or name, or by the path of a TOML file.

    >>> load("classic").sheet.cards
    108
    """
    if (known := named(name)) is not None:
        return shipped(known)
    if not name.endswith(".toml") and not _is_file(name):
        raise EditionError("unknown", name=short(name), allowed=list(SHIPPED))
    path = Path(name)
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise EditionError("too_long", file=name, bytes=MOST_BYTES)
        text = data.decode("utf-8")
    except OSError as error:
        raise EditionError("no_file", file=name, reason=reason(error)) from error
    except UnicodeDecodeError as error:
        raise EditionError("not_utf8", file=name, place=error.start) from error
    except ValueError as error:  # a name that no file can have
        raise EditionError("no_file", file=short(name), reason=reason(error)) from error
    return read(text, name)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def read(text: str, source: str) -> Edition:
    """The edition that a TOML text describes; `source` names it in errors."""
    text = text.removeprefix("\ufeff")  # the mark of byte order that some editors write
    _bounded(text, source)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise EditionError("not_toml", file=source, reason=short(str(error), 200)) from error
    try:
        file = msgspec.convert(data, EditionFile)
    except msgspec.ValidationError as error:
        raise _explained(str(error), source) from error
    for field, string in _strings(data, ""):
        if (char := unprintable(string)) is not None:
            code = f"U+{ord(char):04X}"
            raise EditionError("control", file=source, field=short(field, 80), char=code)
    try:
        return Edition(file, _sheet(file), source)
    except RulesetError as error:
        raise EditionError("rules", file=source, problem=error) from error


# Strings and comments of a TOML text, closed or not: what is in them is no key and no bracket.
_QUIET: Final = re.compile(
    r'''"""(?:\\.?|[^\\])*?(?:"""|\Z)|\'{3}.*?(?:\'{3}|\Z)'''
    r"""|"(?:\\.|[^"\\\n])*"?|\'[^\'\n]*\'?|\#[^\n]*""",
    re.DOTALL,
)
_LONG_KEY: Final = re.compile(rf"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*){{{MOST_PARTS}}}")
_LONG_WORD: Final = re.compile(rf"[\w.+:-]{{{MOST_WORD}}}")


def _bounded(text: str, source: str) -> None:
    """Refuse what takes long to parse: a cheap look before the parser has it."""
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        raise EditionError("too_long", file=source, bytes=MOST_BYTES)
    if text.count("\n") > MOST_LINES:
        raise EditionError("too_many_lines", file=source, number=MOST_LINES)
    bare = _QUIET.sub("x", text)
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", bare):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > MOST_NESTED or _LONG_WORD.search(bare) or _LONG_KEY.search(bare):
        raise EditionError("too_deep", file=source)


def unprintable(text: str) -> str | None:
    """The first character that shows nothing and can do things to a screen: controls (an escape
    rewrites a terminal) and formats (which turn the direction of text), lone surrogates and the
    separators of lines. What joins the parts of an emoji may stay between them."""
    for at, char in enumerate(text):
        hidden = unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        if hidden and not joins(text, at):
            return char
    return None


def _strings(value: Any, field: str) -> Iterator[tuple[str, str]]:
    """Every text in plain data, keys included, and where it stands."""
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield field, key
            yield from _strings(inner, f"{field}.{key}" if field else key)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, field)


# What msgspec says, and our word for it.
_COMPLAINTS: Final = (
    (r"Object contains unknown field `(?P<key>.*)`", "unknown_key"),
    (r"Object missing required field `(?P<key>.*)`", "missing_key"),
    (r"Invalid enum value '(?P<value>.*)'", "wrong_value"),
    (r"Expected `(?P<want>.*)`, got `(?P<got>.*)`", "wrong_type"),
    (r"Expected `str` matching regex .*", "wrong_form"),
    (r"Expected (?P<want>.*)", "out_of_range"),
)


def _explained(message: str, source: str) -> EditionError:
    """Our error for a complaint of msgspec's: the place, what is wrong there, and the remedy."""
    found = re.fullmatch(r"(?s)(.*) - at `(?:key in )?\$\.?(.*)`", message)
    reason, field = (found[1], found[2]) if found else (message, "")
    for pattern, code in _COMPLAINTS:
        if match := re.fullmatch(pattern, reason, re.DOTALL):
            details: dict[str, Any] = {
                "file": source,
                "field": short(field, 80) or "TOML",
                **{name: short(text, 80) for name, text in match.groupdict().items()},
            }
            if code == "wrong_value":
                details["allowed"] = list(get_args(Shape if field.endswith("shape") else Effect))
            elif code == "wrong_form":
                details["remedy"] = Message(f"edition.form.{field.rpartition('.')[2]}")
            return EditionError(code, **details)
    field = short(field, 80) or "TOML"
    return EditionError("out_of_range", file=source, field=field, want=short(reason, 200))


def _sheet(file: EditionFile) -> Sheet:
    letters = "".join(color.letter for color in file.colors)
    faces: list[Face] = []
    for color, letter in enumerate(letters):
        own = [e for e in file.cards if e.colors is None or letter in e.colors]
        numbers = sorted(
            (_number(letter, color, n, entry) for entry in own for n in entry.numbers),
            key=lambda face: face.number or 0,
        )
        faces += numbers
        faces += [_symbol(letter, color, entry) for entry in own if not entry.numbers]
    for entry in file.cards:
        for letter in entry.colors or []:
            if letter not in letters:
                raise RulesetError("color_unknown", color=letter, allowed=list(letters))
    faces += [
        Face(
            text=entry.symbol,
            color=NO_COLOR,
            number=None,
            points=entry.points,
            count=entry.copies,
            effect=entry.effect,
            amount=entry.amount or 0,
            challengeable=entry.challengeable,
        )
        for entry in file.wilds
    ]
    return Sheet(file.id, letters, tuple(faces), Options().changed(file.options))


def _number(letter: str, color: int, number: int, entry: CardEntry) -> Face:
    if entry.symbol is not None or entry.effect != "none" or entry.amount is not None:
        raise RulesetError("number_and_effect", card=f"{letter}{number}")
    points = number if entry.points is None else entry.points
    return Face(f"{letter}{number}", color, number, points, entry.copies, marked=entry.marked)


def _symbol(letter: str, color: int, entry: CardEntry) -> Face:
    if entry.symbol is None or entry.symbol.isdigit():
        raise RulesetError("no_symbol", card=f"{letter}{entry.symbol or '?'}")
    if entry.points is None:
        raise RulesetError("no_points", card=f"{letter}{entry.symbol}")
    return Face(
        text=f"{letter}{entry.symbol}",
        color=color,
        number=None,
        points=entry.points,
        count=entry.copies,
        effect=entry.effect,
        amount=entry.amount or 0,
        marked=entry.marked,
    )
