"""One server for the tests that only play at it, and one PostgreSQL for those that share it."""

from collections.abc import Iterator

import httpx
import pytest

from tests.server.harness import ServerProcess, a_server
from tests.server.postgres import Postgres, a_postgres


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with a_server(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    with a_postgres() as running:
        yield running


@pytest.fixture
def http(server: ServerProcess) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.address, timeout=20) as client:
        yield client
