"""A deck in words: its sorts of cards, what is true of it, and the lists that sentences name."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from penultima.cards import MIN_SEATS, SEATS
from penultima.edition import Edition, shipped
from penultima.errors import RulesetError
from penultima.locale import say
from penultima.rulebook.clause import ACTS, holds
from penultima.ruleset import CHOICES, SWITCHES, Face, Options

PENALTY: Final = 2  # what a challenge in vain adds (A8)


@dataclass(frozen=True)
class Subject:
    """What a clause is told of: a sort of card, or the number cards of some colors."""

    facts: frozenset[str]
    details: Mapping[str, Any]


@dataclass
class Sort:
    """Cards that differ in nothing but their color."""

    name: str
    face: Face
    colors: dict[str, int] = field(default_factory=dict)  # copies by name of the color
    copies: int = 0


def escaped(text: str) -> str:
    """A name from an edition file, with nothing in it that Markdown reads as a sign."""
    return re.sub(r"([\\`*_|\[\]<>#])", r"\\\1", text)


def listed(language: str, names: Iterable[str], word: str = "and") -> str:
    """Names as a list with a word before the last.

    >>> listed("es", ["rojo", "azul", "índigo"])
    'rojo, azul e índigo'
    """
    *others, last = list(dict.fromkeys(names)) or [""]
    if not others:
        return last
    text = say(language, f"rules.list.{word}", first=", ".join(others), last=last)
    if language == "es":  # y and o give way to the same sound
        bare = last.lstrip("«“\"'¡¿").lower()
        if word == "and" and re.match(r"h?[ií](?![aeo])", bare):
            text = text.removesuffix(f"y {last}") + f"e {last}"
        elif word == "or" and re.match(r"h?[oó]", bare):
            text = text.removesuffix(f"o {last}") + f"u {last}"
    return text


def ranges(numbers: Iterable[int]) -> str:
    """Numbers, three or more in a row as a range.

    >>> ranges([0, 1, 2, 4, 5, 7])
    '0–2, 4, 5, 7'
    """
    rows: list[list[int]] = []
    for number in sorted(set(numbers)):
        if rows and number == rows[-1][-1] + 1:
            rows[-1].append(number)
        else:
            rows.append([number])
    parts = [f"{r[0]}–{r[-1]}" if len(r) > 2 else ", ".join(map(str, r)) for r in rows]
    return ", ".join(parts)


class Deck:
    """The cards of an edition and how it is played, ready for sentences in one language."""

    def __init__(self, edition: Edition, language: str) -> None:
        self.edition = edition
        self.sheet = edition.sheet
        self.language = language
        self.colors = [
            escaped(edition.color_name(c, language)) for c in range(len(self.sheet.colors))
        ]
        self.names = [self._name(kind) for kind in range(len(self.sheet.faces))]
        self.copies: Counter[str] = Counter()
        for face in self.sheet.faces:
            self.copies[face.symbol] += face.count
        self.cards = list(self._sorts(lambda face: (face.effect, face.amount, face.challengeable)))
        self.symbols = [sort for sort in self.cards if sort.face.number is None]
        # As the table shows them, and the browser, which pairs them with pictures: RulesText.
        self.rows = list(
            self._sorts(
                lambda f: (f.points, f.effect, f.amount, f.challengeable, f.marked), named=False
            )
        )
        alike = Counter(row.name for row in self.rows)
        for row in self.rows:
            if alike[row.name] > 1 and row.colors:
                row.name += f" ({listed(language, row.colors)})"

    def _sorts(self, key: Any, named: bool = True) -> Iterator[Sort]:
        found: dict[tuple[Any, ...], Sort] = {}
        for kind, face in enumerate(self.sheet.faces):
            name = self.names[kind]
            at = (face.symbol, face.wild, name if named else "", *key(face))
            sort = found.setdefault(at, Sort(name, face))
            sort.copies += face.count
            if name not in sort.name.split(" / "):
                sort.name += f" / {name}"
            if not face.wild:
                color = self.colors[face.color]
                sort.colors[color] = sort.colors.get(color, 0) + face.count
        yield from found.values()

    def _name(self, kind: int) -> str:
        name = escaped(self.edition.symbol_name(kind, self.language))
        if self.sheet.faces[kind].number is not None:
            return name
        return say(self.language, "rules.card.name", name=name)

    # What is true of it

    @cached_property
    def facts(self) -> frozenset[str]:
        options = self.sheet.options
        facts = {f"{name}={getattr(options, name)}" for name in CHOICES}
        facts |= {name for name in SWITCHES if getattr(options, name)}
        usual = Options()
        sized = (options.hand_size, options.target) != (usual.hand_size, usual.target)
        numbers = {face.number for face in self.sheet.faces}
        checks = {
            "stacking": options.stacking != "off",
            "resized": sized,
            "symbols": any(not sort.face.wild for sort in self.symbols),
            "seven": 7 in numbers,
            "zero": 0 in numbers,
            "marks": any(face.marked for face in self.sheet.faces),
            "mark_named": self.edition.file.mark is not None,
            "namers": bool(self._names(".wild !.draw !.demand")),
            "edition=violet": self.edition.id == "violet"
            and self.sheet.faces == shipped("violet").sheet.faces,
        }
        facts |= {fact for fact, true in checks.items() if true}
        for sort in self.symbols:
            own = {fact.removeprefix(".") for fact in self._facts_of(sort)} - {"several"}
            side = "wild" if sort.face.wild else "colored"
            facts |= own | {f"{side}_{sort.face.effect}"}
        return frozenset(facts)

    def _facts_of(self, sort: Sort) -> frozenset[str]:
        face = sort.face
        facts = {f".{face.effect}", ".wild" if face.wild else ".colored"}
        facts |= {".bluff"} if face.challengeable else set()
        facts |= {".several"} if self.copies[face.symbol] > 1 else set()
        return frozenset(facts)

    def _sorts_where(self, condition: str) -> list[Sort]:
        return [sort for sort in self.symbols if holds(condition, self._facts_of(sort))]

    def _names(self, condition: str) -> list[str]:
        return [sort.name for sort in self._sorts_where(condition)]

    # What sentences speak of

    def subjects(self) -> list[Subject]:
        """Number cards by the colors that have the same, then every card with a symbol."""
        return [*self._numbers(), *self._with_symbols()]

    def _numbers(self) -> Iterator[Subject]:
        groups: dict[tuple[tuple[int, int], ...], list[str]] = {}
        for color, name in enumerate(self.colors):
            own = [f for f in self.sheet.faces if f.color == color and f.number is not None]
            if own:
                key = tuple(sorted((face.number or 0, face.count) for face in own))
                groups.setdefault(key, []).append(name)
        for pairs, colors in groups.items():
            by_copies: dict[int, list[int]] = {}
            for number, copies in pairs:
                by_copies.setdefault(copies, []).append(number)
            numbers = ", ".join(
                say(self.language, "rules.numbers", count=copies, numbers=ranges(of))
                for copies, of in by_copies.items()
            )
            copies = sum(count for _, count in pairs)
            details = {"copies": copies, "colors": listed(self.language, colors)}
            yield Subject(frozenset({".numbers"}), {**details, "numbers": numbers})

    def _with_symbols(self) -> Iterator[Subject]:
        for sort in self.symbols:
            details = {"card": sort.name, "copies": sort.copies, "amount": sort.face.amount}
            yield Subject(self._facts_of(sort), {**details, "spread": self._spread(sort)})

    def _spread(self, sort: Sort) -> str:
        by_copies: dict[int, list[str]] = {}
        for color, copies in sort.colors.items():
            by_copies.setdefault(copies, []).append(color)
        return "; ".join(
            say(self.language, "rules.spread", number=n, colors=listed(self.language, colors))
            for n, colors in by_copies.items()
        )

    @cached_property
    def details(self) -> Mapping[str, Any]:
        """What sentences about no card in particular are filled in with."""
        language, options, facts = self.language, self.sheet.options, self.facts
        ways = ["color"]
        ways += ["number"] if any(f.number is not None for f in self.sheet.faces) else []
        ways += ["symbol"] if "symbols" in facts else []
        mark = self.edition.file.mark
        named = {
            "draws": ".draw",
            "colored_draws": ".colored .draw",
            "wild_draws": ".wild .draw",
            "bluffs": ".bluff",
            "namers": ".wild !.draw !.demand",
            "returned": ".wild .draw",
            "reverses": ".reverse",
            "firsts": ".colored .draw | .colored .skip | .colored .reverse",
            "gives": ".give",
            "races": ".race",
            "demands": ".demand",
        }
        totals = [
            say(language, "rules.total", card=sort.name, number=sort.face.amount + PENALTY)
            for sort in self._sorts_where(".bluff")
        ]
        acts = [act for act, condition in ACTS.items() if holds(condition, facts)]
        return {
            "amount": 0,
            "cards": self.sheet.cards,
            "colors": listed(language, self.colors),
            "hand_size": options.hand_size,
            "target": options.target,
            "seats": self._seats(),
            "ours": say(language, "rules.ours"),
            "mark": "" if mark is None else escaped(mark.in_language(language)),
            "marked": self._marked(),
            "totals": ", ".join(totals),
            "values": "; ".join(self._values()),
            "ways": listed(language, (say(language, f"rules.way.{way}") for way in ways), "or"),
            "acts": listed(language, (say(language, f"rules.act.{act}") for act in acts)),
            **{name: listed(language, self._names(way), "or") for name, way in named.items()},
        }

    def _seats(self) -> str:
        """For how many players the deck is large enough (Q18, H7)."""
        most = MIN_SEATS
        for seats in range(MIN_SEATS, SEATS + 1):
            try:
                self.sheet.check_seats(seats)
            except RulesetError:
                break
            most = seats
        return f"{MIN_SEATS}–{most}" if most > MIN_SEATS else str(MIN_SEATS)

    def _marked(self) -> str:
        """The marked cards, by the colors that have the same."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for color, name in enumerate(self.colors):
            kinds = [k for k, f in enumerate(self.sheet.faces) if f.marked and f.color == color]
            if kinds:
                names = tuple(dict.fromkeys(self.names[kind] for kind in kinds))
                groups.setdefault(names, []).append(name)
        return "; ".join(
            say(self.language, "rules.marked.all", cards=listed(self.language, names))
            if len(colors) == len(self.colors)
            else say(
                self.language,
                "rules.marked.some",
                cards=listed(self.language, names),
                colors=listed(self.language, colors),
            )
            for names, colors in groups.items()
        )

    def _values(self) -> Iterator[str]:
        """What the cards count (P1): numbers at face value, the others by their points."""
        plain = [row for row in self.rows if row.face.number == row.face.points]
        others = [row for row in self.rows if row not in plain]
        if plain and all(row.face.number is None for row in others):
            yield say(self.language, "rules.value.face")
        elif plain:
            cards = ", ".join(row.name for row in plain)
            yield say(self.language, "rules.value.some", cards=cards)
        by_points: dict[int, list[str]] = {}
        for row in sorted(others, key=lambda row: row.face.points):
            by_points.setdefault(row.face.points, []).append(row.name)
        for points, names in by_points.items():
            cards = listed(self.language, names)
            yield say(self.language, "rules.value.each", cards=cards, points=points)
