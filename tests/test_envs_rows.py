"""Observations and masks: they mean what the layout says, and tell nothing that is hidden."""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from penultima.bots import MANNERS
from penultima.edition import SHIPPED, shipped
from penultima.envs.layout import VERSION, Layout
from penultima.envs.page import renewed
from penultima.envs.rows import ILLEGAL, PASS, from_core, to_core, write_mask, write_observation
from penultima.envs.setup import REWARDS
from penultima.envs.table import (
    FINISHED,
    FORBIDDEN,
    NO_ANSWER,
    PLAYING,
    Table,
    step_table,
    write_question,
)
from penultima.envs.tables import Tables
from penultima.notation import PHASE_NAMES, action_text, actions_in
from penultima.rules.actions import GIVE, PHASES, SWAP, WORD
from penultima.rules.ask import DECLINE, ask, choices, may_decline, seat_asked
from penultima.rules.observe import observe
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import Sheet
from penultima.view import SPECTATOR, view
from tests.lockstep import random_options, random_table
from tests.support import states
from tests.test_view import Doors, watch_many

# One process compiles for all of them.
pytestmark = pytest.mark.xdist_group("envs")


def row_of(sheet: Sheet, game: Game, seat: int) -> list[int]:
    seen = Seen(sheet.rules.size)
    observe(sheet.rules, game, seat, seen)
    row = [-1] * Layout(sheet, game.seats).length
    write_observation(sheet.rules, seen, row)
    return row


def told(sheet: Sheet, row: list[int], layout: Layout) -> dict[str, Any]:
    """A row read by the layout alone, in the words of a view."""

    def part(name: str) -> list[int]:
        return row[layout[name]]

    def seats(name: str) -> list[int]:
        return [place for place, flag in enumerate(part(name)) if flag]

    def cards(name: str) -> list[str]:
        return [f.text for f, n in zip(sheet.faces, part(name), strict=True) for _ in range(n)]

    def one(name: str) -> int:
        (number,) = part(name)
        return number

    fresh = np.reshape(part("lacked"), (layout.seats, len(sheet.colors)))
    return {
        "hand": cards("hand"),
        "gone": cards("gone"),
        "shown": cards("shown"),
        "top": cards("top"),
        "drawn": cards("drawn"),
        "color": [c for c, flag in zip(sheet.colors, part("color"), strict=True) if flag],
        "phase": [PHASE_NAMES[p] for p in range(PHASES) if part("phase")[p]],
        "counts": part("counts"),
        "scores": part("scores"),
        "lacked": [[101 - n if n else -1 for n in line] for line in fresh.tolist()],
        "rising": one("direction"),
        "due": one("due"),
        "jump": one("jump"),
        "pile": one("pile"),
        "renewals": one("renewals"),
        "decisions": one("decisions"),
        "round": one("round"),
        "over": [one("round_over"), one("match_over")],
        **{n: seats(n) for n in ("turn", "dealer", "by", "shown_of", "called", "exposed")},
        **{n: seats(n) for n in ("dropped", "winners")},
    }


