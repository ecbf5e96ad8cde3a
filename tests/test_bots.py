"""Bots play whole matches, each in its manner.

`PENULTIMA_MATCHES=1000 pytest tests/test_bots.py` lets `sharp` play that many matches of each
edition.
"""

import os
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from penultima.bots import MANNERS
from penultima.bots.host import Host
from penultima.bots.manner import Manner
from penultima.bots.player import OwnPlayer, Player, PolicyPlayer, Question
from penultima.bots.tally import BLUFFS, CAUGHT, CHALLENGES_RIGHT, TURNS, Tally
from penultima.cards import MIN_SEATS, SEATS
from penultima.edition import SHIPPED, shipped
from penultima.game import Match, key_of_seed
from penultima.notation import action_text
from penultima.position import read_position
from penultima.rules.actions import (
    CALL,
    CATCH,
    COLOR,
    DRAW,
    GIVE,
    GIVING,
    NAME,
    OVER,
    SWAP,
    SWAPPING,
)
from penultima.rules.ask import DECLINE, ask, seat_asked
from penultima.rules.schema import STANDARD, Game, Trace
from penultima.ruleset import Sheet
from penultima.sharp import Budget, Sharp
from penultima.sim import Job, play_chunk
from tests.lockstep import choose, random_table
from tests.support import faults
from tests.test_bots_forfeit import Cautious

# One process compiles for all of them.
pytestmark = pytest.mark.xdist_group("compiled")

BULK_MATCHES = 1_000
SHARP_MATCHES = int(os.environ.get("PENULTIMA_MATCHES", "4"))


def test_reactions_are_human() -> None:
    players: list[Player] = [
        PolicyPlayer("basic", MANNERS["basic"], 1),
        OwnPlayer("own", Cautious(), 2),
        Sharp("sharp", Budget(8), 3),
    ]
    for player in players:
        times = [player.reaction() for _ in range(500)]
        assert all(0.2 <= seconds <= 1.0 for seconds in times)
        assert 0.4 < sum(times) / 500 < 0.6 and len(set(times)) > 100


def play_matches(bot: str, sheet: Sheet, seats: int, count: int) -> Tally:
    job = Job(sheet, (bot,) * seats, seed=seats, matches=True)
    return Tally.from_bytes(play_chunk(job, 0, count), STANDARD.bulk)


@pytest.mark.parametrize("edition", SHIPPED)
@pytest.mark.parametrize("bot", MANNERS)
def test_a_thousand_matches_of_each_bot_come_to_their_end(bot: str, edition: str) -> None:
    sheet = shipped(edition).sheet
    tables = range(MIN_SEATS, SEATS + 1)
    left = BULK_MATCHES
    for seats in tables:
        count = left // (SEATS + 1 - seats)
        left -= count
        tally = play_matches(bot, sheet, seats, count)
        assert tally.matches == count
        assert tally.rounds == tally.match_rounds >= count
        assert tally.limited == 0 or bot == "random"
        assert sum(tally.wins) == tally.rounds - tally.blocked
        assert count <= sum(tally.match_wins) <= count * seats
        assert all(tally.match_wins[:seats]) and not any(tally.match_wins[seats:])
        assert sum(map(sum, tally.actions)) == tally.decisions
        assert tally.points >= sheet.options.target * count  # somebody had to get there
        assert tally.counts[CHALLENGES_RIGHT] <= tally.counts[BLUFFS]
        if bot != "random":
            assert tally.counts[TURNS] / tally.rounds < 250
        if bot in ("eager", "basic"):
            assert tally.counts[CAUGHT] == 0  # they never forget to call
    assert left == 0


@pytest.mark.parametrize("edition", SHIPPED)
def test_sharp_plays_whole_matches_and_never_forfeits(edition: str) -> None:
    for number in range(SHARP_MATCHES):
        random = Random(number)
        seats = random.choice((2, 3, 4, 6))
        sheet = shipped(edition).sheet
        if number % 2:
            sheet = sheet.with_options({"jump_in": True, "stacking": "same", "seven_zero": True})
        players = [Sharp("sharp", Budget(8), seat) for seat in range(seats)]
        host = Host(sheet, players)
        match = Match(sheet, ["?"] * seats, key_of_seed(number))
        while True:
            host.play_round(match.game, Trace())
            assert faults(match) == 0 and match.game.phase == OVER
            if match.over == "match":
                break
            match.next_round()
        assert host.forfeits == 0


def test_the_same_seeds_play_the_same_match_by_a_host() -> None:
    sheet = shipped("triforce").sheet

    def played() -> Game:
        players: list[Player] = [
            Sharp("sharp", Budget(8), 1),
            PolicyPlayer("e", MANNERS["easy"], 2),
        ]
        match = Match(sheet, ["?"] * 2, key_of_seed(4))
        Host(sheet, players).play_round(match.game, Trace())
        return match.game

    assert played() == played()


def questions(sheet: Sheet, seats: int, seed: int, steps: int = 120) -> Iterator[Question]:
    """Whatever anybody is asked in a random match."""
    random = Random(seed)
    match = Match(sheet, ["?"] * seats, key_of_seed(seed))
    host = Host(sheet, [PolicyPlayer("", MANNERS["random"], 0)] * seats)
    trace = Trace(sheet.rules.size)
    for _ in range(steps):
        if match.over == "match":
            return
        if match.over == "round":
            match.next_round()
        place = 0
        while place <= 2 * seats:
            place = ask(sheet.rules, match.game, place)
            question = host.question(match.game, seat_asked(match.game, trace, place), place)
            if question.legal:
                yield question
            place += 1
        match.play(*choose(match, random, 0.1))


