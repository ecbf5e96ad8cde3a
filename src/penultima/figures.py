"""What a tally means: shares and means with 95 % intervals, and whether two of them differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from penultima.bots.tally import BINS, POINTS_BIN, Tally, log_bin_start
from penultima.rules.actions import CALL, CATCH, CHALLENGE, PLAY
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

    def to_json(self) -> dict[str, float | int]:
        return {"value": self.value, "low": self.low, "high": self.high, "n": self.n}

    def differs(self, other: "Figure", comparisons: int) -> bool:
        """Whether the difference is significant at 5 %, shared among that many comparisons."""
        spread = sqrt(self.error**2 + other.error**2)
        if spread == 0.0:
            return self.value != other.value
        return abs(self.value - other.value) / spread > normal_quantile(0.025 / comparisons)


def share(hits: int, n: int) -> Figure:
    """A proportion with its Wilson interval.

    >>> share(50, 100).low < 0.5 < share(50, 100).high
    True
    """
    if n == 0:
        return Figure(0.0, 0.0, 1.0, 0, 0.0)
    p = hits / n
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)) / (1 + Z * Z / n)
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    return Figure(p, low if hits else 0.0, high if hits < n else 1.0, n, sqrt(p * (1 - p) / n))


def mean(total: int, squares: int, n: int) -> Figure:
    """A mean with its interval, from the sum and the sum of the squares."""
    if n == 0:
        return Figure(0.0, 0.0, 0.0, 0, 0.0)
    value = total / n
    error = sqrt(max(squares - total * total / n, 0) / (n - 1) / n) if n > 1 else 0.0
    return Figure(value, value - Z * error, value + Z * error, n, error)


def rate(events: int, n: int) -> Figure:
    """How often something happens in each of `n`, as rare events scatter."""
    if n == 0:
        return Figure(0.0, 0.0, 0.0, 0, 0.0)
    value, error = events / n, sqrt(events) / n
    return Figure(value, max(value - Z * error, 0.0), value + Z * error, n, error)


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

    def to_json(self) -> dict[str, Any]:
        def each(figures: Mapping[str, Figure]) -> dict[str, Any]:
            return {name: figure.to_json() for name, figure in figures.items()}

        return {
            **each(self.figures),
            "wins_by_seat": [figure.to_json() for figure in self.seats],
            "wins_by_place": [figure.to_json() for figure in self.places],
            "matches_by_seat": [figure.to_json() for figure in self.matches],
            "cards": each(self.cards),
            "endings": each(self.endings),
            "histograms": {
                "decisions": self.decisions,
                "points": self.points,
                "rounds": self.rounds,
            },
        }


def statistics(sheet: Sheet, seats: int, tally: Tally) -> Statistics:
    taken = [before + after for before, after in zip(*tally.actions, strict=True)]
    rounds, won = tally.rounds, tally.rounds - tally.blocked
    figures = {
        "decisions": mean(tally.decisions, tally.decisions_squared, rounds),
        "turns": mean(tally.turns, tally.turns_squared, rounds),
        "draws": mean(tally.draws, tally.draws_squared, rounds),
        "points": mean(tally.points, tally.points_squared, won),
        "blocked": share(tally.blocked, rounds),
        "limited": share(tally.limited, rounds),
        "pile_ran_out": share(tally.renewed, rounds),
        "renewals": rate(tally.renewals, rounds),
        "calls": rate(taken[CALL], rounds),
        "catches": rate(taken[CATCH], rounds),
        "caught": rate(tally.caught, rounds),
        "bluffs": rate(tally.bluffs, rounds),
        "challenges": rate(taken[CHALLENGE], rounds),
        "challenges_right": share(tally.challenges_right, taken[CHALLENGE]),
        "jump_ins": rate(tally.jump_ins, rounds),
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
        cards={s: rate(n, rounds) for s, n in _by_symbol(sheet, _plays(sheet, taken)).items()},
        endings={s: share(n, rounds) for s, n in _by_symbol(sheet, tally.last).items()},
        decisions=_bins(tally.decisions_bins, log_bin_start),
        points=_bins(tally.points_bins, lambda place: place * POINTS_BIN),
        rounds=_bins(tally.rounds_bins, lambda place: place),
    )


def _plays(sheet: Sheet, taken: list[int]) -> list[int]:
    """Plays by kind, of plays by action."""
    plays = [0] * len(sheet.faces)
    rules = sheet.rules
    for play, count in enumerate(taken[PLAY:]):
        plays[rules.played_kind[play]] += count
    return plays


def _by_symbol(sheet: Sheet, counts: list[int]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for face, count in zip(sheet.faces, counts, strict=False):
        sums[face.symbol] = sums.get(face.symbol, 0) + count
    return sums


def _bins(counts: list[int], start: Any) -> list[tuple[int, int]]:
    last = max((place for place in range(BINS) if counts[place]), default=-1)
    return [(start(place), counts[place]) for place in range(last + 1)]
