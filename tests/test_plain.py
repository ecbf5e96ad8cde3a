"""Play line by line: whole matches, and what can be typed on the way."""

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from penultima.edition import SHIPPED, shipped
from penultima.game import Match, key_of_seed
from penultima.locale import LANGUAGES, catalogue, say
from penultima.position import read_position
from penultima.record import Record
from penultima.telling import Teller
from penultima.tui.lines import Lines
from penultima.tui.local import LocalTable
from penultima.tui.plain import COVER, PlainTable, Stopped
from tests.commands import ENVIRONMENT, PENULTIMA, POSITION, Ask, ask_outside


class Typed(Lines):
    """Lines that a function types, seeing what was shown since the last one."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.interactive = False
        self._answer = answer
        self.shown = [""]

    async def next(self) -> str:
        self.shown.append("")
        return self._answer(self.shown[-2])

    def write(self, text: str) -> None:
        self.shown[-1] += text


class LastChoice:
    """A player who always takes the last of the choices shown, and interrupts every other time."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.next_round = say(language, "ask.next")
        self.prompts = (say(language, "ask.prompt"), self.next_round)
        self.choices = catalogue(language)["table.choices"].partition("{")[0]
        self.answer = ""
        self.interrupts = 0

    def __call__(self, shown: str) -> str:
        if shown.endswith(self.next_round):
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
def test_a_whole_match_can_be_played(name: str, language: str) -> None:
    typed = Typed(LastChoice(language))
    edition = shipped(name).with_options({"target": 50})
    you = say(language, "table.you")
    bots = {seat: say(language, "table.bot", number=seat) for seat in (1, 2)}
    match = Match(edition.sheet, [you, *bots.values()], key_of_seed(5))
    table = LocalTable(edition, match, dict.fromkeys(bots, "basic"))
    asyncio.run(PlainTable(table, language, typed, typed.write).run())
    told = "".join(typed.shown)
    assert "{" not in told
    assert "None" not in told
    won = [say(language, "event.win_match", player=bot) for bot in bots.values()]
    assert any(text in typed.shown[-1] for text in [say(language, "event.win_match.you"), *won])
    assert match.over == "match"
    assert len(table.rounds) == len(match.rounds)
    total = [sum(points) for points in zip(*table.rounds, strict=True)]
    assert total == match.game.scores[:3]


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


