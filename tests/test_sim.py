"""Bulk play: the result depends on the arguments and the seed, and on nothing else."""

import json
import os
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import penultima
from penultima import sim, speed
from penultima.bots.tally import TURNS, Tally
from penultima.cli import main, simulating
from penultima.cli.arguments import many
from penultima.edition import SHIPPED, shipped
from penultima.figures import mean, share, statistics
from penultima.locale import say
from penultima.plot import Series, html, page
from penultima.report import compared, lines
from penultima.rules.actions import PLAY
from penultima.sim import Job, simulate
from tests.commands import ask_interpreted

pytestmark = pytest.mark.xdist_group("compiled")

CLASSIC = Job(shipped("classic").sheet, ("eager",) * 4, seed=5)


def play(job: Job, games: int, threads: int = 1) -> Tally:
    with ThreadPoolExecutor(threads) as executor:
        return simulate(job, games, executor)


def test_threads_and_chunks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    one = play(CLASSIC, 5000)
    assert one.rounds == 5000
    assert play(CLASSIC, 5000, threads=2) == one
    monkeypatch.setattr(sim, "CHUNK_ROUNDS", 333)
    assert play(CLASSIC, 5000, threads=2) == one


def test_processes_make_no_difference() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        assert simulate(CLASSIC, 5000, executor) == play(CLASSIC, 5000)


