"""The load driver itself: a small run of it must end without any error."""

from pathlib import Path

from benchmarks import load
from tests.server.harness import ServerProcess


def test_twenty_tables_play_without_an_error(tmp_path: Path) -> None:
    score, figures = load.measure(tmp_path, tables=20, seats=4, think=0.05, seconds=2, warm=0)
    assert score.errors == []
    assert figures["moves"] == score.moves > 0
    assert len(score.times) > 0


def test_a_move_that_is_missing_from_the_log_is_an_error(tmp_path: Path) -> None:
    score = load.Score(moves=1)
    server = ServerProcess(tmp_path)
    load.open_table(server.address, 2, "t" * 32)
    server.stop()
    load.compare(score, tmp_path)
    assert score.errors == ["1 moves answered, 0 in the log"]
