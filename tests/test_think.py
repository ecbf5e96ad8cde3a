"""Imagined worlds agree with what was seen; thinking in them is the same compiled or not."""

import time
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from penultima import sharp
from penultima.bots import MANNERS
from penultima.bots.mind import Estimate, Mind, PlainMind, Worlds
from penultima.bots.outlook import SURE, outlook
from penultima.bots.player import Question
from penultima.bots.think import TO_THE_END
from penultima.bots.world import copy_game, imagine
from penultima.cards import NOBODY
from penultima.edition import SHIPPED, shipped
from penultima.fastmind import FastMind
from penultima.game import Match, key_of_seed
from penultima.notation import PHASE_NAMES, read_action
from penultima.position import read_position
from penultima.rules.actions import DRAW, JUDGE, OVER, PHASES, TURN
from penultima.rules.ask import DECLINE, ask, seat_asked
from penultima.rules.check import check
from penultima.rules.legal import legal
from penultima.rules.observe import observe
from penultima.rules.schema import WIDE, Game, Seen, Trace
from penultima.ruleset import Sheet
from penultima.sharp import BATCH, Budget, Sharp, weigh
from tests.lockstep import choose, random_table
from tests.support import OF_HANDS, states
from tests.test_compiled import wide_sheet

# One process compiles for all of them.
pytestmark = pytest.mark.xdist_group("compiled")


def seen_by(sheet: Sheet, game: Game, seat: int) -> Seen:
    seen = Seen(sheet.rules.size)
    observe(sheet.rules, game, seat, seen)
    return seen


def mask_of(sheet: Sheet, game: Game, seat: int) -> list[int]:
    mask = [0] * sheet.rules.size.mask_words
    legal(sheet.rules, game, seat, mask)
    return mask


def with_luck(sheet: Sheet, luck: int) -> Trace:
    trace = Trace(sheet.rules.size)
    trace.luck = luck
    return trace


def world_of(sheet: Sheet, seen: Seen, luck: int) -> Game:
    world = Game(sheet.rules.size)
    imagine(sheet.rules, seen, world, with_luck(sheet, luck))
    return world


def was_shown_its_own_hand(seen: Seen) -> bool:
    """A hand that was shown to a seat has since come to it by a seven or a zero."""
    return seen.shown_of != NOBODY and seen.shown_of == seen.seat


def positions(sheet: Sheet, seats: int, seed: int, steps: int) -> Iterator[Match]:
    """Some of the states of a random match in which a round goes on."""
    random = Random(seed)
    match = Match(sheet, ["?"] * seats, key_of_seed(seed))
    wild = random.choice((0.05, 0.5))
    for _ in range(steps):
        if match.over == "match":
            return
        if match.over == "round":
            match.next_round()
        if random.random() < 0.3 or match.game.decisions == 0:
            yield match
        match.play(*choose(match, random, wild))


def tables() -> Iterator[tuple[Sheet, int, int]]:
    """Every edition, user-made decks, wide ones; random options; 2 to 10 seats."""
    for seed in range(60):
        random = Random(seed)
        sheet, seats, _ = random_table(random)
        if seed % 20 == 0:
            sheet, seats = wide_sheet().with_options({"jump_in": True}), random.randint(2, 10)
        yield sheet, seats, seed


def all_that_was_seen() -> Iterator[tuple[Sheet, Game, Seen]]:
    for sheet, seats, seed in tables():
        for match in positions(sheet, seats, seed, 100):
            asked = {match.game.turn, match.game.shown_to, seed % seats} - {NOBODY}
            for seat in sorted(asked):
                yield sheet, match.game, seen_by(sheet, match.game, seat)


