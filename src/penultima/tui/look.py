"""How cards look on a terminal: a color, and always a letter and a sign that say the same."""

import colorsys
import os
from dataclasses import dataclass
from typing import Final

from rich.color import Color, blend_rgb
from rich.color_triplet import ColorTriplet
from rich.style import Style

from penultima.cards import NO_COLOR
from penultima.edition import MARK, Edition

SIGNS: Final = {
    "circle": "●",
    "square": "■",
    "triangle": "▲",
    "diamond": "◆",
    "star": "★",
    "hexagon": "⬢",
}
NIGHT: Final = ColorTriplet(18, 18, 18)
WILD_BACK: Final = "#303030"
ANGLES: Final = (  # where on the wheel of colors a name ends
    (20, "red"),
    (75, "yellow"),
    (165, "green"),
    (200, "cyan"),
    (250, "blue"),
    (340, "magenta"),
    (361, "red"),
)
_system: str | None = None


@dataclass(frozen=True, slots=True)
class Face:
    """A card as it is drawn: its letter, sign, symbol and colors."""

    letter: str
    sign: str
    symbol: str
    style: Style


def _ink(hue: str) -> str:
    """Black or white, whichever can be read better on a hue."""
    red, green, blue = Color.parse(hue).get_truecolor()
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 150 else "#ffffff"


def monochrome() -> bool:
    return "NO_COLOR" in os.environ


def few_colors() -> bool:
    """Whether the terminal has 16 colors: then ours are chosen by name, not by nearness."""
    return _system == "standard"


def use(color_system: str | None) -> None:
    """Say what the terminal can show (`rich.console.Console.color_system`)."""
    global _system
    _system = color_system


def nearest_name(hue: str) -> str:
    """The one of the named colors that a hue would be called by.

    >>> [nearest_name(hue) for hue in ("#1e7d3c", "#6b3fa0", "#d9488b", "#e8b800")]
    ['green', 'magenta', 'bright_magenta', 'bright_yellow']
    """
    red, green, blue = (part / 255 for part in Color.parse(hue).get_truecolor())
    angle, light, saturation = colorsys.rgb_to_hls(red, green, blue)
    if saturation < 0.15:
        return "bright_black"
    name = next(name for end, name in ANGLES if 360 * angle < end)
    bright = light > 0.55 or (name == "yellow" and saturation > 0.6)
    return f"bright_{name}" if bright else name


def paint(hue: str) -> Style:
    if monochrome():
        return Style(reverse=True)
    if few_colors():
        name = nearest_name(hue)
        dark = name in ("red", "green", "blue", "magenta", "bright_black")
        return Style(color="bright_white" if dark else "black", bgcolor=name)
    return Style(color=_ink(hue), bgcolor=hue)


def faded(style: Style) -> Style:
    """A card that cannot be played now; where colors are few, they stay as they are."""
    if monochrome():
        return Style()
    if few_colors() or style.bgcolor is None or style.color is None:
        return style + Style(dim=True)
    back = blend_rgb(style.bgcolor.get_truecolor(), NIGHT, 0.55)
    ink = blend_rgb(style.color.get_truecolor(), NIGHT, 0.25)
    return Style(color=Color.from_triplet(ink), bgcolor=Color.from_triplet(back))


def color_style(edition: Edition, letter: str) -> Style:
    return paint(edition.file.colors[edition.sheet.colors.index(letter)].hue)


def color_sign(edition: Edition, letter: str) -> str:
    return SIGNS[edition.file.colors[edition.sheet.colors.index(letter)].shape]


def face_of(edition: Edition, text: str) -> Face:
    kind = edition.sheet.kind(text)
    assert kind is not None
    face = edition.sheet.faces[kind]
    symbol = face.symbol + (MARK if face.marked else "")
    if face.color == NO_COLOR:
        return Face(" ", "✦", symbol, paint(WILD_BACK))
    color = edition.file.colors[face.color]
    return Face(color.letter, SIGNS[color.shape], symbol, paint(color.hue))
