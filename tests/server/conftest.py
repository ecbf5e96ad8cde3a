"""One server for the tests that only play at it."""

from collections.abc import Iterator

import pytest

from tests.server.harness import ServerProcess, a_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with a_server(tmp_path_factory.mktemp("server")) as running:
        yield running
