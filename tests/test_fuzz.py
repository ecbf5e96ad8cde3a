"""Nothing that is typed, sent or loaded can break the program: it is refused in a sentence."""

import hashlib
import json
import tomllib
from collections import Counter
from copy import deepcopy
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from penultima.cli.arguments import read_options
from penultima.edition import SHIPPED, load, read, shipped
from penultima.errors import PenultimaError, RecordError, RulesetError
from penultima.game import Match, key_of_seed
from penultima.notation import PHASE_NAMES, action_text, read_action, read_card, read_move
from penultima.position import read_position, write_position
from penultima.record import RULES, Record
from penultima.rules.legal import play_of
from penultima.ruleset import Sheet
from tests import toml
from tests.lockstep import random_table
from tests.mutation import CHARACTERS, JSON, NUMBERS, spoiled, spoiled_text
from tests.support import assert_speaks, edition_text, faults, go_on, states

ANYTHING = st.text(CHARACTERS, max_size=30)
SOME = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
MANY = settings(SOME, max_examples=400)
EDITIONS = st.sampled_from(SHIPPED)


# Edition files


WORDS_OF_EDITIONS = st.sampled_from(
    ["W", "W4", "R", "+2", "b", "r", "draw", "demand", "race", "give", "#1f5fbf", "circle", "may"]
)
EDITION_DATA = EDITIONS.map(edition_text).map(tomllib.loads)
SPOILED_DATA = EDITION_DATA.flatmap(lambda data: spoiled(data, JSON | WORDS_OF_EDITIONS))


def refused_or_playable(text: str) -> None:
    """An edition file is refused in a sentence, or it can be played by."""
    try:
        edition = read(text, "mine.toml")
        match = Match(edition.sheet, ["Ana", "Boris"], key_of_seed(1))
    except PenultimaError as error:
        assert_speaks(error)
        return
    go_on(match, Random(1), steps=25)
    assert Record.from_text(match.record().to_text()) == match.record()


def test_the_writer_of_toml_keeps_editions_as_they_are() -> None:
    for name in SHIPPED:
        data = tomllib.loads(edition_text(name))
        assert tomllib.loads(toml.document(data)) == data


@MANY
@given(SPOILED_DATA.map(toml.document))
@example("id = " + "9" * 5000)
@example("[options]\ntarget = 0x" + "f" * 5000)
def test_spoiled_edition_data_is_refused_or_playable(text: str) -> None:
    refused_or_playable(text)


@SOME
@given(EDITIONS.flatmap(lambda name: spoiled_text(edition_text(name), st.text(CHARACTERS))))
def test_spoiled_edition_text_is_refused_or_playable(text: str) -> None:
    refused_or_playable(text)


@SOME
@given(ANYTHING)
@example("a=" + "[" * 5000)
@example("\ud800")
def test_any_text_is_no_edition(text: str) -> None:
    refused_or_playable(text)


@SOME
@given(ANYTHING)
@example("a\0.toml")
@example("\ud800.toml")
@example("\ud800")
@example("x" * 5000)
@example(".")
@example("")
def test_any_text_names_no_edition(name: str) -> None:
    assume(name not in SHIPPED)
    with pytest.raises(PenultimaError) as refused:
        load(name)
    assert_speaks(refused.value)


OPTION_TEXTS = st.lists(
    st.tuples(
        st.sampled_from(["target", "hand_size", "stacking", "jump_in", "names"]) | ANYTHING,
        st.sampled_from(["=", "", "=="]),
        st.sampled_from(["true", "on", "same", "7", "9" * 5000, "-1"]) | ANYTHING,
    ).map("".join),
    max_size=4,
).map(",".join)


@SOME
@given(EDITIONS, OPTION_TEXTS)
def test_any_options_are_refused_or_playable(name: str, text: str) -> None:
    try:
        edition = shipped(name).with_options(read_options(text))
        match = Match(edition.sheet, ["Ana", "Boris"], key_of_seed(1))
    except PenultimaError as error:
        assert_speaks(error)
        return
    go_on(match, Random(1), steps=25)


