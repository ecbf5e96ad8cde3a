"""Every language has every message, and every message is one that the program says."""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

import penultima
from penultima import edition as editions
from penultima import errors, locale, position_reader, telling
from penultima.edition import SHIPPED, shipped
from penultima.event import Event
from penultima.locale import LANGUAGES, PLURALS, catalogue, plural, say
from penultima.rulebook import edition_page, page
from tests.support import edition_text

SOURCE = Path(penultima.__file__).parent
DOCS = Path(__file__).parent.parent / "docs" / "rules"
CLIENT = Path(__file__).parent.parent / "web" / "src"
KEYS = sorted(catalogue("en"))
every_language = pytest.mark.parametrize("language", LANGUAGES)
every_edition = pytest.mark.parametrize("name", SHIPPED)


def forms(language: str, key: str) -> Mapping[str, str]:
    """A message by plural category; one without a plural has only the form "other"."""
    message = catalogue(language)[key]
    return {"other": message} if isinstance(message, str) else message


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


# The catalogues side by side


@every_language
def test_every_language_has_the_same_messages_in_the_same_order(language: str) -> None:
    assert list(catalogue(language)) == list(catalogue("en"))


@every_language
def test_a_message_has_plurals_in_every_language_or_in_none(language: str) -> None:
    for key in KEYS:
        have = set(forms(language, key))
        plain = isinstance(catalogue("en")[key], str)
        assert have == ({"other"} if plain else set(PLURALS[language])), key


@every_language
def test_a_message_takes_the_same_details_in_every_language(language: str) -> None:
    for key in KEYS:
        wanted = placeholders(forms("en", key)["other"])
        for form, text in forms(language, key).items():
            left_out = wanted - placeholders(text)
            assert placeholders(text) <= wanted, key
            # "a card" says as much as "1 card"; where 21 is a "one" too, it does not.
            assert left_out <= ({"count"} if form == "one" and language != "ru" else set()), key


@every_language
def test_no_message_is_empty_or_untidy(language: str) -> None:
    for key in KEYS:
        for text in forms(language, key).values():
            assert text.strip(), key
            assert text == text.strip() or key == "ask.prompt", key
            assert "  " not in text, key


# Nothing in these but what is filled in, or a sign, a name or a word that all three share.
ALIKE = {
    "es": {
        "command.bot",
        "ask.prompt",  # a sign
        "card.wild",  # the name of the card and nothing else
        "cli.word.BOT",
        "cli.word.POLICY",  # a bot too
        "cli.word.SHELL",
        "cli.wrong.argument",  # an option and another message
        "contest.bot",
        "count.bots",
        "sim.compiling_on",  # numbers and what they count
        "card.wild_named",
        "edition.rules",  # the file and another message
        "online.add",
        "online.bot",
        "online.said",  # a name and another message
        "screen.clock",  # a number and a unit
        "error.prefix",  # the Spanish word is the English one
        "position.card",  # the field and another message
        "rules.card.lead",  # the name of the card and nothing else
        "rules.card.name",
        "rules.effects.none",  # a dash
        "rules.marked.some",  # names and signs
        "rules.table.id",  # the word of the command line
        "rules.total",  # a name and a number
        "rules.way.color",
        "table.bot",  # so is this
        "table.called",  # the name of the game
        "table.others",  # a name and a number
        "web.new.bots",
        "web.scores.total",
        "web.table.uno",
    },
    "ru": {
        "ask.prompt",
        "card.wild",
        "cli.wrong.argument",
        "card.wild_named",
        "edition.rules",
        "online.said",
        "position.card",
        "rules.card.lead",
        "rules.effects.none",
        "rules.marked.some",
        "rules.table.id",
        "rules.total",
        "table.others",
    },
}


@pytest.mark.parametrize("language", sorted(ALIKE))
def test_no_message_was_left_in_english(language: str) -> None:
    same = {key for key in KEYS if catalogue(language)[key] == catalogue("en")[key]}
    assert same - ALIKE[language] == set()
    assert {key for key in ALIKE[language] if key in KEYS} <= same


@pytest.mark.parametrize(
    ("number", "category", "text"),
    [
        (1, "one", "1 карту"),
        (2, "few", "2 карты"),
        (5, "many", "5 карт"),
        (11, "many", "11 карт"),
        (21, "one", "21 карту"),
        (22, "few", "22 карты"),
        (112, "many", "112 карт"),
        (0, "many", "0 карт"),
    ],
)
def test_russian_counts_as_russians_do(number: int, category: str, text: str) -> None:
    assert plural("ru", number) == category
    assert say("ru", "event.draw", player="Аня", count=number) == f"Аня берёт {text}."


