"""The environments keep the contracts of PettingZoo and Gymnasium, at every table."""

import pickle
import warnings
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, parallel_api_test, seed_test

import penultima.envs
from penultima.edition import SHIPPED, shipped
from penultima.envs import aec, picture
from penultima.envs.rows import PASS
from penultima.envs.single import PenultimaEnv
from penultima.envs.vector import PenultimaVectorEnv
from penultima.errors import BotError, EnvError, PenultimaError
from penultima.rules.actions import CALL, CATCH, CHALLENGE, DRAW, DROP, PLAY
from penultima.view import View, view
from tests.rules.table import table
from tests.support import assert_speaks

# One process compiles for all of them.
pytestmark = pytest.mark.xdist_group("envs")

HOUSE = {"stacking": "four_on_two", "seven_zero": True, "jump_in": True}
# Every edition, every number of seats, and interrupts of all kinds.
TABLES: list[dict[str, Any]] = [
    {"edition": edition, "players": 2 + (place + step) % 9, **more}
    for place, edition in enumerate(SHIPPED)
    for step, more in ((0, {}), (4, {"options": HOUSE}))
]
every_table = pytest.mark.parametrize(
    "table", TABLES, ids=lambda table: f"{table['edition']}-{table['players']}"
)


def quietly(check: Callable[..., Any], *arguments: Any, **more: Any) -> None:
    """Run a check of PettingZoo's; it warns of every observation that is a dict with a mask."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error")
        for known in ("Observation is not a NumPy", "Observation space for each", ".*all zeros"):
            warnings.filterwarnings("ignore", message=known)
        check(*arguments, **more)


def test_the_tables_have_every_number_of_seats() -> None:
    assert {table["players"] for table in TABLES} == set(range(2, 11))


@every_table
def test_pettingzoo_finds_nothing_wrong(table: dict[str, Any]) -> None:
    quietly(api_test, aec.env(**table), num_cycles=60)
    quietly(seed_test, lambda: aec.env(**table), num_cycles=40)
    quietly(parallel_api_test, aec.parallel_env(**table), num_cycles=60)


@pytest.mark.parametrize("edition", SHIPPED)
@pytest.mark.parametrize("players", range(2, 11))
def test_every_edition_plays_at_every_number_of_seats(edition: str, players: int) -> None:
    quietly(api_test, aec.env(edition=edition, players=players), num_cycles=10)


@pytest.mark.parametrize("settings", [{"reward": "points"}, {"reward": "match"}, {"auto": True}])
def test_nor_with_other_settings(settings: dict[str, Any]) -> None:
    options = {"target": 60}
    quietly(api_test, aec.env(players=3, options=options, **settings), num_cycles=300)


@every_table
def test_bombarded_with_resets_it_stays_sound(table: dict[str, Any]) -> None:
    """As PettingZoo's `bombardment_test`, which in 1.27 fails for its own environments: it
    expects `step` to return an observation.
    """
    env, random = aec.env(**table), Random(3)
    for _ in range(40):
        env.reset()
        for agent in env.agent_iter(env.num_agents):
            observation, _, terminated, truncated, _ = env.last()
            assert env.observation_space(agent).contains(observation)
            allowed = np.flatnonzero(observation["action_mask"]).tolist()
            env.step(None if terminated or truncated else random.choice(allowed))


@every_table
def test_gymnasium_finds_nothing_wrong(table: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("error")
        # No default spec: the environment is not made by `make` here.
        warnings.filterwarnings("ignore", message=".*spec")
        check_env(PenultimaEnv(**table, render_mode="ansi"))


def test_they_can_be_made_by_name() -> None:
    assert penultima.envs.__doc__
    single = gymnasium.make("Penultima-v0", opponents=["eager", "basic", "easy"])
    assert isinstance(single.unwrapped, PenultimaEnv)
    many = gymnasium.make_vec("Penultima-v0", num_envs=3, edition="chili")
    assert isinstance(many.unwrapped, PenultimaVectorEnv)
    if hasattr(pettingzoo, "make"):
        assert isinstance(pettingzoo.make("aec", "penultima_v0", players=7), aec.RawEnv)
        parallel = pettingzoo.make("parallel", "penultima_v0")
        assert len(parallel.possible_agents) == 4


# Who is asked


def play(env: aec.RawEnv, seed: int, choose: Callable[[str, list[int]], int]) -> None:
    """A game to its end."""
    env.reset(seed=seed)
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        allowed = np.flatnonzero(observation["action_mask"]).tolist()
        env.step(None if terminated or truncated else choose(agent, allowed))


def test_only_the_agent_asked_has_actions() -> None:
    env = aec.env(players=5, options=HOUSE)

    def choose(agent: str, allowed: list[int]) -> int:
        for other in env.agents:
            mask = env.observe(other)["action_mask"]
            assert mask.any() == (other == agent)
        assert allowed != [PASS]  # who could only pass is not asked
        return Random(len(allowed)).choice(allowed)

    play(env, 1, choose)


def test_interrupts_come_in_the_order_of_ask() -> None:
    """Who is exposed may call first, then the others may catch, and passing goes on to the next."""
    env, random = aec.env(players=3), Random(1)
    asked: list[tuple[str, list[int]]] = []

    def choose(agent: str, allowed: list[int]) -> int:
        asked.append((agent, allowed))
        if PASS in allowed:
            return PASS
        return max(allowed) if max(allowed) >= PLAY else random.choice(allowed)  # forgets to call

    for seed in range(15):
        play(env, seed, choose)
    found = 0
    for (first, calls), (second, catches) in pairwise(asked):
        if calls == [CALL, PASS]:
            assert CATCH in catches and first != second
            found += 1
    assert found > 5


def test_auto_asks_for_turn_decisions_alone() -> None:
    for options in ({}, {"jump_in": True}, {"challengers": "anybody"}):
        env, random = aec.env(edition="chili", options=options, auto=True), Random(2)

        def choose(agent: str, allowed: list[int], random: Random = random) -> int:
            assert not {CALL, CATCH, DROP, PASS} & set(allowed)
            return random.choice(allowed)

        for seed in range(10):
            play(env, seed, choose)


# Rewards


@pytest.mark.parametrize("edition", SHIPPED)
@pytest.mark.parametrize("reward", ["round", "points", "match"])
def test_rewards(edition: str, reward: str) -> None:
    """What a winner gains the others lose; where low totals win, nobody gains."""
    options = {"target": 100}
    env, random = aec.env(edition=edition, players=4, options=options, reward=reward), Random(1)
    tally = shipped(edition).sheet.options.scoring == "tally"
    for seed in range(6):
        rewards: dict[str, float] = {}
        env.reset(seed=seed)
        for agent in env.agent_iter():
            observation, given, terminated, _, _ = env.last()
            allowed = np.flatnonzero(observation["action_mask"]).tolist()
            assert terminated or given == 0
            if terminated:
                rewards[agent] = given
            env.step(None if terminated else random.choice(allowed))
        left = env._tables.games["counts"][0][:4].tolist()
        row = dict(zip(env.possible_agents, left, strict=True))
        if reward == "points" and tally:
            assert all(given <= 0 for given in rewards.values())
        else:
            assert sum(rewards.values()) == pytest.approx(0, abs=1e-6)
        if reward == "round":
            lost = pytest.approx(-1 / 3) if 0 in row.values() else 0  # blocked: nobody has won
            assert rewards == {a: 1 if row[a] == 0 else lost for a in rewards}
        if reward == "match":
            scores = env._tables.games["scores"][0][:4].tolist()
            best = min(scores) if tally else max(scores)
            won = [s == best for s in scores]
            assert [rewards[agent] > 0 for agent in env.possible_agents] == won and max(
                scores
            ) >= 100


def test_points_are_what_the_others_hold() -> None:
    env = PenultimaEnv(players=3, reward="points", auto=True)
    random = Random(1)
    for seed in range(20):
        _, info = env.reset(seed=seed)
        over, given = False, 0.0
        while not over:
            allowed = np.flatnonzero(info["action_mask"]).tolist()
            _, given, over, _, info = env.step(random.choice([a for a in allowed if a] or allowed))
        game = env._game()
        points = env.edition.sheet.rules.points
        held = [sum(n * p for n, p in zip(hand, points, strict=True)) for hand in game.hands[:3]]
        assert given == pytest.approx((sum(held) if game.counts[0] == 0 else -held[0]) / 500)


# Illegal actions


def test_an_illegal_action_ends_the_game() -> None:
    env = aec.env(players=3)
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(CHALLENGE)
    assert env.rewards == {a: -1 if a == agent else 0 for a in env.agents}
    assert all(env.terminations.values()) and env.infos[agent] == {"illegal": True}
    single = PenultimaEnv(players=3)
    single.reset(seed=1)
    _, reward, terminated, truncated, info = single.step(CHALLENGE)
    assert (reward, terminated, truncated, info["illegal"]) == (-1, True, False, True)
    assert not info["action_mask"].any()


def test_or_raises_an_error_and_changes_nothing() -> None:
    env = aec.env(players=3, illegal="raise")
    env.reset(seed=1)
    before = env.observe(env.agent_selection)
    with pytest.raises(EnvError, match="may not take challenge now") as raised:
        env.step(CHALLENGE)
    assert_speaks(raised.value)
    after = env.observe(env.agent_selection)
    assert all(np.array_equal(before[key], after[key]) for key in before)
    single = PenultimaEnv(illegal="raise")
    single.reset(seed=1)
    with pytest.raises(EnvError, match="may not take"):
        single.step(CHALLENGE)


@pytest.mark.parametrize("action", [-1, 120, 10**20, None, "draw", 1.5, np.float32(2)])
def test_what_is_no_action_is_refused(action: Any) -> None:
    env, single = aec.env(), PenultimaEnv()
    env.reset(seed=1)
    single.reset(seed=1)
    for refused in (env, single):
        with pytest.raises(EnvError, match="use a whole number from 0 to 119") as raised:
            refused.step(action)
        assert_speaks(raised.value)


def test_many_tables_end_where_an_action_is_illegal() -> None:
    envs = PenultimaVectorEnv(4, autoreset="next")
    envs.reset(seed=1)
    actions = envs.sample()
    actions[1], actions[3] = CHALLENGE, 10_000
    _, rewards, terminated, _, info = envs.step(actions)
    assert terminated[1] and terminated[3] and rewards[1] == rewards[3] == -1
    assert info["illegal"].tolist() == [False, True, False, True]
    assert np.flatnonzero(info["action_mask"][1]).tolist() == [PASS]  # what it does not matter


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_floats_are_not_made_whole_in_silence(kind: type) -> None:
    envs = PenultimaVectorEnv(4)
    envs.reset(seed=1)
    actions = envs.sample()
    before = envs._tables.games.tobytes()
    with pytest.raises(EnvError, match="no whole numbers") as raised:
        envs.step(actions.astype(kind) + 0.6)
    assert_speaks(raised.value)
    assert envs._tables.games.tobytes() == before
    actions.flags.writeable = False
    _, _, _, _, info = envs.step(actions.astype(np.int32))
    assert "illegal" not in info or not info["illegal"].any()


@pytest.mark.parametrize("last", ["lost", "illegal"])
def test_a_game_that_is_over_is_not_played_on(last: str) -> None:
    """As Gymnasium has it: nothing but a reset begins another one."""
    env, random = PenultimaEnv(players=2), Random(1)
    with pytest.raises(ResetNeeded):
        env.step(DRAW)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        allowed = np.flatnonzero(info["action_mask"]).tolist()
        action = CHALLENGE if last == "illegal" else random.choice(allowed)
        _, _, over, _, info = env.step(action)
    games = env._tables.games.tobytes()
    for action in (DRAW, PASS, -1):
        with pytest.raises(ResetNeeded, match="reset") as raised:
            env.step(action)
        assert isinstance(raised.value, EnvError)
        assert_speaks(raised.value)
    assert env._tables.games.tobytes() == games
    env.reset()
    assert env.step(CHALLENGE)[2]
    after = aec.env(players=2)
    play(after, 1, lambda agent, allowed: allowed[0])
    with pytest.raises(ResetNeeded):
        after.step(DRAW)


def choose_by_chances(mask: Any, random: np.random.Generator) -> int:
    """As a learner does whose policy is a softmax over what the mask allows."""
    allowed = mask / mask.sum()
    assert np.isfinite(allowed).all()
    return int(random.choice(len(mask), p=allowed))


@pytest.mark.parametrize("auto", [False, True])
def test_where_all_act_at_once_everybody_can(auto: bool) -> None:
    env, random = aec.parallel_env(players=4, options=HOUSE, auto=auto), np.random.default_rng(1)
    for seed in range(5):
        observations, _ = env.reset(seed=seed)
        while env.agents:
            masks = {agent: seen["action_mask"] for agent, seen in observations.items()}
            asked = env.unwrapped.agent_selection
            for agent, mask in masks.items():
                assert (np.flatnonzero(mask).tolist() == [PASS]) == (agent != asked)
            actions = {agent: choose_by_chances(mask, random) for agent, mask in masks.items()}
            observations, _, ended, _, infos = env.step(actions)
            assert not any("illegal" in info for info in infos.values())
        assert all(ended.values()) and len(ended) == 4
        for seen in observations.values():
            assert np.flatnonzero(seen["action_mask"]).tolist() == [PASS]


def test_nor_is_there_nothing_to_choose_from_before_the_next_deal() -> None:
    envs, random = PenultimaVectorEnv(6, autoreset="next"), np.random.default_rng(1)
    _, info = envs.reset(seed=2)
    dealt = 0
    for _ in range(400):
        actions = np.array([choose_by_chances(mask, random) for mask in info["action_mask"]])
        _, _, ended, _, info = envs.step(actions)
        assert "illegal" not in info or not info["illegal"].any()
        for mask in info["action_mask"][ended]:
            assert np.flatnonzero(mask).tolist() == [PASS]
        dealt += int(ended.sum())
    assert dealt > 5


def vector(number: int) -> PenultimaVectorEnv:
    envs = PenultimaVectorEnv(number)
    envs.reset(seed=1)
    return envs


@pytest.mark.parametrize(
    "make",
    [
        lambda: aec.env(reward="money"),
        lambda: aec.env(illegal="shrug"),
        lambda: aec.env(render_mode="film"),
        lambda: aec.env(players=11),
        lambda: aec.env(edition="nonsense"),
        lambda: aec.env(options={"nonsense": 1}),
        lambda: aec.env().reset(seed=-1),
        lambda: PenultimaEnv(seat=4),
        lambda: PenultimaEnv(opponents=["eager"]),
        lambda: PenultimaVectorEnv(opponents="sharp"),
        lambda: PenultimaVectorEnv(0),
        lambda: PenultimaVectorEnv(3, autoreset="never"),
        lambda: vector(3).step(np.zeros(2, int)),
        lambda: vector(3).step(np.zeros(3)),
        lambda: vector(3).step(np.array([True, False, True])),
        lambda: vector(3).step(np.array([None, None, None])),
        lambda: PenultimaVectorEnv(3).step(np.zeros(3, int)),
        lambda: PenultimaVectorEnv(3).sample(),
        lambda: PenultimaEnv().step(0),
        lambda: PenultimaEnv(render_mode="ansi").render(),
        lambda: aec.env().step(0),
    ],
)
def test_a_wrong_setting_is_explained(make: Callable[[], Any]) -> None:
    with pytest.raises((PenultimaError, AttributeError)) as raised:
        make()
    if isinstance(raised.value, PenultimaError):
        assert_speaks(raised.value)
    else:
        assert "before reset()" in str(raised.value)


# One seat against bots


def test_a_bot_that_is_unknown_is_named() -> None:
    with pytest.raises(BotError, match="no bot “nobody”"):
        PenultimaEnv(opponents="nobody")


class First:
    """A bot of one's own."""

    def choose(self, view: View) -> str | None:
        return view.legal[0]


