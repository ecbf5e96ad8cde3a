"""Play line by line: whole matches, and what can be typed on the way."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from penultima.cli import main
from penultima.edition import SHIPPED, shipped
from penultima.game import Match
from penultima.locale import LANGUAGES, catalogue, say
from penultima.position import read_position
from penultima.record import Record
from penultima.tui.plain import PlainTable, Stopped
from tests.commands import ENVIRONMENT, PENULTIMA, POSITION, Ask, ask_outside


class LastChoice:
    """A player who always takes the last of the choices shown, and interrupts every other time."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.next_round = say(language, "ask.next")
        self.prompts = (say(language, "ask.prompt"), self.next_round)
        self.choices = catalogue(language)["table.choices"].partition("{")[0]
        self.answer = ""
        self.interrupts = 0

    def __call__(self, shown: str, prompt: str) -> str:
        if prompt == self.next_round:
            return ""
        if say(self.language, "ask.bluff") not in shown:  # else: the same again
            self.answer = self._choose(shown)
        return self.answer

    def _choose(self, shown: str) -> str:
        if say(self.language, "ask.interrupt") in shown:
            self.interrupts += 1
            if self.interrupts % 2:
                return ""
        lines = [line for line in shown.splitlines() if line.startswith(self.choices)]
        return lines[-1].removeprefix(self.choices).split()[-1]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SHIPPED)
def test_a_whole_match_can_be_played(
    name: str,
    language: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    player = LastChoice(language)
    story: list[str] = []

    def answer(prompt: str) -> str:
        story.append(capsys.readouterr().out)
        assert len(story) < 5000, "the match does not end"
        return player(story[-1], prompt)

    monkeypatch.setattr("builtins.input", answer)
    path = tmp_path / "match.pen"
    arguments = ("play", name, "--seed", "5", "--lang", language, "--options", "target=50")
    assert main([*arguments, "--record", str(path)]) == 0
    out, err = capsys.readouterr()
    told = "".join(story) + out
    assert err == ""
    assert "{" not in told
    assert "None" not in told
    bots = [say(language, "table.bot", number=number) for number in (1, 2)]
    won = [say(language, "event.win_match", player=bot) for bot in bots]
    assert any(text in out for text in [say(language, "event.win_match.you"), *won])
    match = Match.replay(Record.from_text(path.read_text("utf-8")))
    assert match.over == "match"
    assert match.names[0] == say(language, "table.you")


def read_to_prompt(process: subprocess.Popen[bytes], prompts: tuple[str, ...]) -> str:
    """What the process says until it asks, or until it ends."""
    assert process.stdout
    shown = b""
    while not shown.decode("utf-8", "ignore").endswith(prompts):
        part = os.read(process.stdout.fileno(), 65536)
        if not part:
            break
        shown += part
    return shown.decode()


def test_a_whole_match_can_be_played_through_a_pipe() -> None:
    player = LastChoice("en")
    process = subprocess.Popen(
        [*PENULTIMA, "play", "classic", "--seed", "5", "--options", "target=50"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert process.stdin and process.stderr
    while (shown := read_to_prompt(process, player.prompts)).endswith(player.prompts):
        prompt = next(prompt for prompt in player.prompts if shown.endswith(prompt))
        process.stdin.write(f"{player(shown, prompt)}\n".encode())
        process.stdin.flush()
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, b"")
    assert "wins the match!" in shown or "You win the match!" in shown


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("quit\n", "table.goodbye"),
        ("exit\n", "table.goodbye"),
        ("", "table.no_input"),
        ("hand\n", "table.no_input"),
        ("quit", "table.goodbye"),
    ],
)
def test_leaving_is_no_error(typed: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "left.pen"
    answer = ask_outside("play", "--seed", "5", "--record", str(path), text=typed)
    assert (answer.code, answer.err) == (0, "")
    assert say("en", words) in answer.out
    assert Match.replay(Record.from_text(path.read_text("utf-8"))).over is None


def test_a_record_that_cannot_be_written_is_said(ask: Ask, tmp_path: Path) -> None:
    path = str(tmp_path / "no" / "such" / "folder.pen")
    answer = ask("play", "--seed", "5", "--record", path, text="quit\n")
    assert "Traceback" not in answer.err
    assert path in answer.err


def at_table(*typed: str, **fields: Any) -> list[str]:
    """Type lines at a table that stands at a position; gives what was shown after each."""
    sheet = shipped("classic").sheet
    data = {name: value for name, value in {**POSITION, **fields}.items() if name != "edition"}
    match = Match.at(sheet, read_position(sheet, data))
    lines = iter([*typed, "quit"])
    shown = [""]

    def read(_: str) -> str:
        shown.append("")
        return next(lines)

    def write(text: str) -> None:
        shown[-1] += text + "\n"

    with pytest.raises(Stopped):
        PlainTable(shipped("classic"), match, "en", "eager", read, write).run()
    return shown[1:-1]


WARNING = say("en", "ask.bluff")


def test_a_bluff_has_to_be_typed_twice() -> None:
    warned, played = at_table("W4:b", "W4:b")
    assert WARNING in warned
    assert WARNING not in played
    assert "You play Wild Draw Four and name blue." in played


def test_another_bluff_is_warned_of_anew() -> None:
    first, second, help_text, played = at_table("W4:b", "W4:g", "help", "W4:g")
    assert WARNING in first
    assert WARNING in second
    assert say("en", "help.words") in help_text
    assert "name green" in played


def test_a_wild_draw_four_that_is_no_bluff_is_played_at_once() -> None:
    (played,) = at_table("W4:b", hands=[["b3", "g1", "W4"], ["r2", "r3"]])
    assert WARNING not in played
    assert "You play Wild Draw Four" in played


def test_words_that_are_no_actions_show_what_they_say() -> None:
    shown = at_table("hand", "TABLE", "scores", "rules", "?", "", "r9", "0:r1", "pass", " r1 ")
    expected = ["b3  r1  W4", "On top: red 5.", "Scores:", "# Rules of", "Type a card", "You can:"]
    expected += ["not possible now", "cannot be read", "cannot be read", "You play red 1."]
    for text, words in zip(shown, expected, strict=True):
        assert words in text
