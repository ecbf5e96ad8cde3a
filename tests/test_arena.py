"""Contests of bots: duplicate deals, the same result whoever does the work, and advice."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from penultima import arena, speed
from penultima.arena import (
    Contest,
    Journal,
    Line,
    Results,
    hold,
    line_ups,
    play_chunk,
)
from penultima.cli import main
from penultima.edition import shipped
from penultima.errors import ArenaError, BotError
from penultima.players import check
from penultima.standings import pairs, ratings, standings
from tests.commands import ask_interpreted

pytestmark = pytest.mark.xdist_group("compiled")

CLASSIC = shipped("classic").sheet
MIXED = Contest((Line(CLASSIC, ("basic", "eager")), Line(CLASSIC, ("sharp:20", "basic"))), 6, 3)


def held(contest: Contest, threads: int = 1, journal: Journal | None = None) -> Results:
    with ThreadPoolExecutor(threads) as executor:
        return hold(contest, executor, journal=journal)


def rows(results: Results) -> list[list[int]]:
    return [row for _, row in results.deals()]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    told = capsys.readouterr()
    return code, told.out, told.err


# Contests


def test_threads_and_chunks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    once = rows(held(MIXED))
    assert len(once) == 12
    monkeypatch.setattr(arena, "CHUNK", 3)
    monkeypatch.setattr(arena, "CHUNK_FAST", 4)
    assert rows(held(MIXED, threads=2)) == once


@pytest.mark.parametrize(
    "bots", [("basic", "eager"), ("random", "easy", "basic"), ("sharp:12", "eager")], ids=str
)
@pytest.mark.parametrize("edition", ["chili", "violet"])
def test_compiled_and_interpreted_bots_win_the_same_rounds(
    bots: tuple[str, ...], edition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = Line(shipped(edition).sheet, bots)
    deals = 4 if line.thinks else 30
    compiled = play_chunk(line, 7, 3, deals)
    monkeypatch.setattr(speed, "compiled", lambda: False)
    assert play_chunk(line, 7, 3, deals) == compiled


def test_equal_bots_win_every_deal_once_in_each_seat_that_wins() -> None:
    """With the same luck the same seat wins whoever sits there: duplicate deals cancel out."""
    line = Line(CLASSIC, ("basic",) * 3)
    for row in play_chunk(line, 1, 0, 20).won:
        assert len({(place + turn) % 3 for turn, place in enumerate(row)}) == 1


def test_a_better_bot_is_rated_better() -> None:
    bots = ["random", "eager", "basic"]
    lines = tuple(Line(CLASSIC, pair) for pair in line_ups(bots, 2))
    results = held(Contest(lines, 1500, 1), threads=2)
    by_name = {one.bot: one for one in standings(results)}
    assert by_name["random"].high < by_name["eager"].low
    assert by_name["eager"].high < by_name["basic"].low
    skills = ratings(results)
    assert skills["random"][0] < skills["eager"][0] < skills["basic"][0]
    won, lost, share = pairs(results)["basic", "eager"]
    assert (won, lost) == pairs(results)["eager", "basic"][1::-1]
    assert 0.62 < share < 0.70


def test_a_bot_with_several_seats_is_compared_seat_for_seat() -> None:
    results = held(Contest((Line(CLASSIC, ("basic", "eager", "eager", "eager")),), 2000, 1))
    basic, eager = standings(results)
    assert (basic.games, eager.games) == (8000, 24000)
    assert basic.rate > 0.3 > 0.25 > eager.rate
    assert basic.rate + 3 * eager.rate == pytest.approx(1)
    skills = ratings(results)
    assert skills["basic"][0] > skills["eager"][0]


def test_a_contest_that_was_stopped_is_taken_up_again(tmp_path: Path) -> None:
    whole = rows(held(MIXED))
    file = tmp_path / "contest.jsonl"

    def stop(results: Results) -> None:
        if len(results.chunks) >= 2:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as executor, pytest.raises(KeyboardInterrupt):
        hold(MIXED, executor, stop, Journal(file, MIXED), ahead=1)
    lines = file.read_text("utf-8").splitlines()
    assert len(lines) == 3
    file.write_text("\n".join([*lines, lines[-1][:20]]), "utf-8")  # killed while writing
    assert rows(held(MIXED, journal=Journal(file, MIXED))) == whole
    assert rows(held(MIXED, journal=Journal(file, MIXED))) == whole  # nothing left to play
    longer = Contest(MIXED.lines, 7, MIXED.seed)
    assert len(rows(held(longer, journal=Journal(file, longer)))) == 14


def test_results_of_another_contest_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "contest.jsonl"
    held(MIXED, journal=Journal(file, MIXED))
    before = file.read_bytes()
    other = Contest(MIXED.lines, 6, seed=4)
    with pytest.raises(ArenaError, match="another contest"):
        held(other, journal=Journal(file, other))
    assert file.read_bytes() == before
    file.write_text("no results\n", "utf-8")
    with pytest.raises(ArenaError, match="does not hold"):
        held(MIXED, journal=Journal(file, MIXED))


# The command


def test_the_command_gives_results_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("arena", "basic", "eager", "--games", "3000", "--seed", "5", "--json")
    code, out, _ = run(capsys, *arguments)
    answer = json.loads(out)
    assert code == 0
    basic, eager = answer["results"]
    assert (basic["bot"], eager["bot"]) == ("basic", "eager")
    assert basic["games"] == eager["games"] == 3000
    assert basic["wins"] + eager["wins"] == 3000
    assert 0.62 < basic["low"] < basic["rate"] < basic["high"] < 0.70
    again = json.loads(run(capsys, *arguments, "--threads", "1")[1])
    del again["seconds"], answer["seconds"]
    assert again == answer


@pytest.mark.parametrize("bots", ["basic eager --games 200", "sharp:30 eager --games 6"])
def test_arguments_and_seed_alone_decide(bots: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With Numba or without it; who lacks it is told in one line what it would do."""
    line = f"arena {bots} --seed 5 --json".split()
    compiled = json.loads(run(capsys, *line)[1])
    code, out, err = ask_interpreted(*line)
    interpreted = json.loads(out)
    del compiled["seconds"], interpreted["seconds"]
    assert code == 0 and interpreted == compiled
    assert err.count("\n") == 1 and "pip install numba" in err


