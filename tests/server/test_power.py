"""The power fails at any write, and nothing acknowledged is lost (`make power-loss` goes on)."""

from pathlib import Path
from random import Random

import pytest

from tests.server.disk import Disk, Operation
from tests.server.power import Lost, fail, record


def test_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    met = fail(record(tmp_path / "server", 2), 150, tmp_path)
    assert met["acknowledged"] > 100
    assert met["write"] > 20
    assert met["sync"] > 5


def test_a_database_that_does_not_wait_for_the_disk_is_found_out(tmp_path: Path) -> None:
    tape = record(tmp_path / "server", 1, synchronous="NORMAL")
    with pytest.raises(Lost):
        fail(tape, 300, tmp_path)


def test_a_disk_keeps_what_was_synced_and_any_part_of_the_rest() -> None:
    disk = Disk()
    for operation in (
        Operation("write", "a", 0, b"x" * 1024),
        Operation("sync", "a"),
        Operation("write", "a", 0, b"y" * 1024),
        Operation("write", "b", 0, b"z"),
    ):
        disk.do(operation)
    found = [disk.after_power_loss(Random(seed)) for seed in range(200)]
    sectors = {(files["a"][:512], files["a"][512:]) for files in found}
    old, new = b"x" * 512, b"y" * 512
    assert sectors == {(old, old), (old, new), (new, old), (new, new)}
    assert {files.get("b") for files in found} == {None, b"z"}
