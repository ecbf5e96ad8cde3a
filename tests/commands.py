"""Running the command line: in this process, or as a user does in one of its own."""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}
ENVIRONMENT.pop("PYTHONUNBUFFERED", None)
ENVIRONMENT["PENULTIMA_DATA"] = tempfile.mkdtemp(prefix="penultima-test-")
atexit.register(shutil.rmtree, ENVIRONMENT["PENULTIMA_DATA"], ignore_errors=True)
PENULTIMA = (sys.executable, "-m", "penultima")
HARVEST = str(Path(__file__).parent.parent / "examples" / "harvest.toml")
POSITION: dict[str, Any] = {
    "edition": "classic",
    "hands": [["b3", "r1", "W4"], ["r2", "r3"]],
    "discard": ["r5"],
    "turn": 0,
}


class Answer(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Ask = Callable[..., Answer]
Position = Callable[..., str]


def ask_outside(*arguments: str, text: str = "", **environment: str) -> Answer:
    """Run a command as a user does, in a process of its own."""
    done = subprocess.run(
        [*PENULTIMA, *arguments],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**ENVIRONMENT, **environment},
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    return Answer(done.returncode, done.stdout, done.stderr)


_WITHOUT_NUMBA = """
import sys
for name in ("numba", "numpy", "llvmlite"):
    sys.modules[name] = None
from penultima.cli import main
sys.exit(main(sys.argv[1:]))
"""


def ask_interpreted(*arguments: str) -> Answer:
    """Run a command as on a machine without Numba."""
    command = [sys.executable, "-c", _WITHOUT_NUMBA, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", env=ENVIRONMENT, timeout=60
    )
    assert "Traceback" not in done.stderr
    return Answer(done.returncode, done.stdout, done.stderr)
