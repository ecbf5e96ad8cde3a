"""What the command line refuses: in a sentence, with an exit code, never with a traceback."""

from pathlib import Path
from typing import Any

import pytest

from penultima.edition import SHIPPED
from penultima.locale import LANGUAGES, say
from tests.commands import Ask, Position


def test_a_refused_action_is_named_to_machines(ask: Ask, position: Position) -> None:
    answer = ask("step", "--position", position(), "--json", "0:r1", "1:b7", "0:draw")
    assert answer.code == 1
    assert answer.err == ""
    assert answer.json["action"] == "1:b7"
    assert answer.json["code"] == "illegal.not_allowed"
    assert "r2, r3" in answer.json["error"]


MOVES = {
    "not allowed": ("0:g9", "illegal.not_allowed"),
    "not this seat's turn": ("1:r2", "illegal.not_asked"),
    "no such seat": ("7:draw", "illegal.no_seat"),
    "no seat": ("draw", "unreadable.move"),
    "no action": ("0:jump", "unreadable.action"),
    "a wild card without a color": ("0:W4", "unreadable.wild_without_color"),
    "a color too many": ("0:r1:b", "unreadable.color_on_colored"),
    "no color": ("0:W4:x", "unreadable.color"),
    "nothing": ("", "unreadable.move"),
}


@pytest.mark.parametrize("case", MOVES)
def test_a_bad_action_is_refused(ask: Ask, position: Position, case: str) -> None:
    move, code = MOVES[case]
    for_machines = ask("step", "--position", position(), "--json", move)
    assert (for_machines.code, for_machines.err) == (1, "")
    assert (for_machines.json["code"], for_machines.json["action"]) == (code, move)
    for_people = ask("step", "--position", position(), move)
    assert (for_people.code, for_people.out) == (1, "")
    assert for_people.err == f"Error: {for_machines.json['error']}\n"


POSITIONS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a card too many": ({"hands": [["r0", "r0"], ["b1"]]}, ["1 of r0", "1 too many"]),
    "an unknown card": ({"hands": [["r1", "x9"], ["b1"]]}, ["hands[0]", "x9"]),
    "no such seat": ({"turn": 2}, ["turn", "2", "0 to 1"]),
    "one player": ({"hands": [["r1"]]}, ["1", "2 to 10"]),
    "no hands": ({"hands": None}, ["hands", "list"]),
    "an unknown field": ({"hand": []}, ["hand", "hands"]),
    "an unknown color": ({"color": "x"}, ["x", "b, g, r, y"]),
    "another color than the card's": ({"color": "b"}, ["color"]),
    "an unknown phase": ({"phase": "lunch"}, ["lunch", "challenge"]),
    "a phase that cannot be": ({"phase": "race"}, ["race", "r5"]),
    "an empty hand": ({"hands": [[], ["b1"]]}, ["empty"]),
    "a short key": ({"key": "00"}, ["64"]),
    "no edition": ({"edition": None}, ["edition"]),
    "an unknown edition": ({"edition": "clasic"}, ["clasic", "classic"]),
    "an edition that no file can be": ({"edition": "a\0.toml"}, ["toml"]),
    "an unknown option": ({"options": {"speed": 1}}, ["speed", "stacking"]),
    "options that are none": ({"options": ["stacking"]}, ["options"]),
}


@pytest.mark.parametrize("case", POSITIONS)
def test_an_impossible_position_is_refused(ask: Ask, position: Position, case: str) -> None:
    changes, words = POSITIONS[case]
    for command in (("step",), ("perft", "--depth", "1")):
        for_machines = ask(*command, "--position", position(**changes), "--json")
        assert (for_machines.code, for_machines.err) == (1, "")
        for_people = ask(*command, "--position", position(**changes))
        assert (for_people.code, for_people.out) == (1, "")
        for word in words:
            assert word in for_machines.json["error"]
            assert word in for_people.err


REFUSED: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "an unknown bot": (("play", "--bot", "hal"), ["hal", "basic"]),
    "an unknown edition": (("editions", "clasic"), ["clasic", "triforce"]),
    "a very long name": (("editions", "x" * 300), ["triforce"]),
    "a missing edition file": (("rules", "mine.toml"), ["mine.toml", "cannot be read"]),
    "a missing position": (("step", "--position", "no.json"), ["no.json", "cannot be read"]),
    "a folder": (("step", "--position", "/"), ["/", "cannot be read"]),
    "an unknown option": (("rules", "--options", "speed=9"), ["speed", "stacking"]),
    "a word for an option": (("rules", "--options", "stacking"), ["stacking", "NAME=VALUE"]),
    "a bad value": (("rules", "--options", "stacking=yes"), ["yes", "off, same, four_on_two"]),
    "a bad switch": (("rules", "--options", "jump_in=maybe"), ["maybe", "true, false"]),
    "a large number": (("rules", "--options", "target=99999999999"), ["99999999999", "1000000"]),
    "a hand too large": (
        ("play", "--players", "10", "--options", "hand_size=11"),
        ["10 players", "at most 10"],
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_done_is_said_in_one_line(ask: Ask, case: str) -> None:
    arguments, words = REFUSED[case]
    answer = ask(*arguments)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.count("\n") == 1
    for word in words:
        assert word in answer.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "JSON object"),
        ("5", "JSON object"),
        ('{"hands": ' + "9" * 5000 + "}", "not valid JSON"),
    ],
)
def test_input_that_is_no_position_is_refused(ask: Ask, text: str, words: str) -> None:
    answer = ask("step", "--position", "-", text=text)
    assert (answer.code, answer.out) == (1, "")
    assert words in answer.err


def test_a_file_that_is_no_text_is_refused(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "position.json"
    path.write_bytes(b"\xff\xfe")
    answer = ask("step", "--position", str(path))
    assert answer.code == 1
    assert "UTF-8" in answer.err


@pytest.mark.parametrize("language", LANGUAGES)
def test_errors_are_said_in_the_language_asked_for(ask: Ask, language: str) -> None:
    answer = ask("rules", "clasic", "--lang", language)
    problem = say(language, "edition.unknown", name="clasic", allowed=list(SHIPPED))
    problem += " " + say(language, "cli.meant", name="classic")
    assert answer.err == say(language, "error.prefix", problem=problem) + "\n"


BAD_OPTIONS: dict[str, tuple[str, ...]] = {
    "an unknown command": ("fly",),
    "an unknown option": ("play", "--speed", "9"),
    "too few players": ("play", "--players", "1"),
    "too many players": ("perft", "--players", "11"),
    "players in words": ("play", "--players", "two"),
    "a seed below zero": ("play", "--seed", "-1"),
    "a seed too large": ("play", "--seed", str(2**63)),
    "a seed of thousands of digits": ("play", "--seed", "9" * 5000),
    "a seed in other digits": ("play", "--seed", "٣"),
    "a depth below zero": ("perft", "--depth=-1"),
    "a depth too large": ("perft", "--depth", "41"),
    "an unknown language": ("rules", "--lang", "tlh"),
    "step without a position": ("step",),
    "a value too many": ("rules", "classic", "chili"),
    "an option without its value": ("play", "--seed"),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_a_bad_option_is_refused_in_one_line(ask: Ask, case: str) -> None:
    answer = ask(*BAD_OPTIONS[case])
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.count("\n") == 1
    assert "--help" in answer.err
