"""Commands of this program as whoever started it can type them."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

NAME: Final = "penultima"


def typed(*words: str) -> str:
    """A command to go on with, by the way this program was started: the shell need not find it by
    its name, as in `.venv/bin/penultima`."""
    return shlex.join([*_started(), *words])


def _started() -> list[str]:
    program = Path(sys.argv[0])
    if program.name == "__main__.py":
        return [_near(Path(sys.executable)), "-m", NAME]
    return [_near(program)] if program.stem == NAME else [NAME]  # part of another program


def _near(program: Path) -> str:
    """Its name where the shell finds it by that, otherwise its path from here."""
    found = shutil.which(program.name)
    whole = program.absolute()
    if found is not None and Path(found).absolute() == whole:
        return program.name
    here = Path.cwd()
    return str(whole.relative_to(here) if whole.is_relative_to(here) else whole)