def test_a_whole_match_can_be_played_through_a_pipe(tmp_path: Path) -> None:
    player = LastChoice("en")
    path = tmp_path / "match.pen"
    arguments = ("play", "classic", "--seed", "5", "--options", "target=50", "--record", str(path))
    process = subprocess.Popen(
        [*PENULTIMA, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert process.stdin and process.stderr
    while (shown := read_to_prompt(process, player.prompts)).endswith(player.prompts):
        process.stdin.write(f"{player(shown)}\n".encode())
        process.stdin.flush()
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, b"")
    assert "wins the match!" in shown or "You win the match!" in shown
    assert f"penultima replay {path}" in shown
    assert Match.replay(Record.from_text(path.read_text("utf-8"))).over == "match"


def test_answers_may_come_from_a_file(ask: Ask, tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    answers.write_text("1\n" * 3000, "utf-8")
    table = ("play", "--seed", "5", "--options", "target=50", "--answers", str(answers))
    answer = ask(*table)
    assert (answer.code, answer.err) == (0, "")
    assert "wins the match!" in answer.out
    missing = ask("play", "--answers", str(tmp_path / "none"))
    assert missing.code == 1
    assert "none" in missing.err


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
    assert f"penultima play --resume {path}" in answer.out
    assert Match.replay(Record.from_text(path.read_text("utf-8"))).over is None


def test_a_match_that_cannot_be_kept_is_said(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PENULTIMA_DATA", str(tmp_path / "file"))
    answer = ask("play", "--seed", "5", text="quit\n")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.count(str(tmp_path / "file")) == 1
    assert "could not be written" in answer.out


def at_table(*typed: str, **fields: Any) -> list[str]:
    """Type lines at a table that stands at a position; gives what was shown after each."""
    edition = shipped("classic")
    given = {**POSITION, **fields}
    people = given.pop("people", 1)
    language = given.pop("language", "en")
    data = {name: value for name, value in given.items() if name != "edition"}
    match = Match.at(edition.sheet, read_position(edition.sheet, data))
    match.names = ["Ana", "Boris", "Chen"][: match.game.seats]
    lines = iter([*typed, "quit"])
    shown = Typed(lambda _: next(lines))
    bots = dict.fromkeys(range(people, match.game.seats), "eager")

    async def run() -> None:
        with pytest.raises(Stopped):
            await PlainTable(LocalTable(edition, match, bots), language, shown, shown.write).run()

    asyncio.run(run())
    return shown.shown[1:-1]


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
    assert "hand, table, scores" in help_text
    assert "name green" in played


def test_a_wild_draw_four_that_is_no_bluff_is_played_at_once() -> None:
    (played,) = at_table("W4:b", hands=[["b3", "g1", "W4"], ["r2", "r3"]])
    assert WARNING not in played
    assert "You play Wild Draw Four" in played


def test_words_that_are_no_actions_show_what_they_say() -> None:
    shown = at_table("hand", "TABLE", "scores", "rules", "?", "", "r9", "0:r1", "pass", " r1 ")
    expected = ["b3  r1  W4", "On top: red 5.", "Total", "# Rules of", "Type a card", "You can:"]
    expected += ["You do not hold red 9.", "cannot be read", "cannot be read", "You play red 1."]
    for text, words in zip(shown, expected, strict=True):
        assert words in text


def test_an_action_that_is_not_possible_is_explained_with_what_is() -> None:
    hands = [["b3", "g1", "W4"], ["r2", "r3"]]
    shown = at_table("b3", "keep", "call", "catch", "r2", hands=hands, discard=["r5"])
    expected = [
        "blue 3 does not fit red 5.",
        "Only a card that you have just drawn can be kept.",
        "Your cards: 3.",
        "There is nobody to catch.",
        "You do not hold red 2.",
    ]
    for text, why in zip(shown, expected, strict=True):
        assert why in text
        assert "You can: draw" in text


def test_a_hint_says_what_the_bot_expects() -> None:
    (shown,) = at_table("hint")
    assert "chance of winning the round" in shown
    assert "Wild Draw Four: blue" in shown
    assert "%" in shown


def test_a_choice_is_named_in_other_ways_too() -> None:
    assert "You play red 1." in at_table("red 1")[0]
    assert "You play red 1." in at_table("R1")[0]
    assert "You draw" in at_table("1")[0]
    red_one = Teller(shipped("classic"), [], "ru").card("r1")
    assert "Вы кладёте" in at_table(red_one, language="ru")[0]
    assert "Вы берёте" in at_table("Взять", language="ru")[0]
    hand, out = at_table("mano", "99", language="es")
    assert "b3  r1  W4" in hand
    assert "99" in out


def test_people_at_one_terminal_see_their_own_cards_only() -> None:
    hands = [["b3", "r1", "b8"], ["r2", "r3", "g9"]]
    uncovered, played, other = at_table("", "r1", "", hands=hands, people=2)
    assert "b3  b8  r1" in uncovered
    assert "Ana plays red 1." in played
    assert "\n" * COVER in played
    assert "b3" not in played.partition("\n" * COVER)[2]
    assert "Boris, it is your decision." in played
    assert "g9  r2  r3" in other


def test_several_people_are_asked_together_who_interrupts() -> None:
    hands = [["b3", "r1"], ["r2", "r3", "g9"], ["y1", "y2", "y3"]]
    shown = at_table("", "r1", "9", "chen", "", "catch", hands=hands, people=3)
    assert "Does anybody want to interrupt?" in shown[1]
    assert "(1 Ana, 3 Chen)" in shown[1]  # Boris is on turn: he can catch when he decides
    assert "Does anybody want to interrupt?" in shown[2]
    assert "Chen, it is your decision" in shown[3]
    assert "catch" in shown[4]
    assert "Chen catches Ana" in shown[5]


def test_nobody_needs_to_interrupt() -> None:
    hands = [["b3", "r1"], ["r2", "r3", "g9"], ["y1", "y2", "y3"]]
    shown = at_table("", "r1", "", "", hands=hands, people=3)
    assert "Boris, it is your decision" in shown[2]
    assert "g9  r2  r3" in shown[3]
