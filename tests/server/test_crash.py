"""`kill -9` at every place where something could be lost (`make crash-hunt` goes on at random)."""

from pathlib import Path

import pytest

from penultima.server.failpoint import PLACES
from tests.server.crashes import STAGES, Crash, run
from tests.server.postgres import Postgres

# Places at which a server dies one after another during a match.
CHAINS = (
    (*STAGES, "timer"),
    ("decode", "append", "commit", "answer"),
    ("broadcast", "bot"),
    ("race",),
)


def test_every_place_is_tried() -> None:
    assert sorted(place for chain in CHAINS for place in chain) == sorted(PLACES)


@pytest.mark.parametrize("chain", CHAINS, ids="-".join)
def test_nothing_acknowledged_is_lost(tmp_path: Path, chain: tuple[str, ...]) -> None:
    die(tmp_path, chain)


@pytest.mark.parametrize("chain", CHAINS, ids="-".join)
def test_nor_with_a_database_that_lives_on(
    tmp_path: Path, postgres: Postgres, chain: tuple[str, ...]
) -> None:
    die(tmp_path, chain, postgres)


def die(folder: Path, chain: tuple[str, ...], postgres: Postgres | None = None) -> None:
    """Let a server die at one place after the other, all in one match."""
    crashes = [Crash(place, 1 if place in (*STAGES, "race") else 6) for place in chain]
    for match in range(6):  # a short one may end before the server has died everywhere
        database = None if postgres is None else postgres.database()
        met = run(folder / str(match), crashes, match, database)
        if all(met[place] for place in chain):
            return
    raise AssertionError(f"no match was long enough: {met}")