@pytest.mark.parametrize(
    "opponents",
    ["random", "eager", "basic", "easy", "sharp:20", ["eager", "tests.test_envs:First", "sharp:8"]],
    ids=str,
)
@pytest.mark.parametrize("auto", [False, True])
def test_any_bots_can_sit_at_the_table(opponents: Any, auto: bool) -> None:
    env, random = PenultimaEnv(opponents=opponents, seat=2, auto=auto), Random(4)
    wins = 0.0
    for _ in range(3):
        _, info = env.reset(seed=None if wins else 5)
        for _ in range(3000):
            allowed = np.flatnonzero(info["action_mask"]).tolist()
            plays = [a for a in allowed if a not in (DRAW, PASS)]
            observation, reward, over, _, info = env.step(random.choice(plays or allowed))
            if over:
                break
        assert over and env.observation_space.contains(observation)
        assert reward == 1 or reward == pytest.approx(-1 / 3)
        wins += reward


# Many tables


def test_many_tables_play_the_games_of_one() -> None:
    """The same seed, the same actions: the same rows, whether alone or side by side."""
    envs = PenultimaVectorEnv(3, players=3, opponents="basic", seat=1)
    rows, info = envs.reset(seed=9)
    alone = PenultimaEnv(players=3, opponents="basic", seat=1)
    row, told = alone.reset(seed=9)
    for step in range(400):
        assert np.array_equal(rows[0], row)
        assert np.array_equal(info["action_mask"][0], told["action_mask"])
        actions = envs.sample()
        rows, rewards, ended, cut, info = envs.step(actions)
        row, reward, over, short, told = alone.step(actions[0])
        assert (reward, over, short) == (rewards[0], ended[0], cut[0])
        if over:
            assert np.array_equal(info["final_obs"][0], row) and info["_final_obs"][0]
            for _ in range(3):  # table 0 of three plays games 0, 3, 6, …
                row, told = alone.reset()
            assert step > 3