# Positions


@cache
def positions() -> tuple[tuple[Sheet, dict[str, Any]], ...]:
    """Positions of random games with random options, some of every phase."""
    found: list[tuple[Sheet, dict[str, Any]]] = []
    seen: Counter[str] = Counter()
    for seed in range(40):
        sheet, seats, _ = random_table(Random(seed))
        for match in states(sheet, seats, seed, most=120):
            phase = PHASE_NAMES[match.game.phase]
            if seen[phase] < 6 and seen[f"{seed} {phase}"] < 1:
                seen.update([phase, f"{seed} {phase}"])
                found.append((sheet, write_position(sheet, match.game)))
    assert set(PHASE_NAMES.values()) <= set(seen)
    return tuple(found)


WORDS_OF_POSITIONS = st.one_of(
    st.sampled_from(["b7", "g0", "rR", "y+2", "W", "W4", "WT", "WC", "WG", "b", "r"]),
    st.sampled_from([*PHASE_NAMES.values(), "round", "match", "00" * 32]),
    st.lists(st.integers(0, 9), max_size=4),
)


@st.composite
def spoiled_positions(draw: st.DrawFn) -> tuple[int, Any]:
    number = draw(st.integers(0, len(positions()) - 1))
    data = positions()[number][1]
    return number, draw(spoiled(data, st.one_of(NUMBERS, WORDS_OF_POSITIONS, JSON)))


def position_is_refused_or_sound(sheet: Sheet, data: Any, seed: int = 1) -> None:
    try:
        game = read_position(sheet, data)
    except PenultimaError as error:
        assert_speaks(error)
        return
    match = Match.at(sheet, game)
    assert faults(match) == 0
    assert read_position(sheet, write_position(sheet, game)) == game
    go_on(match, Random(seed), steps=25)


@MANY
@given(spoiled_positions())
def test_a_spoiled_position_is_refused_or_sound(case: tuple[int, Any]) -> None:
    number, data = case
    position_is_refused_or_sound(positions()[number][0], data)


@st.composite
def shifted_positions(draw: st.DrawFn) -> tuple[int, Any]:
    """A good position, with some cards moved elsewhere and some fields set to what they can be."""
    number = draw(st.integers(0, len(positions()) - 1))
    sheet, data = deepcopy(positions()[number])
    seats = len(data["hands"])
    places = [*data["hands"], data["pile"], data["discard"]]
    for _ in range(draw(st.integers(0, 4))):
        source, target = draw(st.sampled_from(places)), draw(st.sampled_from(places))
        moved = source[draw(st.sampled_from([-1, -2, 0])) :]
        del source[len(source) - len(moved) :]
        target += moved
    seat, flag = st.integers(0, seats - 1), st.booleans()
    seat_sets = st.lists(seat, max_size=seats, unique=True)
    fields: dict[str, st.SearchStrategy[Any]] = {
        "phase": st.sampled_from(list(PHASE_NAMES.values())),
        "color": st.sampled_from(sheet.colors),
        **dict.fromkeys(["turn", "by", "dealer", "winner"], seat),
        **dict.fromkeys(["choice", "guilty", "jump"], flag),
        **dict.fromkeys(["called", "exposed", "dropped", "winner"], seat_sets),
        **dict.fromkeys(["due", "passes"], st.integers(0, 10)),
        "direction": st.sampled_from([1, -1]),
        "drawn": st.sampled_from([face.text for face in sheet.faces]),
        "over": st.sampled_from(["round", "match"]),
    }
    for name in draw(st.lists(st.sampled_from(list(fields)), max_size=3, unique=True)):
        data[name] = draw(fields[name])
    return number, data


@MANY
@given(shifted_positions())
def test_a_shifted_position_is_refused_or_sound(case: tuple[int, Any]) -> None:
    number, data = case
    position_is_refused_or_sound(positions()[number][0], data)


