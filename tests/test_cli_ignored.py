"""Options that would have no effect are refused, and nothing that is there is overwritten."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from penultima.edition import SHIPPED, load, shipped
from penultima.game import Match, key_of_seed
from penultima.locale import LANGUAGES, say
from penultima.ruleset import CHOICES, Options
from tests.commands import HARVEST, Ask, Position
from tests.support import edition_text

NOBODY = "http://127.0.0.1:9"


def pairs() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """What is given, beside what it has no effect, and the command line."""
    settled = {
        "--players": "3", "--options": "stacking=same", "--seed": "1", "--name": "Ana",
        "--record": "new.pen",
    }  # fmt: skip
    for option, value in settled.items():
        yield option, "--resume", ("play", "--resume", option, value)
        yield option, "--resume", ("play", option, value, "--resume", "some.pen")
    yield "EDITION", "--resume", ("play", "chili", "--resume")
    screen = {"--pace": "1", "--moment": "1", "--color": "none"}
    for option, value in screen.items():
        yield option, "--plain", ("play", "--plain", option, value)
        yield option, "--answers", ("play", "--answers", "a.txt", option, value)
    for command in (("replay",), ("join", "abc234"), ("watch", "abc234"), ("host",)):
        yield "--color", "--plain", (*command, "--plain", "--color", "16")
    link = f"{NOBODY}/#/t/abc234"
    for name in ("join", "watch"):
        yield "--server", link, (name, link, "--server", NOBODY)
    yield "--lan", "--host", ("serve", "--lan", "--host", "127.0.0.1")
    for option, value in {"--edition": "chili", "--players": "3", "--seed": "1"}.items():
        yield option, "--position", ("perft", "--position", "POSITION", option, value)
    yield "EDITION", "--all", ("rules", "--all", "chili")
    yield "--options", "--all", ("rules", "--all", "--options", "jump_in=on")
    for option, value in {"--threads": "2", "--cluster": "x"}.items():
        yield option, "--device gpu", ("simulate", "--device", "gpu", option, value)
    followed = {"list": (), "close": ("table",), "export": ("table", "to"), "backup": ("to",)}
    for what, names in {**followed, "restore": ("from",)}.items():
        for name in sorted({"table", "to", "from"} - {*names}):
            table = ["abc234"] if "table" in names else []
            given = ["abc234"] if name == "table" else [f"--{name}", "x"]
            option = "TABLE" if name == "table" else f"--{name}"
            yield option, what, ("admin", what, *table, *given)


@pytest.mark.parametrize(("option", "other", "words"), list(pairs()))
def test_what_would_have_no_effect_is_refused(
    ask: Ask, position: Position, option: str, other: str, words: tuple[str, ...]
) -> None:
    answer = ask(*(position() if word == "POSITION" else word for word in words))
    assert (answer.code, answer.out) == (2, "")
    assert say("en", "usage.ignored", option=option, other=other) in answer.err
    assert answer.err.count("\n") == 1


def kept(folder: Path, edition: str = "classic") -> Path:
    match = Match(load(edition).sheet, ["Ana", "Boris"], key_of_seed(1))
    path = folder / "kept.pen"
    path.write_text(match.record().to_text(), "utf-8")
    return path


def test_a_record_overwrites_nothing(ask: Ask, tmp_path: Path) -> None:
    path = kept(tmp_path)
    before = path.read_bytes()
    answer = ask("play", "--plain", "--record", str(path), text="quit\n")
    assert (answer.code, answer.out) == (1, "")
    assert "it exists already" in answer.err
    assert "--record" in answer.err  # the remedy
    assert path.read_bytes() == before
    for folder in (".", "", str(tmp_path)):
        answer = ask("play", "--plain", "--record", folder, text="quit\n")
        assert (answer.code, answer.out) == (1, "")
        assert "it is a folder" in answer.err


def test_a_record_makes_its_folder(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "match.pen"
    assert ask("play", "--plain", "--record", str(path), text="quit\n").code == 0
    assert path.exists()


def test_who_sits_where_is_settled_in_a_kept_match(ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "mine.pen"
    ask("play", "--plain", "--seed", "1", "--record", str(path), text="quit\n")
    for option, value in (("--bot", "random"), ("--people", "2")):
        answer = ask("play", "--plain", "--resume", str(path), option, value)
        assert answer.code == 2
        assert say("en", "usage.ignored", option=option, other="--resume") in answer.err
    assert ask("play", "--plain", "--resume", str(path), text="quit\n").code == 0


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("play", "--plain", "--name", "Ana", "--name", "Boris"), "--name for each"),
        (("play", "--plain", "--bot", "basic,eager,random"), "fewer with --bot"),
        (("play", "--plain", "--people", "3", "--bot", "basic"), "fewer with --bot"),
        (("simulate", "--bots", "basic,eager", "--players", "3"), "--bots"),
    ],
)
def test_more_than_there_are_seats_is_refused(
    ask: Ask, words: tuple[str, ...], remedy: str
) -> None:
    answer = ask(*words)
    assert (answer.code, answer.out) == (1, "")
    assert remedy in answer.err


def test_a_replay_takes_the_edition_of_its_match_only(ask: Ask, tmp_path: Path) -> None:
    path = str(kept(tmp_path, HARVEST))
    assert ask("replay", "--plain", path, "--edition", HARVEST).code == 0
    assert "missing.toml" in ask("replay", "--plain", path, "--edition", "missing.toml").err
    answer = ask("replay", "--plain", path, "--edition", "chili")
    assert (answer.code, answer.out) == (1, "")
    assert "--edition" in answer.err


def test_a_bot_that_needs_arguments_is_refused(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "class Needy:\n    def __init__(self, more): ...\n    def choose(self, view): ...\n"
    (tmp_path / "needybot.py").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    for words in (("play", "--plain", "--bot"), ("arena", "random")):
        answer = ask(*words, "needybot:Needy")
        assert (answer.code, answer.out) == (1, "")
        assert "needybot:Needy" in answer.err
        assert "more" in answer.err


def test_a_byte_order_mark_is_no_error(ask: Ask, tmp_path: Path, position: Position) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(edition_text("classic"), "utf-8-sig")
    assert ask("editions", str(path), "--json").json["id"] == "classic"
    record = kept(tmp_path)
    record.write_text(record.read_text("utf-8"), "utf-8-sig")
    assert ask("verify", str(record)).code == 0
    assert ask("replay", "--plain", str(record)).code == 0
    place = Path(position())
    place.write_text(place.read_text("utf-8"), "utf-8-sig")
    assert ask("step", "--position", str(place)).code == 0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SHIPPED)
def test_an_edition_is_explained_in_the_language_asked_for(
    ask: Ask, name: str, language: str
) -> None:
    shown = ask("editions", name, "--lang", language).out
    options = shipped(name).sheet.options
    for option in Options.names():
        told = say(language, f"web.option.{option}")
        if option in CHOICES:
            told += f": {say(language, f'web.value.{getattr(options, option)}')}"
        assert re.search(rf"^  {option} .*{re.escape(told)}$", shown, re.MULTILINE), option
    assert say(language, "rules.effects.skip") in shown
