"""Every command and every argument of it, given what nobody should give: one clear line, and a
status that says that something is wrong."""

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from penultima.cli.commands import COMMANDS, parser_of
from penultima.edition import shipped
from penultima.game import Match, key_of_seed
from tests.commands import ENVIRONMENT, PENULTIMA, Answer, Ask, Position

NOBODY = "http://127.0.0.1:9"  # a port at which nothing listens

# Where a file is read: the command line, with FILE in the place of the name.
READ = {
    "play": ("play", "--plain", "FILE"),
    "play --resume": ("play", "--plain", "--resume", "FILE"),
    "play --answers": ("play", "--answers", "FILE"),
    "replay": ("replay", "--plain", "FILE"),
    "replay --edition": ("replay", "--plain", "MATCH", "--edition", "FILE"),
    "host": ("host", "FILE", "--server", NOBODY),
    "join --answers": ("join", "abc234", "--server", NOBODY, "--answers", "FILE"),
    "host --answers": ("host", "--server", NOBODY, "--answers", "FILE"),
    "simulate": ("simulate", "FILE", "--games", "1"),
    "simulate --compare": ("simulate", "--games", "1", "--compare", "FILE"),
    "arena --edition": ("arena", "random", "eager", "--games", "1", "--edition", "FILE"),
    "advise --position": ("advise", "--rollouts", "1", "--position", "FILE"),
    "verify": ("verify", "FILE"),
    "admin restore": ("admin", "restore", "--address", NOBODY, "--from", "FILE"),
    "editions": ("editions", "FILE"),
    "rules": ("rules", "FILE"),
    "perft --edition": ("perft", "--depth", "1", "--edition", "FILE"),
    "perft --position": ("perft", "--depth", "1", "--position", "FILE"),
    "step --position": ("step", "--position", "FILE"),
}
JUNK = bytes(range(256)) * 4


def missing(folder: Path) -> str:
    return str(folder / "missing.toml")


def a_folder(folder: Path) -> str:
    return str(folder)


def binary(folder: Path) -> str:
    (folder / "junk.toml").write_bytes(JUNK)
    return str(folder / "junk.toml")


def empty(folder: Path) -> str:
    (folder / "empty.toml").touch()
    return str(folder / "empty.toml")


def endless(folder: Path) -> str:
    return "/dev/zero"


def inside_a_file(folder: Path) -> str:
    (folder / "file").touch()
    return str(folder / "file" / "x.toml")


def long(folder: Path) -> str:
    return str(folder / ("x" * 300 + ".toml"))


def hostile(folder: Path) -> str:
    return str(folder / "\x1b[2J\n\udcff.toml")


def words(folder: Path) -> str:
    (folder / "words.toml").write_text("¡Hola, señor! Привет.\n" * 3, "utf-8")
    return str(folder / "words.toml")


def other(folder: Path) -> str:
    (folder / "list.toml").write_text('[[1, "a", null], {"x": NaN}]', "utf-8")
    return str(folder / "list.toml")


# Lines typed, and what a server is sent, can be any words; only what is no text cannot be read.
ANY_WORDS = ("play --answers", "join --answers", "host --answers", "admin restore")
FILES = (missing, a_folder, binary, empty, endless, inside_a_file, long, hostile, words, other)


def a_match(folder: Path) -> str:
    match = Match(shipped("classic").sheet, ["Ana", "Boris"], key_of_seed(1))
    (folder / "match.pen").write_text(match.record().to_text(), "utf-8")
    return str(folder / "match.pen")


def refused(answer: Answer, status: tuple[int, ...] = (1, 2)) -> None:
    """One line that says what is wrong."""
    assert answer.code in status, answer
    assert "Traceback" not in answer.err + answer.out, answer
    assert len(answer.err.strip("\n").split("\n")) == 1, answer.err
    assert answer.err.strip().endswith((".", "?")), answer.err
    assert not re.search(r"Errno|urlopen|<.*>", answer.err), answer.err
    assert "\x1b" not in answer.err


