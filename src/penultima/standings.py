"""What a contest comes to: how every bot has done, bot against bot, and ratings."""

import itertools
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from penultima.arena import Line, Results
from penultima.cards import NOBODY


@dataclass(frozen=True)
class Standing:
    """How a bot has done: the share of rounds that each of its seats won."""

    bot: str
    games: int
    wins: int
    rate: float
    low: float
    high: float
    forfeits: int


def standings(results: Results, only: Line | None = None) -> list[Standing]:
    """Every bot in order of appearance; the interval is that of the mean over deals."""
    shares: dict[str, list[float]] = {}
    games: dict[str, int] = {}
    wins: dict[str, int] = {}
    for line, row in results.deals():
        if only is not None and line != only:
            continue
        for bot in dict.fromkeys(line.bots):
            places = [place for place, name in enumerate(line.bots) if name == bot]
            won = sum(winner in places for winner in row)
            shares.setdefault(bot, []).append(won / (len(places) * len(row)))
            games[bot] = games.get(bot, 0) + len(places) * len(row)
            wins[bot] = wins.get(bot, 0) + won
    return [
        Standing(
            bot,
            games[bot],
            wins[bot],
            *_mean(shares[bot], games[bot]),
            forfeits=results.forfeits(bot, only),
        )
        for bot in shares
    ]


def _mean(shares: list[float], games: int) -> tuple[float, float, float]:
    """Mean with its 95 % interval, never narrower than a lone count of as many games allows at 0
    and 1."""
    number = len(shares)
    mean = sum(shares) / number
    spread = sqrt(sum((share - mean) ** 2 for share in shares) / max(number - 1, 1) / number)
    half = max(1.96 * spread, 1.0 / games) if number > 1 else 1.0
    return mean, max(mean - half, 0.0), min(mean + half, 1.0)


def pairs(results: Results) -> dict[tuple[str, str], tuple[int, int, float]]:
    """For two bots at one table: rounds the first won, the second won, and the first's share of
    them, seat for seat."""
    counted: dict[tuple[str, str], list[int]] = {}
    for line, row in results.deals():
        names = list(dict.fromkeys(line.bots))
        for one, other in itertools.permutations(names, 2):
            entry = counted.setdefault((one, other), [0, 0, 0, 0])
            entry[0] += sum(w != NOBODY and line.bots[w] == one for w in row)
            entry[1] += sum(w != NOBODY and line.bots[w] == other for w in row)
            entry[2] += line.bots.count(one) * len(row)
            entry[3] += line.bots.count(other) * len(row)
    found = {}
    for pair, (ours, theirs, seats, others) in counted.items():
        mine, its = ours / seats, theirs / others
        found[pair] = ours, theirs, mine / (mine + its) if mine + its else 0.5
    return found


MOST_RATED: Final = 20_000  # rounds; a rating hardly moves after that


def ratings(results: Results) -> dict[str, tuple[float, float]]:
    """OpenSkill's mean and uncertainty of every bot (Plackett-Luce), round after round."""
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)  # a bot does not change from round to round
    known: dict[str, Any] = {}
    rounds = ((line, winner) for line, row in results.deals() for winner in row)
    for line, winner in itertools.islice(rounds, MOST_RATED):
        if winner == NOBODY:
            continue
        for bot in line.bots:
            known.setdefault(bot, model.rating(name=bot))
        seats = [[model.create_rating([known[b].mu, known[b].sigma])] for b in line.bots]
        rated = model.rate(seats, ranks=[int(n != winner) for n in range(len(seats))])
        for bot in dict.fromkeys(line.bots):  # one that has several seats learns from each
            mine = [team[0] for team, name in zip(rated, line.bots, strict=True) if name == bot]
            known[bot].mu = sum(r.mu for r in mine) / len(mine)
            known[bot].sigma = sum(r.sigma for r in mine) / len(mine)
    return {bot: (rating.mu, rating.sigma) for bot, rating in known.items()}
