"""Contests of bots on duplicate deals: every deal is played with the seats rotated through.

The result of a chunk is who won which rotation of which deal, and which moves bots forfeited: a
pure function of the contest and of the numbers of its deals; all figures are made from those, in
order (`standings`). So it does not matter who did the work, whether it was compiled or interpreted,
or whether it was stopped and taken up again.
"""

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from penultima import speed
from penultima.bots import MANNERS
from penultima.bots.host import PATIENCE, Forfeit, Host
from penultima.bots.table import finish_round, start_game
from penultima.bots.tally import Tally, round_winner
from penultima.cards import NOBODY
from penultima.errors import ArenaError
from penultima.players import seat
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import Sheet
from penultima.system import reason

CHUNK_FAST: Final = 1_000  # deals that compiled bots play in a chunk
CHUNK: Final = 2

Rows = list[list[int]]  # for each deal and each rotation of it: the place in the line-up that won


@dataclass(frozen=True)
class Line:
    """Bots at a table of an edition: the seats of the first rotation."""

    sheet: Sheet
    bots: tuple[str, ...]

    @property
    def core(self) -> bool:
        """Whether all of them are bots of the core, with a luck that they share."""
        return all(bot in MANNERS for bot in self.bots)

    @property
    def thinks(self) -> bool:
        """Whether `sharp` is one of them."""
        return any(bot.partition(":")[0] == "sharp" for bot in self.bots)

    @property
    def fast(self) -> bool:
        """Whether all of them can play compiled, and here."""
        return self.core and speed.compiled()


@dataclass
class Chunk:
    """What came of some deals: who won; by place in the line-up how many moves were forfeited, and
    the first one of each bot that forfeited any.
    """

    won: Rows
    forfeits: list[int]
    first: dict[str, Forfeit] = field(default_factory=dict)


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


def play_chunk(line: Line, seed: int, first: int, deals: int) -> Chunk:
    """Play some deals, each with all of its rotations."""
    seats = len(line.bots)
    found = Chunk([], [0] * seats)
    if not line.core:
        rows = _hosted(line, seed, first, deals, found)
    else:
        rows = (_fast if line.fast else _plain)(line, seed, first, deals)
    found.won = [
        [(winner - turn) % seats if winner != NOBODY else NOBODY for turn, winner in enumerate(row)]
        for row in rows
    ]
    return found


def rotated(bots: Sequence[str], turn: int) -> list[str]:
    """Everybody moves up so many seats.

    >>> rotated("abc", 1)
    ['c', 'a', 'b']
    """
    return [bots[(seat - turn) % len(bots)] for seat in range(len(bots))]


def _hosted(line: Line, seed: int, first: int, deals: int, found: Chunk) -> Rows:
    """Who won, by seat, with each bot asked by itself."""
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
            players = [seat(bot, luck + n) for n, bot in bots]
            tell = partial(_count, found, turn)
            Host(line.sheet, players, PATIENCE, tell).play_round(game, trace)
            row.append(round_winner(game))
        rows.append(row)
    return rows


def _count(found: Chunk, turn: int, forfeit: Forfeit) -> None:
    found.forfeits[(forfeit.seat - turn) % len(found.forfeits)] += 1
    found.first.setdefault(forfeit.player, forfeit)


def _plain(line: Line, seed: int, first: int, deals: int) -> Rows:
    """As `_fast`, interpreted."""
    rules = line.sheet.rules
    game, trace, seen = Game(rules.size), Trace(rules.size.bulk), Seen(rules.size)
    game.seats = len(line.bots)
    mask, tally = [0] * rules.size.mask_words, Tally(rules.size.bulk)
    rows = []
    for deal in range(first, first + deals):
        row = []
        for turn in range(game.seats):
            manners = [MANNERS[bot] for bot in rotated(line.bots, turn)]
            start_game(rules, game, trace, seed, deal)
            winner, _ = finish_round(rules, game, trace, mask, seen, tally, manners, 0)
            row.append(winner)
        rows.append(row)
    return rows


def _fast(line: Line, seed: int, first: int, deals: int) -> Rows:
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
    rows: Rows = winners.T.tolist()
    return rows


@dataclass
class Results:
    """What has been played so far, by line and first deal."""

    contest: Contest
    chunks: dict[tuple[int, int], Chunk] = field(default_factory=dict)

    @property
    def rounds(self) -> int:
        return sum(len(row) for chunk in self.chunks.values() for row in chunk.won)

    @property
    def all_rounds(self) -> int:
        return sum(self.contest.deals * len(line.bots) for line in self.contest.lines)

    def deals(self) -> Iterator[tuple[Line, list[int]]]:
        """Every deal in order: its line, and who won its rotations."""
        for place, first in sorted(self.chunks):
            for row in self.chunks[place, first].won:
                yield self.contest.lines[place], row

    def forfeits(self, bot: str, only: Line | None = None) -> int:
        """The moves that a bot has forfeited, at all tables or at one."""
        found = 0
        for (place, _), chunk in self.chunks.items():
            line = self.contest.lines[place]
            if only is None or line == only:
                seated = zip(line.bots, chunk.forfeits, strict=True)
                found += sum(moves for name, moves in seated if name == bot)
        return found

    def first_forfeits(self) -> dict[str, Forfeit]:
        """The first move that each bot forfeited, of those that forfeited any."""
        found: dict[str, Forfeit] = {}
        for where in sorted(self.chunks):
            found = {**self.chunks[where].first, **found}
        return found


class Journal:
    """A file that keeps finished chunks, so that a contest can be taken up again."""

    def __init__(self, file: Path, contest: Contest) -> None:
        self.file = file
        self._head = contest.to_json()

    def read(self) -> dict[tuple[int, int], Chunk]:
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
            done = {(int(e["line"]), int(e["first"])): self._chunk(e) for e in rest}
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise ArenaError("journal_unreadable", file=str(self.file)) from error
        if head != self._head:
            raise ArenaError("journal_other", file=str(self.file))
        return done

    def _chunk(self, entry: dict[str, Any]) -> Chunk:
        seats = len(self._head["lines"][int(entry["line"])]["bots"])
        first = {name: Forfeit(**told) for name, told in entry.get("first_forfeits", {}).items()}
        return Chunk(entry["won"], entry.get("forfeits", [0] * seats), first)

    def keep(self, line: int, first: int, chunk: Chunk) -> None:
        entry: dict[str, Any] = {"line": line, "first": first, "won": chunk.won}
        if any(chunk.forfeits):
            entry["forfeits"] = chunk.forfeits
            entry["first_forfeits"] = {name: asdict(told) for name, told in chunk.first.items()}
        self._write(entry, "a")

    def _write(self, entry: Any, mode: str) -> None:
        try:
            with self.file.open(mode, encoding="utf-8") as file:
                file.write(json.dumps(entry, separators=(",", ":")) + "\n")
        except OSError as error:
            raise ArenaError("not_written", file=str(self.file), reason=reason(error)) from error


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
        kept = known.get((place, first))
        if kept is not None and len(kept.won) == deals:
            results.chunks[place, first] = kept
    waiting: dict[Future[Chunk], tuple[int, int]] = {}
    todo = iter([chunk for chunk in chunks if chunk[:2] not in results.chunks])
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
                results.chunks[where] = future.result()
                if journal:
                    journal.keep(*where, results.chunks[where])
            progress(results)
    finally:
        for future in waiting:
            future.cancel()
