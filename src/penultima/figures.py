"""What a tally means: shares and means with 95 % intervals, and whether two of them differ."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import hypot, inf, isfinite, sqrt
from typing import Any, Final

from penultima.bots.tally import (
    BINS,
    BLUFFS,
    CALLS,
    CATCHES,
    CAUGHT,
    CHALLENGES,
    CHALLENGES_RIGHT,
    DRAWS,
    JUMP_INS,
    POINTS_BIN,
    RENEWALS,
    TURNS,
    Tally,
    log_bin_start,
)
from penultima.ruleset import Sheet

Z: Final = 1.959963984540054  # 95 %


@dataclass(frozen=True, slots=True)
class Figure:
    """A value with its interval; `n` is what it was counted over."""

    value: float
    low: float
    high: float
    n: int
    error: float  # the standard error, for comparisons

    def to_json(self) -> dict[str, Any]:
        return {"value": self.value, **_ends(self.low, self.high), "n": self.n}

    def minus(self, other: "Figure", comparisons: int) -> "Difference":
        """How far above the other one; whether significantly so at 5 %, shared among that many
        comparisons.

        Each end is as far off as the ends of both intervals that lie that way (Newcombe): so it is
        right for shares near 0 and 1 too, where nothing is symmetric.
        """
        value = self.value - other.value
        down = hypot(self.value - self.low, other.high - other.value)
        up = hypot(self.high - self.value, other.value - other.low)
        facing = down if value > 0 else up
        clear = abs(value) * Z > facing * normal_quantile(0.025 / comparisons)
        return Difference(value, value - down, value + up, clear)


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference with its interval."""

    value: float
    low: float
    high: float
    significant: bool

    def to_json(self) -> dict[str, Any]:
        ends = _ends(self.low, self.high)
        return {"value": self.value, **ends, "significant": self.significant}


def _ends(low: float, high: float) -> dict[str, float | None]:
    """An interval for machines; JSON has no word for an end that is not known."""
    return {
        "low": low if isfinite(low) else None,
        "high": high if isfinite(high) else None,
    }


def share(hits: int, n: int) -> Figure:
    """A proportion with its Wilson interval.

    >>> share(50, 100).low < 0.5 < share(50, 100).high
    True
    """
    if n == 0:
        return Figure(0.0, 0.0, 1.0, 0, 0.0)
    p = hits / n
    low, high = _wilson(p, n)
    return Figure(p, low if hits else 0.0, high if hits < n else 1.0, n, sqrt(p * (1 - p) / n))


def _wilson(p: float, n: float) -> tuple[float, float]:
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def mean(total: int, squares: int, n: int) -> Figure:
    """A mean with its interval, from the sum and the sum of the squares."""
    if n < 2:  # which says nothing of how far another one would lie
        return Figure(float(total), -inf, inf, n, inf)
    value = total / n
    error = sqrt(max(squares - total * total / n, 0) / (n - 1) / n)
    return Figure(value, value - Z * error, value + Z * error, n, error)


def rate(events: int, squares: int, n: int) -> Figure:
    """How often something happens in each of `n`, from the sum and the sum of the squares.

    Wilson's interval for counts: the spread is that of the sample, and in proportion to the rate.
    So it does not end below zero, and is not empty where nothing has been seen.

    >>> rate(0, 0, 100).high > 0.03, rate(3, 9, 100).error > rate(3, 3, 100).error
    (True, True)
    """
    plain = mean(events, squares, n)
    if n < 2:
        return replace(plain, low=0.0)
    dispersion = n * plain.error**2 / plain.value if plain.error else float(events == 0)
    shift = Z * Z * dispersion / (2 * n)
    half = sqrt((Z * plain.error) ** 2 + shift**2)
    middle = plain.value + shift
    return Figure(plain.value, max(middle - half, 0.0), middle + half, n, plain.error)


def ratio(hits: int, tries: int, squares: int, crossed: int, tries_squared: int, n: int) -> Figure:
    """A proportion of tries that come in `n` groups, from sums over the groups: Wilson's interval
    for as many independent tries as would spread alike."""
    found = share(hits, tries)
    p = found.value
    spread = squares - 2 * p * crossed + p * p * tries_squared
    if n < 2 or spread <= 0 or not 0 < hits < tries:
        return found
    error = sqrt(spread * n / (n - 1)) / tries
    low, high = _wilson(p, p * (1 - p) / error**2)
    return Figure(p, low, high, tries, error)


