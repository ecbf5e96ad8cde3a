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
