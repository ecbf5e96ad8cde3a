"""The program at a terminal, by real key presses: whole matches, interruptions, few colors."""

import re
from pathlib import Path

import pytest

from penultima.game import Match
from penultima.locale import say
from penultima.record import Record
from tests.terminal import TERMINALS, PtyTerminal, Tmux, play_on, wait_for

PACE = ("--pace", "0", "--moment", "0")
QUICK = (*PACE, "--seed", "5")
TURN = say("en", "ask.turn")
DRAWN = "You draw Wild Draw Four."  # with that seed


def unwrapped(text: str) -> str:
    """Without spaces, of which a screen drops those at the end of a line."""
    return "".join(text.split())


def on_turn(text: str) -> bool:
    return TURN in text


@pytest.mark.parametrize("kind", TERMINALS)
def test_a_whole_match_by_real_keys(kind: type[PtyTerminal] | type[Tmux], tmp_path: Path) -> None:
    path = tmp_path / "match.pen"
    rules = ("--options", "target=1,hand_size=3", "--record", str(path))
    with kind("play", "classic", "--players", "2", *QUICK, *rules) as terminal:
        wait_for(terminal, on_turn, "the first turn")
        play_on(terminal)
        terminal.press("q")
        wait_for(
            terminal, lambda text: "penultimareplay" in unwrapped(text), "where the record lies"
        )
    assert Match.replay(Record.from_text(path.read_text("utf-8"))).over == "match"


def moves_in(path: Path) -> list[tuple[int, int]]:
    return [move for one in Record.from_text(path.read_text("utf-8")).rounds for move in one.moves]


@pytest.mark.parametrize("how", ["ctrl-c", "kill -9"])
def test_nothing_is_lost_however_it_ends(how: str, tmp_path: Path) -> None:
    path = tmp_path / "match.pen"
    with PtyTerminal("play", *QUICK, "--record", str(path)) as terminal:
        wait_for(terminal, on_turn, "the first turn")
        terminal.press("d")
        wait_for(terminal, lambda text: DRAWN in text, "what was drawn")
        hand = terminal.screen.display[18:21]
        if how == "ctrl-c":
            terminal.press("\x03")
            assert terminal.ended() == 0
            assert f"--resume{path}" in unwrapped(terminal.text)
        else:
            terminal.kill()
    kept = moves_in(path)
    assert kept
    with PtyTerminal("play", *PACE, "--resume", str(path)) as terminal:
        wait_for(terminal, lambda text: DRAWN in text, "the story so far")
        assert terminal.screen.display[18:21] == hand
        assert moves_in(path)[: len(kept)] == kept


def test_a_terminal_without_colors_gets_none() -> None:
    with PtyTerminal("play", *QUICK, "--color", "none") as terminal:
        text = wait_for(terminal, on_turn, "the first turn")
        assert not re.search(rb"\x1b\[[0-9;]*\b[349][0-8]\b", terminal.output)
        assert re.search(r"[bgry]", terminal.screen.display[20])
        assert "●" in text or "■" in text


def test_a_terminal_with_sixteen_colors_gets_no_others() -> None:
    with PtyTerminal("play", *QUICK, TERM="linux", COLORTERM="") as terminal:
        wait_for(terminal, on_turn, "the first turn")
        assert not re.search(rb"\x1b\[[0-9;]*[34]8;[25];", terminal.output)
        assert re.search(rb"\x1b\[[0-9;]*4[1-7]", terminal.output)


def test_a_dumb_terminal_is_told_line_by_line() -> None:
    with PtyTerminal("play", *QUICK, TERM="dumb") as terminal:
        wait_for(terminal, lambda text: TURN in text and "> " in text, "a prompt")
        assert b"\x1b" not in terminal.output
        terminal.press("hand\r")
        wait_for(terminal, lambda text: text.count("Your 7 cards") == 2, "the hand again")
        terminal.press("\x03")
        assert terminal.ended() == 130
