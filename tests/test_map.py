"""The map of the house shows every module there is, and none that is not."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "penultima"
MAP = (ROOT / "docs" / "architecture.md").read_text("utf-8").split("```")[1]


def test_every_module_is_on_the_map() -> None:
    named = set(re.findall(r"\w+", MAP))
    modules = {path.stem for path in PACKAGE.rglob("*.py")} - {"__init__", "__main__"}
    folders = {path.parent.name for path in PACKAGE.rglob("__init__.py")}
    assert sorted((modules | folders) - named) == []


def test_every_file_on_the_map_is_there() -> None:
    files = {path.name for top in ("src", "tests") for path in (ROOT / top).rglob("*.py")}
    named = set(re.findall(r"\b\w+\.py\b", MAP)) - {"hatch_build.py"}
    assert sorted(named - files) == []
