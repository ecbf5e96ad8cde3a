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
from penultima import sim
from penultima.bots.tally import Tally
from penultima.cli import main
from penultima.edition import SHIPPED, shipped
from penultima.figures import Figure, mean, rate, share, statistics
from penultima.plot import Series, html, page
from penultima.report import compared, lines
from penultima.sim import Job, simulate

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
    assert tally.turns <= tally.decisions


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
        return subprocess.check_output(command, env=environment, text=True, cwd=tmp_path).strip()

    assert deal() == "0"
    rule = package / "rules" / "deal.py"
    text = rule.read_text("utf-8")
    assert text.count("game.passes = 0\n") == 1
    rule.write_text(text.replace("game.passes = 0\n", "game.passes = 7\n"), "utf-8")
    assert deal() == "7"


def test_shares_means_and_rates() -> None:
    half = share(50, 100)
    assert half.value == 0.5 and 0.40 < half.low < 0.41 < 0.59 < half.high < 0.60
    assert share(0, 50).low == 0.0 and share(50, 50).high == 1.0
    assert share(0, 0).n == 0
    average = mean(6, 14, 3)  # 1, 2, 3
    assert average.value == 2.0 and abs(average.error - (1 / 3) ** 0.5) < 1e-12
    assert rate(100, 50).value == 2.0
    assert mean(0, 0, 0).value == 0.0


def test_only_a_clear_difference_is_marked() -> None:
    one, near, far = share(500, 1000), share(510, 1000), share(700, 1000)
    assert not one.differs(near, 10)
    assert one.differs(far, 10)
    certain = Figure(1.0, 1.0, 1.0, 10, 0.0)
    assert certain.differs(Figure(2.0, 2.0, 2.0, 10, 0.0), 1)


@pytest.mark.parametrize("language", ["en", "es", "ru"])
def test_charts_and_reports_in_three_languages(language: str) -> None:
    found = statistics(CLASSIC.sheet, 4, play(CLASSIC, 2000))
    series = [Series("<one>", found), Series("two & three", found)]
    for chosen in (series[:1], series):
        svg = page("Title <&>", "Subtitle", chosen, language)
        root = ElementTree.fromstring(svg)
        assert len(root.findall(".//{*}rect")) > 40
        assert "http" not in html(svg, "t", language).replace("http://www.w3.org/2000/svg", "")
    assert len(list(lines(found, language))) > 40
    assert not any("*" in line for line in list(compared(found, found, language))[:-1])


def run_json(capsys: pytest.CaptureFixture[str], line: str) -> dict[str, Any]:
    assert main(line.split()) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_the_command_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    line = "simulate violet --players 3 --games 500 --seed 4 --threads 2 --bots eager,random --json"
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
    assert "Times drawn in a round" in out
    assert any(text.endswith("*") and "drawn" in text for text in out.splitlines())
    assert chart.read_text("utf-8").startswith("<!doctype html>")
    answer = run_json(capsys, "simulate classic --games 200 --compare revenge --json")
    assert answer["compared"]["edition"] == "revenge"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("simulate --bots clever", "clever"),
        ("simulate --players 2 --bots eager,eager,eager", "3"),
        ("simulate --plot chart.png", ".svg"),
        ("simulate --games 10 --plot /no/such/folder/chart.svg", "/no/such/folder"),
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
