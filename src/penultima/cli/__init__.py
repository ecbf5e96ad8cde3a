"""The command line: `penultima COMMAND --help` tells the rest."""

import contextlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Final, TextIO

from penultima.locale import LANGUAGES, from_environment, say
from penultima.system import reason

INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Nothing that a user does, and no device that fails, ends in a traceback."""
    words = sys.argv[1:] if arguments is None else arguments
    language = language_of(words)
    try:
        _open_streams()
        from penultima.cli import commands  # takes a moment to load, which Ctrl-C may cut short

        status = commands.run(words, language)
        sys.stdout.flush()
        return _stopped() if status == INTERRUPTED else status
    except KeyboardInterrupt:
        _complain(f"\n{say(language, 'table.interrupted')}")
        return _stopped()
    except BrokenPipeError:  # the reader has seen enough: not an error
        _drop(sys.stdout)
        return 0
    except OSError as error:
        file = error.filename
        told = (
            say(language, "cli.output", reason=reason(error))
            if file is None
            else say(language, "cli.file", file=file, reason=reason(error))
        )
        _complain(say(language, "error.prefix", problem=told))
        _drop(sys.stdout)
        return 1


def _stopped() -> int:
    """The status after Ctrl-C; what is still being worked on must not delay the end."""
    from penultima.cli.threads import leave_at_once

    leave_at_once(INTERRUPTED)
    return INTERRUPTED


def language_of(words: Sequence[str]) -> str:
    """The language that is asked for, known before anything else is understood."""
    for word, following in zip(words, [*words[1:], ""], strict=False):
        option, _, value = word.partition("=")
        if option == "--lang" and (value or following) in LANGUAGES:
            return value or following
    return from_environment()


def _open_streams() -> None:
    """A stream that is closed is one that says nothing; a terminal may lack letters."""
    sys.stdin = sys.stdin or _nothing("r")
    sys.stdout = sys.stdout or _nothing("w")
    sys.stderr = sys.stderr or _nothing("w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _nothing(mode: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.FileIO(os.devnull, mode), encoding="utf-8")


def _complain(text: str) -> None:
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        _drop(sys.stderr)


def _drop(stream: TextIO) -> None:
    """What is still to be written would fail again when the interpreter ends."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
