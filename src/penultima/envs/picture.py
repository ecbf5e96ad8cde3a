"""A table as a seat sees it: as text, as an SVG, or as pixels. Everything comes from its view."""

from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any, Final
from xml.sax.saxutils import escape

import numpy as np

from penultima.edition import Edition
from penultima.envs.setup import choice
from penultima.rules.schema import Game
from penultima.view import View, view

MODES: Final = ("human", "ansi", "svg", "rgb_array")
WIDTH: Final = 640
HEIGHT: Final = 400
CARD: Final = (48, 72)
INK, PAPER, CLOTH, WILD = "#1b1b1f", "#ffffff", "#23483a", "#3a3a44"
_CORNERS: Final = {"circle": 24, "square": 4, "triangle": 3, "diamond": 4, "hexagon": 6}


def mode(render_mode: str | None) -> str | None:
    return None if render_mode is None else choice("render_mode", render_mode, MODES)


def render(edition: Edition, game: Game, seat: int, render_mode: str) -> Any:
    """A frame: printed ("human"), as text ("ansi", "svg") or as an array ("rgb_array")."""
    sight = view(edition.sheet, game, seat)
    if render_mode == "human":
        print(text(edition, sight))
        return None
    if render_mode == "ansi":
        return text(edition, sight)
    if render_mode == "svg":
        return svg(edition, sight)
    return pixels(edition, sight)


def text(edition: Edition, sight: View) -> str:
    """The table in a few lines."""
    way = "rising" if sight.direction > 0 else "falling"
    lines = [
        f"{edition.id}, round {sight.round}: {sight.top} on top, color {sight.color or '-'}, "
        f"{sight.pile} in the pile, {way} seats, waiting for {sight.phase} of seat {sight.turn}"
    ]
    for seat, cards in enumerate(sight.counts):
        marks = [name for name in ("called", "exposed", "dropped") if seat in getattr(sight, name)]
        told = f"{'>' if seat == sight.turn else ' '} seat {seat}: {cards:>2} cards"
        lines.append(f"{told}, {sight.scores[seat]:>3} points {' '.join(marks)}".rstrip())
    lines.append(f"seat {sight.seat} holds {' '.join(sight.hand) or 'nothing'}")
    lines.append(f"and may {' '.join(sight.legal) or 'do nothing'}")
    return "\n".join(lines)


@dataclass(frozen=True)
class Shape:
    """A filled polygon, or with `words` a text around its first point."""

    points: tuple[tuple[float, float], ...]
    fill: str
    words: str = ""
    size: int = 0


def scene(edition: Edition, sight: View) -> list[Shape]:
    """Everything there is to draw, from back to front."""
    shapes = [_box(0, 0, WIDTH, HEIGHT, CLOTH)]
    across = WIDTH / len(sight.counts)
    for seat, cards in enumerate(sight.counts):
        x = across * seat + across / 2
        here = "#ffe08a" if seat == sight.turn else PAPER
        shapes += [_box(x - 18, 34, 36, 54, here), _box(x - 15, 37, 30, 48, WILD)]
        shapes.append(_words(x, 61, str(cards), 20, PAPER))
        shapes.append(_words(x, 20, f"seat {seat}", 13, here))
        marks = "called" * (seat in sight.called) or "exposed" * (seat in sight.exposed)
        shapes.append(_words(x, 102, marks, 12, here))
    middle = WIDTH / 2
    shapes += [_box(middle - 90, 140, *CARD, PAPER), _box(middle - 87, 143, 42, 66, WILD)]
    shapes.append(_words(middle - 66, 176, str(sight.pile), 20, PAPER))
    shapes += _card(edition, sight.top, middle - 24, 140)
    if sight.color is not None:
        shapes += [_box(middle + 42, 152, 48, 48, PAPER)]
        shapes.append(_symbol(edition, sight.color, middle + 66, 176, 20))
    waiting = f"{edition.id}, round {sight.round}: {sight.phase} of seat {sight.turn}"
    shapes.append(_words(middle, 240, waiting, 14, PAPER))
    held = sight.hand
    between = min(54.0, (WIDTH - 40 - CARD[0]) / max(len(held) - 1, 1))
    left = middle - (between * (len(held) - 1) + CARD[0]) / 2
    for place, card in enumerate(held):
        raised = 14 if any(a.partition(":")[0] == card for a in sight.legal) else 0
        shapes += _card(edition, card, left + place * between, 292 - raised)
    shapes.append(_words(middle, 386, f"hand of seat {sight.seat}", 13, PAPER))
    return shapes