def normal_quantile(tail: float) -> float:
    """Where the upper tail of the normal distribution has that weight."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(1 - tail)


@dataclass(frozen=True)
class Statistics:
    """Everything `penultima simulate` reports, by name."""

    figures: Mapping[str, Figure]
    seats: list[Figure]  # share of rounds won by seat
    places: list[
        Figure
    ]  # … by place after the dealer: first is left of the dealer, last the dealer
    matches: list[Figure]  # share of matches won by seat
    cards: Mapping[str, Figure]  # plays of each symbol per round
    endings: Mapping[str, Figure]  # share of rounds won with each symbol
    decisions: list[tuple[int, int]]  # histogram: start of bin, rounds
    points: list[tuple[int, int]]
    rounds: list[tuple[int, int]]  # rounds per match

    @property
    def groups(self) -> dict[str, Mapping[str, Figure]]:
        """Every figure, by group and name; seats and places are named by their numbers."""

        def numbered(figures: list[Figure]) -> dict[str, Figure]:
            return {str(number): figure for number, figure in enumerate(figures)}

        return {
            "figures": self.figures,
            "places": numbered(self.places),
            "seats": numbered(self.seats),
            "matches": numbered(self.matches),
            "cards": self.cards,
            "endings": self.endings,
        }

    def minus(self, other: "Statistics") -> "Differences":
        """How far every figure that both have lies above the other one's."""
        theirs = other.groups
        both = {
            key: {
                name: (ours, theirs[key][name])
                for name, ours in group.items()
                if name in theirs[key]
            }
            for key, group in self.groups.items()
        }
        comparisons = sum(len(group) for group in both.values())
        return {
            key: {name: ours.minus(its, comparisons) for name, (ours, its) in group.items()}
            for key, group in both.items()
        }

    def to_json(self) -> dict[str, Any]:
        return {
            **shaped(self.groups),
            "histograms": {
                "decisions": self.decisions,
                "points": self.points,
                "rounds": self.rounds,
            },
        }


Differences = Mapping[str, Mapping[str, Difference]]  # by group and name
_LISTS: Final = {"places": "wins_by_place", "seats": "wins_by_seat", "matches": "matches_by_seat"}


def shaped(groups: Mapping[str, Mapping[str, Figure | Difference]]) -> dict[str, Any]:
    """Groups of figures, or of their differences, for machines."""
    shape: dict[str, Any] = {}
    for key, group in groups.items():
        each = {name: one.to_json() for name, one in group.items()}
        if key == "figures":
            shape |= each
        elif key in _LISTS:
            shape[_LISTS[key]] = list(each.values())
        else:
            shape[key] = each
    return shape


def statistics(sheet: Sheet, seats: int, tally: Tally) -> Statistics:
    rounds, won = tally.rounds, tally.rounds - tally.blocked
    counts, squares = tally.counts, tally.counts_squared

    def each_round(what: int) -> Figure:
        return rate(counts[what], squares[what], rounds)

    figures = {
        "decisions": mean(tally.decisions, tally.decisions_squared, rounds),
        "turns": mean(counts[TURNS], squares[TURNS], rounds),
        "draws": each_round(DRAWS),
        "points": mean(tally.points, tally.points_squared, won),
        "blocked": share(tally.blocked, rounds),
        "limited": share(tally.limited, rounds),
        "pile_ran_out": share(tally.renewed, rounds),
        "renewals": each_round(RENEWALS),
        "calls": each_round(CALLS),
        "catches": each_round(CATCHES),
        "caught": each_round(CAUGHT),
        "bluffs": each_round(BLUFFS),
        "challenges": each_round(CHALLENGES),
        "challenges_right": ratio(
            counts[CHALLENGES_RIGHT],
            counts[CHALLENGES],
            squares[CHALLENGES_RIGHT],
            tally.challenges_crossed,
            squares[CHALLENGES],
            rounds,
        ),
        "jump_ins": each_round(JUMP_INS),
    }
    if tally.matches:
        figures["rounds_per_match"] = mean(
            tally.match_rounds, tally.match_rounds_squared, tally.matches
        )
    return Statistics(
        figures=figures,
        seats=[share(wins, won) for wins in tally.wins[:seats]],
        places=[share(wins, won) for wins in tally.wins_by_place[:seats]],
        matches=[share(w, tally.matches) for w in tally.match_wins[:seats] if tally.matches],
        cards={
            face.symbol: rate(tally.plays[kind], tally.plays_squared[kind], rounds)
            for kind, face in enumerate(sheet.faces)
            if sheet.rules.symbol[kind] == kind
        },
        endings={s: share(n, rounds) for s, n in _by_symbol(sheet, tally.last).items()},
        decisions=_bins(tally.decisions_bins, log_bin_start),
        points=_bins(tally.points_bins, lambda place: place * POINTS_BIN),
        rounds=_bins(tally.rounds_bins, lambda place: place),
    )


def _by_symbol(sheet: Sheet, counts: list[int]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for face, count in zip(sheet.faces, counts, strict=False):
        sums[face.symbol] = sums.get(face.symbol, 0) + count
    return sums


def _bins(counts: list[int], start: Any) -> list[tuple[int, int]]:
    last = max((place for place in range(BINS) if counts[place]), default=-1)
    return [(start(place), counts[place]) for place in range(last + 1)]
