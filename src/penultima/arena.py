"""Contests of bots on duplicate deals: every deal is played with the seats rotated through.

The result of a chunk is who won which rotation of which deal, a pure function of the contest and of
the numbers of its deals; all figures are made from those, in order. So it does not matter who did
the work, or whether it was stopped and taken up again.
"""

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from importlib.util import find_spec
from math import sqrt
from pathlib import Path
from typing import Any, Final

from penultima.bots import MANNERS
from penultima.bots.host import Host
from penultima.bots.table import start_game
from penultima.bots.tally import Tally, round_winner
from penultima.cards import NOBODY
from penultima.errors import ArenaError
from penultima.players import seat
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import Sheet

CHUNK_FAST: Final = 1_000  # deals that bots of the core play in a chunk
CHUNK: Final = 2


@dataclass(frozen=True)
class Line:
    """Bots at a table of an edition: the seats of the first rotation."""

    sheet: Sheet
    bots: tuple[str, ...]

    @property
    def fast(self) -> bool:
        """Whether all of them can play compiled, and here."""
        return find_spec("numba") is not None and all(bot in MANNERS for bot in self.bots)


@dataclass(frozen=True)
class Contest:
    """What is played: every line-up, so many deals each."""

    lines: tuple[Line, ...]
    deals: int
    seed: int

    def chunks(self) -> Iterator[tuple[int, int, int]]:
        """Line, first deal and number of deals of each chunk."""
        for place, line in enumerate(self.lines):
            size = CHUNK_FAST if line.fast else CHUNK
            for first in range(0, self.deals, size):
                yield place, first, min(size, self.deals - first)

    def to_json(self) -> dict[str, Any]:
        lines = [{"rules": line.sheet.hash, "bots": list(line.bots)} for line in self.lines]
        return {"lines": lines, "seed": self.seed}