def expected(sheet: Sheet, game: Game, seat: int) -> dict[str, Any]:
    """The same from the seat's view."""
    sight = view(sheet, game, seat)
    seats = len(sight.counts)

    def turned(line: list[Any]) -> list[Any]:
        return line[seat:] + line[:seat]

    def places(*found: int | None) -> list[int]:
        return sorted((other - seat) % seats for other in found if other is not None)

    winner = sight.winner if isinstance(sight.winner, list) else [sight.winner]
    shown = sight.shown or {"of": None, "cards": []}
    order = {face.text: kind for kind, face in enumerate(sheet.faces)}
    percent = [min(score * 100 // sheet.options.target, 100) for score in sight.scores]
    return {
        "hand": sight.hand,
        "gone": sorted(sight.discard, key=order.__getitem__),
        "shown": shown["cards"],
        "top": [sight.top],
        "drawn": [sight.drawn] if sight.drawn else [],
        "color": [sight.color] if sight.color else [],
        "phase": [sight.phase],
        "counts": turned(sight.counts),
        "scores": turned(percent),
        "lacked": turned(sight.lacked),
        "rising": int(sight.direction > 0),
        "due": sight.due,
        "jump": int(sight.jump),
        "pile": sight.pile,
        "renewals": sight.renewals,
        "decisions": sight.decisions // 100,
        "round": sight.round,
        "over": [int(sight.over == "round"), int(sight.over == "match")],
        "turn": places(sight.turn),
        "dealer": places(sight.dealer),
        "by": places(sight.by),
        "shown_of": places(shown["of"]),
        "called": places(*sight.called),
        "exposed": places(*sight.exposed),
        "dropped": places(*sight.dropped),
        "winners": places(*winner) if sight.over else [],
    }


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("seats", range(2, 11))
def test_a_row_says_what_the_seat_sees(name: str, seats: int) -> None:
    random = Random(seats)
    sheet = shipped(name).sheet.with_options(
        random_options(random) | {"target": 150, "hand_size": 7}
    )
    layout = Layout(sheet, seats)
    for match in states(sheet, seats, seats, most=120):
        seat = random.randrange(seats)
        row = row_of(sheet, match.game, seat)
        assert told(sheet, row, layout) == expected(sheet, match.game, seat)
        assert all(0 <= n <= high for n, high in zip(row, layout.high.tolist(), strict=True))


def test_every_number_of_a_row_has_a_meaning_of_its_own() -> None:
    layout = Layout(shipped("triforce").sheet, 5)
    meanings = [layout.meaning(index) for index in range(layout.length)]
    assert len(set(meanings)) == layout.length == len(layout.high)
    with pytest.raises(IndexError):
        layout.meaning(layout.length)


def test_the_table_in_the_docs_is_current() -> None:
    page = (Path(__file__).parent.parent / "docs" / "environments.md").read_text("utf-8")
    assert renewed(page, Layout(shipped("classic").sheet, 4)) == page, "make docs"
    assert f"Layout version {VERSION};" in page and "| 350 | match_over |" in page


def test_every_action_has_a_meaning_of_its_own() -> None:
    layout = Layout(shipped("revenge").sheet, 5)
    meanings = [layout.action_meaning(a) for a in range(layout.actions)]
    named = [meaning for meaning in meanings if meaning]
    assert len(set(named)) == len(named)
    assert meanings[PASS] == "pass" and meanings[GIVE + 1] == "give:+1"
    assert meanings[GIVE] is None and meanings[SWAP + 5] is None


def test_actions_come_back_from_where_they_went() -> None:
    """What a mask allows is what the core allows, seats counted from the own one."""
    seen_seats = 0
    for seed in range(60):
        random = Random(seed)
        sheet, seats, _ = random_table(random)
        rules = sheet.rules
        for match in states(sheet, seats, seed, most=25):
            if match.over:
                continue
            place = ask(rules, match.game, 0)
            seat = seat_asked(match.game, Trace(rules.size), place)
            words = [0] * rules.size.mask_words
            choices(rules, match.game, place, seat, words)
            optional = may_decline(match.game, place)
            row = [0] * Layout(sheet, seats).actions
            write_mask(rules, words, seat, seats, optional, row)
            allowed = {
                to_core(rules, words, seat, seats, optional, action)
                for action in range(-3, len(row) + 3)
            } - {ILLEGAL}
            core = set(actions_in(words)) | ({DECLINE} if optional else set())
            assert allowed == core
            assert {from_core(a, seat, seats) for a in core} == {a for a, n in enumerate(row) if n}
            for action in core:
                if GIVE <= action < WORD:
                    other = int(action_text(sheet, action)[5:])
                    first = GIVE if action < SWAP else SWAP
                    assert from_core(action, seat, seats) - first == (other - seat) % seats
                    seen_seats += 1
    assert seen_seats > 20


# What may not be known


def door(sheet: Sheet, game: Game, seat: int) -> Any:
    """All that an environment gives a seat: its row, and its mask wherever it is asked."""
    if seat == SPECTATOR:
        return None
    masks = []
    rules = sheet.rules
    for place in range(2 * game.seats + 1):
        # Whom the table asks is a public fact; chance orders a race (the lot differs in a twin).
        if ask(rules, game, place) != place or PHASE_NAMES[game.phase] in ("race", "over"):
            continue
        if seat_asked(game, Trace(rules.size), place) == seat:
            words = [0] * rules.size.mask_words
            choices(rules, game, place, seat, words)
            row = [0] * Layout(sheet, game.seats).actions
            write_mask(rules, words, seat, game.seats, may_decline(game, place), row)
            masks.append(row)
    return [row_of(sheet, game, seat), masks]


def test_a_row_and_a_mask_tell_nothing_that_is_hidden() -> None:
    doors = Doors(see=door)
    watch_many(doors, 500)
    assert doors.compared > 1_500


def leaks_a_hand(sheet: Sheet, game: Game, seat: int) -> Any:
    return row_of(sheet, game, (seat + 1) % game.seats)


def leaks_a_mask(sheet: Sheet, game: Game, seat: int) -> Any:
    """The mask of whom the table waits for, given to everybody."""
    words = [0] * sheet.rules.size.mask_words
    choices(sheet.rules, game, 2 * game.seats, game.turn, words)
    return words


@pytest.mark.parametrize("leak", [leaks_a_hand, leaks_a_mask])
def test_a_planted_leak_is_found(leak: Any) -> None:
    with pytest.raises(AssertionError):
        watch_many(Doors(see=leak), 300)


# Compiled


class Plain:
    """A table on plain objects, beside the compiled ones."""

    def __init__(self, tables: Tables, place: int, bots: list[str | None], same: bool) -> None:
        sheet = tables.layout.sheet
        size = sheet.rules.size
        self.rules, self.same = sheet.rules, same
        self.table, self.game = Table(size), Game(size)
        self.trace, self.seen = Trace(size.bulk), Seen(size)
        for name in Table.FIELDS:
            setattr(self.table, name, int(tables.tables[name][place]))
        self.table.number, self.table.state = place, FINISHED
        self.game.seats = len(bots)
        self.words = [0] * size.mask_words
        self.manners = [MANNERS[bot or "random"] for bot in bots]
        self.row, self.final = [0] * tables.layout.length, [0] * tables.layout.length
        self.mask = [0] * tables.layout.actions
        self.rewards = [0.0] * len(bots)
        self.step(0)

    def step(self, action: int) -> int:
        outcome = step_table(
            *(self.rules, self.table, self.game, self.trace, self.words, self.seen, self.manners),
            *(action, self.same, self.rewards, self.final),
        )
        write_question(
            *(self.rules, self.table, self.game, self.words, self.seen, self.row, self.mask)
        )
        return outcome


def follow(seed: int, steps: int) -> int:
    """Compiled tables and plain ones take the same actions and write the same."""
    random = Random(seed)
    sheet, seats, _ = random_table(random)
    sheet = sheet.with_options({"target": random.choice((40, 500))})
    bots = [random.choice((None, None, "eager", "basic")) for _ in range(seats)]
    bots[random.randrange(seats)] = None
    same, number = random.random() < 0.5, 2
    reward = random.choice(list(REWARDS.values()))
    tables = Tables(sheet, bots, number, reward, random.random() < 0.3, same)
    tables.deal(5)
    plain = [Plain(tables, place, bots, same) for place in range(number)]
    ended = 0
    for _ in range(steps):
        actions = tables.sample().copy()
        if random.random() < 0.01:
            actions[0] = random.randrange(tables.layout.actions)
        tables.step(actions)
        for place, alone in enumerate(plain):
            outcome = alone.step(int(actions[place]))
            assert outcome == tables.outcomes[place]
            assert alone.row == tables.observations[place].tolist()
            assert alone.mask == tables.masks[place].tolist()
            assert np.allclose(alone.rewards, tables.rewards[place])
            assert alone.table.seat == tables.seats[place]
            if outcome != PLAYING:
                assert alone.final == tables.finals[place].tolist()
                ended += 1
    return ended


def test_compiled_tables_write_what_plain_ones_do() -> None:
    assert sum(follow(seed, 60) for seed in range(50)) > 50


def test_a_forbidden_action_changes_nothing_but_the_state() -> None:
    tables = Tables(shipped("classic").sheet, [None] * 3)
    tables.deal(1)
    before = tables.games.tobytes()
    seat = int(tables.seats[0])
    tables.step(np.array([PASS]))
    assert tables.outcomes[0] == FORBIDDEN and tables.games.tobytes() == before
    assert tables.rewards[0, seat] == -1 and tables.rewards[0].sum() == -1
    assert NO_ANSWER < ILLEGAL < DECLINE