def assert_agrees(sheet: Sheet, game: Game, seen: Seen, luck: int) -> None:
    before = seen.to_bytes()
    world = world_of(sheet, seen, luck)
    assert seen.to_bytes() == before
    assert check(sheet.rules, world, [0] * sheet.rules.kinds) & ~OF_HANDS == 0
    again = seen_by(sheet, world, seen.seat)
    different = [name for name in Seen.FIELDS if getattr(again, name) != getattr(seen, name)]
    assert different == []
    assert mask_of(sheet, world, seen.seat) == mask_of(sheet, game, seen.seat)


def test_an_imagined_world_is_sound_and_looks_just_like_the_real_one() -> None:
    met: Counter[str] = Counter()
    for luck, (sheet, game, seen) in enumerate(all_that_was_seen()):
        assert_agrees(sheet, game, seen, luck)
        met[PHASE_NAMES[game.phase]] += 1
        met["shown"] += seen.shown_of != NOBODY
        met["wide"] += sheet.rules.size == WIDE
        for rule in ("stacking", "jump_in", "seven_zero"):
            met[rule] += getattr(sheet.rules, rule) != 0
    assert all(met[PHASE_NAMES[phase]] > 3 for phase in range(PHASES) if phase != OVER), met
    rules = ("shown", "wide", "stacking", "jump_in", "seven_zero")
    assert all(met[what] > 150 for what in rules), met


def test_a_shown_hand_that_came_to_the_seat_itself_is_imagined_once() -> None:
    met = 0
    sheet = shipped("violet").sheet.with_options({"seven_zero": True, "challengers": "anybody"})
    for seed in range(12):
        for match in positions(sheet, 3, seed, 150):
            for seat in range(3):
                seen = seen_by(sheet, match.game, seat)
                if was_shown_its_own_hand(seen):
                    met += 1
                    assert_agrees(sheet, match.game, seen, seed)
    assert met > 5


def test_another_luck_imagines_other_hands() -> None:
    for edition in SHIPPED:
        sheet = shipped(edition).sheet
        game = Match(sheet, ["?"] * 4, key_of_seed(1)).game
        worlds = [world_of(sheet, seen_by(sheet, game, 0), luck) for luck in range(40)]
        for seat in range(1, 4):
            assert len({tuple(world.hands[seat]) for world in worlds}) > 35
        assert len({tuple(world.deck[: world.pile]) for world in worlds}) == 40
        assert len({tuple(world.key) for world in worlds}) == 40


def test_the_same_luck_imagines_the_same_world() -> None:
    sheet = shipped("violet").sheet
    seen = seen_by(sheet, Match(sheet, ["?"] * 4, key_of_seed(1)).game, 0)
    assert world_of(sheet, seen, 5) == world_of(sheet, seen, 5)


def share_of_color(sheet: Sheet, seen: Seen, seat: int, color: int) -> float:
    """How much of the imagined hands of a seat is of a color."""
    rules = sheet.rules
    cards = 0
    for luck in range(100):
        world = world_of(sheet, seen, luck)
        cards += sum(world.hands[seat][k] for k in range(rules.kinds) if rules.color[k] == color)
    return cards / (100 * seen.counts[seat])


def test_a_hand_that_drew_on_a_color_is_imagined_without_it() -> None:
    sheet = shipped("classic").sheet
    seen = seen_by(sheet, Match(sheet, ["?"] * 4, key_of_seed(1)).game, 0)
    usual = share_of_color(sheet, seen, 2, 1)
    assert 0.15 < usual < 0.35
    seen.lacked[2][1] = 0
    assert share_of_color(sheet, seen, 2, 1) < 0.02
    assert share_of_color(sheet, seen, 2, 3) > usual  # the others get more
    assert 0.15 < share_of_color(sheet, seen, 1, 1) < 0.45  # as do the other seats
    seen.lacked[2][1] = 2  # of the seven cards, two came later
    assert 0.02 < share_of_color(sheet, seen, 2, 1) < 2 / 7
    seen.lacked[2][1] = 7
    assert abs(share_of_color(sheet, seen, 2, 1) - usual) < 0.05


