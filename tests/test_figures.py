"""What a tally means: every interval covers the true value as often as it says."""

import json
from concurrent.futures import Executor, Future
from math import inf
from typing import Any

import numpy as np
import pytest

from penultima import sim
from penultima.bots import MANNERS
from penultima.bots.table import play_game
from penultima.bots.tally import COUNTS, Tally
from penultima.edition import shipped
from penultima.figures import Figure, Statistics, mean, rate, ratio, share, statistics
from penultima.rules.schema import Game, Seen, Trace
from penultima.sim import Job, added, play_chunk, simulate

# One process compiles for all of them.
pytestmark = pytest.mark.xdist_group("compiled")

BOTS = ("easy", "random", "eager", "eager")  # who forget to call, bluff and challenge


def every_row(found: Statistics) -> dict[str, Figure]:
    rows = dict(found.figures)
    for group in ("cards", "endings"):
        rows |= {f"{group} {name}": one for name, one in getattr(found, group).items()}
    for group in ("seats", "places", "matches"):
        rows |= {f"{group} {place}": one for place, one in enumerate(getattr(found, group))}
    return rows


@pytest.mark.parametrize(
    ("edition", "options", "whole_matches", "games"),
    [
        ("classic", {"jump_in": True}, False, 400),
        ("violet", {"stacking": "same"}, False, 400),
        ("classic", {"target": 100}, True, 60),
    ],
    ids=["rounds", "another edition", "matches"],
)
def test_every_interval_covers_the_truth_as_often_as_it_says(
    edition: str, options: dict[str, Any], whole_matches: bool, games: int
) -> None:
    sheet = shipped(edition).sheet.with_options(options)
    size = sheet.rules.size.bulk
    parts = [
        Tally.from_bytes(play_chunk(Job(sheet, BOTS, seed, whole_matches), 0, games), size)
        for seed in range(300)
    ]
    total = Tally(size)
    for part in parts:
        total = added(total, part)
    truth = every_row(statistics(sheet, len(BOTS), total))
    assert len(truth) > 40
    covered = dict.fromkeys(truth, 0)
    for part in parts:
        for name, found in every_row(statistics(sheet, len(BOTS), part)).items():
            covered[name] += found.low <= truth[name].value <= found.high
    for name, times in covered.items():
        # 95 % of 300 are 285. What is counted less than once covers in steps, as Wilson's does.
        expected = truth[name].value * games
        assert times >= (268 if expected > 1 else 245), (name, times, truth[name])
        if expected > 20:
            assert times <= 298, (name, times, truth[name])


def test_the_spread_is_that_of_the_games_one_by_one() -> None:
    sheet = shipped("violet").sheet.with_options({"jump_in": True})
    number, seed = 25, 3
    manners = [MANNERS[bot] for bot in BOTS]
    each = []
    for game_number in range(number):
        tally, game = Tally(), Game()
        game.seats = len(BOTS)
        play_game(
            *(sheet.rules, game, Trace(), [0] * sheet.rules.size.mask_words, Seen(), tally),
            *(manners, seed, game_number, False, True),
        )
        each.append(tally)
    size = sheet.rules.size.bulk
    whole = Tally.from_bytes(play_chunk(Job(sheet, BOTS, seed), 0, number), size)
    for sums, squares in (("counts", "counts_squared"), ("plays", "plays_squared")):
        counted = np.array([getattr(tally, sums) for tally in each])
        assert counted.sum(axis=0).tolist() == getattr(whole, sums)
        assert (counted**2).sum(axis=0).tolist() == getattr(whole, squares)
    assert all(whole.counts[:COUNTS])  # every one has happened
    assert sum(whole.plays) == sum(map(sum, (row[60:] for row in whole.actions)))


class Given(Executor):
    """Every chunk has this result."""

    def __init__(self, result: Tally) -> None:
        self._result = result.to_bytes()

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
        future: Future[bytes] = Future()
        future.set_result(self._result)
        return future


