"""Where RLCard's UNO departs from the rules and these environments do not.

One test for each row of the table in `docs/environments.md`; `python -m benchmarks.rlcard_rules`
shows the same rows in RLCard itself.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from penultima.compiled import to_plain
from penultima.edition import shipped
from penultima.envs import aec
from penultima.envs.layout import Layout
from penultima.notation import action_text
from penultima.piles import piles
from penultima.rules.actions import (
    ACCEPT,
    CALL,
    CATCH,
    CHALLENGE,
    COLOR,
    DRAW,
    DRAWN,
    JUDGE,
    KEEP,
    NAME,
    PLAY,
    TURN,
)
from penultima.rules.pile import top
from penultima.rules.schema import Game
from tests import test_envs_faithful as this

pytestmark = pytest.mark.xdist_group("envs")

SHEET = shipped("classic").sheet
FACES = SHEET.faces


@dataclass
class Moment:
    """A decision: the game before it, what the seat asked was given, what it did, and the game
    that followed.
    """

    game: Game
    seat: int
    row: list[int]
    allowed: list[int]
    action: int
    after: Game

    @property
    def hand(self) -> list[str]:
        held = self.game.hands[self.seat]
        return [face.text for kind, face in enumerate(FACES) for _ in range(held[kind])]

    @property
    def top(self) -> str:
        return FACES[top(SHEET.rules, self.game)].text

    @property
    def played(self) -> str:
        return action_text(SHEET, self.action) if self.action >= PLAY else ""


def moments(players: int, games: int) -> Iterator[Moment]:
    """Random games, in which cards are put down more often than not."""
    env, random = aec.env(players=players), Random(players)

    def game() -> Game:
        return to_plain(Game, env._tables.games[0])

    for seed in range(games):
        env.reset(seed=seed)
        now = game()
        for agent in env.agent_iter():
            observation, _, terminated, _, _ = env.last()
            if terminated:
                env.step(None)
                continue
            allowed = np.flatnonzero(observation["action_mask"]).tolist()
            plays = [action for action in allowed if action >= PLAY]
            action = random.choice(plays if plays and random.random() < 0.7 else allowed)
            env.step(action)
            before, now = now, game()
            seat, row = int(agent[-1]), observation["observation"].tolist()
            yield Moment(before, seat, row, allowed, action, now)


@cache
def some(players: int) -> list[Moment]:
    return list(moments(players, 40))


def at_turn(players: int = 4) -> list[Moment]:
    return [m for m in some(players) if m.game.phase == TURN and m.seat == m.game.turn]


def test_one_may_draw_although_a_card_fits() -> None:
    choice = [m for m in at_turn() if any(a >= PLAY for a in m.allowed)]
    assert len(choice) > 500 and all(DRAW in m.allowed for m in choice)


def test_a_drawn_card_is_its_players_to_put_down() -> None:
    """Its player is asked, and may keep it where the sheet says so (T3, T4)."""
    asked = [m for m in some(4) if m.game.phase == DRAWN and m.seat == m.game.turn]
    assert len(asked) > 200
    env = aec.env(edition="violet", players=2, options={"drawn_no_match": "may"})
    kept = 0
    for seed in range(40):
        env.reset(seed=seed)
        if env.observe(env.agent_selection)["action_mask"][DRAW]:
            env.step(DRAW)
            mask = env.observe(env.agent_selection)["action_mask"]
            kept += bool(mask[PLAY:].any() and mask[KEEP])
    assert kept > 5


def test_a_drawn_card_fits_by_its_symbol_too() -> None:
    found = 0
    for m in some(4):
        if m.game.phase == DRAWN and m.seat == m.game.turn and not FACES[m.game.drawn].wild:
            face = FACES[m.game.drawn]
            if (
                m.top[0] != "W"
                and face.symbol == m.top[1:]
                and SHEET.colors[m.game.color] != face.text[0]
            ):
                assert PLAY + m.game.drawn in m.allowed
                found += 1
    assert found > 5


def test_a_drawn_wild_card_is_put_down_in_the_color_one_names() -> None:
    drawn = [m for m in some(4) if m.game.phase == DRAWN and not m.game.exposed]  # nobody may call
    wild = [m for m in drawn if FACES[m.game.drawn].text == "W"]
    assert len(wild) > 10
    for m in wild:
        assert {f"W:{color}" for color in SHEET.colors} <= {
            action_text(SHEET, a) for a in m.allowed if a >= PLAY
        }


def test_a_wild_draw_four_can_be_bluffed() -> None:
    """RLCard allows it only where nothing else fits, not even a Wild (A5 asks for the color)."""
    held = [m for m in at_turn() if "W4" in m.hand]
    bluffs = [m for m in held if any(c[0] == SHEET.colors[m.game.color] for c in m.hand)]
    beside_wild = [m for m in held if "W" in m.hand]
    assert len(bluffs) > 20 and beside_wild
    for m in held:
        assert "W4:r" in {action_text(SHEET, a) for a in m.allowed if a >= PLAY}


def test_a_wild_draw_four_can_be_challenged() -> None:
    judged = [m for m in some(4) if m.game.phase == JUDGE and m.seat == m.game.turn]
    assert judged and all({ACCEPT, CHALLENGE} <= set(m.allowed) for m in judged)
    verdicts = set()
    for m in judged:
        if m.action == CHALLENGE:
            verdicts.add(m.game.guilty)
            loser = m.game.by if m.game.guilty else m.seat  # A7, A8
            gained = m.after.counts[loser] - m.game.counts[loser]
            assert gained == (4 if m.game.guilty else 6) or m.after.over
    assert verdicts == {0, 1}


def test_the_last_card_but_one_is_called_and_a_miss_is_caught() -> None:
    assert any(CALL in m.allowed for m in some(4))
    caught = [m for m in some(4) if m.action == CATCH]
    assert caught
    for m in caught:
        exposed = [s for s in range(4) if m.game.exposed >> s & 1 and s != m.seat]
        assert exposed and all(m.after.counts[s] == m.game.counts[s] + 2 for s in exposed)


def test_a_reverse_skips_where_two_play() -> None:
    reverses = [m for m in some(2) if m.played.endswith("R") and not m.after.over]
    assert len(reverses) > 20 and all(m.after.turn == m.seat for m in reverses)


def test_the_color_shown_is_the_color_in_play() -> None:
    layout = Layout(SHEET, 4)
    after_wild = 0
    for m in some(4):
        if m.game.phase != NAME:
            shown = [c for c, on in enumerate(m.row[layout["color"]]) if on]
            assert shown == [m.game.color]
            after_wild += m.top[0] == "W"
    assert after_wild > 200


def test_a_renewed_pile_leaves_the_top_card_lying() -> None:
    renewed = [m for m in some(4) if m.after.renewals > m.game.renewals]
    assert len(renewed) > 10
    for m in renewed:
        cards = m.after.pile + m.after.discards + sum(m.after.counts[:4])
        assert cards == 108 and m.after.discards >= 1
        if not m.played:
            assert top(SHEET.rules, m.after) == top(SHEET.rules, m.game)


def test_what_is_left_is_drawn_before_the_pile_is_renewed() -> None:
    """RLCard shuffles a pile that is short of what is due, and raises when nothing is left."""
    found = 0
    for m in some(4):
        if m.after.renewals > m.game.renewals and m.action == ACCEPT and 0 < m.game.pile < 4:
            left = piles(SHEET, m.game)[1]
            drawn = [
                n - o for n, o in zip(m.after.hands[m.seat], m.game.hands[m.seat], strict=True)
            ]
            assert all(drawn[kind] >= left.count(kind) for kind in left)
            found += 1
    assert found or any(m.game.pile == 0 for m in some(4))


def test_whoever_begins_names_the_color_of_a_turned_wild() -> None:
    env = aec.env(players=4)
    found = 0
    for seed in range(200):
        env.reset(seed=seed)
        game = to_plain(Game, env._tables.games[0])
        if game.phase == NAME:
            mask = env.observe(env.agent_selection)["action_mask"]
            assert set(np.flatnonzero(mask)) == {COLOR + color for color in range(4)}
            found += 1
    assert found > 3


def test_a_turned_draw_two_costs_the_turn() -> None:
    env = aec.env(players=4)
    found, starters = 0, set()
    for seed in range(300):
        env.reset(seed=seed)
        game = to_plain(Game, env._tables.games[0])
        starters.add(game.turn)
        first = (game.dealer + 1) % 4
        if FACES[top(SHEET.rules, game)].symbol == "+2":
            assert game.counts[first] == 9 and game.turn == (first + 1) % 4
            found += 1
    assert found > 5 and starters == {0, 1, 2, 3}  # nor is it always the first seat that begins


def test_rewards_are_right_for_any_number_of_players() -> None:
    for players in (2, 3, 10):
        env, random = aec.env(players=players), Random(1)
        for seed in range(3):
            rewards: dict[str, float] = {}
            env.reset(seed=seed)
            for agent in env.agent_iter():
                observation, rewards[agent], terminated, _, _ = env.last()
                allowed = np.flatnonzero(observation["action_mask"]).tolist()
                env.step(None if terminated else random.choice(allowed))
            assert len(rewards) == players
            assert sorted(rewards.values())[-1] in (0, 1)
            assert sum(rewards.values()) == pytest.approx(0, abs=1e-6)


def test_an_observation_has_what_a_person_sees() -> None:
    """RLCard's has the own hand and a target: no counts, no turn, no direction, no discards."""
    layout = Layout(SHEET, 4)
    for m in some(4)[:300]:
        turned = [m.game.counts[(m.seat + place) % 4] for place in range(4)]
        assert m.row[layout["counts"]] == turned
        assert m.row[layout["turn"]].index(1) == (m.game.turn - m.seat) % 4
        assert m.row[layout["direction"]] == [int(m.game.direction > 0)]
        assert sum(m.row[layout["gone"]]) == m.game.discards
        wilds = [m.game.hands[m.seat][kind] for kind in range(52, 54)]
        assert m.row[layout["hand"]][52:54] == wilds  # how many, not only whether


def test_an_illegal_action_is_not_replaced_by_another() -> None:
    env = aec.env(players=2)
    env.reset(seed=1)
    before = env._tables.games.tobytes()
    env.step(CHALLENGE)
    assert env._tables.games.tobytes() == before and all(env.terminations.values())


def test_every_row_of_the_page_has_its_test() -> None:
    page = Path(__file__).parent.parent / "docs" / "environments.md"
    named = re.findall(r"^\| .*\| `(test_\w+)` \|$", page.read_text("utf-8"), re.MULTILINE)
    tests: dict[str, Any] = vars(this)
    assert len(set(named)) >= 12 and all(callable(tests.get(name)) for name in named)
    unnamed = {n for n in tests if n.startswith("test_")} - set(named)
    assert unnamed == {"test_every_row_of_the_page_has_its_test"}
