"""A learning curve: JSON to go on with, and an SVG to look at."""

import json
from pathlib import Path

WIDTH, HEIGHT, LEFT, BOTTOM = 640, 320, 56, 44
# What bots that ship reach against `eager` in Classic with two players (docs/bots.md).
MARKS = {"eager": 0.5, "basic": 0.66}


def write(
    path: Path, title: str, points: list[tuple[int, float]], about: dict[str, object]
) -> None:
    """Points are (decisions, share of rounds won). Writes `path` and beside it the same as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {"title": title, **about, "points": points}
    path.with_suffix(".json").write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    path.write_text(svg(title, points), "utf-8")


def svg(title: str, points: list[tuple[int, float]]) -> str:
    last = max(decisions for decisions, _ in points) or 1
    right, top = WIDTH - 90, 36

    def x(decisions: float) -> float:
        return LEFT + (right - LEFT) * decisions / last

    def y(share: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - top) * share / 0.8

    parts = [f'<text x="{LEFT}" y="20" font-size="14">{title}</text>']
    for share in (0, 0.2, 0.4, 0.6, 0.8):
        parts.append(
            f'<line x1="{LEFT}" x2="{right}" y1="{y(share):.1f}" y2="{y(share):.1f}" '
            f'stroke="#ddd"/><text x="{LEFT - 8}" y="{y(share) + 4:.1f}" '
            f'text-anchor="end">{share:.0%}</text>'
        )
    for step in range(5):
        decisions = last * step / 4
        parts.append(
            f'<text x="{x(decisions):.1f}" y="{HEIGHT - BOTTOM + 18}" '
            f'text-anchor="middle">{decisions:,.0f}</text>'
        )
    parts.append(
        f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">'
        "decisions of the learner</text>"
    )
    for name, share in MARKS.items():
        parts.append(
            f'<line x1="{LEFT}" x2="{right}" y1="{y(share):.1f}" y2="{y(share):.1f}" '
            f'stroke="#888" stroke-dasharray="5 4"/>'
            f'<text x="{right + 6}" y="{y(share) + 4:.1f}">{name}</text>'
        )
    line = " ".join(f"{x(d):.1f},{y(s):.1f}" for d, s in points)
    parts.append(f'<polyline points="{line}" fill="none" stroke="#1f5fc4" stroke-width="2.5"/>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="12" fill="#222">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>{"".join(parts)}</svg>\n'
    )