def test_sums_that_outgrow_a_machine_word_stay_exact() -> None:
    job = Job(shipped("classic").sheet, BOTS)
    part = Tally(job.sheet.rules.size.bulk)
    part.rounds = sim.CHUNK_ROUNDS
    part.points = part.plays[3] = part.counts[1] = 2**30
    part.points_squared = part.plays_squared[3] = part.counts_squared[1] = 2**62
    total = simulate(job, 6 * sim.CHUNK_ROUNDS, Given(part))
    assert total.rounds == 6 * sim.CHUNK_ROUNDS
    assert total.points_squared == total.plays_squared[3] == total.counts_squared[1] == 6 * 2**62
    assert statistics(job.sheet, 4, total).figures["points"].error > 0


def test_a_rate_has_the_spread_of_its_sample() -> None:
    single, in_pairs = rate(100, 100, 1000), rate(100, 200, 1000)
    assert single.value == in_pairs.value == 0.1
    assert in_pairs.high - in_pairs.low > 1.4 * (single.high - single.low)
    assert rate(0, 0, 1000).low == 0.0 and 0.003 < rate(0, 0, 1000).high < 0.005
    steady = rate(5000, 25_000, 1000)  # five every time
    assert steady.low == steady.value == steady.high == 5.0


def test_one_game_says_nothing_of_others() -> None:
    for found in (mean(7, 49, 1), rate(7, 49, 1), mean(0, 0, 0), rate(0, 0, 0)):
        assert found.high == inf
        text = json.dumps(found.to_json(), allow_nan=False)
        assert json.loads(text)["high"] is None
    lone, other = mean(7, 49, 1), mean(70, 500, 10)
    assert not lone.minus(other, 1).significant


def test_tries_that_come_in_groups_count_for_less() -> None:
    alone = ratio(50, 100, 50, 50, 100, 100)
    assert alone.high - alone.low == pytest.approx(share(50, 100).high - share(50, 100).low, 0.02)
    grouped = ratio(50, 100, 500, 500, 1000, 10)  # ten at a time, all right or all wrong
    assert grouped.high - grouped.low > 2 * (alone.high - alone.low)
    assert ratio(0, 0, 0, 0, 0, 10) == share(0, 0)
    assert ratio(0, 9, 0, 0, 9, 9) == share(0, 9)


def test_a_difference_covers_the_truth_as_often_as_it_says() -> None:
    random = np.random.default_rng(5)
    covered = {"shares": 0, "rates": 0}
    for _ in range(1000):
        one, other = random.binomial(200, 0.02), random.binomial(300, 0.05)
        found = share(int(one), 200).minus(share(int(other), 300), 1)
        covered["shares"] += found.low <= -0.03 <= found.high
        few, many = random.poisson(0.1, 200), random.poisson(0.3, 300) * 2
        found = _of(few).minus(_of(many), 1)
        covered["rates"] += found.low <= -0.5 <= found.high
    for name, times in covered.items():
        assert 925 <= times <= 980, (name, times)


def _of(counts: "np.ndarray[Any, Any]") -> Figure:
    return rate(int(counts.sum()), int((counts**2).sum()), len(counts))


def test_only_a_clear_difference_is_significant() -> None:
    one, near, far = share(500, 1000), share(510, 1000), share(700, 1000)
    assert not one.minus(near, 10).significant and not near.minus(one, 10).significant
    assert one.minus(far, 10).significant and far.minus(one, 10).significant
    assert one.minus(far, 10).value == pytest.approx(-0.2)
    assert one.minus(far, 10).high < 0 < far.minus(one, 10).low
    assert not one.minus(one, 10).significant
    certain = Figure(1.0, 1.0, 1.0, 10, 0.0)
    assert certain.minus(Figure(2.0, 2.0, 2.0, 10, 0.0), 1).significant
    doubtful = share(520, 10_000).minus(share(600, 10_000), 1)
    assert doubtful.significant  # alone, but not among a hundred
    assert not share(520, 10_000).minus(share(600, 10_000), 100).significant