@pytest.mark.parametrize("name", MANNERS)
def test_a_bot_of_the_core_never_answers_what_is_not_allowed(name: str) -> None:
    player = PolicyPlayer(name, MANNERS[name], 1)
    met: Counter[int] = Counter()
    for seed in range(60):
        sheet, seats, _ = random_table(Random(seed))
        for question in questions(sheet, seats, seed, 60):
            answer = player.answer(question)
            allowed = question.legal + [DECLINE] * question.may_decline
            assert answer in allowed, [action_text(sheet, action) for action in question.legal]
            met[question.seen.phase] += 1
    assert sum(met.values()) > 3_000 and len(met) == OVER  # every phase


def test_easy_forgets_to_call_at_times_and_basic_never_does() -> None:
    calls: Counter[str] = Counter()
    asked_to = 0
    for seed in range(40):
        sheet = shipped("classic").sheet.with_options({"hand_size": 3})
        for question in questions(sheet, 3, seed, 30):
            if CALL in question.legal:
                asked_to += 1
                for name in ("basic", "easy", "eager"):
                    player = PolicyPlayer(name, MANNERS[name], seed * 1000 + asked_to)
                    calls[name] += player.answer(question) == CALL
    assert asked_to > 50
    assert calls["basic"] == calls["eager"] == asked_to
    assert 0.3 * asked_to < calls["easy"] < 0.9 * asked_to


def test_easy_overlooks_a_missing_call_at_times_and_basic_never_does() -> None:
    catches: Counter[str] = Counter()
    seen = 0
    for seed in range(60):
        sheet = shipped("classic").sheet.with_options({"hand_size": 2})
        for question in questions(sheet, 3, seed, 30):
            if CATCH in question.legal and CALL not in question.legal:
                seen += 1
                for name in ("basic", "easy"):
                    player = PolicyPlayer(name, MANNERS[name], seed * 1000 + seen)
                    catches[name] += player.answer(question) == CATCH
    assert seen > 50
    assert catches["basic"] == seen
    assert 0.1 * seen < catches["easy"] < 0.6 * seen


@pytest.mark.parametrize("name", MANNERS)
def test_a_manner_is_the_same_after_it_was_bytes(name: str) -> None:
    manner = MANNERS[name]
    again = Manner.from_bytes(manner.to_bytes())
    assert again == manner
    assert all(getattr(again, field) == getattr(manner, field) for field in Manner.FIELDS)
    for chance in ("call", "catch", "challenge", "careless"):
        assert 0 <= getattr(manner, chance) <= 1000


def test_manners_differ() -> None:
    assert len({manner.to_bytes() for manner in MANNERS.values()}) == len(MANNERS)


def answer_at(name: str, edition: str, seat: int, seed: int, **fields: Any) -> str:
    """What a bot does in a written position."""
    sheet = shipped(edition).sheet
    game = read_position(sheet, fields)
    host = Host(sheet, [PolicyPlayer(name, MANNERS[name], seed)] * game.seats)
    return action_text(sheet, host.answer(host.question(game, seat, 2 * game.seats)))


def test_basic_names_the_color_it_holds_most() -> None:
    hands = [["W", "g1", "g4", "g6", "b2", "y9"], ["r1", "r2", "r3", "r4"]]
    for seed in range(20):
        said = answer_at("basic", "classic", 0, seed, hands=hands, discard=["r8"], turn=0)
        assert said == "W:g"


def test_basic_names_the_color_it_holds_most_for_a_turned_wild_card() -> None:
    met = 0
    player = PolicyPlayer("basic", MANNERS["basic"], 1)
    for seed in range(150):
        for question in questions(shipped("classic").sheet, 4, seed, 1):
            if question.seen.phase == NAME:
                met += 1
                color = player.answer(question) - COLOR
                assert question.seen.colors[color] == max(question.seen.colors)
    assert met > 3


def test_basic_gives_and_swaps_with_the_shortest_hand() -> None:
    met: Counter[int] = Counter()
    player = PolicyPlayer("basic", MANNERS["basic"], 1)
    for seed in range(60):
        sheet = shipped(SHIPPED[seed % 5]).sheet.with_options({"seven_zero": True})
        for question in questions(sheet, 2 + seed % 5, seed):
            seen = question.seen
            first = {GIVING: GIVE, SWAPPING: SWAP}.get(seen.phase)
            if first is None or question.may_decline or {CALL, CATCH} & set(question.legal):
                continue
            met[seen.phase] += 1
            others = [seat for seat in range(seen.seats) if seat != seen.seat]
            chosen = player.answer(question) - first
            assert chosen in others
            assert seen.counts[chosen] == min(seen.counts[seat] for seat in others)
    assert met[GIVING] > 20 and met[SWAPPING] > 20


def test_basic_keeps_its_wild_cards_while_another_card_fits() -> None:
    hands = [["W", "W4", "r1", "b2", "b5", "y9"], ["r2", "r3", "r4", "r5"]]
    for seed in range(20):
        said = answer_at("basic", "classic", 0, seed, hands=hands, discard=["r8"], turn=0)
        assert said == "r1"


def test_basic_does_not_draw_while_a_card_fits() -> None:
    player = PolicyPlayer("basic", MANNERS["basic"], 1)
    met = 0
    for seed in range(10):
        for question in questions(shipped("classic").sheet, 4, seed):
            if max(question.legal) >= 60 and CALL not in question.legal:
                met += 1
                assert player.answer(question) not in (DRAW, DECLINE)
    assert met > 100
