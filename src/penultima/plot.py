"""A page of charts for a simulation: plain SVG, one ink and a hatching, readable without color."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import floor, log10
from typing import Final

from penultima.figures import Figure, Statistics
from penultima.locale import say

WIDTH: Final = 960
PANEL_WIDTH: Final = 430
PANEL_HEIGHT: Final = 230
GAP: Final = 60
MARGIN: Final = 40
AXIS: Final = 44  # room for the scale at the left of a chart
_STYLE: Final = """
text{font-family:system-ui,sans-serif;font-size:12px;fill:#1a1a1a}
.title{font-size:22px;font-weight:600}.sub{fill:#444}.head{font-size:14px;font-weight:600}
.scale{text-anchor:end;fill:#444}.label{text-anchor:middle}
.grid{stroke:#d5d5d5}.even{stroke:#1a1a1a;stroke-dasharray:5 4}
.whisker{stroke:#1a2b45;stroke-width:2}
.a{fill:#1a2b45}.b{fill:url(#hatch);stroke:#1a2b45}
"""
_HATCH: Final = (
    '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect width="6" height="6" fill="#fff"/>'
    '<rect width="2.5" height="6" fill="#1a2b45"/></pattern></defs>'
)


@dataclass(frozen=True)
class Series:
    """One simulation on the page; a second one is hatched."""

    name: str
    statistics: Statistics


def page(title: str, subtitle: str, series: Sequence[Series], language: str) -> str:
    """The whole page as SVG."""
    panels = _panels(series, language)
    top = 120 + 20 * len(series) * (len(series) > 1)
    height = top + (len(panels) + 1) // 2 * (PANEL_HEIGHT + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-label="{escape(title)}">',
        f'<style>{_STYLE}</style>{_HATCH}<rect width="100%" height="100%" fill="#fff"/>',
        f'<text class="title" x="{MARGIN}" y="46">{escape(title)}</text>',
        f'<text class="sub" x="{MARGIN}" y="68">{escape(subtitle)}</text>',
    ]
    for place, one in enumerate(series if len(series) > 1 else ()):
        y = 82 + 20 * place
        parts.append(f'<rect class="{"ab"[place]}" x="{MARGIN}" y="{y}" width="24" height="12"/>')
        parts.append(f'<text x="{MARGIN + 32}" y="{y + 11}">{escape(one.name)}</text>')
    for place, panel in enumerate(panels):
        x = MARGIN + place % 2 * (PANEL_WIDTH + GAP / 3)
        y = top + place // 2 * (PANEL_HEIGHT + GAP)
        parts.append(f'<g transform="translate({x:.0f} {y})">{panel}</g>')
    return "\n".join([*parts, "</svg>\n"])


def html(svg: str, title: str, language: str) -> str:
    """The same as a page for a browser."""
    return (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8">'
        f"<title>{escape(title)}</title><style>body{{margin:0;background:#fff}}"
        f"svg{{max-width:100%;height:auto;display:block;margin:auto}}</style>{svg}</html>\n"
    )


def _panels(series: Sequence[Series], language: str) -> list[str]:
    all_statistics = [one.statistics for one in series]

    def head(name: str) -> str:
        return say(language, f"sim.charts.{name}")

    def place(number: int, of: int) -> str:
        return say(language, "sim.dealer") if number == of - 1 else str(number + 1)

    seats = max(len(one.seats) for one in all_statistics)
    panels = [
        _shares(
            head("places"),
            [s.places for s in all_statistics],
            [place(n, seats) for n in range(seats)],
        ),
        _shares(head("seats"), [s.seats for s in all_statistics], [str(n) for n in range(seats)]),
        _histogram(head("decisions"), [_density(s.decisions) for s in all_statistics]),
        _histogram(head("points"), [s.points for s in all_statistics]),
        _bars(head("cards"), [s.cards for s in all_statistics], 1.0),
        _bars(head("endings"), [s.endings for s in all_statistics], 100.0),
    ]
    if any(s.matches for s in all_statistics):
        panels.append(_histogram(head("rounds"), [s.rounds for s in all_statistics]))
    return panels


def _frame(head: str, top: float, bottom: float = 0.0) -> list[str]:
    """Heading, grid and scale of a chart whose values go from `bottom` to `top`."""
    parts = [f'<text class="head" x="0" y="-10">{escape(head)}</text>']
    step = _round_step((top - bottom) / 4)
    value = step * floor(bottom / step + 0.999999)
    while value <= top + 1e-9:
        y = _height(value, top, bottom)
        parts.append(
            f'<line class="grid" x1="{AXIS}" x2="{PANEL_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        parts.append(f'<text class="scale" x="{AXIS - 6}" y="{y + 4:.1f}">{value:g}</text>')
        value = round(value + step, 10)
    return parts


def _round_step(rough: float) -> float:
    power = 10.0 ** floor(log10(max(rough, 1e-9)))
    return next(power * n for n in (1, 2, 5, 10) if power * n >= rough * 0.999)


def _height(value: float, top: float, bottom: float = 0.0) -> float:
    return PANEL_HEIGHT - 20 - (PANEL_HEIGHT - 20) * (value - bottom) / ((top - bottom) or 1.0)


def _columns(labels: Sequence[str], many: int) -> list[tuple[float, float]]:
    """Left edge and width of each column, with labels thinned out where they are many."""
    width = (PANEL_WIDTH - AXIS) / max(len(labels), 1)
    return [(AXIS + width * n + width * 0.1, width * 0.8 / many) for n in range(len(labels))]


def _labels(labels: Sequence[str], many: int) -> list[str]:
    every = max(1, -(-len(labels) // 16))
    y = PANEL_HEIGHT - 4
    return [
        f'<text class="label" x="{x + width * many / 2:.1f}" y="{y}">{escape(text)}</text>'
        for n, (text, (x, width)) in enumerate(zip(labels, _columns(labels, many), strict=True))
        if n % every == 0
    ]


def _shares(head: str, series: Sequence[Sequence[Figure]], labels: Sequence[str]) -> str:
    """Points with whiskers, in percent, and a line at the even share."""
    figures = [figure for one in series for figure in one]
    low = min((100 * f.low for f in figures), default=0.0)
    high = max((100 * f.high for f in figures), default=100.0)
    pad = (high - low) * 0.15 + 0.2
    low, high = max(low - pad, 0.0), min(high + pad, 100.0)
    even = 100 / max(len(labels), 1)
    low, high = min(low, even - 0.2), max(high, even + 0.2)
    parts = _frame(head, high, low) + _labels(labels, len(series))
    y = _height(even, high, low)
    parts.append(f'<line class="even" x1="{AXIS}" x2="{PANEL_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>')
    for n, one in enumerate(series):
        for figure, (x, width) in zip(one, _columns(labels, len(series)), strict=False):
            middle = x + width * (n + 0.5)
            ends = [_height(100 * v, high, low) for v in (figure.low, figure.high)]
            parts.append(
                f'<line class="whisker" x1="{middle:.1f}" x2="{middle:.1f}" '
                f'y1="{ends[0]:.1f}" y2="{ends[1]:.1f}"/>'
            )
            y = _height(100 * figure.value, high, low)
            parts.append(f'<circle class="{"ab"[n]}" cx="{middle:.1f}" cy="{y:.1f}" r="5"/>')
    return "".join(parts)


def _bars(head: str, series: Sequence[Mapping[str, Figure]], scale: float) -> str:
    labels = list(dict.fromkeys(name for one in series for name in one))
    values = [
        [one[name].value * scale if name in one else 0.0 for name in labels] for one in series
    ]
    return _columns_chart(head, labels, values)


def _density(bins: Sequence[tuple[int, int]]) -> list[tuple[int, float]]:
    """Counts of bins that grow wider and wider, for each number in them."""
    starts = [start for start, _ in bins]
    widths = [after - start for start, after in pairwise(starts)]
    return [
        (start, n / width) for (start, n), width in zip(bins, [*widths, *widths[-1:]], strict=True)
    ]


def _histogram(head: str, series: Sequence[Sequence[tuple[int, float]]]) -> str:
    """Shares of each bin, in percent; bins that hardly ever occur at the far end are left out."""
    longest = max(series, key=len)
    labels = [str(start) for start, _ in longest]
    values = []
    for one in series:
        total = sum(count for _, count in one) or 1
        padded = [100 * count / total for _, count in one]
        values.append(padded + [0.0] * (len(labels) - len(padded)))
    highest = max((value for row in values for value in row), default=0.0)
    kept = [n for n in range(len(labels)) if any(row[n] > highest / 200 for row in values)] or [0]
    span = range(kept[0], kept[-1] + 1)
    return _columns_chart(
        head, [labels[n] for n in span], [[row[n] for n in span] for row in values]
    )


def _columns_chart(head: str, labels: Sequence[str], series: Sequence[Sequence[float]]) -> str:
    top = max((value for one in series for value in one), default=1.0) * 1.08 or 1.0
    parts = _frame(head, top) + _labels(labels, len(series))
    for n, one in enumerate(series):
        for value, (x, width) in zip(one, _columns(labels, len(series)), strict=True):
            y = _height(value, top)
            parts.append(
                f'<rect class="{"ab"[n]}" x="{x + width * n:.1f}" y="{y:.1f}" '
                f'width="{width:.1f}" height="{_height(0, top) - y:.1f}"/>'
            )
    return "".join(parts)
