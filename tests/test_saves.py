"""Matches that are kept: written whole after every step, gone on with, refused with a reason."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from penultima.edition import load, shipped
from penultima.game import Match, key_of_seed
from penultima.record import Record
from penultima.tui import saves
from tests.commands import ENVIRONMENT, HARVEST, PENULTIMA, Ask
from tests.test_plain import LastChoice, read_to_prompt


def test_a_killed_game_goes_on_where_it_stood(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "match.pen"
    arguments = ("play", HARVEST, "--seed", "5", "--players", "4", "--bot", "eager,easy")
    process = subprocess.Popen(
        [*PENULTIMA, *arguments, "--record", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert process.stdin
    player = LastChoice("en")
    for _ in range(6):
        shown = read_to_prompt(process, player.prompts)
        process.stdin.write(f"{player(shown)}\n".encode())
        process.stdin.flush()
    shown = read_to_prompt(process, player.prompts)
    process.send_signal(signal.SIGKILL)
    process.wait()
    hand = next(line for line in shown.splitlines() if line.startswith("Your "))
    answer = ask("play", "--resume", str(path), text="table\nquit\n")
    assert (answer.code, answer.err) == (0, "")
    assert hand in answer.out
    assert "Bot 3" in answer.out
    seats = json.loads((tmp_path / "match.pen.seats").read_text("utf-8"))
    bots = {"1": "eager", "2": "easy", "3": "eager"}
    assert seats == {"edition": HARVEST, "bots": bots, "over": False}


def test_the_latest_match_is_gone_on_with(ask: Ask) -> None:
    first = ask("play", "--seed", "1", "--players", "2", text="quit\n")
    assert "penultima play --resume\n" in first.out
    ask("play", "chili", "--seed", "2", "--people", "2", "--name", "Ana", text="quit\n")
    again = ask("play", "--resume", text="\nquit\n")
    assert "Ana, it is your decision" in again.out or "Player 2, it is your decision" in again.out
    assert "Bot 1" in again.out


@pytest.mark.parametrize("way", ["by its path", "by its name", "as a module"])
def test_the_command_to_go_on_with_can_be_typed(way: str, tmp_path: Path) -> None:
    """By whoever started the program that way: `make play` starts one that no shell finds."""
    folder = Path(sys.executable).parent
    started = {
        "by its path": [str(folder / "penultima")],
        "by its name": ["penultima"],
        "as a module": [sys.executable, "-m", "penultima"],
    }[way]
    found = f"{folder}:/usr/bin:/bin" if way == "by its name" else "/usr/bin:/bin"
    world = {**ENVIRONMENT, "PATH": found, "PENULTIMA_DATA": str(tmp_path)}

    def run(command: list[str] | str) -> str:
        return subprocess.run(
            command,
            input="quit\n",
            env=world,
            cwd=folder.parent,
            shell=isinstance(command, str),
            text=True,
            check=True,
            capture_output=True,
        ).stdout

    command = run([*started, "play", "--plain", "--seed", "1"]).splitlines()[-1].split(": ")[-1]
    assert command.endswith("play --resume")
    assert not command.startswith("/")  # what can be said shorter is
    assert "Bot 1" in run(f"{command} --plain")


def test_a_round_that_is_over_is_gone_on_from(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "match.pen"
    lines = "1\n" * 3000
    ended = ask("play", "--seed", "5", "--record", str(path), "--plain", text=lines)
    assert ended.out.count("Press Enter for the next round.") >= 1
    record = Record.from_text(path.read_text("utf-8"))
    record.rounds = record.rounds[:1]
    path.write_text(record.to_text(), "utf-8")
    again = ask("play", "--resume", str(path), text="\nquit\n")
    assert "Press Enter for the next round." in again.out
    assert "round 2" in again.out


def test_what_is_kept_is_whole_after_every_step(tmp_path: Path) -> None:
    match = Match(shipped("classic").sheet, ["Ana", "Boris"], key_of_seed(3))
    keeper = saves.Keeper(tmp_path / "m.pen", "classic", {1: "basic"})
    for _ in range(40):
        keeper(match)
        saved = saves.resume(tmp_path / "m.pen")
        assert saved.match.game == match.game
        assert saved.bots == {1: "basic"}
        seat = match.game.turn
        match.play(seat, match.legal(seat)[0])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.pen", "m.pen.seats"]


def test_a_match_that_is_over_waits_for_nobody(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "match.pen"
    table = ("play", "--seed", "5", "--options", "target=1", "--record", str(path))
    ask(*table, text="1\n" * 3000)
    assert json.loads((tmp_path / "match.pen.seats").read_text("utf-8"))["over"]
    again = ask("play", "--resume", str(path))
    assert again.code == 1
    assert "is over" in again.err


REFUSED = {
    "nothing kept": (("--resume",), "Start one with penultima play"),
    "no such file": (("--resume", "none.pen"), "none.pen cannot be read"),
    "too many people": (("--people", "5"), "5 people do not fit"),
    "an unknown bot": (("--bot", "basic,hal"), "hal"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_gone_on_with_is_said(name: str, ask: Ask) -> None:
    arguments, words = REFUSED[name]
    answer = ask("play", *arguments)
    assert answer.code == 1
    assert words in answer.err


def test_a_broken_list_of_seats_is_named(tmp_path: Path, ask: Ask) -> None:
    path = tmp_path / "match.pen"
    ask("play", "--seed", "5", "--record", str(path), text="quit\n")
    seats = tmp_path / "match.pen.seats"
    seats.write_text('{"bots": 3}', "utf-8")
    answer = ask("play", "--resume", str(path))
    assert answer.code == 1
    assert "match.pen.seats does not say who sits where" in answer.err
    seats.unlink()
    assert ask("play", "--resume", str(path), text="quit\n").code == 0


def test_a_deck_without_its_edition_file_is_called_by_its_letters() -> None:
    sheet = load(HARVEST).sheet
    assert saves.edition_of(sheet).color_name(0, "en") == sheet.colors[0]
    assert saves.edition_of(sheet, HARVEST).color_name(0, "en") == "wheat"
    changed = shipped("classic").sheet.with_options({"target": 77})
    assert saves.edition_of(changed).sheet.options.target == 77