def test_the_command_shows_every_table_and_pair(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys, "arena", "random", "eager", "basic", "--players", "2,3", "--games", "60"
    )
    assert code == 0
    assert out.count("classic, 2:") == 3
    assert out.count("classic, 3:") == 1
    for language in ("es", "ru"):
        told = run(capsys, "arena", "basic", "eager", "--games", "20", "--lang", language)[1]
        assert "basic" in told


BOTS = """
import time

class First:
    def choose(self, view):
        return view.legal[0]

class Broken:
    def choose(self, view):
        return look(view)

def look(view):
    raise RuntimeError("no idea")

class Cheat:
    def choose(self, view):
        return "keep"

class Riddle:
    def choose(self, view):
        return "r99"

class Silent:
    def choose(self, view):
        return None

class Slow:
    def choose(self, view):
        time.sleep(60)

class Mute:
    pass

class Needy:
    def __init__(self, depth):
        self.depth = depth

    def choose(self, view):
        return None
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of a user's bots."""
    (tmp_path / "my_arena_bots.py").write_text(BOTS, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("my_arena_bots", None)
    return "my_arena_bots"


def test_a_bot_of_ones_own_can_play(own: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "arena", f"{own}:First", "basic", "--games", "4", "--json")
    assert code == 0 and not err
    answer = json.loads(out)
    assert answer["results"][0]["bot"] == f"{own}:First"
    assert answer["results"][0]["forfeits"] == 0 and answer["forfeits"] == {}
    with pytest.raises(BotError, match="choose"):
        check(f"{own}:Mute")
    with pytest.raises(BotError, match="Missing"):
        check(f"{own}:Missing")


@pytest.mark.parametrize(
    ("bot", "says"),
    [
        ("Broken", "raised RuntimeError: no idea"),
        ("Cheat", "answered keep, which is not allowed now"),
        ("Riddle", "answered 'r99', which is not an action"),
        ("Silent", "answered nothing although it has to decide"),
        ("Slow", "has not answered for 0.01 seconds"),
    ],
)
def test_a_broken_bot_is_not_taken_for_a_strong_one(
    bot: str,
    says: str,
    own: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it wins it owes to `basic`, which plays for it."""
    monkeypatch.setattr(arena, "PATIENCE", 0.01 if bot == "Slow" else 10.0)
    line = ("arena", f"{own}:{bot}", "eager", "--games", "6", "--threads", "2")
    code, out, err = run(capsys, *line, "--json")
    answer = json.loads(out)
    broken, eager = answer["results"]
    assert code == 1 and answer["complete"] is True
    assert broken["forfeits"] > 20 and eager["forfeits"] == 0
    assert answer["tables"][0]["results"][0]["forfeits"] == broken["forfeits"]
    first = {"count": broken["forfeits"], "first": says}
    assert answer["forfeits"] == {f"{own}:{bot}": first}
    assert err.count(says) == 1
    traceback = [line for line in err.splitlines() if line.startswith("  File ")]
    if bot == "Broken":  # its own lines, and nothing of ours
        assert [line.rpartition(" ")[2] for line in traceback] == ["choose", "look"]
    else:
        assert not traceback
    code, out, err = run(capsys, *line)
    head = out.splitlines()[2]
    assert code == 1 and "forfeited" in head
    assert str(broken["forfeits"]) in out and says in err


def test_forfeited_moves_are_kept_with_the_results(
    own: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ("arena", f"{own}:Broken", "eager", "--games", "8", "--json", "--save", "kept.jsonl")
    code, out, err = run(capsys, *line)
    before = json.loads(out)
    assert code == 1 and before["forfeits"]
    code, out, again = run(capsys, *line)
    after = json.loads(out)
    del before["seconds"], after["seconds"]
    assert code == 1 and after == before and again == err


def test_a_bot_that_cannot_be_made_is_refused_before_anything_is_played(
    own: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (("arena", f"{own}:Needy", "basic"), ("play", "--bot", f"{own}:Needy")):
        code, out, err = run(capsys, *command)
        assert code == 1 and not out
        assert "depth" in err and err.count("\n") == 1 and "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nobody", "eager"), "nobody"),
        (("sharp:0", "eager"), "sharp:20ms"),
        (("sharp:", "eager"), "sharp:20ms"),
        (("sharp:5s", "eager"), "sharp:20ms"),
        (("no.such.module:Bot", "eager"), "no.such.module"),
        (("basic", "eager", "--players", "1"), "2 to 10"),
        (("basic", "eager", "--players", "two"), "2 to 10"),
        (("basic", "eager", "--edition", "nothing"), "nothing"),
        (("basic", "eager", "--save", "/no/such/folder/file"), "/no/such/folder/file"),
    ],
)
def test_what_cannot_be_is_said(
    arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "arena", *arguments, "--games", "2")
    assert code == 1
    assert told in err
    assert not out
    assert "Traceback" not in err


def test_ctrl_c_prints_what_is_done(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "penultima", "arena", "sharp:100", "eager", "--json"]
    command += ["--games", "100000", "--save", str(tmp_path / "contest.jsonl")]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        env={**os.environ},
    )
    file = tmp_path / "contest.jsonl"
    for _ in range(1200):
        if file.exists() and file.read_text("utf-8").count("\n") > 2:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    answer = json.loads(out)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert not answer["complete"]
    assert answer["rounds"] > 0


# Advice


def position(**fields: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "edition": "classic",
        "hands": [["r5", "b3"], ["g7", "y2", "b9"]],
        "discard": ["r9"],
        "turn": 0,
    }
    return plain | fields


def advise(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: dict[str, Any], *more: str
) -> tuple[int, Any]:
    file = tmp_path / "position.json"
    file.write_text(json.dumps(data), "utf-8")
    code, out, err = run(capsys, "advise", "--position", str(file), "--json", *more)
    return code, json.loads(out) if out else err


def test_advice_finds_the_winning_card(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    data = position(hands=[["r5"], ["g7", "y2", "b9"]], called=[0])
    code, answer = advise(capsys, tmp_path, data)
    assert code == 0
    assert answer["best"] == "r5"
    best = answer["actions"][0]
    assert best["win"] == 1
    assert best["points"] > 0
    assert all(row["low"] <= row["win"] <= row["high"] for row in answer["actions"])
    assert {row["action"] for row in answer["actions"]} == {"r5", "draw"}


def test_forgetting_to_call_costs_what_being_caught_does(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    hands = [["r7", "g2"], ["b1", "b2", "b3"], ["y1", "y4"]]
    data = position(hands=hands, discard=["r1", "r3"])
    code, answer = advise(capsys, tmp_path, data, "--rollouts", "4000")
    rows = {(row["action"], row["forgets_call"]): row for row in answer["actions"]}
    assert code == 0
    assert set(rows) == {("call", False), ("r7", False), ("r7", True), ("draw", False)}
    assert rows["r7", True]["high"] < rows["r7", False]["low"]
    assert answer["best"] in ("call", "r7")
    three = position(hands=[["r7", "g2", "g3"], ["b1"], ["y1"]], discard=["r1", "r3"])
    code, answer = advise(capsys, tmp_path, three, "--rollouts", "40")
    assert not any(row["forgets_call"] for row in answer["actions"])


def test_advice_goes_by_what_the_seat_knows(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    one = advise(capsys, tmp_path, position())
    other = advise(capsys, tmp_path, position(hands=[["r5", "b3"], ["W", "W4", "r+2"]]))
    assert one == other


def test_advice_for_an_interrupt_may_be_to_let_it_pass(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    data = position(hands=[["r5", "b3"], ["g7"]], discard=["rS"], exposed=[1], turn=1)
    code, answer = advise(capsys, tmp_path, data, "--seat", "0")
    assert code == 0
    assert {row["action"] for row in answer["actions"]} == {"catch", "pass"}
    assert answer["best"] == "catch"


def test_advice_is_the_same_interpreted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, compiled = advise(capsys, tmp_path, position(), "--rollouts", "600")
    line = ("advise", "--position", str(tmp_path / "position.json"), "--json", "--rollouts", "600")
    code, out, err = ask_interpreted(*line)
    assert code == 0 and json.loads(out) == compiled
    assert err.count("\n") == 1 and "pip install numba" in err


def test_who_has_nothing_to_decide_gets_no_advice(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, answer = advise(capsys, tmp_path, position(), "--seat", "1")
    assert code == 1
    assert "--seat" in answer["error"]


def test_advice_is_told_in_words(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "position.json"
    file.write_text(json.dumps(position()), "utf-8")
    for language in ("en", "es", "ru"):
        code, out, _ = run(capsys, "advise", "--position", str(file), "--lang", language)
        assert code == 0
        assert "draw" in out
        assert "%" in out