def svg(edition: Edition, sight: View) -> str:
    drawn = []
    for shape in scene(edition, sight):
        x, y = shape.points[0]
        if shape.words:
            drawn.append(
                f'<text x="{x:.1f}" y="{y:.1f}" font-size="{shape.size}" fill="{shape.fill}">'
                f"{escape(shape.words)}</text>"
            )
        elif len(shape.points) > 1:
            corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
            drawn.append(f'<polygon points="{corners}" fill="{shape.fill}"/>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" text-anchor="middle" dominant-baseline="central">'
        f"{''.join(drawn)}</svg>"
    )


def pixels(edition: Edition, sight: View) -> "np.ndarray[Any, Any]":
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (WIDTH, HEIGHT))
    draw = ImageDraw.Draw(image)
    for shape in scene(edition, sight):
        if shape.words:
            font = ImageFont.load_default(shape.size)
            draw.text(shape.points[0], shape.words, shape.fill, font, anchor="mm")
        elif len(shape.points) > 1:
            draw.polygon(shape.points, shape.fill)
    return np.asarray(image)


def _box(x: float, y: float, width: float, height: float, fill: str) -> Shape:
    cut = min(width, height) / 10 if width < WIDTH else 0.0
    right, bottom = x + width, y + height
    upper = ((x, y + cut), (x + cut, y), (right - cut, y), (right, y + cut))
    lower = ((right, bottom - cut), (right - cut, bottom), (x + cut, bottom), (x, bottom - cut))
    return Shape(upper + lower, fill)


def _words(x: float, y: float, words: str, size: int, fill: str) -> Shape:
    return Shape(((x, y),), fill, words, size)


def _card(edition: Edition, card: str, x: float, y: float) -> list[Shape]:
    kind = edition.sheet.kind(card)
    assert kind is not None
    face = edition.sheet.faces[kind]
    hue = WILD if face.wild else edition.file.colors[face.color].hue
    shapes = [_box(x, y, *CARD, INK), _box(x + 1, y + 1, CARD[0] - 2, CARD[1] - 2, PAPER)]
    shapes.append(_box(x + 4, y + 4, CARD[0] - 8, CARD[1] - 8, hue))
    shapes.append(_box(x + 8, y + 24, CARD[0] - 16, 30, PAPER))
    shapes.append(_words(x + CARD[0] / 2, y + 39, face.symbol, 20, INK))
    if not face.wild:  # a shape for each color: color is not the only sign
        shapes.append(_symbol(edition, edition.sheet.colors[face.color], x + 14, y + 14, 7, PAPER))
    if face.marked:
        shapes += _clover(x + CARD[0] - 14, y + 14, 7, PAPER)
    return shapes


def _clover(x: float, y: float, radius: float, fill: str) -> list[Shape]:
    """The mark of an edition: three rounded leaves and a stem."""
    leaves = [
        Shape(
            tuple(
                (
                    x + radius * (0.5 * sin(turn) + 0.48 * sin(angle)),
                    y - radius * (0.5 * cos(turn) + 0.48 * cos(angle)),
                )
                for angle in [2 * pi * corner / 24 for corner in range(24)]
            ),
            fill,
        )
        for turn in (0.0, 2.06, -2.06)
    ]
    stem = ((-0.1, 0.0), (0.1, 0.0), (0.35, 0.95), (0.15, 1.0))
    return [*leaves, Shape(tuple((x + radius * a, y + radius * b) for a, b in stem), fill)]


def _symbol(
    edition: Edition, color: str, x: float, y: float, radius: float, fill: str | None = None
) -> Shape:
    """The shape of a color, in its hue where nothing else is said."""
    entry = edition.file.colors[edition.sheet.colors.index(color)]
    star = entry.shape == "star"
    corners = 10 if star else _CORNERS[entry.shape]
    turned = pi / 4 if entry.shape == "square" else 0.0
    points = tuple(
        (x + reach * sin(angle), y - reach * cos(angle))
        for corner in range(corners)
        for angle in [2 * pi * corner / corners + turned]
        for reach in [radius / 2.4 if star and corner % 2 else radius]
    )
    return Shape(points, fill or entry.hue)