def test_a_hand_that_drew_in_a_game_is_imagined_without_what_it_would_have_played() -> None:
    sheet = shipped("classic").sheet
    met = 0
    for seed in range(30):
        match = Match(sheet, ["?"] * 3, key_of_seed(seed))
        seat, color = match.game.turn, match.game.color
        if DRAW not in match.legal(seat):
            continue
        match.play(seat, DRAW)
        seen = seen_by(sheet, match.game, (seat + 1) % 3)
        assert seen.lacked[seat][color] == 1
        assert share_of_color(sheet, seen, seat, color) <= 1 / 8 + 0.02  # the drawn card may be
        met += 1
    assert met > 20


def test_nobody_is_suspected_of_a_bluff_with_a_last_card() -> None:
    """A Wild Draw Four put down as the last card is never a bluff: no other card was held (Q5)."""
    met = 0
    sheet = shipped("classic").sheet.with_options({"hand_size": 2})
    for seed in range(400):
        for match in states(sheet, 2, seed, 60):
            game = match.game
            if game.phase == JUDGE and game.counts[game.by] == 0:
                met += 1
                seen = seen_by(sheet, game, game.turn)
                assert not any(world_of(sheet, seen, luck).guilty for luck in range(40))
    assert met > 3


def test_a_copied_game_is_the_same_game() -> None:
    """What seats and kinds that are not in use leave behind aside."""
    for sheet, seats, seed in list(tables())[:25]:
        copied = Game(sheet.rules.size)
        for match in positions(sheet, seats, seed, 60):
            copy_game(sheet.rules, match.game, copied)
            assert copied == match.game


def questions(sheet: Sheet, seats: int, seed: int, steps: int) -> Iterator[Question]:
    """Whatever anybody is asked in some positions of a random match."""
    rules = sheet.rules
    for match in positions(sheet, seats, seed, steps):
        game, place = match.game, 0
        while place <= 2 * seats:
            place = ask(rules, game, place)
            seat = seat_asked(game, Trace(rules.size), place)
            seen = seen_by(sheet, game, seat)
            if match.legal(seat):
                yield Question(sheet, seen, None, match.legal(seat), place)
            place += 1


def tried(
    mind: Mind,
    question: Question,
    seed: int,
    cuts: tuple[tuple[int, int], ...],
    depth: int = TO_THE_END,
) -> list[Estimate]:
    actions = question.legal + [DECLINE] * question.may_decline
    estimates = [Estimate(action) for action in actions]
    for first, worlds in cuts:
        asked = Worlds(seed, first, worlds, depth)
        mind.try_out(question.seen, question.place, estimates, asked)
    return estimates


@pytest.mark.parametrize("edition", SHIPPED)
@pytest.mark.parametrize("house", [False, True], ids=["printed", "house"])
def test_compiled_thinking_comes_to_the_same_results(edition: str, house: bool) -> None:
    sheet = shipped(edition).sheet
    if house:
        sheet = sheet.with_options(
            {"stacking": "four_on_two", "jump_in": True, "seven_zero": True, "catch_window": "open"}
        )
    random = Random(edition)
    met = won = 0
    for seats, bot in ((2, "basic"), (3, "easy"), (6, "eager")):
        plain, fast = PlainMind(sheet, MANNERS[bot]), FastMind(sheet, MANNERS[bot])
        for question in list(questions(sheet, seats, seats, 60))[:15]:
            before = question.seen.to_bytes()
            seed = random.getrandbits(61)
            for depth in (TO_THE_END, 7):
                slow = tried(plain, question, seed, ((0, 2),), depth)
                assert tried(fast, question, seed, ((0, 2),), depth) == slow
            assert question.seen.to_bytes() == before
            met += 1
            won += sum(estimate.chance for estimate in slow)
    assert met > 40 and won > 0