@pytest.mark.parametrize("language", ["en", "es"])
def test_english_and_spanish_count_one_and_many(language: str) -> None:
    assert [plural(language, n) for n in (0, 1, 2, 11, 21)] == [
        "other",
        "one",
        "other",
        "other",
        "other",
    ]


def test_a_detail_may_have_any_name() -> None:
    for key in KEYS:
        for language in LANGUAGES:
            details = dict.fromkeys(placeholders(forms(language, key)["other"]), 3)
            assert "{" not in say(language, key, **{"count": 3, **details})


# Errors


AREAS = {
    cls.__name__: cls.area
    for cls in vars(errors).values()
    if isinstance(cls, type) and issubclass(cls, errors.PenultimaError)
}
Raised = tuple[str, frozenset[str]]


def calls(tree: ast.AST, names: Mapping[str, Any]) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            yield node.func.id, node


@cache
def raised() -> tuple[set[Raised], set[str]]:
    """The errors raised with their code in words, and the modules that raise others."""
    found: set[Raised] = set()
    computed: set[str] = set()
    # `refuse` is how `ruleset` raises what is wrong with one card.
    areas = {**AREAS, "refuse": "ruleset"}
    for path in sorted(SOURCE.rglob("*.py")):
        for name, call in calls(ast.parse(path.read_text("utf-8")), areas):
            given = {keyword.arg for keyword in call.keywords if keyword.arg}
            match call.args:
                case [ast.Constant(value=str(code))]:
                    given |= {"card"} if name == "refuse" else set()
                    found.add((f"{areas[name]}.{code}", frozenset(given)))
                case _:
                    computed.add(path.stem)
    return found, computed


def raised_by_table() -> Iterator[Raised]:
    """The errors whose codes stand in a table: of msgspec's complaints, of the checker's bits."""
    for pattern, code in editions._COMPLAINTS:
        given = {"file", "field", *re.compile(pattern).groupindex}
        given |= {"wrong_value": {"allowed"}, "wrong_form": {"remedy"}}.get(code, set())
        yield f"edition.{code}", frozenset(given)
    for code in ("host_running", "host_elsewhere"):
        yield f"server.{code}", frozenset({"option", "address"})
    for _, code in position_reader.FAULTS:
        yield f"position.{code}", frozenset({"phase", "card"})


def all_raised() -> set[Raised]:
    return raised()[0] | set(raised_by_table())


def test_this_test_knows_where_codes_are_computed() -> None:
    assert raised()[1] == {"edition", "position_reader", "ruleset", "sqlite"}


def test_every_error_has_a_message_made_of_what_it_gives() -> None:
    for key, given in all_raised():
        assert key in catalogue("en"), key
        for language in LANGUAGES:
            for text in forms(language, key).values():
                assert placeholders(text) <= given, (key, language)


def test_every_message_of_an_error_is_raised_somewhere() -> None:
    remedies = {f"edition.form.{name}" for name in ("id", "letter", "symbol", "hue")}
    used = {key for key, _ in all_raised()} | remedies | {"error.prefix"}
    prefixes = tuple(f"{area}." for area in set(AREAS.values()))
    assert [key for key in KEYS if key.startswith(prefixes) and key not in used] == []


def test_an_error_inside_an_error_speaks_the_same_language() -> None:
    inner = errors.RulesetError("no_points", card="r+2")
    outer = errors.EditionError("rules", file="my.toml", problem=inner)
    for language in LANGUAGES:
        text = say(language, "edition.rules", **outer.details)
        assert text == f"my.toml: {say(language, 'ruleset.no_points', card='r+2')}"


# Events


@cache
def kinds_of_events() -> dict[str, set[str]]:
    """What can happen, and which fields an event of it carries."""
    found: dict[str, set[str]] = {}
    tree = ast.parse((SOURCE / "event.py").read_text("utf-8"))
    for _, call in calls(tree, {"Event": None}):
        match call.args:
            case [ast.Constant(value=str(what)), *rest]:
                fields = {keyword.arg for keyword in call.keywords if keyword.arg}
                found[what] = fields | ({"seat"} if rest else set())
    return found