def test_a_game_that_ends_is_dealt_anew_in_the_next_step() -> None:
    envs = PenultimaVectorEnv(8, autoreset="next")
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    envs.reset(seed=2)
    ended = np.zeros(8, bool)
    dealt = 0
    for _ in range(600):
        rows, rewards, now, *_ = envs.step(envs.sample())
        assert not (ended & now).any() and not rewards[ended].any()
        over = rows[:, envs.layout["round_over"]].ravel() == 1
        assert np.array_equal(over, now)
        dealt += int(ended.sum())
        ended = now
    assert dealt > 10


def test_all_seats_can_be_played_from_outside() -> None:
    envs = PenultimaVectorEnv(16, edition="violet", players=5, opponents=None)
    _, info = envs.reset(seed=3)
    won = 0
    for _ in range(4000):
        acted = info["seat"]
        _, rewards, ended, _, info = envs.step(envs.sample())
        assert np.array_equal(rewards, info["rewards"][np.arange(16), acted])
        assert not info["rewards"][~ended].any()
        won += int((info["rewards"][ended] == 1).sum())
    assert won > 5


def test_a_seed_decides_everything() -> None:
    def played(seed: int) -> bytes:
        envs = PenultimaVectorEnv(8, edition="chili", opponents="easy")
        rows = [envs.reset(seed=seed)[0]]
        for _ in range(100):
            rows.append(envs.step(envs.sample())[0])
        return b"".join(row.tobytes() for row in rows)

    assert played(1) == played(1) != played(2)