@SOME
@given(EDITIONS, st.dictionaries(st.sampled_from(sorted(positions()[0][1])), JSON))
def test_a_position_of_anything_is_refused_or_sound(name: str, data: Any) -> None:
    position_is_refused_or_sound(shipped(name).sheet, data)


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


MONSTERS = {
    "nested": nested(50_000),
    "number": 10**5000,
    "long": "x" * 1_000_000,
    "half a character": "\ud800",
}


@pytest.mark.parametrize("monster", MONSTERS)
@pytest.mark.parametrize("field", sorted({*positions()[0][1], "seed", "legal", "hand", "cards"}))
def test_a_monster_in_any_field_is_refused(field: str, monster: str) -> None:
    sheet = shipped("classic").sheet
    data = write_position(sheet, Match(sheet, ["Ana", "Boris"], key_of_seed(1)).game)
    match field:
        case "hand":
            data["hands"][0] = MONSTERS[monster]
        case "cards":
            data["hands"][0][0] = MONSTERS[monster]
        case _:
            data[field] = MONSTERS[monster]
    position_is_refused_or_sound(sheet, data)


@pytest.mark.parametrize(
    "extreme",
    [
        {"scores": [2**31 - 1, 0]},
        {"round": 2**31 - 1},
        {"lacked": [[31] * 4] * 2},
        {"lacked": [[30] * 4] * 2},
        {"decisions": 30_000},
    ],
    ids=lambda extreme: str(next(iter(extreme))),
)
def test_a_position_at_the_limits_is_refused_or_sound(extreme: dict[str, Any]) -> None:
    data = {"hands": [["r1"], ["g3"]], "discard": ["r5"], "turn": 0, **extreme}
    for seed in range(10):
        position_is_refused_or_sound(shipped("classic").sheet, data, seed)


# Records


@cache
def records() -> tuple[str, ...]:
    """Records of whole matches, and of some that were left in the middle of a round."""
    texts = []
    for seed, name in enumerate(SHIPPED):
        sheet = shipped(name).sheet.with_options({"target": 30})
        match = Match(sheet, ["Ana", "Boris"], key_of_seed(seed))
        for steps in (20, 10_000):
            go_on(match, Random(seed), steps)
            texts.append(match.record().to_text())
    return tuple(texts)


def record_is_refused_or_replays(text: str) -> None:
    try:
        match = Match.replay(Record.from_text(text))
    except PenultimaError as error:
        assert_speaks(error)
        return
    assert faults(match) == 0
    written = match.record().to_text()
    assert Record.from_text(written).to_text() == written


def test_a_record_with_half_a_character_is_refused() -> None:
    for text in records():
        record_is_refused_or_replays(text.replace('"edition":"', r'"edition":"\ud800'))


BITS_OF_RECORDS = st.text("0123456789abcdef :", max_size=3) | ANYTHING


@MANY
@given(st.sampled_from(records()).flatmap(lambda text: spoiled_text(text, BITS_OF_RECORDS)))
def test_a_spoiled_record_is_refused_or_replays(text: str) -> None:
    record_is_refused_or_replays(text)


@SOME
@given(ANYTHING)
@example(f"penultima 1\nrules {RULES}\nruleset " + "0" * 64 + "\n" + "[" * 100_000)
def test_any_text_is_no_record(text: str) -> None:
    with pytest.raises(RecordError) as refused:
        Record.from_text(text)
    assert_speaks(refused.value)


