"""What the shells complete, asked of the shells themselves."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from penultima.cli.completion import SHELLS
from penultima.edition import SHIPPED
from penultima.locale import LANGUAGES
from penultima.players import NAMES
from tests.commands import Ask

BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_penultima
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = "source $argv[1]; complete -C $argv[2]"
# zsh completes for a terminal only: a second zsh types into one, line after line.
ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; stty cols 400 rows 100; autoload -U compinit; compinit -u -D; source '$1
zpty -w shell 'zstyle ":completion:*" verbose no; LISTMAX=0; bindkey "^I" list-choices'
zpty -w shell 'print RE\ADY'
zpty -r -m shell REPLY '*READY*'
shift
for line in $@; do
    zpty -n -w shell $line$'\t'
    got= quiet=0
    until (( ${#got} > ${#line} && quiet > 3 || quiet > 100 )); do
        sleep 0.1
        if zpty -r -t shell more; then got+=$more quiet=0; else (( quiet += 1 )); fi
    done
    print -r -- ${got//[$'\r\n']/ }
    zpty -n -w shell $'\x15'
done
zpty -d shell
"""


@pytest.fixture
def script(ask: Ask, tmp_path: Path) -> Callable[[str], Path]:
    def write(shell: str) -> Path:
        path = tmp_path / f"completion.{shell}"
        path.write_text(ask("completion", shell).out, "utf-8")
        return path

    return write


def told(*command: str | Path, folder: Path | None = None) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder)
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


LINES: dict[str, set[str]] = {
    "penultima pl": {"play"},
    "penultima se": {"serve"},
    "penultima play --rec": {"--record"},
    "penultima play --bot ba": {"basic"},
    "penultima arena ea": {"easy", "eager"},
    "penultima rules tr": {"triforce"},
    "penultima simulate --device ": {"cpu", "gpu"},
    "penultima admin re": {"restore"},
    "penultima help ver": {"verify"},
    "penultima completion ": set(SHELLS),
    "penultima --lang ": set(LANGUAGES),
    "penultima perft --options stac": {"stacking="},
}


@pytest.mark.parametrize("line", LINES)
def test_bash_completes(script: Callable[[str], Path], line: str, tmp_path: Path) -> None:
    words = told("bash", "-c", BASH, "bash", script("bash"), *line.split(" "))
    assert set(words) == LINES[line]


def test_bash_completes_files_and_values_after_an_equals_sign(
    script: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "match one.pen").touch()
    (tmp_path / "mine").mkdir()
    bash = ("bash", "-c", BASH, "bash", script("bash"), "penultima")
    assert told(*bash, "verify", "mat", folder=tmp_path) == ["match one.pen"]
    assert told(*bash, "serve", "--data", "m", folder=tmp_path) == ["mine"]
    assert set(told(*bash, "editions", "m", folder=tmp_path)) == {"match one.pen", "mine"}
    assert told(*bash, "--lang", "=", "e", folder=tmp_path) == ["en", "es"]
    assert told(*bash, "--lang", "es", "play", "--color", "=", folder=tmp_path)[0] == "auto"
    assert told(*bash, "play", "--seed", "", folder=tmp_path) == [""]


@pytest.mark.parametrize("line", LINES)
def test_fish_completes(script: Callable[[str], Path], line: str) -> None:
    if shutil.which("fish") is None:
        assert script("fish").read_text("utf-8").startswith("# Completion")
        return
    found = told("fish", "-c", FISH, script("fish"), line)
    words = {word.partition("\t")[0] for word in found}
    assert LINES[line] <= words
    unrelated = {"play", "verify", "--bot", "cpu", *SHIPPED, *NAMES} - LINES[line]
    assert not words & unrelated


def test_zsh_completes(script: Callable[[str], Path]) -> None:
    if shutil.which("zsh") is None:
        assert script("zsh").read_text("utf-8").startswith("#compdef penultima")
        return
    answers = told("zsh", "-f", "-c", ZSH, "zsh", script("zsh"), *LINES)
    for (line, wanted), answer in zip(LINES.items(), answers, strict=True):
        shown = set(re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", " ", answer).split())
        assert wanted <= shown, line
        assert not shown & ({"watch", "cluster", "violet", "random"} - wanted), line
