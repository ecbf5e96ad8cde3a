"""The command line explains itself: in three languages, by examples, in a manual page."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from penultima.cli.commands import COMMANDS, parser_of
from penultima.cli.manual import page
from penultima.locale import LANGUAGES, catalogue, say
from tests.commands import Ask

ROOT = Path(__file__).parent.parent
NAMES = [command.name for command in COMMANDS]
every_command = pytest.mark.parametrize("command", NAMES)
every_language = pytest.mark.parametrize("language", LANGUAGES)


@every_language
@every_command
def test_help_is_in_the_language_asked_for(ask: Ask, command: str, language: str) -> None:
    answer = ask(command, "--help", "--lang", language)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(say(language, "cli.usage") + " ")
    for heading in ("cli.options", "cli.examples", "cli.option.help"):
        assert say(language, heading) in " ".join(answer.out.split())
    if language == "ru":  # nothing is left in English but names, choices and examples
        told, _, _ = answer.out.partition(say(language, "cli.examples"))
        english = set(re.findall(r"\b(?:the|and|default|show|with|or|of)\b", told))
        assert english <= {"show"}


@every_language
def test_every_argument_is_explained(language: str) -> None:
    _, parsers = parser_of(language)
    for parser in parsers.values():
        for action in parser.shown():
            assert action.help and not action.help.startswith("cli."), (parser.prog, action.dest)


def test_every_text_of_the_command_line_is_used() -> None:
    sources = "".join(
        path.read_text("utf-8") for path in (ROOT / "src" / "penultima" / "cli").glob("*.py")
    )
    for key in catalogue("en"):
        if key.startswith("cli.option."):
            assert f'"{key}"' in sources, key
        elif key.startswith("cli.command."):
            assert key.removeprefix("cli.command.") in NAMES
        elif key.startswith("cli.word."):
            assert re.search(rf'"[A-Z|=\[.:]*\b{key.removeprefix("cli.word.")}\b', sources), key


@every_command
def test_the_examples_are_understood(command: str) -> None:
    parser, _ = parser_of("en")
    made = next(one for one in COMMANDS if one.name == command)
    for line in made.examples.splitlines():
        words = shlex.split(line.partition(" < ")[0].partition(" > ")[0])
        assert words[:2] == ["penultima", command]
        assert parser.parse_args(words[1:]).command.name == command


def test_the_language_of_the_system_is_that_of_the_help(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "ru_RU.UTF-8")
    assert ask("--help").out.startswith("использование: penultima")
    assert ask("play", "--lang", "es", "--help").out.startswith("uso: penultima")
    assert ask("--lang=en", "play", "--help").out.startswith("usage: penultima")


WRONG = {
    "no such command": (("ply",), "cli.unknown.command"),
    "no such option": (("play", "--speed"), "cli.unknown.option"),
    "a word too many": (("rules", "classic", "chili"), "cli.unknown.word"),
    "no such choice": (("simulate", "--device", "abacus"), "cli.unknown.choice"),
    "no value": (("play", "--seed"), "cli.wrong.one_value"),
    "nothing to do it with": (("step",), "cli.wrong.required"),
    "no bots": (("arena", "--json"), "cli.wrong.required"),
    "a value too much": (("perft", "--divide=3"), "cli.wrong.no_value"),
    "two options at once": (("serve", "--p", "3"), "cli.wrong.ambiguous"),
    "not a number": (("play", "--players", "two"), "usage.whole"),
    "not a large number": (("simulate", "--games", "ten"), "usage.many"),
    "not a time": (("play", "--pace", "slow"), "usage.seconds"),
}


@every_language
@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_command_line_is_explained_in_every_language(
    ask: Ask, case: str, language: str
) -> None:
    arguments, key = WRONG[case]
    message = catalogue(language)[key]
    answer = ask(*arguments, "--lang", language)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.count("\n") == 1
    for part in re.split(r"\{\w+\}", message):
        assert part.strip() in answer.err
    program = "penultima" if case == "no such command" else f"penultima {arguments[0]}"
    problem = catalogue(language)["cli.error"].format(program=program, problem="|")
    assert answer.err.startswith(problem.partition("|")[0])
    assert answer.err.endswith(problem.partition("|")[2] + "\n")


MEANT = {
    "a command": (("simulte",), "simulate"),
    "an option": (("play", "--plyers", "3"), "--players"),
    "an option with a value": (("serve", "--prot=80"), "--port"),
    "an edition": (("rules", "chilli"), "chili"),
    "an edition in capitals": (("editions", "REVENG"), "revenge"),
    "a bot": (("play", "--bot", "baisc"), "basic"),
    "a bot of many": (("arena", "basic", "eagr"), "eager"),
    "a bot of a simulation": (("simulate", "--bots", "randm"), "random"),
    "a rule option": (("rules", "--options", "stackin=same"), "stacking"),
    "a command to explain": (("help", "aena"), "arena"),
}


@every_language
@pytest.mark.parametrize("case", MEANT)
def test_what_was_meant_is_asked(ask: Ask, case: str, language: str) -> None:
    arguments, name = MEANT[case]
    answer = ask("--lang", language, *arguments)
    assert answer.code in (1, 2)
    assert say(language, "cli.meant", name=name) in answer.err


def test_nothing_is_guessed_where_nothing_is_like_it(ask: Ask) -> None:
    for arguments in (("zzzz",), ("play", "--zzzz"), ("rules", "zzzz"), ("play", "--bot", "zzz")):
        assert "Did you mean" not in ask(*arguments).err


def test_help_is_a_command_too(ask: Ask) -> None:
    assert ask("help") == ask("--help")
    for command in NAMES:
        assert ask("help", command) == ask(command, "--help")


def test_the_version_has_a_short_option(ask: Ask) -> None:
    assert ask("-V") == ask("--version")


# The manual page


def test_the_manual_page_is_that_of_the_commands() -> None:
    """`python -m penultima.cli.manual docs/penultima.1` writes it."""
    assert (ROOT / "docs" / "penultima.1").read_text("utf-8") == page()


def test_the_manual_page_names_every_command_and_option() -> None:
    text = page().replace("\\-", "-")
    _, parsers = parser_of("en")
    for name, parser in parsers.items():
        assert f"\n.SS {name}\n" in text
        for action in parser.shown():
            assert all(f"\\fB{flag}\\fR" in text for flag in action.option_strings)


def test_the_manual_page_is_installed_with_the_wheel() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert '"docs/penultima.1" = "share/man/man1/penultima.1"' in project


def test_no_line_of_the_manual_page_is_taken_for_a_request() -> None:
    known = {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".nf", ".fi"}
    for line in page().splitlines():
        assert not line.startswith("'")
        assert not line.startswith(".") or line.split()[0] in known


def test_a_reader_of_manual_pages_finds_nothing_wrong() -> None:
    reader = ["groff", "-man", "-Tutf8", "-ww", "-k", str(ROOT / "docs" / "penultima.1")]
    try:
        done = subprocess.run(reader, capture_output=True, text=True, timeout=60)
    except FileNotFoundError:  # the tests above hold without it
        return
    assert (done.returncode, done.stderr) == (0, "")