@pytest.mark.parametrize("bad", FILES, ids=lambda bad: bad.__name__)
@pytest.mark.parametrize("place", READ)
def test_a_file_that_is_none(
    ask: Ask, tmp_path: Path, place: str, bad: Callable[[Path], str]
) -> None:
    (tmp_path / "here").mkdir()
    given = {"FILE": bad(tmp_path / "here"), "MATCH": a_match(tmp_path)}
    answer = ask(*(given.get(word, word) for word in READ[place]))
    if place in ANY_WORDS and bad in (empty, words, other):
        assert "Traceback" not in answer.err
        assert answer.code == (0 if place.startswith("play") else 1)
    else:
        refused(answer)
        assert "127.0.0.1" not in answer.err  # nobody was asked


STANDARD_INPUT = ("advise --position", "verify", "perft --position", "step --position")


@pytest.mark.parametrize("place", STANDARD_INPUT)
@pytest.mark.parametrize("data", [b"", JUNK, b"[]", b"\0" * 1000, b"{" * 100_000, "¡ñ\n".encode()])
def test_standard_input_that_makes_no_sense(place: str, data: bytes) -> None:
    arguments = ["-" if word == "FILE" else word for word in READ[place]]
    done = subprocess.run(
        [*PENULTIMA, *arguments], input=data, capture_output=True, env=ENVIRONMENT
    )
    answer = Answer(done.returncode, done.stdout.decode(), done.stderr.decode())
    refused(answer)


# Where a file is written: refused before anything is played, counted or asked for.
WRITTEN = {
    "play --record": ("play", "--plain", "--record", "FILE"),
    "simulate --plot": ("simulate", "--games", "1G", "--plot", "FILE"),
    "arena --save": ("arena", "sharp", "basic", "--games", "1G", "--save", "FILE"),
    "admin backup": ("admin", "backup", "--address", NOBODY, "--to", "FILE"),
    "serve --data": ("serve", "--port", "0", "--data", "FILE"),
    "serve --database": ("serve", "--port", "0", "--database", "FILE"),
}


def a_folder_for_it(folder: Path) -> str:
    (folder / "charts.svg").mkdir()
    return str(folder / "charts.svg")


def in_a_file(folder: Path) -> str:
    (folder / "file").touch()
    return str(folder / "file" / "x.svg")


def too_long(folder: Path) -> str:
    return str(folder / ("x" * 300 + ".svg"))


def in_the_kernel(folder: Path) -> str:
    return "/proc/nowhere/x.svg"


@pytest.mark.parametrize(
    "bad", (a_folder_for_it, in_a_file, too_long, in_the_kernel), ids=lambda bad: bad.__name__
)
@pytest.mark.parametrize("place", WRITTEN)
def test_a_place_where_nothing_can_be_written(
    ask: Ask, tmp_path: Path, place: str, bad: Callable[[Path], str]
) -> None:
    if bad is a_folder_for_it and place in ("admin export", "serve --data"):
        return  # these are folders
    if bad is in_the_kernel and place in ("play --record", "admin backup"):
        return  # whether a folder can be made shows when it is: then a note says so
    (tmp_path / "here").mkdir()
    file = bad(tmp_path / "here")
    answer = ask(*(file if word == "FILE" else word for word in WRITTEN[place]))
    refused(answer)
    assert NOBODY not in answer.err  # nobody was asked


# Every option that takes a value, given values of the wrong kind.


def options_with_values() -> Iterator[tuple[str, str]]:
    _, parsers = parser_of("en")
    for name, parser in parsers.items():
        for action in parser.shown():
            is_file = parser.kinds[action.dest] in ("FILE", "FOLDER", "PATH")
            if action.type is not None and action.option_strings and not is_file:
                yield name, action.option_strings[-1]


NUMBERS = (
    "-1",
    "nan",
    "inf",
    "1e3",
    "9" * 5000,
    "",
    " ",
    "٣",
    "0x10",
    "1_0",
    "½",
    "two",
    "--",
    "\0",
)


