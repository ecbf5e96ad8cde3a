"""A simulation as text: one figure a line with its interval, or two simulations side by side."""

from collections.abc import Iterator, Mapping

from penultima.figures import Figure, Statistics
from penultima.locale import say

_PERCENT = frozenset({"blocked", "limited", "pile_ran_out", "challenges_right"})


def lines(statistics: Statistics, language: str) -> Iterator[str]:
    for name, figure in statistics.figures.items():
        yield _line(say(language, f"sim.figures.{name}"), figure, name in _PERCENT)
    for title, figures in _groups(statistics, language):
        yield ""
        yield title
        for name, figure in figures.items():
            yield _line(f"  {name}", figure, not title.endswith(say(language, "sim.per_round")))


def compared(one: Statistics, other: Statistics, language: str) -> Iterator[str]:
    """Both values of every figure, with a star where the difference is significant."""
    pairs = [
        (
            say(language, f"sim.figures.{name}"),
            one.figures[name],
            other.figures[name],
            name in _PERCENT,
        )
        for name in one.figures
        if name in other.figures
    ]
    for (title, ours), (_, theirs) in zip(
        _groups(one, language), _groups(other, language), strict=True
    ):
        percent = not title.endswith(say(language, "sim.per_round"))
        pairs += [
            (f"{title}: {name}", ours[name], theirs[name], percent)
            for name in ours
            if name in theirs
        ]
    for name, mine, its, percent in pairs:
        mark = "*" if mine.differs(its, len(pairs)) else ""
        yield f"{name:<44} {_value(mine, percent):>10} {_value(its, percent):>10} {mark}".rstrip()
    yield ""
    yield say(language, "sim.star")


def _groups(statistics: Statistics, language: str) -> Iterator[tuple[str, Mapping[str, Figure]]]:
    seats = len(statistics.seats)
    dealer = say(language, "sim.dealer")
    places = [dealer if n == seats - 1 else str(n + 1) for n in range(seats)]
    yield say(language, "sim.groups.places"), dict(zip(places, statistics.places, strict=True))
    by_seat = {str(n): figure for n, figure in enumerate(statistics.seats)}
    yield say(language, "sim.groups.seats"), by_seat
    if statistics.matches:
        by_match = {str(n): figure for n, figure in enumerate(statistics.matches)}
        yield say(language, "sim.groups.matches"), by_match
    cards = f"{say(language, 'sim.groups.cards')} {say(language, 'sim.per_round')}"
    yield cards, statistics.cards
    yield say(language, "sim.groups.endings"), statistics.endings


def _line(name: str, figure: Figure, percent: bool) -> str:
    low, high = (_number(value, percent) for value in (figure.low, figure.high))
    return f"{name:<40} {_value(figure, percent):>10}   {low} – {high}"


def _value(figure: Figure, percent: bool) -> str:
    return _number(figure.value, percent) + ("%" if percent else "")


def _number(value: float, percent: bool) -> str:
    return f"{value * 100:.2f}" if percent else f"{value:.3f}"