def possible_events() -> Iterator[Event]:
    """Each kind of event in all the ways that its message may depend on."""
    values: dict[str, list[Any]] = {
        "seat": [0, 1],
        "other": [1, 0],
        "color": ["b"],
        "direction": [1, -1],
        "guilty": [True, False],
        "count": [1, 2],
        "points": [1, 20],
        "card": ["b7"],
        "cards": [("b7", "W")],
    }
    for what, fields in kinds_of_events().items():
        for way in (0, -1):
            given = {name: values[name][way] for name in fields if name in values}
            if what == "return":
                given["card"] = "W4"  # no other goes back
            yield Event(what, **given)
            if what in ("draw", "show"):  # what somebody is told who may not see the cards
                yield Event(what, **{n: value for n, value in given.items() if n != "cards"})
            if what == "play":
                yield Event(what, given["seat"], card="W", color="b")
                yield Event(what, given["seat"], card="b7")


def test_every_event_has_a_message_and_every_message_an_event(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: set[str] = set()

    def note(language: str, key: str, /, **details: Any) -> str:
        said.add(key)
        return say(language, key, **details)

    monkeypatch.setattr(telling, "say", note)
    for language in LANGUAGES:
        for reader in (None, 0, 1):
            teller = telling.Teller(shipped("classic"), ["Ana", "Boris"], language, reader)
            for event in possible_events():
                theirs = reader is not None and reader in (event.seat, event.other)
                if theirs and event.what in ("draw", "show") and event.cards is None:
                    continue  # they are always told which cards
                text = teller.tell(event)
                assert "{" not in text
                assert "None" not in text, event
                assert not text[:1].islower(), text
    assert sorted(key for key in KEYS if key.startswith("event.")) == sorted(
        key for key in said if key.startswith("event.")
    )


def test_a_card_is_called_by_its_name_in_every_language() -> None:
    names = {
        language: telling.Teller(shipped("classic"), [], language).card("b+2")
        for language in LANGUAGES
    }
    assert names == {"en": "blue Draw Two", "es": "Roba dos (azul)", "ru": "Возьми две (голубой)"}


# Everything else


def test_every_other_message_is_said_somewhere() -> None:
    files = [*SOURCE.rglob("*.py"), *CLIENT.rglob("*.ts"), *CLIENT.rglob("*.svelte")]
    sources = "".join(path.read_text("utf-8") for path in files)
    said = {"language", *re.findall(r"[\"']([a-z_]+(?:\.[A-Za-z0-9_]+)+)[\"']", sources)}
    # Keys that are completed while the program runs: f"ask.{phase}", `web.bot.${bot}`.
    begun = tuple(re.findall(r"(?:f[\"']|`)((?:[a-z_]+\.)+)\$?\{", sources))
    elsewhere = (*begun, *(f"{area}." for area in AREAS.values()))
    assert [key for key in KEYS if key not in said and not key.startswith(elsewhere)] == []


def tables(data: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(data, dict):
        yield data
        for value in data.values():
            yield from tables(value)
    elif isinstance(data, list):
        for value in data:
            yield from tables(value)


@every_edition
def test_an_edition_names_everything_in_three_languages(name: str) -> None:
    data = tomllib.loads(edition_text(name))
    named = [table for table in tables(data) if "en" in table]
    for table in named:
        assert list(table) == list(LANGUAGES)
        assert all(text.strip() == text != "" for text in table.values())
        assert re.search("[а-яё]", table["ru"].lower()), table
        assert table["en"] != table["es"] or table["en"] == "Chili", table  # as sheet 001 has it
    assert {"name", "about"} <= set(data)
    for entry in [*data["colors"], *data["wilds"], *(c for c in data["cards"] if "symbol" in c)]:
        assert "name" in entry, entry


@every_language
@every_edition
def test_the_names_of_an_edition_are_all_different(name: str, language: str) -> None:
    edition = shipped(name)
    colors = [edition.color_name(c, language) for c in range(len(edition.sheet.colors))]
    cards = telling.Teller(edition, [], language)
    names = [cards.card(face.text) for face in edition.sheet.faces]
    assert len(set(colors)) == len(colors)
    assert len(set(names)) == len(names)


# The rules in words


@every_language
def test_the_printed_rules_are_those_of_the_catalogue(language: str) -> None:
    assert (DOCS / f"{language}.md").read_text("utf-8") == page(language)


@every_language
@every_edition
def test_the_rules_of_an_edition_have_no_gap(name: str, language: str) -> None:
    text = edition_page(shipped(name), language)
    assert "{" not in text
    assert all(line == line.rstrip() for line in text.split("\n"))


# The language that the environment asks for


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({}, "en"),
        ({"LANG": "es_MX.UTF-8"}, "es"),
        ({"LANG": "es_MX.UTF-8", "LC_ALL": "ru_RU.UTF-8"}, "ru"),
        ({"LANG": "es_ES.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
        ({"LANG": "es_ES.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "RU"}, "ru"),
    ],
)
def test_the_environment_chooses_the_language(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], language: str
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert locale.from_environment() == language
