"""The rules of one edition as it is played."""

from collections.abc import Iterator, Set
from itertools import groupby
from typing import Final, NamedTuple

from penultima.edition import Edition
from penultima.locale import say
from penultima.rulebook.clause import CLAUSES, holds
from penultima.rulebook.deck import Deck, escaped
from penultima.ruleset import Face, Options

SPECIAL: Final = "X"
SECTIONS: Final = "DSTAGPQ"
HOUSE: Final = "H"
OURS: Final = "QH"  # the printed sheets say nothing of these
INTRO: Final = {
    "goal": "",
    "call": "!auto_call",
    "winner": "scoring=winner",
    "tally": "scoring=tally",
}


class Sentence(NamedTuple):
    """One sentence of a clause, about one of the cards that the clause is told of."""

    clause: str
    about: int
    key: str
    text: str
    special: bool


def edition_page(edition: Edition, language: str) -> str:
    """The rules of one edition under its options, as Markdown: what is special comes first."""
    deck = Deck(edition, language)
    name = escaped(edition.file.name.in_language(language))
    lines = [f"# {say(language, 'rules.title', edition=name)}", ""]
    if edition.file.about is not None:
        lines += [escaped(edition.file.about.in_language(language)), ""]
    lines += [intro(deck)]
    told = _paragraphs(deck)
    for section in (SPECIAL, HOUSE, *SECTIONS):
        own = [(clause, text) for place, clause, text in told if place == section]
        if section == "D":
            lines += ["", *heading(section, language), _whole(deck), "", *_deck_table(deck), ""]
        elif own:
            lines += ["", *heading(section, language)]
        lines += [bullet(language, clause, text) for clause, text in own]
    return "\n".join(lines) + "\n"


def heading(section: str, language: str) -> list[str]:
    return [f"## {say(language, f'rules.sections.{section}')}", ""]


def intro(deck: Deck) -> str:
    facts, target = deck.facts, deck.sheet.options.target
    said = [sentence for sentence, condition in INTRO.items() if holds(condition, facts)]
    return " ".join(say(deck.language, f"rules.intro.{s}", target=target) for s in said)


def sentences(deck: Deck, also: Set[str] = frozenset()) -> Iterator[Sentence]:
    """All that the rules say of a deck as it is played, in order."""
    facts, common = deck.facts | also, deck.details
    subjects = deck.subjects()
    for number, clause in CLAUSES.items():
        about = [(facts, {**common})]
        if clause.each is not None:
            own = [one for one in subjects if holds(clause.each, one.facts)]
            about = [(facts | one.facts, {**common, **one.details}) for one in own]
        for index, (known, details) in enumerate(about):
            details["count"] = details[clause.count]
            special = clause.special is not None and holds(clause.special, known)
            for key, condition in clause.sentences.items():
                if holds(condition, known):
                    text = say(deck.language, _message(number, key), **details)
                    yield Sentence(number, index, key, text, special)


def _message(clause: str, sentence: str) -> str:
    shared = sentence.startswith("card.")
    return f"rules.{sentence}" if shared else f"rules.clauses.{clause}.{sentence}"


def _paragraphs(deck: Deck) -> list[tuple[str, str, str]]:
    """The section where a clause stands, its number and its text, each text once."""
    found: dict[tuple[str, str, str], None] = {}
    by_clause = groupby(sentences(deck), lambda sentence: (sentence.clause, sentence.about))
    for (clause, _), group in by_clause:
        told = list(group)
        section = SPECIAL if told[0].special and clause[0] != HOUSE else clause[0]
        found[section, clause, " ".join(sentence.text for sentence in told)] = None
    return list(found)


def bullet(language: str, clause: str, text: str) -> str:
    """A clause of a page, marked where no printed sheet says it."""
    ours = f"*({say(language, 'rules.ours')})*" if clause[0] in OURS else ""
    return " ".join(part for part in (f"- **{clause}**", text, ours) if part)


# The deck


def _whole(deck: Deck) -> str:
    details = deck.details
    return say(deck.language, "rules.deck", cards=details["cards"], colors=details["colors"])


def _deck_table(deck: Deck) -> Iterator[str]:
    """The cards of the deck without their colors."""
    language = deck.language
    head = ("card", "count", "points", "effect")
    yield row([say(language, f"rules.table.{word}") for word in head])
    yield row(["---"] * len(head))
    for sort in deck.rows:
        name = sort.name
        if sort.face.marked:
            name += f" ({say(language, 'rules.table.marked')})"
        effect = effect_text(sort.face, deck.sheet.options, language)
        yield row([name, str(sort.copies), str(sort.face.points), effect])


def effect_text(face: Face, options: Options, language: str) -> str:
    """What a card does, in words."""
    if face.effect == "none":
        return say(language, "rules.effects.none_wild" if face.wild else "rules.effects.none")
    key = face.effect
    if key == "draw" and options.stacking != "off":
        key = "draw_stacking"
    elif key == "race" and options.race == "chance":
        key = "race_chance"
    effect = say(language, f"rules.effects.{key}", count=face.amount)
    return say(language, "rules.effects.wild", effect=effect) if face.wild else effect


def row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
