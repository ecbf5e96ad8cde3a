"""The command line: help, editions, rules, perft, step, and the world around it."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from penultima import __version__
from penultima.edition import SHIPPED, shipped
from penultima.game import Match, key_of_seed
from penultima.locale import LANGUAGES, say
from penultima.position import write_position
from penultima.rulebook import edition_page
from penultima.ruleset import Options, Sheet
from tests.commands import (
    ENVIRONMENT,
    HARVEST,
    PENULTIMA,
    POSITION,
    Ask,
    Position,
    ask_outside,
)

COMMANDS = ("play", "simulate", "editions", "rules", "perft", "step")
every_language = pytest.mark.parametrize("language", LANGUAGES)


# Help


def test_help_names_every_command(ask: Ask) -> None:
    answer = ask("--help")
    assert answer.code == 0
    for command in COMMANDS:
        assert command in answer.out


def test_the_version_is_told(ask: Ask) -> None:
    assert ask("--version").out == f"penultima {__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_examples(ask: Ask, command: str) -> None:
    answer = ask(command, "--help")
    assert answer.code == 0
    _, _, examples = answer.out.partition("examples:\n")
    assert examples.count(f"penultima {command}") >= 2


# Editions and rules


def test_the_editions_are_listed(ask: Ask) -> None:
    lines = ask("editions").out.splitlines()
    assert [line.split()[0] for line in lines] == list(SHIPPED)
    assert [int(next(filter(str.isdigit, line.split()))) for line in lines] == [
        shipped(name).sheet.cards for name in SHIPPED
    ]


@every_language
def test_an_edition_is_shown_with_its_cards_and_options(ask: Ask, language: str) -> None:
    for name in (*SHIPPED, HARVEST):
        answer = ask("editions", name, "--lang", language)
        assert answer.code == 0
        for option in Options.names():
            assert f"  {option} " in answer.out
    assert {"en": "Scarecrow", "es": "Espantapájaros", "ru": "Пугало"}[language] in answer.out


def test_editions_are_described_to_machines(ask: Ask) -> None:
    listed = ask("editions", "--json").json
    assert [edition["id"] for edition in listed] == list(SHIPPED)
    for edition in listed:
        assert edition == ask("editions", edition["id"], "--json").json
        assert Sheet.from_json(edition["ruleset"]) == shipped(edition["id"]).sheet
        assert edition["hash"] == shipped(edition["id"]).sheet.hash
        assert set(edition["name"]) == set(LANGUAGES)
    assert ask("editions", HARVEST, "--json").json["id"] == "harvest"


@every_language
def test_the_rules_are_printed(ask: Ask, language: str) -> None:
    for name in SHIPPED:
        page = edition_page(shipped(name), language)
        assert ask("rules", name, "--lang", language).out == page


def test_options_change_the_rules_that_are_printed(ask: Ask) -> None:
    plain = ask("rules", "classic").out
    changed = ask("rules", "classic", "--options", "jump_in=on, target=250,hand_size=5").out
    assert "**H3**" not in plain
    assert "**H3**" in changed
    assert "250" in changed


# Perft


def test_perft_is_the_sum_of_its_division(ask: Ask) -> None:
    arguments = ("perft", "--players", "3", "--seed", "4", "--depth", "3")
    whole = ask(*arguments, "--json").json
    divided = ask(*arguments, "--json", "--divide").json
    parts = divided.pop("divide").values()
    assert divided == whole
    assert sum(part["nodes"] for part in parts) == whole["nodes"]
    assert sum(part["points"] for part in parts) == whole["points"]
    digest = sum(int(part["digest"], 16) for part in parts) % 2**64
    assert f"{digest:016x}" == whole["digest"]


def test_perft_for_people_has_the_same_numbers(ask: Ask) -> None:
    arguments = ("perft", "--edition", "chili", "--depth", "2", "--divide")
    answer = ask(*arguments, "--json").json
    *parts, total = [line.split() for line in ask(*arguments).out.splitlines()]
    assert total == [str(answer["nodes"]), answer["digest"], str(answer["points"])]
    assert [part[0] for part in parts] == list(answer["divide"])


def test_perft_of_a_position_is_that_of_the_game_it_was_taken_from(
    ask: Ask, tmp_path: Path
) -> None:
    sheet = shipped("violet").sheet
    match = Match(sheet, ["Ana", "Boris"], key_of_seed(6))
    path = tmp_path / "start.json"
    path.write_text(json.dumps({"edition": "violet", **write_position(sheet, match.game)}))
    of_game = ask("perft", "--edition", "violet", "--seed", "6", "--depth", "3", "--json").json
    of_position = ask("perft", "--position", str(path), "--depth", "3", "--json").json
    assert of_position == {**of_game, "seed": None}


def test_perft_of_a_round_that_is_over_is_one(ask: Ask, position: Position) -> None:
    path = position(phase="over", over="round", winner=None, decisions=10_000)
    answer = ask("perft", "--position", path, "--depth", "3", "--divide", "--json").json
    assert (answer["nodes"], answer["divide"]) == (1, {})


def test_perft_refuses_options_that_the_position_cannot_have(ask: Ask, position: Position) -> None:
    path = position(discard=["r5", "W4"], hands=[["b3"], ["r2"]], phase="challenge", color="b")
    assert ask("perft", "--position", path, "--depth", "1").code == 0
    answer = ask("perft", "--position", path, "--depth", "1", "--options", "no_bluffing=true")
    assert (answer.code, answer.out) == (1, "")
    assert "challenge" in answer.err


# Step


def test_step_without_an_action_prints_the_position(ask: Ask, position: Position) -> None:
    answer = ask("step", "--position", position(), "--json").json
    assert answer["hands"] == POSITION["hands"]
    assert answer["phase"] == "turn"
    assert answer["events"] == []
    assert answer["legal"] == {"0": ["draw", "r1", "W4:b", "W4:g", "W4:r", "W4:y"]}
    assert len(answer["pile"]) == 108 - 6


def test_what_step_prints_can_be_read_again(ask: Ask, position: Position) -> None:
    once = ask("step", "--position", position(), "--json")
    again = ask("step", "--position", "-", "--json", text=once.out)
    assert again == once


def test_actions_one_by_one_or_together_come_to_the_same(ask: Ask, position: Position) -> None:
    moves = ["0:r1", "1:call", "1:r2", "0:draw"]
    together = ask("step", "--position", position(), "--json", *moves).json
    text = json.dumps(POSITION)
    events = []
    for move in moves:
        answer = ask("step", "--position", "-", "--json", move, text=text)
        text = answer.out
        events += answer.json["events"]
    assert together == {**answer.json, "events": events}
    assert [event["what"] for event in events] == ["play", "call", "play", "draw"]


def test_step_keeps_options_and_editions_of_ones_own(ask: Ask, position: Position) -> None:
    path = position(
        edition=HARVEST,
        options={"stacking": "same"},
        hands=[["w+1", "w2"], ["c+1", "c2"]],
        discard=["w5"],
    )
    answer = ask("step", "--position", path, "--json", "0:w+1").json
    assert answer["edition"] == HARVEST
    assert answer["options"]["stacking"] == "same"
    assert (answer["phase"], answer["due"]) == ("stack", 1)
    assert ask("step", "--position", "-", "--json", "1:c+1", text=json.dumps(answer)).code == 0


# The world outside


def test_refusals_have_their_exit_codes_outside_too() -> None:
    assert ask_outside("editions", "clasic").code == 1
    assert ask_outside("play", "--players", "1").code == 2


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--help",), ""),
        (("editions", "--json"), ""),
        (("rules", "chili"), ""),
        (("perft", "--depth", "1", "--divide"), ""),
        (("step", "--position", "-", "--json"), json.dumps(POSITION)),
        (("step", "--position", "-", "--json", "0:g9"), json.dumps(POSITION)),
        (("play", "--seed", "5"), "draw\n"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_reader_that_has_seen_enough_is_no_error(arguments: tuple[str, ...], text: str) -> None:
    """As in `penultima rules | head -1`."""
    process = subprocess.Popen(
        [*PENULTIMA, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    process.stdin.write(text.encode())
    process.stdin.close()
    with process.stderr as stream:
        assert stream.read() == b""
    process.wait(timeout=30)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal to watch")
def test_a_long_count_can_be_interrupted() -> None:
    terminal, stderr = os.openpty()
    process = subprocess.Popen(
        [*PENULTIMA, "perft", "--depth", "40"],
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=ENVIRONMENT,
        # Whoever runs the tests may have told their children to ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    os.close(stderr)
    shown = b""
    while b"/" not in shown:  # it counts
        shown += os.read(terminal, 1000)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    shown += os.read(terminal, 10_000)
    os.close(terminal)
    assert (process.returncode, out) == (130, b"")
    assert say("en", "table.interrupted").encode() in shown
    assert b"Traceback" not in shown


@pytest.mark.parametrize("arguments", [("editions", "--lang", "ru"), ("rules", "--lang", "es")])
def test_a_terminal_that_cannot_show_every_letter_gets_what_it_can(
    arguments: tuple[str, ...],
) -> None:
    answer = ask_outside(*arguments, PYTHONIOENCODING="ascii")
    assert answer.code == 0
    assert answer.out


def test_half_a_character_is_refused() -> None:
    """It can stand in JSON, and be an argument, but it cannot be printed."""
    step = ("step", "--position", "-", "--json")
    half_a_name = json.dumps({**POSITION, "edition": "\ud800"})
    half_a_card = json.dumps({**POSITION, "hands": [["\ud800"], ["b1"]]})
    for answer in (
        ask_outside(*step, text=half_a_name),
        ask_outside(*step, text=half_a_card),
        ask_outside(*step, "\udcff", text=json.dumps(POSITION)),
    ):
        assert answer.code == 1
        assert "error" in answer.json