def with_ruleset(text: str, ruleset: Any) -> str:
    """The record with another ruleset, whose hash is right."""
    lines = text.split("\n")
    lines[3] = json.dumps(ruleset, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    lines[2] = f"ruleset {hashlib.sha256(lines[3].encode()).hexdigest()}"
    return "\n".join(lines)


RULESETS = EDITIONS.map(lambda name: shipped(name).sheet.to_json())


@MANY
@given(RULESETS.flatmap(lambda data: spoiled(data, JSON | WORDS_OF_EDITIONS)))
def test_a_record_with_a_forged_ruleset_is_refused_or_replays(ruleset: Any) -> None:
    record_is_refused_or_replays(with_ruleset(records()[0], ruleset))


def ruleset_is_refused_or_can_be_written(ruleset: Any) -> None:
    try:
        sheet = Sheet.from_json(ruleset)
    except RulesetError as error:
        assert_speaks(error)
        return
    assert Sheet.from_json(json.loads(sheet.canonical)) == sheet
    for kind, face in enumerate(sheet.faces):
        action = play_of(sheet.rules, kind, color=0)
        text = action_text(sheet, action)
        assert not set(text) & set(" \n"), face
        assert read_action(sheet, text) == action, face


@MANY
@given(RULESETS.flatmap(lambda data: spoiled(data, JSON | WORDS_OF_EDITIONS)))
def test_a_forged_ruleset_is_refused_or_can_be_written(ruleset: Any) -> None:
    ruleset_is_refused_or_can_be_written(ruleset)


@pytest.mark.parametrize("text", ["b 0", "b\n0", "b:0", "draw", "W 4", "W:b", "color", "give", ""])
def test_a_forged_card_is_refused_or_can_be_written(text: str) -> None:
    ruleset = shipped("classic").sheet.to_json()
    ruleset["faces"][0 if text.startswith("b") else -1]["text"] = text
    ruleset_is_refused_or_can_be_written(ruleset)


# Actions and moves


def actions_of(sheet: Sheet) -> st.SearchStrategy[str]:
    """Actions that exist, actions that nearly do, and any text."""
    cards = st.sampled_from([face.text for face in sheet.faces])
    colors = st.sampled_from(sheet.colors)
    words = st.sampled_from(["draw", "keep", "call", "catch", "challenge", "accept", "drop"])
    seats = st.builds("{}:{}".format, st.sampled_from(["give", "swap", "color"]), NUMBERS)
    wilds = st.builds("{}:{}".format, cards, colors)
    return st.one_of(cards, words, seats, wilds, ANYTHING)


@st.composite
def attempts(draw: st.DrawFn) -> tuple[int, int, str | int]:
    """The number of a position, and what a seat tries there."""
    number = draw(st.integers(0, len(positions()) - 1))
    seat = draw(st.integers(0, 2) | st.integers())
    return number, seat, draw(actions_of(positions()[number][0]) | st.integers(0, 160) | NUMBERS)


@MANY
@given(attempts())
def test_a_refused_action_changes_nothing(attempt: tuple[int, int, str | int]) -> None:
    number, seat, action = attempt
    sheet, data = positions()[number]
    match = Match.at(sheet, read_position(sheet, data))
    before = match.game.to_bytes()
    try:
        match.play(seat, action)
    except PenultimaError as error:
        assert_speaks(error)
        assert match.game.to_bytes() == before
        assert match.rounds[-1].moves == []
    else:
        assert len(match.rounds[-1].moves) == 1
    go_on(match, Random(1), steps=3)


@MANY
@given(EDITIONS, ANYTHING | st.builds("{}:{}".format, NUMBERS, actions_of(shipped("chili").sheet)))
def test_any_text_is_a_move_or_is_refused(name: str, text: str) -> None:
    sheet = shipped(name).sheet
    try:
        seat, action = read_move(sheet, text)
    except PenultimaError as error:
        assert_speaks(error)
    else:
        assert f"{seat}:{action_text(sheet, action)}" == text


@SOME
@given(EDITIONS, JSON)
def test_what_is_no_text_is_no_card_and_no_action(name: str, value: Any) -> None:
    assume(not isinstance(value, str))
    sheet = shipped(name).sheet
    for read_it in (read_card, read_action):
        with pytest.raises(PenultimaError) as refused:
            read_it(sheet, value)
        assert_speaks(refused.value)
