"""What of the project goes into the container image, by .dockerignore."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final
from zipfile import ZipFile

import pytest

ROOT: Final = Path(__file__).parents[1]
LINES: Final = [
    line
    for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
UNWANTED: Final = (
    ".env",  # the password of compose.yaml
    ".git/config",
    ".venv/bin/python",
    "tests/test_image.py",
    "docs/deploy.md",
    "web/node_modules/svelte/package.json",
    "src/penultima/__pycache__/game.cpython-312.pyc",
)


@cache
def pattern(line: str) -> re.Pattern[str]:
    """A line of .dockerignore: `*` stays within a folder, `**/` is any number of them."""
    parts = re.split(r"(\*\*/|\*)", line)
    regular = {"**/": "(?:.*/)?", "*": "[^/]*"}
    return re.compile("".join(regular.get(part, re.escape(part)) for part in parts))


def copied(path: str) -> bool:
    """Whether a build sees that file: the last line that names it or a folder of it decides."""
    names = [path, *(str(parent) for parent in PurePosixPath(path).parents)]
    for line in reversed(LINES):
        wanted = pattern(line.removeprefix("!"))
        if any(wanted.fullmatch(name) for name in names):
            return line.startswith("!")
    return True


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a build sees."""
    folder = tmp_path_factory.mktemp("context")
    for path in ROOT.rglob("*"):
        name = path.relative_to(ROOT).as_posix()
        if copied(name) and path.is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / name)
    return folder


def digest(folder: Path) -> str:
    """What the browser client there would be built of."""
    command = [sys.executable, "-c", "import hatch_build; print(hatch_build.digest())"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def wheel(folder: Path, to: Path) -> set[str]:
    """The names in the wheel that is built there."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(to)]
    as_it_is = {**os.environ, "PENULTIMA_WEB": "skip"}
    subprocess.run(command, cwd=folder, env=as_it_is, capture_output=True, check=True)
    (built,) = to.glob("*.whl")
    return set(ZipFile(built).namelist())


def test_a_build_sees_all_that_the_wheel_is_made_of(context: Path, tmp_path: Path) -> None:
    assert digest(context) == digest(ROOT)
    names = wheel(context, tmp_path / "context")
    assert names == wheel(ROOT, tmp_path / "root")
    assert {"penultima/web/index.html", "penultima/cli/__init__.py"} <= names


@pytest.mark.parametrize("name", UNWANTED)
def test_a_build_does_not_see(name: str) -> None:
    assert not copied(name)


def test_the_image_installs_extras_that_there_are() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    text = (ROOT / "Containerfile").read_text("utf-8")
    (extras,) = re.findall(r"pip install [^\n]*'\.\[([\w,]+)\]'", text)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])


def test_the_proxy_names_servers_of_the_composition() -> None:
    compose = (ROOT / "compose.yaml").read_text("utf-8")
    proxy = (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
    port = re.findall(r"^EXPOSE (\d+)$", (ROOT / "Containerfile").read_text("utf-8"), re.MULTILINE)
    servers = re.findall(r"^  (\w+):\n    <<: \*server$", compose, re.MULTILINE)
    assert servers
    assert re.findall(r"^\s+server (\S+) resolve ", proxy, re.MULTILINE) == [
        f"{server}:{port[0]}" for server in servers
    ]
