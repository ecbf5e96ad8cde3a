"""Fixtures for the tests of the command line."""

import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penultima.cli import main
from tests.commands import POSITION, Answer, Ask, Position


@pytest.fixture(scope="session", autouse=True)
def _own_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing that a test keeps lies among the user's own files."""
    os.environ.setdefault("PENULTIMA_DATA", str(tmp_path_factory.mktemp("data")))
    yield


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ask:
    """Run a command in this process, with a text for its input."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PENULTIMA_DATA", str(tmp_path))

    def run(*arguments: str, text: str = "") -> Answer:
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        try:
            code = main(arguments)
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 1
        return Answer(code, *capsys.readouterr())

    return run


@pytest.fixture
def position(tmp_path: Path) -> Position:
    """Write a position to a file, with some fields changed; gives the path."""

    def write(**changes: Any) -> str:
        path = tmp_path / "position.json"
        path.write_text(json.dumps({**POSITION, **changes}), "utf-8")
        return str(path)

    return write
