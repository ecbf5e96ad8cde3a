"""Where a user's files lie."""

import os
import sys
from pathlib import Path


def data_folder() -> Path:
    """Where this user's files lie; `PENULTIMA_DATA` says otherwise."""
    if given := os.environ.get("PENULTIMA_DATA"):
        return Path(given)
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "Penultima"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home)) / "Penultima"
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "penultima"
