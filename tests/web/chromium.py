"""Finds a Chromium for the tests: `PENULTIMA_CHROMIUM`, the system's, or Playwright's own.

Run as a program it installs one where it can, and says so.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

VARIABLE: Final = "PENULTIMA_CHROMIUM"
NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REMEDIES: Final = f"""No Chromium was found, which the browser tests need. Any of these helps:
  apt-get install chromium              (Debian, as root)
  .venv/bin/playwright install chromium (where the network allows it)
  export {VARIABLE}=/path/to/chrome     (one that you have)"""


def find() -> str | None:
    """The path of a Chromium, if there is one."""
    given = os.environ.get(VARIABLE)
    if given:
        return given
    for name in NAMES:
        if path := shutil.which(name):
            return path
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    return own if Path(own).is_file() else None


def install() -> None:
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if sys.platform == "linux" and os.geteuid() == 0 and shutil.which("apt-get"):
        commands.insert(0, ["apt-get", "install", "-y", "chromium"])
    for command in commands:
        print("installing a browser for the tests:", " ".join(command), flush=True)
        if subprocess.run(command, check=False).returncode == 0 and find():
            return
    sys.exit(REMEDIES)


if __name__ == "__main__" and find() is None:
    install()