@pytest.mark.parametrize(("command", "option"), list(options_with_values()))
def test_a_number_that_is_none(ask: Ask, command: str, option: str) -> None:
    for number in NUMBERS:
        answer = ask(command, f"{option}={number}")
        refused(answer, (2,))
        assert option in answer.err
        assert len(answer.err) < 300


def choices() -> Iterator[tuple[str, str]]:
    _, parsers = parser_of("en")
    for name, parser in parsers.items():
        for action in parser.shown():
            if action.choices is not None and action.option_strings:
                yield name, action.option_strings[-1]


@pytest.mark.parametrize(("command", "option"), list(choices()))
def test_a_choice_that_is_none(ask: Ask, command: str, option: str) -> None:
    for word in ("", "nothing", "🂡", "\x1b[2J", "x" * 5000):
        answer = ask(command, f"{option}={word}")
        refused(answer, (2,))
        assert len(answer.err) < 400


# Words with a form of their own.
WORDS = {
    "rule options": ("rules", "--options", "WORD"),
    "rule options of a game": ("play", "--plain", "--options", "WORD"),
    "rule options of a simulation": ("simulate", "--games", "1", "--options", "WORD"),
    "rule options of a contest": ("arena", "random", "eager", "--options", "WORD"),
    "rule options of a count": ("perft", "--depth", "1", "--options", "WORD"),
    "an edition": ("editions", "WORD"),
    "editions of a contest": ("arena", "random", "eager", "--edition", "WORD"),
    "seats of a contest": ("arena", "random", "eager", "--players", "WORD"),
    "a bot": ("play", "--plain", "--bot", "WORD"),
    "a bot of a contest": ("arena", "random", "WORD"),
    "a bot of a simulation": ("simulate", "--bots", "WORD"),
    "a comparison": ("simulate", "--games", "1", "--compare", "WORD"),
    "a place in a match": ("replay", "MATCH", "--from", "WORD"),
    "a table": ("join", "WORD", "--plain"),
    "a table to watch": ("watch", "WORD", "--plain"),
    "an action": ("step", "--position", "POSITION", "WORD"),
    "limits of a server": ("serve", "--port", "0", "--limits", "WORD"),
    "the pace of a server": ("serve", "--port", "0", "--pace", "WORD"),
    "a public address": ("serve", "--port", "0", "--public-url", "WORD"),
    "an address to listen on": ("serve", "--port", "0", "--host", "WORD"),
    "a server": ("join", "abc234", "--plain", "--server", "WORD"),
    "the server of an administrator": ("admin", "list", "--address", "WORD"),
    "a command": ("WORD",),
    "a command to explain": ("help", "WORD"),
    "a shell": ("completion", "WORD"),
}
MEANINGLESS = (
    "=", "x=", "x=1=2", "stacking=", "target=9999999999999999999", "http://[", "http://a b/", ":",
    "sharp:", "sharp:0", "os:getcwd", "no.such:Bot", "-", "🂡", "\x1b[2J\n", "\udcff", "a" * 5000,
)  # fmt: skip
# An address leads nowhere, and no name is looked up in a network.
NOWHERE = ("=", "http://[", "http://a b/", ":", "http://", "\x1b[2J\n", "\udcff", "127.0.0.1:x")
ADDRESSES = (
    "an address to listen on",
    "a server",
    "the server of an administrator",
    "a public address",
)


@pytest.mark.parametrize("place", WORDS)
def test_words_that_mean_nothing(ask: Ask, position: Position, tmp_path: Path, place: str) -> None:
    given = {"MATCH": a_match(tmp_path), "POSITION": position()}
    for word in NOWHERE if place in ADDRESSES else MEANINGLESS:
        answer = ask(*(word if part == "WORD" else given.get(part, part) for part in WORDS[place]))
        refused(answer)


def test_every_command_is_tried() -> None:
    tried = {line[0] for lines in (READ, WRITTEN, WORDS) for line in lines.values()}
    assert tried | {"WORD"} == {command.name for command in COMMANDS} | {"WORD"}