def test_how_worlds_are_cut_into_batches_makes_no_difference() -> None:
    random = Random(1)
    for sheet, kind in ((shipped("violet").sheet, FastMind), (wide_sheet(), PlainMind)):
        mind = kind(sheet, MANNERS["basic"])
        for question in list(questions(sheet, 4, 3, 40))[:5]:
            seed = random.getrandbits(61)
            whole = tried(mind, question, seed, ((0, 12),))
            assert tried(mind, question, seed, ((0, 5), (5, 7))) == whole
            assert tried(mind, question, seed, tuple((n, 1) for n in reversed(range(12)))) == whole
            other = kind(sheet, MANNERS["basic"])  # one that has not thought before
            assert tried(other, question, seed, ((0, 12),)) == whole


def test_other_seeds_give_other_results() -> None:
    sheet = shipped("classic").sheet
    mind = FastMind(sheet, MANNERS["basic"])
    question = next(questions(sheet, 4, 1, 40))
    results = {
        tuple((e.chance, e.points) for e in tried(mind, question, seed, ((0, 20),)))
        for seed in range(10)
    }
    assert len(results) == 10


def test_what_was_counted_fits_together() -> None:
    sheet = shipped("revenge").sheet
    mind = FastMind(sheet, MANNERS["basic"])
    for question in list(questions(sheet, 3, 5, 60))[:20]:
        estimates = tried(mind, question, 7, ((0, 30),))
        first = estimates[0]
        assert first.ahead == first.ahead_squares == 0 and first.gain == 0
        for estimate in estimates:
            assert estimate.tries == 30 and 0 <= estimate.chance <= 30 * SURE
            assert estimate.chance % SURE == 0  # rounds played to their end are won or lost
            assert estimate.chance - first.chance == estimate.ahead
            assert estimate.points**2 <= estimate.squares * 30  # Cauchy and Schwarz
            assert estimate.points_error >= 0


@pytest.mark.parametrize("edition", SHIPPED)
def test_the_chances_of_all_seats_add_up(edition: str) -> None:
    sheet = shipped(edition).sheet
    met = 0
    for seats in (2, 5, 10):
        for match in positions(sheet, seats, seats, 60):
            game = match.game
            if game.phase == TURN and min(game.counts[:seats]) > 0:
                chances = [outlook(sheet.rules, game, seat) for seat in range(seats)]
                assert SURE - seats <= sum(chances) <= SURE
                assert all(0 <= chance < SURE for chance in chances)
                fewest = min(game.counts[:seats])
                most = max(game.counts[:seats])
                if fewest == 1 and most > 6:
                    assert max(chances) > SURE // seats
                met += 1
    assert met > 20


def at(edition: str, seat: int, place: int | None = None, **fields: Any) -> Question:
    """What a seat is asked in a written position."""
    sheet = shipped(edition).sheet
    game = read_position(sheet, fields)
    mask = Match.at(sheet, game).legal(seat)
    last = 2 * game.seats
    return Question(sheet, seen_by(sheet, game, seat), None, mask, last if place is None else place)


def winning_card() -> Question:
    """One card is left and fits: putting it down wins."""
    return at(
        "classic",
        0,
        hands=[["r5"], ["b1", "b2", "b3", "g9"], ["y1", "y2", "g3", "g4"]],
        discard=["r3"],
        turn=0,
        called=[0],
    )


@pytest.mark.parametrize("kind", [PlainMind, FastMind])
def test_a_forced_win_is_found(kind: type[PlainMind] | type[FastMind]) -> None:
    question = winning_card()
    win = read_action(question.sheet, "r5")
    assert sorted(question.legal) == [DRAW, win]
    mind = kind(question.sheet, MANNERS["basic"])
    draws, wins = weigh(mind, question.seen, question.place, [DRAW, win], Budget(100), 1)
    assert wins.rate == 1.0 and wins.chance == 50 * SURE
    assert draws.rate < 0.9 and wins.gain > draws.gain == 0
    assert wins.mean_points > draws.mean_points


def test_sharp_puts_down_the_winning_card() -> None:
    question = winning_card()
    for seed in range(10):
        answer = Sharp("sharp", Budget(40), seed).answer(question)
        assert answer == read_action(question.sheet, "r5")


