"""A simulation as text: one figure a line with its interval, or two simulations side by side."""

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Final

from penultima.figures import Difference, Figure, Statistics
from penultima.locale import say

_PERCENT: Final = frozenset({"blocked", "limited", "pile_ran_out", "challenges_right"})
_NAME: Final = 40


def lines(found: Statistics, bots: Sequence[str], language: str) -> Iterator[str]:
    """Every figure with its interval; `bots` sit at the seats in that order."""
    yield _row("", say(language, "sim.value"), say(language, "sim.interval"))
    for group, figures in found.groups.items():
        yield from _heading(group, bool(figures), language)
        for name, figure in figures.items():
            percent = _is_percent(group, name)
            value, interval = _number(figure.value, percent), _interval(figure, percent)
            yield _row(_label(group, name, bots, language), value, interval)


def compared(
    one: Statistics, other: Statistics, bots: Sequence[str], language: str
) -> Iterator[str]:
    """Both values of every figure and how far the second lies above the first, with the interval
    of that and a star where it is significant."""
    yield _row("", "(1)", _pair("(2)", "(2) − (1)", say(language, "sim.interval")))
    ours, theirs = one.groups, other.groups
    for group, differences in other.minus(one).items():
        yield from _heading(group, bool(differences), language)
        for name, apart in differences.items():
            percent = _is_percent(group, name)
            first, second = (_number(of[group][name].value, percent) for of in (ours, theirs))
            value = _number(apart.value, percent, "+")
            mark = "  *" if apart.significant else ""
            pair = _pair(second, value, _interval(apart, percent, "+") + mark)
            yield _row(_label(group, name, bots, language), first, pair)
    yield ""
    yield say(language, "sim.star")


def _heading(group: str, filled: bool, language: str) -> Iterator[str]:
    if group != "figures" and filled:
        unit = f" {say(language, 'sim.per_round')}" if group == "cards" else ""
        yield ""
        yield say(language, f"sim.groups.{group}") + unit


def _label(group: str, name: str, bots: Sequence[str], language: str) -> str:
    match group:
        case "figures":
            return say(language, f"sim.figures.{name}")
        case "places":
            last = int(name) == len(bots) - 1
            return f"  {say(language, 'sim.dealer') if last else int(name) + 1}"
        case "seats" | "matches":
            return f"  {name} ({bots[int(name)]})"
    return f"  {name}"


def _is_percent(group: str, name: str) -> bool:
    return name in _PERCENT if group == "figures" else group != "cards"


def _row(name: str, value: str, rest: str) -> str:
    return f"{name:<{_NAME}} {value:>10}   {rest}".rstrip()


def _pair(second: str, value: str, interval: str) -> str:
    return f"{second:>7}   {value:>10}   {interval}"


def _interval(one: Figure | Difference, percent: bool, sign: str = "") -> str:
    low, high = (_number(end, percent, sign) for end in (one.low, one.high))
    return f"{low} … {high}"


def _number(value: float, percent: bool, sign: str = "") -> str:
    if not isfinite(value):
        return "?"
    return f"{value * 100:{sign}.2f}%" if percent else f"{value:{sign}.3f}"
