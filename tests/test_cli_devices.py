"""What a command is connected to can fail, be closed or be interrupted: no traceback, and a status
that says what happened."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from penultima.edition import shipped
from penultima.game import Match, key_of_seed
from penultima.locale import LANGUAGES, say
from tests.commands import ENVIRONMENT, PENULTIMA, POSITION

FULL = Path("/dev/full")
LINES: dict[str, tuple[str, ...]] = {
    "--help": ("--help",),
    "--version": ("--version",),
    "a command's help": ("simulate", "--help"),
    "help": ("help", "arena"),
    "completion": ("completion", "zsh"),
    "editions": ("editions",),
    "editions --json": ("editions", "--json"),
    "rules": ("rules", "chili"),
    "perft": ("perft", "--depth", "1", "--divide"),
    "step": ("step", "--position", "POSITION"),
    "verify": ("verify", "MATCH"),
    "replay": ("replay", "--plain", "MATCH"),
    "play": ("play", "--plain", "--seed", "5"),
    "a refusal for machines": ("step", "--json", "--position", "POSITION", "0:g9"),
}
every_line = pytest.mark.parametrize("line", LINES)


def command(line: str, folder: Path) -> list[str]:
    match = Match(shipped("classic").sheet, ["Ana", "Boris"], key_of_seed(1))
    (folder / "match.pen").write_text(match.record().to_text(), "utf-8")
    (folder / "position.json").write_text(json.dumps(POSITION), "utf-8")
    given = {"MATCH": str(folder / "match.pen"), "POSITION": str(folder / "position.json")}
    return [*PENULTIMA, *(given.get(word, word) for word in LINES[line])]


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@every_line
def test_output_to_a_full_device(line: str, unbuffered: str, tmp_path: Path) -> None:
    environment = {**ENVIRONMENT, "PYTHONUNBUFFERED": unbuffered}
    with FULL.open("w") as full:
        done = subprocess.run(
            command(line, tmp_path), stdin=subprocess.DEVNULL, stdout=full, text=True,
            stderr=subprocess.PIPE, env=environment, timeout=120,
        )  # fmt: skip
        told = "The output cannot be written: no space is left."
        assert (done.returncode, done.stderr) == (1, f"Error: {told}\n")
        mute = subprocess.run(
            command(line, tmp_path), stdin=subprocess.DEVNULL, stdout=full, stderr=full,
            env=environment, timeout=120,
        )  # fmt: skip
        assert mute.returncode == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_full_device_is_named_in_the_language_asked_for(language: str) -> None:
    with FULL.open("w") as full:
        words = [*PENULTIMA, "rules", "--lang", language]
        done = subprocess.run(
            words, stdout=full, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, timeout=120
        )
    problem = say(language, "cli.output", reason=say(language, "system.full"))
    assert done.stderr == say(language, "error.prefix", problem=problem) + "\n"


@every_line
def test_streams_that_are_closed(line: str, tmp_path: Path) -> None:
    """As in `penultima rules >&- <&-`: nothing is said, and nothing else goes wrong."""
    shell = ["sh", "-c", '"$@" <&- >&-', "sh", *command(line, tmp_path)]
    done = subprocess.run(shell, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    assert done.returncode == (1 if line.startswith("a refusal") else 0)
    assert (done.stdout, done.stderr) == ("", "")
    shell[2] = '"$@" <&- >&- 2>&-'
    done = subprocess.run(shell, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    assert done.returncode == (1 if line.startswith("a refusal") else 0)


@every_line
def test_a_reader_that_wants_one_line(line: str, tmp_path: Path) -> None:
    """As in `penultima rules | head -1`."""
    shell = ["sh", "-c", '"$@" < /dev/null | head -n 1', "sh", *command(line, tmp_path)]
    done = subprocess.run(shell, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


WAITING: dict[str, tuple[tuple[str, ...], str]] = {
    "play": (("play", "--plain", "--seed", "5"), "> "),
    "host": (("host", "--plain", "--port", "0"), "quit."),
    "serve": (("serve", "--port", "0"), "Ctrl-C"),
}


@pytest.mark.parametrize("name", WAITING)
def test_ctrl_c_ends_a_command_that_waits(name: str, tmp_path: Path) -> None:
    words, prompt = WAITING[name]
    process = subprocess.Popen(
        [*PENULTIMA, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**ENVIRONMENT, "PENULTIMA_DATA": str(tmp_path)},
        # Whoever runs the tests may have told their children to ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    shown = b""
    while prompt.encode() not in shown:
        shown += os.read(process.stdout.fileno(), 10_000)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    # A server that is stopped has done its work.
    assert process.returncode == (0 if name == "serve" else 130)
    assert b"Traceback" not in shown + out + err
    if name == "play":  # what was played is there
        assert re.search(rb"penultima play --resume", out)
    if name == "host":  # its server goes with it
        assert not (tmp_path / "server.json").exists()


@pytest.mark.parametrize("words", [("step", "--position", "-"), ("verify", "-")])
def test_ctrl_c_ends_a_command_that_reads(words: tuple[str, ...]) -> None:
    process = subprocess.Popen(
        [*PENULTIMA, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdin is not None
    process.stdin.write(b"x" * 1_000_000)  # more than a pipe holds: it is read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, b"")
    assert err.decode() == f"\n{say('en', 'table.interrupted')}\n"
