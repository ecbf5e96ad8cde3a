"""All rules on one page: every edition, every value of every option."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

import msgspec

from penultima.edition import SHIPPED, Edition, shipped, with_names
from penultima.locale import say
from penultima.rulebook.clause import CLAUSES
from penultima.rulebook.deck import Deck, listed
from penultima.rulebook.edition import (
    HOUSE,
    SECTIONS,
    Sentence,
    bullet,
    heading,
    intro,
    row,
    sentences,
)
from penultima.ruleset import CHOICES, SWITCHES, Options

COLUMNS: Final = ("edition", "id", "cards", "colors")
Group = tuple[str, str]  # a label, and what it is for
Labels = dict[Sentence, list[str]]  # for what a sentence holds, if not for everything


def page(language: str) -> str:
    """All rules with all their variants, as Markdown."""
    every = _every()
    lines = [f"# {say(language, 'rules.heading')}", "", intro(Deck(every, language)), ""]
    lines += [*_editions_table(language)]
    paragraphs = _paragraphs(_decks(language)) + _paragraphs(_variants(every, language))
    for section in (*SECTIONS, HOUSE):
        lines += ["", *heading(section, language)]
        for clause, groups in paragraphs:
            if clause[0] == section:
                lines += _bullets(language, clause, groups)
    return "\n".join(lines) + "\n"


def _every() -> Edition:
    """One deck with the wild cards of all editions and the marks."""
    wilds = {wild.symbol + wild.effect: wild for n in SHIPPED for wild in shipped(n).file.wilds}
    file = msgspec.structs.replace(
        shipped("triforce").file, colors=shipped("classic").file.colors, wilds=list(wilds.values())
    )
    return with_names(file, Options())


def _sentences(edition: Edition, language: str) -> list[Sentence]:
    return list(sentences(Deck(edition, language), {"resized"}))


def _decks(language: str) -> Labels:
    """What is in each deck, and the editions where it is."""
    found: Labels = {}
    for name in SHIPPED:
        edition = shipped(name)
        for sentence in _sentences(edition, language):
            if sentence.clause[0] == "D":
                found.setdefault(sentence, []).append(edition.file.name.in_language(language))
    return {
        one: [] if len(names) == len(SHIPPED) else [", ".join(names)]
        for one, names in found.items()
    }


def _variants(every: Edition, language: str) -> Labels:
    """Every other clause, and the values of options that its sentences are for."""
    usual = [one for one in _sentences(every, language) if one.clause[0] != "D"]
    found: Labels = {one: [] for one in usual}
    for option, value, default in _changes(every):
        told = _sentences(every.with_options({option: value}), language)
        for one in told:
            if one.clause[0] != "D" and one not in usual:
                found.setdefault(one, []).append(_label(option, value, language))
        for one in usual:
            label = _label(option, default, language)
            if one not in told and option in CHOICES and label not in found[one]:
                found[one].append(label)
    return found


def _paragraphs(labels: Labels) -> list[tuple[str, list[Group]]]:
    """The clauses in order, their sentences in groups that are for the same."""
    order = list(CLAUSES)
    ranked = sorted(labels, key=lambda one: (order.index(one.clause), one.about, _rank(one)))
    return [
        (
            clause,
            [
                (label, " ".join(one.text for one in same))
                for label, same in groupby(told, lambda one: "; ".join(labels[one]))
            ],
        )
        for (clause, _), told in groupby(ranked, lambda one: (one.clause, one.about))
    ]


def _bullets(language: str, clause: str, groups: list[Group]) -> Iterator[str]:
    """A clause; what holds for some editions or options only is set off from the rest."""
    told = [f"{text} ({label})" if label else text for label, text in groups]
    if len(told) > 1 and groups[0][0]:
        yield bullet(language, clause, "").rstrip()
    else:
        yield bullet(language, clause, told.pop(0))
    yield from (f"  - {text}" for text in told)


def _rank(sentence: Sentence) -> int:
    return list(CLAUSES[sentence.clause].sentences).index(sentence.key)


def _changes(every: Edition) -> Iterator[tuple[str, Any, Any]]:
    """Every value that an option has not got by itself."""
    options = every.sheet.options
    for option, values in {**CHOICES, **dict.fromkeys(SWITCHES, (True,))}.items():
        default = getattr(options, option)
        yield from ((option, value, default) for value in values if value != default)


def _label(option: str, value: Any, language: str) -> str:
    """A value of an option, and the editions that are played by it."""
    text = f"`{option} = {str(value).lower()}`"
    names = [
        shipped(name).file.name.in_language(language)
        for name in SHIPPED
        if getattr(shipped(name).sheet.options, option) == value
    ]
    return f"{text}: {', '.join(names)}" if 0 < len(names) < len(SHIPPED) else text


def _editions_table(language: str) -> Iterator[str]:
    yield row([say(language, f"rules.table.{word}") for word in COLUMNS])
    yield row(["---"] * len(COLUMNS))
    for name in SHIPPED:
        edition = shipped(name)
        colors = [edition.color_name(c, language) for c in range(len(edition.sheet.colors))]
        title = edition.file.name.in_language(language)
        yield row([title, f"`{name}`", str(edition.sheet.cards), listed(language, colors)])