def test_the_interval_holds_the_rate_and_narrows() -> None:
    for tries in (1, 7, 100, 3000):
        for wins in (0, 1, tries // 2, tries):
            low, high = Estimate(0, tries, wins * SURE).interval
            assert -1e-12 <= low <= wins / tries + 1e-12
            assert wins / tries - 1e-12 <= high <= 1 + 1e-12
    widths = [
        high - low
        for low, high in (Estimate(0, n, n // 2 * SURE).interval for n in (10, 100, 1000))
    ]
    assert widths == sorted(widths, reverse=True) and widths[-1] < 0.07
    untried = Estimate(0)
    assert untried.rate == untried.mean_points == untried.points_error == 0


def many_choices() -> Question:
    return at(
        "classic",
        0,
        hands=[["r1", "r2", "r3", "b5", "g5", "W", "W4"], ["b1", "b2", "b3"], ["y1", "y2"]],
        discard=["r5"],
        turn=0,
    )


@pytest.mark.parametrize("rollouts", [1, 10, 100, 1000])
def test_rollouts_are_spent_and_the_better_half_gets_more(rollouts: int) -> None:
    question = many_choices()
    actions = question.legal
    mind = FastMind(question.sheet, MANNERS["basic"])
    found = weigh(mind, question.seen, question.place, actions, Budget(rollouts), 3)
    assert [estimate.action for estimate in found] == actions
    spent = sum(estimate.tries for estimate in found)
    assert 0 < spent <= max(rollouts, 4 * len(actions))
    assert all(estimate.tries > 0 for estimate in found)
    assert found[0].tries == max(estimate.tries for estimate in found)
    if rollouts == 1000:
        assert spent > 800
        best = [estimate for estimate in found if estimate.tries == found[0].tries]
        assert 2 <= len(best) < len(found)


@pytest.mark.parametrize("milliseconds", [1, 40])
def test_a_budget_of_time_ends(milliseconds: int) -> None:
    question = many_choices()
    mind = FastMind(question.sheet, MANNERS["basic"])
    tried(mind, question, 1, ((0, 1),))  # compiled by now
    started = time.perf_counter()
    budget = Budget(milliseconds=milliseconds)
    found = weigh(mind, question.seen, question.place, question.legal, budget, 3)
    took = time.perf_counter() - started
    assert milliseconds / 1000 <= took < milliseconds / 1000 + 0.5
    assert all(e.tries >= BATCH and e.tries % BATCH == 0 for e in found)


def test_a_single_action_is_weighed_too() -> None:
    question = winning_card()
    mind = FastMind(question.sheet, MANNERS["basic"])
    (only,) = weigh(mind, question.seen, question.place, [DRAW], Budget(12), 1)
    assert only.tries == 12


class Minded:
    """Remembers which sheet it was made for."""

    def __init__(self, sheet: Sheet) -> None:
        self.made_for = sheet.hash


def test_sharp_thinks_by_the_sheet_it_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharp, "mind", Minded)
    player = Sharp("sharp", Budget(8), 1)
    for target in range(100, 200):
        sheet = shipped("classic").sheet.with_options({"target": target})
        mind: object = player._mind(sheet)
        assert isinstance(mind, Minded) and mind.made_for == sheet.hash
        del sheet


def test_sharp_answers_alike_with_either_mind(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = shipped("chili").sheet
    asked = list(questions(sheet, 3, 2, 80))[:12]
    fast = Sharp("sharp", Budget(24), 5)
    answers = [fast.answer(question) for question in asked]
    monkeypatch.setattr(sharp, "mind", lambda sheet: PlainMind(sheet, MANNERS["basic"]))
    plain = Sharp("sharp", Budget(24), 5)
    assert [plain.answer(question) for question in asked] == answers
    assert all(a in q.legal or q.may_decline for a, q in zip(answers, asked, strict=True))