def line_ups(bots: Sequence[str], players: int) -> list[tuple[str, ...]]:
    """Who sits together: the last one named fills the seats that are left; of too many, every
    combination.

    >>> line_ups(["sharp", "basic"], 4)
    [('sharp', 'basic', 'basic', 'basic')]
    >>> line_ups(["a", "b", "c"], 2)
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    if len(bots) > players:
        return list(itertools.combinations(bots, players))
    return [(*bots, *[bots[-1]] * (players - len(bots)))]


def play_chunk(line: Line, seed: int, first: int, deals: int) -> list[list[int]]:
    """For each deal and each rotation of it the place in the line-up that won, or NOBODY."""
    play = _fast if line.fast else _slow
    seats = len(line.bots)
    return [
        [(winner - turn) % seats if winner != NOBODY else NOBODY for turn, winner in enumerate(row)]
        for row in play(line, seed, first, deals)
    ]


def rotated(bots: Sequence[str], turn: int) -> list[str]:
    """Everybody moves up so many seats.

    >>> rotated("abc", 1)
    ['c', 'a', 'b']
    """
    return [bots[(seat - turn) % len(bots)] for seat in range(len(bots))]


def _slow(line: Line, seed: int, first: int, deals: int) -> list[list[int]]:
    rules = line.sheet.rules
    seats = len(line.bots)
    rows = []
    for deal in range(first, first + deals):
        row = []
        for turn in range(seats):
            game, trace = Game(rules.size), Trace(rules.size.bulk)
            game.seats = seats
            start_game(rules, game, trace, seed, deal)
            luck = (seed * 1_000_003 + deal) * 100 + turn * 10
            bots = enumerate(rotated(line.bots, turn))
            Host(line.sheet, [seat(bot, luck + n) for n, bot in bots]).play_round(game, trace)
            row.append(round_winner(game))
        rows.append(row)
    return rows


def _fast(line: Line, seed: int, first: int, deals: int) -> list[list[int]]:
    import numpy as np

    from penultima.compiled import dtype, play_deals, to_array

    size = line.sheet.rules.size
    games = np.zeros(1, dtype(Game, size))
    games["seats"] = len(line.bots)
    rules = to_array(line.sheet.rules)
    traces = np.zeros(1, dtype(Trace, size.bulk))
    masks = np.zeros((1, size.mask_words), np.int64)
    seen, tallies = np.zeros(1, dtype(Seen, size)), np.zeros(1, dtype(Tally, size.bulk))
    winners, points = np.zeros((len(line.bots), deals), np.int64), np.zeros(deals, np.int64)
    for turn, row in enumerate(winners):
        manners = to_array(*(MANNERS[bot] for bot in rotated(line.bots, turn)))
        play_deals(rules, games, traces, masks, seen, tallies, manners, seed, first, row, points)
    rows: list[list[int]] = winners.T.tolist()
    return rows


@dataclass
class Results:
    """What has been played so far, by line and deal."""

    contest: Contest
    won: dict[tuple[int, int], list[list[int]]] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        return sum(len(row) for rows in self.won.values() for row in rows)

    @property
    def all_rounds(self) -> int:
        return sum(self.contest.deals * len(line.bots) for line in self.contest.lines)

    def deals(self) -> Iterator[tuple[Line, list[int]]]:
        """Every deal in order: its line, and who won its rotations."""
        for place, first in sorted(self.won):
            for row in self.won[place, first]:
                yield self.contest.lines[place], row


@dataclass(frozen=True)
class Standing:
    """How a bot has done: the share of rounds that each of its seats won."""

    bot: str
    games: int
    wins: int
    rate: float
    low: float
    high: float


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
    return [Standing(bot, games[bot], wins[bot], *_mean(shares[bot], games[bot])) for bot in shares]


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


class Journal:
    """A file that keeps finished chunks, so that a contest can be taken up again."""

    def __init__(self, file: Path, contest: Contest) -> None:
        self.file = file
        self._head = contest.to_json()

    def read(self) -> dict[tuple[int, int], list[list[int]]]:
        """What is done already; raises `ArenaError` if the file is of another contest."""
        if not self.file.exists():
            self._write(self._head, "w")
            return {}
        try:
            text = self.file.read_text("utf-8")
            whole = text[: text.rfind("\n") + 1]  # a line that was being written is lost
            if whole != text:
                self.file.write_text(whole, "utf-8")
            head, *rest = (json.loads(line) for line in whole.splitlines())
            done = {(int(e["line"]), int(e["first"])): e["won"] for e in rest}
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise ArenaError("journal_unreadable", file=str(self.file)) from error
        if head != self._head:
            raise ArenaError("journal_other", file=str(self.file))
        return done

    def keep(self, line: int, first: int, won: list[list[int]]) -> None:
        self._write({"line": line, "first": first, "won": won}, "a")

    def _write(self, entry: Any, mode: str) -> None:
        try:
            with self.file.open(mode, encoding="utf-8") as file:
                file.write(json.dumps(entry, separators=(",", ":")) + "\n")
        except OSError as error:
            reason = error.strerror or ""
            raise ArenaError("not_written", file=str(self.file), reason=reason) from error


def hold(
    contest: Contest,
    executor: Executor,
    progress: Callable[[Results], None] = lambda results: None,
    journal: Journal | None = None,
    ahead: int = 8,
) -> Results:
    """Hold a contest; `progress` is shown the results so far after every chunk."""
    known = journal.read() if journal else {}
    chunks = list(contest.chunks())
    results = Results(contest)
    for place, first, deals in chunks:
        if len(known.get((place, first), [])) == deals:
            results.won[place, first] = known[place, first]
    waiting: dict[Future[list[list[int]]], tuple[int, int]] = {}
    todo = iter([chunk for chunk in chunks if chunk[:2] not in results.won])
    try:
        while True:
            for place, first, deals in todo:
                line = contest.lines[place]
                future = executor.submit(play_chunk, line, contest.seed, first, deals)
                waiting[future] = place, first
                if len(waiting) >= ahead:
                    break
            if not waiting:
                return results
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                where = waiting.pop(future)
                results.won[where] = future.result()
                if journal:
                    journal.keep(*where, results.won[where])
            progress(results)
    finally:
        for future in waiting:
            future.cancel()
