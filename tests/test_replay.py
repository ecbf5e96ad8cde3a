"""Looking at a match again: where it can be stepped to, what is shown, and to whom."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from penultima.edition import shipped
from penultima.game import Match, key_of_seed, replayed
from penultima.locale import LANGUAGES, say
from penultima.position import read_position, write_position
from penultima.record import Record
from penultima.rules.schema import Game
from penultima.ruleset import Sheet
from penultima.telling import Teller
from penultima.tui.app import TableApp
from penultima.tui.board import Story
from penultima.tui.replay import Replay
from penultima.tui.replay_screen import ReplayScreen
from tests.commands import Ask
from tests.screen import SMALL, WIDE
from tests.support import states
from tests.terminal import PtyTerminal, wait_for


@pytest.fixture(scope="module")
def record() -> Record:
    sheet = shipped("classic").sheet.with_options({"target": 200, "hand_size": 3})
    *_, match = states(sheet, seats=3, seed=4)
    assert len(match.rounds) > 1
    return match.record()


@pytest.fixture
def path(record: Record, tmp_path: Path) -> str:
    path = tmp_path / "match.pen"
    path.write_text(record.to_text(), "utf-8")
    return str(path)


def test_every_step_is_told(ask: Ask, path: str, record: Record) -> None:
    answer = ask("replay", path)
    assert (answer.code, answer.err) == (0, "")
    moves = sum(len(played.moves) + 1 for played in record.rounds)
    told = [line for line in answer.out.splitlines() if line[:1].isdigit()]
    assert len(told) == moves
    assert "wins the match!" in answer.out
    assert answer.out.count("  Player 2: ") == len(record.rounds)


def test_open_hands_say_which_cards_were_drawn(ask: Ask, path: str, record: Record) -> None:
    seen, told = 0, ask("replay", path).out
    for step in replayed(record):
        for event in step.events:
            if event.what == "draw" and event.cards and event.seat is not None:
                seen += 1
                teller = Teller(shipped("classic"), record.names, "en")
                cards = ", ".join(teller.card(card) for card in event.cards)
                assert f"{record.names[event.seat]} draws {cards}." in told
    assert seen > 10
    hidden = ask("replay", path, "--seat", "1").out
    assert "You draw " in hidden
    assert "Player 0 draws a card." in hidden


def test_a_moment_can_be_taken_out_as_a_position(
    ask: Ask, path: str, record: Record, tmp_path: Path
) -> None:
    position = tmp_path / "moment.json"
    steps = [(step.round, step.match.game.copy()) for step in replayed(record)]
    games = [game for number, game in steps if number == 1]
    for number in (0, 3, len(games) - 1):
        found = ask("replay", path, "--from", f"1.{number}", "--position")
        assert (found.code, found.err) == (0, "")
        sheet = record.sheet
        assert read_position(sheet, without_names(found.json)) == again(sheet, games[number])
        position.write_text(found.out, "utf-8")
        assert ask("step", "--position", str(position)).code == 0


def without_names(data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in ("edition", "options")}


def again(sheet: Sheet, game: Game) -> Game:
    return read_position(sheet, write_position(sheet, game))


def test_advice_is_given_on_a_moment_of_a_match(ask: Ask, path: str, tmp_path: Path) -> None:
    position = tmp_path / "moment.json"
    position.write_text(ask("replay", path, "--from", "1.2", "--position").out, "utf-8")
    less = ("--rollouts", "20", "--json")
    advised = ask("advise", path, "--at", "1.2", *less)
    assert advised.code == 0
    assert advised.json == ask("advise", "--position", str(position), *less).json
    assert ask("advise", path, "--position", str(position)).code == 2
    assert ask("advise", path, "--at", "99.1").code == 1
    assert ask("advise").code == 2


def test_it_begins_where_it_is_told_to(ask: Ask, path: str) -> None:
    assert ask("replay", path, "--from", "2").out.splitlines()[1].startswith("2.0  ")
    assert ask("replay", path, "--from", "1.4").out.startswith("1.4  ")


def test_a_seat_sees_its_own_cards_only(ask: Ask, path: str) -> None:
    told = ask("replay", path, "--seat", "1").out
    assert "  You: " in told
    assert "  Player 0: " not in told
    assert "  Player 2: " not in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_estimates_point_at_what_was_done(language: str, ask: Ask, tmp_path: Path) -> None:
    match = Match(shipped("classic").sheet, ["Ana", "Boris"], key_of_seed(2))
    first = match.names[match.game.turn]
    for _ in range(2):
        match.play(match.game.turn, match.legal(match.game.turn)[0])
    path = tmp_path / "short.pen"
    path.write_text(match.record().to_text(), "utf-8")
    told = ask("replay", str(path), "--estimates", "--lang", language).out
    assert told.count("  → ") == 2
    assert say(language, "replay.estimates", player=first) in told
    assert "%" in told


REFUSED = {
    "no such round": (("--from", "99"), "There is no round 99"),
    "no such action": (("--from", "1.9999"), "an action 9999"),
    "no place": (("--from", "x"), "is not a place in a match"),
    "no such seat": (("--seat", "5"), "There is no seat 5"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_there_is_named(name: str, ask: Ask, path: str) -> None:
    arguments, words = REFUSED[name]
    answer = ask("replay", path, *arguments)
    assert answer.code == 1
    assert words in answer.err


def test_without_a_file_the_latest_match_is_shown(ask: Ask) -> None:
    assert "There is no match to watch" in ask("replay").err
    ask("play", "--seed", "3", text="1\nquit\n")
    assert ask("replay").out.splitlines()[1].startswith("1.0")


@pytest.mark.parametrize("size", [SMALL, WIDE], ids=["80x24", "wide"])
@pytest.mark.parametrize("seat", [None, 1])
def test_the_screen_walks_to_and_fro(
    record: Record, seat: int | None, size: tuple[int, int]
) -> None:
    replay = Replay.of(record, shipped("classic"), seat)
    screen = ReplayScreen(replay, "en", 0)

    def text() -> str:
        strips = screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)

    async def run() -> None:
        app = TableApp(screen)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            for key, at in (("right", 1), ("right", 2), ("left", 1), ("left", 0), ("left", 0)):
                await pilot.press(key)
                assert screen.at == at
            await pilot.press("pagedown")
            assert (replay.moments[screen.at].round, replay.moments[screen.at].number) == (2, 0)
            assert "Round 2, action 0" in text()
            for other in range(3):
                shown = replay.hand(screen.at, other)
                assert (shown is not None) == (seat in (None, other))
                assert shown is None or " ".join(f"{card:<3}" for card in shown).strip() in text()
            await pilot.press("pageup", "end")
            assert screen.at == len(replay.moments) - 1
            assert "wins the match" in " ".join(screen.query_one(Story).lines) or seat == 1
            await pilot.press("right", "home", "e")
            for _ in range(100):
                await pilot.pause(0.05)
                if "%" in text() or "nothing to decide" in text():
                    break
            decided = replay.decided(0)
            assert decided is not None
            assert ("%" in text()) == (seat in (None, decided.seat))
            await pilot.press("q")
        assert app.return_value == "quit"

    asyncio.run(asyncio.wait_for(run(), 60))


def test_line_by_line_at_a_terminal(path: str) -> None:
    with PtyTerminal("replay", path, "--plain") as terminal:
        wait_for(terminal, lambda text: "1.0  " in text and "> " in text, "the deal")
        terminal.press("enter")
        wait_for(terminal, lambda text: "1.1  " in text, "the first action")
        terminal.press("h\r")
        terminal.press("e\r")
        wait_for(terminal, lambda text: "%" in text or "nothing to decide" in text, "estimates")
        terminal.press("q\r")
        assert terminal.ended() == 0