@pytest.mark.parametrize("edition", SHIPPED)
@pytest.mark.parametrize("matches", [False, True])
def test_compiled_and_interpreted_games_are_the_same(
    edition: str, matches: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(shipped(edition).sheet, ("eager", "basic", "easy"), seed=3, matches=matches)
    games = 2 if matches else 25
    compiled = play(job, games)
    monkeypatch.setattr(speed, "compiled", lambda: False)
    assert play(job, games, threads=2) == compiled


def test_without_numba_the_command_gives_the_same_and_says_what_to_install(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = "simulate revenge --players 3 --games 60 --seed 4 --compare stacking=same --json"
    compiled = run_json(capsys, line)
    code, out, err = ask_interpreted(*line.split())
    interpreted = json.loads(out)
    for answer in (compiled, interpreted, compiled["compared"], interpreted["compared"]):
        del answer["seconds"]
    assert code == 0 and interpreted == compiled
    assert err.count("\n") == 1 and "pip install numba" in err


def test_another_seed_gives_other_games() -> None:
    assert play(Job(CLASSIC.sheet, CLASSIC.bots, seed=6), 500) != play(CLASSIC, 500)


@pytest.mark.parametrize("edition", SHIPPED)
def test_counters_fit_together(edition: str) -> None:
    job = Job(shipped(edition).sheet, ("eager", "random", "eager"), matches=True)
    tally = play(job, 20)
    assert tally.matches == 20
    assert sum(tally.wins) == sum(tally.wins_by_place) == tally.rounds - tally.blocked
    assert sum(tally.last) == sum(tally.points_bins) == sum(tally.wins)
    assert sum(map(sum, tally.actions)) == tally.decisions
    assert sum(tally.decisions_bins) == tally.rounds
    assert tally.match_rounds == tally.rounds
    assert tally.counts[TURNS] <= tally.decisions
    plays = sum(row[PLAY + n] for row in tally.actions for n in range(len(row) - PLAY))
    assert sum(tally.plays) == plays
    for sums, squares in ((tally.counts, tally.counts_squared), (tally.plays, tally.plays_squared)):
        assert all(s >= n for n, s in zip(sums, squares, strict=True))
    assert not any(tally.counts_now + tally.plays_now)


def test_a_killed_worker_of_a_cluster_makes_no_difference() -> None:
    distributed = pytest.importorskip("distributed", reason="the extra `cluster`")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        killed: list[int] = []

        def kill_one(tally: Tally) -> None:
            if not killed and tally.rounds >= 10_000:
                killed.append(next(iter(cluster.workers.values())).process.process.pid)
                os.kill(killed[0], signal.SIGKILL)

        job = Job(CLASSIC.sheet, CLASSIC.bots, seed=8)
        spread = simulate(job, 60_000, client.get_executor(), kill_one)
    assert killed
    assert spread == play(job, 60_000, threads=2)


def copied_package(folder: Path) -> Path:
    package = Path(penultima.__file__).parent
    shutil.copytree(package, folder / "penultima", ignore=shutil.ignore_patterns("__pycache__"))
    return folder / "penultima"


DEAL = """
import numpy as np
from penultima.compiled import dtype, deal_games, to_array
from penultima.edition import shipped
from penultima.rules.schema import Game, Trace, STANDARD
games = np.zeros(1, dtype(Game))
games["seats"] = 2
rules = to_array(shipped("classic").sheet.rules)
deal_games(rules, games, np.zeros(1, dtype(Trace, STANDARD.bulk)), 1, 0)
print(games["passes"][0])
"""


def test_an_edited_rule_is_never_missed_by_the_cache(tmp_path: Path) -> None:
    package = copied_package(tmp_path)
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "PENULTIMA_CACHE": str(tmp_path / "cache"),
    }

    def deal() -> str:
        command = [sys.executable, "-c", DEAL]
        done = subprocess.run(
            command, env=environment, text=True, cwd=tmp_path, capture_output=True, check=True
        )
        # A program that names nobody to be told of compilations has them in its log.
        assert "compiling deal_games for decks of up to 56 kinds" in done.stderr
        assert "compiled in" in done.stderr
        return done.stdout.strip()

    assert deal() == "0"
    rule = package / "rules" / "deal.py"
    text = rule.read_text("utf-8")
    assert text.count("game.passes = 0\n") == 1
    rule.write_text(text.replace("game.passes = 0\n", "game.passes = 7\n"), "utf-8")
    assert deal() == "7"


def test_shares_and_means() -> None:
    half = share(50, 100)
    assert half.value == 0.5 and 0.40 < half.low < 0.41 < 0.59 < half.high < 0.60
    assert share(0, 50).low == 0.0 and share(50, 50).high == 1.0
    assert share(0, 0).n == 0
    average = mean(6, 14, 3)  # 1, 2, 3
    assert average.value == 2.0 and abs(average.error - (1 / 3) ** 0.5) < 1e-12


@pytest.mark.parametrize("language", ["en", "es", "ru"])
def test_charts_and_reports_in_three_languages(language: str) -> None:
    found = statistics(CLASSIC.sheet, 4, play(CLASSIC, 2000))
    series = [Series("<one>", found), Series("two & three", found)]
    for chosen in (series[:1], series):
        svg = page("Title <&>", "Subtitle", chosen, language)
        root = ElementTree.fromstring(svg)
        assert len(root.findall(".//{*}rect")) > 40
        assert "http" not in html(svg, "t", language).replace("http://www.w3.org/2000/svg", "")
    text = list(lines(found, CLASSIC.bots, language))
    assert len(text) > 40
    assert say(language, "sim.value") in text[0] and "95 %" in text[0]
    assert "  3 (eager)" in "\n".join(text)
    for line in text[1:]:
        assert line.count("%") in (0, 3), line  # a value has its unit at both ends too
    side_by_side = list(compared(found, found, CLASSIC.bots, language))
    assert "95 %" in side_by_side[0] and not any("*" in line for line in side_by_side[:-1])


def run_json(capsys: pytest.CaptureFixture[str], line: str) -> dict[str, Any]:
    assert main(line.split()) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_the_command_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    line = (
        "simulate violet --players 3 --games 0.5k --seed 4 --threads 2 "
        "--bots eager,random,random --json"
    )
    answer = run_json(capsys, line)
    assert answer["edition"] == "violet" and answer["players"] == 3
    assert answer["games"] == 500 and answer["complete"] is True
    assert answer["decisions"] > 500 and answer["seconds"] > 0
    assert answer["bots"] == ["eager", "random", "random"]
    assert set(answer["statistics"]["points"]) == {"value", "low", "high", "n"}
    again = run_json(capsys, line.replace("--threads 2", "--threads 1"))
    assert again["statistics"] == answer["statistics"]


def test_two_rulesets_side_by_side(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    chart = tmp_path / "chart.html"
    line = f"simulate classic --games 3000 --compare draw_until_playable=true --plot {chart}"
    assert main(line.split()) == 0
    out = capsys.readouterr().out
    first, second, _, head, *rows = out.splitlines()
    assert first.startswith("(1) Classic") and second.startswith("(2) Classic (draw_until_playable")
    for line in (first, second):
        assert "eager, eager, eager, eager, seed 0: 3,000 rounds" in line
    assert head.split() == ["(1)", "(2)", "(2)", "−", "(1)", "95", "%", "interval"]
    drawn = next(row for row in rows if row.startswith("Draws in a round"))
    one, other, apart, low, _, high, star = drawn.removeprefix("Draws in a round").split()
    assert float(low) < float(apart) < float(high) and star == "*"
    assert abs(float(other) - float(one) - float(apart)) < 0.002
    told = [row for row in rows if row.startswith("  ") or " in a round" in row]
    assert len(told) > 40 and all("…" in row for row in told)
    assert chart.read_text("utf-8").startswith("<!doctype html>")
    answer = run_json(capsys, "simulate classic --games 200 --compare revenge --json")
    assert answer["compared"]["edition"] == "revenge"
    here, there = answer["statistics"], answer["compared"]["statistics"]
    apart = answer["differences"]
    assert set(apart["turns"]) == {"value", "low", "high", "significant"}
    assert apart["turns"]["value"] == there["turns"]["value"] - here["turns"]["value"]
    assert len(apart["wins_by_place"]) == 4 and "W4" in apart["cards"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("simulate --bots clever", "clever"),
        ("simulate --players 2 --bots eager,eager,eager", "3"),
        ("simulate --players 3 --bots basic,eager", "one for each seat"),
        ("simulate --plot chart.png", ".svg"),
        ("simulate --options hand_size=40", "160"),
        ("simulate --cluster tcp://127.0.0.1:1 --games 10", "127.0.0.1"),
    ],
)
def test_what_cannot_be_simulated_is_said(
    line: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.split()) == 1
    error = capsys.readouterr().err
    assert says in error and "Traceback" not in error


def test_a_chart_that_cannot_be_written_is_refused_before_the_games_are_played(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(simulating.Simulate, "_play", lambda *_: pytest.fail("played"))
    (tmp_path / "folder.svg").mkdir()
    (tmp_path / "file").touch()
    for file in ("/no/such/folder/chart.svg", tmp_path / "folder.svg", tmp_path / "file" / "a.svg"):
        assert main(["simulate", "--games", "10", "--plot", str(file)]) == 1
        error = capsys.readouterr().err
        assert str(file) in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("10k", 10_000), ("2.5M", 2_500_000), ("1.000001m", 1_000_001), ("1G", 10**9)],
)
def test_large_numbers_can_be_written_short(text: str, number: int) -> None:
    assert many(1, 10**9)(text) == number


@pytest.mark.parametrize(
    "text", ["", "k", "0", "0.5", "1.2345k", "-1", "1e6", "2000G", "٣", "9" * 99]
)
def test_what_is_no_number_of_games_is_refused(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["simulate", f"--games={text}"])
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "10k" in error


def test_a_machine_without_a_gpu_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["simulate", "--device", "gpu", "--games", "10"])
    error = capsys.readouterr().err
    assert code == 0 or ("GPU" in error or "gpu" in error)


INTERRUPTED = """
import os, signal, sys
from penultima.cli import main, simulating
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever started us may ignore it
shown = simulating._Watch.__call__
def and_press_ctrl_c(progress, tally):
    shown(progress, tally)
    if tally.rounds >= 6000:
        os.kill(os.getpid(), signal.SIGINT)
simulating._Watch.__call__ = and_press_ctrl_c
sys.exit(main(["simulate", "--games", "50000000", "--json"]))
"""


def test_ctrl_c_prints_what_is_done_so_far() -> None:
    command = [sys.executable, "-c", INTERRUPTED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 130, done.stderr
    answer = json.loads(done.stdout)
    assert answer["complete"] is False and 6000 <= answer["games"] < 50_000_000
    assert "Traceback" not in done.stderr
