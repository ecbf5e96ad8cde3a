"""`kill -9` at every place where something could be lost (`make crash-hunt` goes on at random)."""

from pathlib import Path

import pytest

from penultima.server.failpoint import PLACES
from tests.server.crashes import STAGES, Crash, run

# Places at which a server dies one after another during a match.
CHAINS = (
    (*STAGES, "timer"),
    ("decode", "append", "commit", "answer"),
    ("race", "broadcast", "bot"),
)


def test_every_place_is_tried() -> None:
    assert sorted(place for chain in CHAINS for place in chain) == sorted(PLACES)


@pytest.mark.parametrize("chain", CHAINS, ids="-".join)
def test_nothing_acknowledged_is_lost(tmp_path: Path, chain: tuple[str, ...]) -> None:
    crashes = [Crash(place, 1 if place in (*STAGES, "race") else 6) for place in chain]
    met = run(tmp_path, crashes)
    assert {place: met[place] for place in chain} == dict.fromkeys(chain, 1)
