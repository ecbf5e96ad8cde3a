"""Terminals to press real keys at: one that lives in this process, and tmux."""

import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import termios
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Protocol, Self

import pyte

from penultima.locale import say
from tests.commands import ENVIRONMENT, PENULTIMA

PATIENCE = 120.0  # seconds for something to appear: a machine may be busy
KEYS = {"enter": "\r", "space": " ", "left": "\x1b[D", "right": "\x1b[C", "escape": "\x1b"}
TMUX_KEYS = {"enter": "Enter", "space": "Space", "left": "Left", "right": "Right"}


class Terminal(Protocol):
    """What a person has before them."""

    def press(self, key: str) -> None: ...

    @property
    def text(self) -> str: ...


def wait_for(terminal: Terminal, found: Callable[[str], bool], what: str) -> str:
    """The screen once it shows what is wanted."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        text = terminal.text
        if found(text):
            return text
        time.sleep(0.05)
    raise AssertionError(f"{what} never appeared:\n{terminal.text}")


def offered(text: str) -> list[str]:
    """The keys of the choices at the bottom of the table, above the line of the menu."""
    lines = [line for line in text.splitlines() if line.strip()][-4:-1]
    return re.findall(r"(?:^|\s)([⏎␣dkauc12]) {2,3}\S", "\n".join(lines))


def play_on(terminal: Terminal) -> str:
    """Press what is offered until the match is over."""
    again = say("en", "screen.again")[:20]
    end = time.monotonic() + 2 * PATIENCE
    while time.monotonic() < end:
        text = terminal.text
        if again in text:
            return text
        if keys := offered(text):
            key = next((key for key in ("u", "⏎") if key in keys), keys[-1])
            terminal.press({"⏎": "enter", "␣": "space"}.get(key, key))
        pause = time.monotonic() + 0.5  # somebody else may be deciding
        while terminal.text == text and time.monotonic() < pause:
            time.sleep(0.05)
    raise AssertionError(f"the match does not end:\n{terminal.text}")


class PtyTerminal:
    """A program at a pseudo-terminal, and the screen that its output draws."""

    def __init__(
        self, *arguments: str, size: tuple[int, int] = (80, 24), **environment: str
    ) -> None:
        self.screen = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self.screen)
        self.output = b""
        self._text, self._drawn = "", 0
        given = {**ENVIRONMENT, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
        self.pid, self._handle = pty.fork()
        if self.pid == 0:
            os.execve(PENULTIMA[0], [*PENULTIMA, *arguments], given)
        columns, lines = size
        fcntl.ioctl(self._handle, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        os.close(self._handle)

    def press(self, key: str) -> None:
        os.write(self._handle, KEYS.get(key, key).encode())

    @property
    def text(self) -> str:
        self._read()
        if len(self.output) != self._drawn:
            self._drawn = len(self.output)
            self._text = "\n".join(self.screen.display)
        return self._text

    def _read(self) -> None:
        while select.select([self._handle], [], [], 0)[0]:
            try:
                part = os.read(self._handle, 65536)
            except OSError:  # the program has ended
                return
            if not part:
                return
            self.output += part
            self._stream.feed(part)

    def kill(self) -> None:
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass

    def ended(self) -> int:
        """Wait until the program ends; gives its exit status."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self._read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._read()
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.05)
        raise AssertionError(f"it does not end:\n{self.text}")


class Tmux:
    """The same in tmux."""

    def __init__(
        self, *arguments: str, size: tuple[int, int] = (80, 24), **environment: str
    ) -> None:
        self._name = f"penultima-{uuid.uuid4().hex[:8]}"
        given: Mapping[str, str] = {
            **{name: ENVIRONMENT[name] for name in ("LC_ALL", "PENULTIMA_DATA")},
            **environment,
        }
        settings = [f"{name}={value}" for name, value in given.items()]
        command = shlex.join(["env", *settings, *PENULTIMA, *arguments])
        columns, lines = map(str, size)
        self._tmux("new-session", "-d", "-x", columns, "-y", lines, f"{command}; sleep 60")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._tmux("kill-server")

    def press(self, key: str) -> None:
        self._tmux("send-keys", TMUX_KEYS.get(key, key))

    @property
    def text(self) -> str:
        return self._tmux("capture-pane", "-p")

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self._name, *arguments], capture_output=True, text=True, check=False
        )
        return done.stdout


# tmux where there is one: `apt-get install tmux`. The pseudo-terminal is everywhere.
TERMINALS = [PtyTerminal, *([Tmux] if shutil.which("tmux") else [])]
