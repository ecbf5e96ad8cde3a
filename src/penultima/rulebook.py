"""The rules as pages: all of them (`docs/rules/`), or those of one edition as it is played."""

from collections.abc import Iterator
from typing import Final

from penultima.edition import SHIPPED, Edition, shipped
from penultima.locale import catalogue, say
from penultima.ruleset import Face

# Clauses whose text depends on an option.
VARIANTS: Final = {
    "T3": "drawn_no_match",
    "T4": "drawn_by_choice",
    "A9": "challengers",
    "G1": "call_duty",
    "G2": "catch_window",
    "Q9": "demand",
}
# Clauses that speak of one effect, mark or edition only.
NEEDS: Final = {
    "A10": "give",
    "Q7": "give",
    "A11": "race",
    "Q8": "race",
    "A12": "demand",
    "S11": "demand",
    "Q9": "demand",
    "A5": "draw",
}
SECTIONS: Final = "DSTAGPQH"
_HOUSE: Final = {"H1": "stacking", "H2": "seven_zero", "H3": "jump_in", "H4": "draw_until_playable"}
HOUSE: Final = {**_HOUSE, "H5": "forced_play", "H6": "no_bluffing", "H8": "auto_call"}


def clauses() -> list[str]:
    """The numbers of all clauses, in order."""
    prefix = "rules.clauses."
    keys = [key.removeprefix(prefix) for key in catalogue("en") if key.startswith(prefix)]
    return list(dict.fromkeys(key.partition(".")[0] for key in keys))


def page(language: str) -> str:
    """All rules with all their variants, as Markdown."""
    lines = [f"# {say(language, 'rules.heading')}", "", say(language, "rules.intro"), ""]
    lines += _editions_table(language)
    for section in SECTIONS:
        lines += ["", f"## {say(language, f'rules.sections.{section}')}", ""]
        for clause in clauses():
            if clause[0] == section:
                lines += _all_variants(language, clause)
    return "\n".join(lines) + "\n"


def edition_page(edition: Edition, language: str) -> str:
    """The rules of one edition under its options, as Markdown."""
    name = edition.file.name.in_language(language)
    lines = [f"# {say(language, 'rules.title', edition=name)}", ""]
    if edition.file.about is not None:
        lines += [edition.file.about.in_language(language), ""]
    lines += [say(language, "rules.intro"), ""]
    lines += _deck_table(edition, language)
    for section in SECTIONS:
        applying = [c for c in clauses() if c[0] == section and applies(edition, c)]
        if applying:
            lines += ["", f"## {say(language, f'rules.sections.{section}')}", ""]
            lines += [
                _clause_line(language, c, clause_text(edition, c, language)) for c in applying
            ]
    return "\n".join(lines) + "\n"


def applies(edition: Edition, clause: str) -> bool:
    """Whether a clause has anything to say about this edition as it is played."""
    sheet = edition.sheet
    effects = {face.effect for face in sheet.faces}
    if clause in NEEDS:
        return NEEDS[clause] in effects
    if clause in HOUSE:
        return getattr(sheet.options, HOUSE[clause]) not in (False, "off")
    match clause:
        case "D1" | "D2" | "D3":
            return edition.id in SHIPPED
        case "D4":
            return edition.id in SHIPPED and sheet.cards == 112
        case "D5":
            return edition.id in SHIPPED and any(face.marked for face in sheet.faces)
        case "D6":
            return edition.id == "violet"
        case "S10":
            return bool(effects & {"give", "race"})
        case "G3":
            return sheet.options.catch_window == "open"
        case "P1":
            return sheet.options.scoring == "winner"
        case "P2":
            return sheet.options.scoring == "winner"
        case "H7":
            return False
    return True


def clause_text(edition: Edition, clause: str, language: str) -> str:
    options = edition.sheet.options
    key = f"rules.clauses.{clause}"
    if clause in VARIANTS:
        key += "." + getattr(options, VARIANTS[clause])
    return say(
        language,
        key,
        cards=edition.sheet.cards,
        hand_size=options.hand_size,
        target=options.target,
    )


def _clause_line(language: str, clause: str, text: str) -> str:
    ours = f" *({say(language, 'rules.ours')})*" if clause[0] == "Q" else ""
    return f"- **{clause}** {text}{ours}"


def _all_variants(language: str, clause: str) -> Iterator[str]:
    if clause not in VARIANTS:
        text = catalogue(language)[f"rules.clauses.{clause}"]
        text = text.replace("{hand_size}", "7").replace("{target}", "500")
        yield _clause_line(language, clause, text.replace("{cards}", "108 / 112"))
        return
    option = VARIANTS[clause]
    prefix = f"rules.clauses.{clause}."
    for key, text in catalogue(language).items():
        if key.startswith(prefix):
            value = key.removeprefix(prefix)
            line = _clause_line(language, clause, text)
            yield f"{line} (`{option} = {value}`: {', '.join(_played_by(option, value, language))})"


def _played_by(option: str, value: str, language: str) -> list[str]:
    names = [
        shipped(name).file.name.in_language(language)
        for name in SHIPPED
        if getattr(shipped(name).sheet.options, option) == value
    ]
    return names or ["—"]


def _editions_table(language: str) -> Iterator[str]:
    head = ("edition", "id", "cards", "colors")
    yield _row([say(language, f"rules.table.{word}") for word in head])
    yield _row(["---"] * len(head))
    for name in SHIPPED:
        edition = shipped(name)
        colors = [edition.color_name(c, language) for c in range(len(edition.sheet.colors))]
        title = edition.file.name.in_language(language)
        yield _row([title, f"`{name}`", str(edition.sheet.cards), ", ".join(colors)])


def _deck_table(edition: Edition, language: str) -> Iterator[str]:
    """The faces of the deck without their colors."""
    head = ("card", "count", "points", "effect")
    yield _row([say(language, f"rules.table.{word}") for word in head])
    yield _row(["---"] * len(head))
    by_symbol: dict[str, list[tuple[int, Face]]] = {}
    for kind, face in enumerate(edition.sheet.faces):
        by_symbol.setdefault(face.symbol, []).append((kind, face))
    for same in by_symbol.values():
        kind, face = same[0]
        name = edition.symbol_name(kind, language)
        if face.marked:
            name += f" ({say(language, 'rules.table.marked')})"
        count = sum(f.count for _, f in same)
        yield _row([name, str(count), str(face.points), _effect(face, language)])


def _effect(face: Face, language: str) -> str:
    """What a card does, in words."""
    if face.effect == "none":
        return say(language, "rules.effects.none_wild" if face.wild else "rules.effects.none")
    effect = say(language, f"rules.effects.{face.effect}", count=face.amount)
    return say(language, "rules.effects.wild", effect=effect) if face.wild else effect


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