def test_arrays_are_kept_or_overwritten_as_asked() -> None:
    for copy in (True, False):
        envs = PenultimaVectorEnv(4, copy=copy)
        first, _ = envs.reset(seed=1)
        kept = first.copy()
        second, *_ = envs.step(envs.sample())
        assert np.array_equal(first, kept) == copy and (first is second) != copy


# Looking at it


@pytest.mark.parametrize("edition", SHIPPED)
def test_render(edition: str, capsys: pytest.CaptureFixture[str]) -> None:
    frames = {}
    for mode in ("human", "ansi", "svg", "rgb_array"):
        env = aec.env(edition=edition, players=6, render_mode=mode)
        env.reset(seed=4)
        frames[mode] = env.render()
        env.close()
    assert frames["human"] is None and capsys.readouterr().out.strip() == frames["ansi"]
    image = frames["rgb_array"]
    assert image.shape == (400, 640, 3) and image.dtype == np.uint8 and len(np.unique(image)) > 20
    assert frames["svg"].startswith("<svg") and frames["svg"].count("<polygon") > 30


def test_a_picture_shows_the_mark_of_a_card() -> None:
    """Two hands that differ in one card, marked or not: three leaves and a stem more."""

    def polygons(hand: str) -> int:
        match = table("triforce", [hand, "b1"], "g1").match
        return picture.svg(shipped("triforce"), view(match.sheet, match.game, 0)).count("<polygon")

    assert polygons("r3 b1") == polygons("r4 b1") + 4


def test_a_picture_shows_no_other_hand() -> None:
    """Two deals that the seat asked cannot tell apart look the same to it."""
    env = aec.env(players=3, render_mode="ansi")
    env.reset(seed=1)
    before = env.render()
    games = env._tables.games
    pile = int(games["pile"][0])
    games["deck"][0][:pile] = games["deck"][0][:pile][::-1]
    assert env.render() == before and "holds" in before


def test_an_environment_can_be_pickled() -> None:
    env = pickle.loads(pickle.dumps(aec.env(edition="revenge", players=5)))
    env.reset(seed=1)
    assert env.num_agents == 5
