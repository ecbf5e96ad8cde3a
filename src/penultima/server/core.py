"""The core as a browser gets it, to play without this server: our own modules, as they are here."""

import ast
import json
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

TABLE: Final = "penultima.alone"
STAND_IN: Final = "alone/stand_in.py"  # what takes the place of the library there
DATA: Final = {"editions": ".toml", "locale": ".json"}


def packed() -> bytes:
    """The table's modules, those that they import, and what they read: texts by path, as JSON."""
    package = resources.files("penultima")
    files: dict[str, str] = {}
    _visit(package, TABLE, files)
    for folder, suffix in DATA.items():
        for file in package.joinpath(folder).iterdir():
            if file.name.endswith(suffix):
                files[f"penultima/{folder}/{file.name}"] = file.read_text("utf-8")
    files["msgspec.py"] = package.joinpath(STAND_IN).read_text("utf-8")
    return json.dumps(dict(sorted(files.items())), ensure_ascii=False).encode()


def _visit(package: Traversable, module: str, files: dict[str, str]) -> None:
    inside = "/".join(module.split(".")[1:])
    for path in (f"{inside}.py", f"{inside}/__init__.py".lstrip("/")):
        file = package.joinpath(path)
        if file.is_file() and (name := f"penultima/{path}") not in files:
            files[name] = file.read_text("utf-8")
            for found in _imported(files[name]):
                _visit(package, found, files)
            if "." in module:
                _visit(package, module.rpartition(".")[0], files)


def _imported(source: str) -> Iterator[str]:
    """What a module imports of ours when it is imported itself; what it imports later it can do
    without."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.partition(".")[0] == "penultima")
