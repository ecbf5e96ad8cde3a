"""Bulk play: games of bots by the million, cut into seeded chunks that any executor can take.

A chunk is a pure function of the job and of the numbers of its games, and its result is a tally of
integers; so the sum is the same whatever did the work, in whatever order, in however many pieces,
compiled or interpreted.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, Final

from penultima import speed
from penultima.bots import MANNERS
from penultima.bots.table import play_game
from penultima.bots.tally import Tally
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import Sheet

CHUNK_ROUNDS: Final = 2_000
CHUNK_MATCHES: Final = 250
INTERPRETED: Final = 100  # times smaller are the chunks of the interpreted core
SEED_LIMIT: Final = 2**62


@dataclass(frozen=True)
class Job:
    """What is played: the sheet, who sits where, and the seed of all chance."""

    sheet: Sheet
    bots: tuple[str, ...]  # one a seat
    seed: int = 0
    matches: bool = False  # whole matches instead of single rounds

    @property
    def seats(self) -> int:
        return len(self.bots)

    @property
    def manners(self) -> Any:
        """The bots as an array of records, for compiled play."""
        from penultima.compiled import to_array

        return to_array(*(MANNERS[bot] for bot in self.bots))


def play_chunk(job: Job, first: int, count: int) -> bytes:
    """The tally of `count` games from `first` on, as bytes."""
    return (_fast if speed.compiled() else _plain)(job, first, count)


def _fast(job: Job, first: int, count: int) -> bytes:
    import numpy as np

    from penultima.compiled import dtype, play_games, to_array

    rules = job.sheet.rules
    bulk = rules.size.bulk
    games = np.zeros(1, dtype(Game, rules.size))
    games["seats"] = job.seats
    tallies = np.zeros(1, dtype(Tally, bulk))
    play_games(
        to_array(rules),
        games,
        np.zeros(1, dtype(Trace, bulk)),
        np.zeros((1, rules.size.mask_words), np.int64),
        np.zeros(1, dtype(Seen, rules.size)),
        tallies,
        job.manners,
        job.seed,
        first,
        count,
        job.matches,
        True,
    )
    return tallies.tobytes()


def _plain(job: Job, first: int, count: int) -> bytes:
    rules = job.sheet.rules
    game, trace, seen = Game(rules.size), Trace(rules.size.bulk), Seen(rules.size)
    game.seats = job.seats
    tally = Tally(rules.size.bulk)
    mask = [0] * rules.size.mask_words
    manners = [MANNERS[bot] for bot in job.bots]
    for number in range(first, first + count):
        play_game(
            rules, game, trace, mask, seen, tally, manners, job.seed, number, job.matches, True
        )
    return tally.to_bytes()


def chunks(job: Job, games: int) -> Iterator[tuple[int, int]]:
    """First number and count of each chunk."""
    size = CHUNK_MATCHES if job.matches else CHUNK_ROUNDS
    if not speed.compiled():
        size = max(size // INTERPRETED, 1)
    for first in range(0, games, size):
        yield first, min(size, games - first)


def simulate(
    job: Job,
    games: int,
    executor: Executor,
    progress: Callable[[Tally], None] = lambda tally: None,
    ahead: int = 2 * (os.cpu_count() or 1),
) -> Tally:
    """Play the games and add up what was counted.

    `progress` is shown the tally so far after every chunk. When it raises, as on Ctrl-C, no new
    chunks are begun and the exception goes on.
    """
    size = job.sheet.rules.size.bulk
    total = Tally(size)
    waiting: set[Future[bytes]] = set()
    todo = chunks(job, games)
    try:
        while True:
            for first, count in todo:
                waiting.add(executor.submit(play_chunk, job, first, count))
                if len(waiting) >= ahead:
                    break
            if not waiting:
                return total
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                total = added(total, Tally.from_bytes(future.result(), size))
            progress(total)
    finally:
        for future in waiting:
            future.cancel()


def added(one: Tally, other: Tally) -> Tally:
    """Both together, in Python's integers: a sum of squares can outgrow a machine word."""
    total = Tally(one.size)
    for name in Tally.FIELDS:
        setattr(total, name, _sum(getattr(one, name), getattr(other, name)))
    return total


def _sum(one: Any, other: Any) -> Any:
    if isinstance(one, int):
        return one + other
    return [_sum(*pair) for pair in zip(one, other, strict=True)]
