from pathlib import Path

import pytest

from tests.web.browser import Browser, Serving


@pytest.fixture(scope="session")
def serving(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    with Serving(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(scope="session")
def chromium():  # type: ignore[no-untyped-def]
    with Browser() as started:
        yield started


@pytest.fixture
def browser(chromium: Browser):  # type: ignore[no-untyped-def]
    """Closes every page that a test has opened, and fails it if one of them complained."""
    yield chromium
    complaints = chromium.close_pages()
    assert complaints == []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the browser last: while it is open its loop runs, and asyncio starts no other."""
    items.sort(key=lambda item: item.path.is_relative_to(Path(__file__).parent))
