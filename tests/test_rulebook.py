"""The pages of rules say what is played: with any deck, any options, in three languages.

What a page has to say is worked out here from the faces and options alone, clause by clause, and
compared with what the page says.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from penultima.edition import SHIPPED, Edition, load, read, shipped
from penultima.errors import PenultimaError
from penultima.locale import LANGUAGES, catalogue, say
from penultima.rulebook import edition_page
from penultima.rulebook.clause import ACTS, CLAUSES
from penultima.ruleset import CHOICES, SWITCHES, Face
from tests import toml

HARVEST = str(Path(__file__).parent.parent / "examples" / "harvest.toml")
VALUES = {**CHOICES, **dict.fromkeys(SWITCHES, (False, True)), "target": (500, 320)}
VALUES["hand_size"] = (7, 4)
EFFECTS = ("none", "skip", "reverse", "draw", "give", "race", "demand")

every_language = pytest.mark.parametrize("language", LANGUAGES)


# Editions


def names(word: str) -> dict[str, str]:
    return {"en": word.title(), "es": f"{word.title()}ado", "ru": f"{word.title()}ов"}


def random_edition(seed: int) -> Edition:
    """An edition that nobody has thought of."""
    random = Random(seed)
    while True:
        try:
            return read(toml.document(random_file(random)), "random.toml")
        except PenultimaError:
            continue  # too few cards, or a demand without marks


def random_file(random: Random) -> dict[str, Any]:
    letters = random.sample("bgryp", random.randint(2, 5))
    colors = [
        {"letter": c, "name": names(f"tint{c}"), "hue": "#1f5fbf", "shape": "circle"}
        for c in letters
    ]
    numbers = random.sample(range(12), random.randint(3, 12))
    cards: list[dict[str, Any]] = [
        {"numbers": sorted(numbers[:-2]), "copies": random.randint(1, 3)},
        {"numbers": sorted(numbers[-2:]), "copies": 2, "marked": random.random() < 0.7},
    ]
    if random.random() < 0.3:
        cards[1]["points"] = random.randint(0, 30)
    for index in range(random.randint(0, 4)):
        cards.append(random_card(random, f"K{index}", f"kol{index}"))
        if random.random() < 0.4:
            cards[-1]["colors"] = random.sample(letters, random.randint(1, len(letters)))
    wilds = []
    for index in range(random.randint(0, 4)):
        wilds.append(random_card(random, f"W{index}", f"vild{index}"))
        if wilds[-1]["effect"] == "draw" and random.random() < 0.6:
            wilds[-1]["challengeable"] = True
    file: dict[str, Any] = {"id": "random", "name": names("random"), "colors": colors}
    file |= {"cards": cards, "wilds": wilds}
    if random.random() < 0.5:
        file["mark"] = names("runic")
    return file


def uneven_edition() -> Edition:
    """A symbol and a number that are not alike in all colors, and cards there is one of."""
    file = random_file(Random(3))
    first, *others = [color["letter"] for color in file["colors"]]
    card = {"symbol": "Z", "name": names("zigzag"), "copies": 1, "effect": "draw", "amount": 2}
    file["cards"] = [
        {"numbers": [1, 2, 3], "copies": 3, "colors": [first], "marked": True},
        {"numbers": [1, 2, 3], "copies": 4, "points": 9, "colors": others},
        card | {"points": 11, "colors": [first]},
        card | {"points": 12, "colors": others},
    ]
    for index, effect in enumerate(EFFECTS):  # one card each that has no other like it
        lone = {"symbol": f"L{index}", "name": names(f"lone{index}"), "copies": 1, "points": 7}
        lone |= {"effect": effect, "colors": [first]}
        if effect in ("draw", "give", "race", "demand"):
            lone["amount"] = 2
        file["cards"].append(lone)
    return read(toml.document(file), "uneven.toml")


def plain_edition() -> Edition:
    """Nothing but numbers."""
    file = random_file(Random(3))
    file |= {"cards": [{"numbers": [1, 2, 3, 4, 6], "copies": 4}], "wilds": []}
    return read(toml.document(file), "plain.toml")


def random_card(random: Random, symbol: str, word: str) -> dict[str, Any]:
    card = {"symbol": symbol, "name": names(word), "copies": random.randint(1, 3)}
    card |= {"points": random.randint(0, 60), "effect": random.choice(EFFECTS)}
    if card["effect"] in ("draw", "give", "race", "demand"):
        card["amount"] = random.randint(1, 9)
    return card


def random_options(random: Random) -> dict[str, Any]:
    return {name: random.choice(values) for name, values in VALUES.items()}


def with_options(edition: Edition, options: dict[str, Any]) -> Edition | None:
    try:
        return edition.with_options(options)
    except PenultimaError:  # a deck too small for such hands
        return None


@cache
def editions() -> list[Edition]:
    shipped_ones = [shipped(name) for name in SHIPPED]
    random_ones = [random_edition(seed) for seed in range(10)]
    return [*shipped_ones, load(HARVEST), uneven_edition(), plain_edition(), *random_ones]


@cache
def played() -> list[Edition]:
    """Every edition as its file says, with each value of each option, and with many at once."""
    random = Random(14)
    found: list[Edition | None] = []
    for edition in editions():
        found.append(edition)
        for option, values in VALUES.items():
            found += [with_options(edition, {option: value}) for value in values]
        found += [with_options(edition, random_options(random)) for _ in range(12)]
    return [edition for edition in found if edition is not None]


@cache
def pages(language: str) -> list[tuple[Edition, str]]:
    return [(edition, edition_page(edition, language)) for edition in played()]


# What a page says


def bullets(page: str, *clauses: str) -> list[str]:
    """The texts of these clauses, or of all."""
    found = re.findall(r"^- \*\*([A-Z]\d+)\*\* (.*)$", page, re.MULTILINE)
    return [text for clause, text in found if not clauses or clause in clauses]


def cited(page: str) -> list[str]:
    return re.findall(r"^- \*\*([A-Z]\d+)\*\* ", page, re.MULTILINE)


def table(page: str) -> list[list[str]]:
    rows = [line.strip("| ").split(" | ") for line in page.split("\n") if line.startswith("| ")]
    return rows[2:]


def count(text: str) -> int:
    found = re.search(r"\d+", text)
    assert found is not None, text
    return int(found[0])


# What it should say


class Facts:
    """What is true of a deck and of how it is played, from the faces and options alone."""

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.faces = edition.sheet.faces
        self.options = edition.sheet.options
        self.bluff = any(face.challengeable for face in self.faces)
        self.challenge = self.bluff and not self.options.no_bluffing
        self.stacking = self.options.stacking != "off" and self.has("draw")
        self.numbers = {face.number for face in self.faces}

    def has(self, *effects: str, wild: bool | None = None) -> bool:
        return any(
            face.effect in effects and face.number is None and wild in (None, face.wild)
            for face in self.faces
        )

    def clauses(self) -> set[str]:
        """The clauses that hold (`CLAUSES` says the same in another way)."""
        options = self.options
        wild = any(face.wild for face in self.faces)
        standard = any(f.wild and (f.effect == "none" or f.challengeable) for f in self.faces)
        own = any(f.wild and f.effect != "none" and not f.challengeable for f in self.faces)
        dull = any(not f.wild and f.number is None for f in self.faces)
        must = options.forced_play or "must" in (options.drawn_no_match, options.drawn_by_choice)
        swaps = bool({0, 7} & self.numbers)
        holds = {
            "D1": self.numbers != {None},
            "D2": dull,
            "D3": standard,
            "D4": own,
            "D5": any(face.marked for face in self.faces),
            "D6": self.edition.id == "violet",
            "S5": self.has("draw", wild=False),
            "S6": self.has("reverse", wild=False),
            "S7": self.has("skip", wild=False),
            "S8": self.has("none", "skip", "reverse", wild=True),
            "S9": self.has("draw", wild=True),
            "S10": self.has("give", "race"),
            "S11": self.has("demand"),
            "T6": wild,
            "A1": self.has("draw", wild=False),
            "A2": self.has("reverse"),
            "A3": self.has("skip"),
            "A4": self.has("none", wild=True),
            "A5": self.has("draw", wild=True),
            **dict.fromkeys(("A6", "A7", "A8", "A9", "Q5", "Q6", "Q13"), self.challenge),
            **dict.fromkeys(("A10", "Q7"), self.has("give")),
            **dict.fromkeys(("A11", "Q8"), self.has("race")),
            **dict.fromkeys(("A12", "Q9"), self.has("demand")),
            **dict.fromkeys(("G1", "G2", "Q11", "Q12"), not options.auto_call),
            "G3": not options.auto_call and options.catch_window == "open",
            "G5": self.has("draw"),
            "P3": options.scoring == "tally",
            "Q2": self.has("none", "skip", "reverse", "give", "race", wild=True),
            "Q3": self.has("draw", wild=True),
            "Q4": self.has("reverse") or self.has("draw", "skip", wild=False),
            "Q10": not options.auto_call or options.jump_in,
            "Q14": self.has("give", "race", "demand"),
            "Q19": wild,
            "Q20": (wild or self.challenge) and must,
            "H1": self.stacking,
            "H2": options.seven_zero and swaps,
            "H3": options.jump_in,
            "H4": options.draw_until_playable,
            "H5": options.forced_play,
            "H6": options.no_bluffing and self.bluff,
            "H7": (options.hand_size, options.target) != (7, 500),
            "H8": options.auto_call,
        }
        return {clause for clause in CLAUSES if holds.get(clause, True)}


@every_language
def test_a_page_cites_every_clause_that_holds_and_no_other(language: str) -> None:
    for edition, page in pages(language):
        assert set(cited(page)) == Facts(edition).clauses(), edition.sheet.options


def sentences(f: Facts) -> dict[str, bool]:
    """Every sentence that is about no card in particular, and whether it holds."""
    o = f.options
    symbol = any(face.number is None and not face.wild for face in f.faces)
    wild = any(face.wild for face in f.faces)
    until, forced, call = o.draw_until_playable, o.forced_play, not o.auto_call
    tally = o.scoring == "tally"
    anybody = o.challengers == "anybody"
    bound = forced or "must" in (o.drawn_no_match, o.drawn_by_choice)
    free = not forced and "may" in (o.drawn_no_match, o.drawn_by_choice)
    seven, zero = (o.seven_zero and number in f.numbers for number in (7, 0))
    turns = call or o.jump_in
    mark = any(face.marked for face in f.faces)
    named = f.edition.file.mark is not None
    answer = f.has("demand") and (forced or o.demand == "must")
    both = f.has("draw", wild=True) and f.has("draw", wild=False)
    acting = f.has("skip", "reverse", "draw", "give", "race", "demand")
    return {
        "D5.named": mark and named,
        "D5.unnamed": mark and not named,
        "S1.symbols": symbol or wild,
        "S4.symbols": wild or acting,
        "T1.wild": wild,
        "T2.one": not until,
        "T2.until": until,
        "T3.must": forced or o.drawn_no_match == "must",
        "T3.may": not forced and o.drawn_no_match == "may",
        "T3.else_one": not until,
        "T3.else_until": until,
        "T4.one": not forced and not until,
        "T4.until": not forced and until,
        "T4.must": not forced and o.drawn_by_choice == "must",
        "T4.may": not forced and o.drawn_by_choice == "may",
        "T4.forced": forced,
        "A7.draws": f.challenge and not f.stacking,
        "A7.stack": f.challenge and f.stacking,
        "A8.draws": f.challenge and not f.stacking,
        "A8.stack": f.challenge and f.stacking,
        "A9.victim": f.challenge and not anybody,
        "A9.anybody": f.challenge and anybody,
        "G1.playing": call and o.call_duty == "playing",
        "G1.holding": call and o.call_duty == "holding",
        "G2.begun": call and o.catch_window == "begun",
        "G2.made": call and o.catch_window == "made",
        "G2.open": call and o.catch_window == "open",
        "P1.winner": not tally,
        "P2.winner": not tally,
        "P2.tally": tally,
        "Q4.reverse": f.has("reverse"),
        "Q4.turned": f.has("draw", "skip", "reverse", wild=False),
        "Q5.accept": f.challenge and not f.stacking,
        "Q6.first": f.challenge and anybody,
        "Q6.bystander": f.challenge and anybody,
        "Q6.moment": f.challenge and anybody,
        "Q6.accepted": f.challenge and not f.stacking,
        "Q6.answered": f.challenge and f.stacking,
        "Q7.color": f.has("give", wild=True),
        "Q8.color": f.has("race", wild=True),
        "Q8.reflex": f.has("race") and o.race == "reflex",
        "Q9.wild": f.has("demand") and wild,
        "Q9.must": answer,
        "Q9.may": f.has("demand") and not answer,
        "Q10.demand": turns and f.has("demand"),
        "Q10.stack": turns and f.stacking,
        "Q10.meanwhile": call,
        "Q14.give": f.has("give"),
        "Q14.race": f.has("race"),
        "Q14.demand": f.has("demand"),
        "Q16.bluff": f.challenge,
        "Q16.winner": not tally,
        "Q16.tally": tally,
        "Q19.choice": wild and not forced,
        "Q19.forced": wild and forced,
        "Q19.bluff": f.bluff,
        "Q20.wild": wild and bound,
        "Q20.bluff": f.challenge and bound,
        "Q21.one": not until,
        "Q21.until": until,
        "Q21.until_may": until and free,
        "H1.four": o.stacking == "four_on_two" and both,
        "H1.challenge": f.stacking and f.challenge,
        "H1.start": f.stacking and f.has("draw", wild=False),
        "H2.seven": seven,
        "H2.zero": zero,
        "H2.calls": call and (seven or zero),
        "H4.bluff": until and f.bluff,
        "H5.demand": forced and f.has("demand"),
        "H5.stack": forced and f.stacking,
        "H5.bluff": forced and f.challenge,
        "H6.draw": f.bluff and o.no_bluffing and not f.stacking,
        "H6.stack": f.bluff and o.no_bluffing and f.stacking,
    }


def spoken(language: str, key: str, text: str) -> bool:
    """Whether a text has a sentence of the catalogue, whatever it is filled in with."""
    parts = re.split(r"\{\w+\}", catalogue(language)[key])
    return re.search("[^.]+".join(re.escape(part) for part in parts), text) is not None


@every_language
def test_a_page_has_every_sentence_that_holds_and_no_other(language: str) -> None:
    for edition, page in pages(language):
        holding, cites = sentences(Facts(edition)), Facts(edition).clauses()
        for number, clause in CLAUSES.items():
            if clause.each is not None:
                continue
            text = " ".join(bullets(page, number))
            for sentence in clause.sentences:
                expected = holding.get(f"{number}.{sentence}", True) and number in cites
                if number == "S2":  # counts: see below
                    continue
                key = f"rules.clauses.{number}.{sentence}"
                assert spoken(language, key, text) == expected, (key, edition.sheet.options, text)


def told_of(face: Face, f: Facts) -> dict[str, list[str]]:
    """The sentences of every clause that is told of a card."""
    several = sum(other.count for other in f.faces if other.symbol == face.symbol) > 1
    effect = face.effect
    side = "wild" if face.wild else "colored"
    found: dict[str, list[str]] = {}
    if face.wild and effect in ("none", "skip", "reverse"):
        found["S8"] = ["text"] if effect == "none" else ["text", "nothing"]
    elif face.wild and effect == "draw":
        found["S9"] = ["text"]
    elif effect in ("draw", "reverse", "skip"):
        found[{"draw": "S5", "reverse": "S6", "skip": "S7"}[effect]] = ["text"]
    elif effect in ("give", "race"):
        found["S10"] = [side, effect]
    elif effect == "demand":
        found["S11"] = [side]
    draws = ["card.stacks" if f.stacking else "card.draws"]
    answers = "must" if f.options.forced_play or f.options.demand == "must" else "may"
    bluffs = ["fair"] * face.challengeable + ["bluff"] * (face.challengeable and f.challenge)
    clause, does = {
        "none": ("A4", []),
        "draw": ("A5" if face.wild else "A1", draws + bluffs),
        "reverse": ("A2", ["turns", "two"]),
        "skip": ("A3", ["skips"]),
        "give": ("A10", ["gives"]),
        "race": ("A11", [f.options.race]),
        "demand": ("A12", [answers]),
    }[effect]
    if face.wild:
        ends = [] if face.challengeable else ["card.any_turn"]
        found[clause] = ["card.lead", "card.color", *does, *ends]
    elif effect != "none":
        found[clause] = ["card.lead", *does, "card.goes" if several else "card.goes_alone"]
    return found


@every_language
def test_a_page_tells_of_every_card_what_it_does(language: str) -> None:
    for edition, page in pages(language):
        expected: dict[str, set[str]] = {}
        for kind, face in enumerate(edition.sheet.faces):
            if face.number is not None:
                continue
            card = say(language, "rules.card.name", name=edition.symbol_name(kind, language))
            for number, said in told_of(face, Facts(edition)).items():
                keys = [
                    f"rules.{one}" if one.startswith("card.") else f"rules.clauses.{number}.{one}"
                    for one in said
                ]
                texts = [say(language, key, card=card, count=face.amount) for key in keys]
                expected.setdefault(number, set()).add(" ".join(texts))
        for number, clause in CLAUSES.items():
            if clause.each is not None and number[0] != "D":
                assert set(bullets(page, number)) == expected.get(number, set()), edition.id


# Words that give away what a page speaks of: in English, Spanish, Russian.
WORDS: dict[str, tuple[str, str, str]] = {
    "catching": (r"\bcatch|caught", "atrap", r"пойма|\b[Лл]ов"),
    "calling": ("UNO|to call", "UNO|cantar|canto", "УНО|объяв"),
    "bluffing": (r"[Bb]luff", "[Ff]arol", "блеф"),
    "challenging": ("challeng", "desaf", "оспор"),
    "declining": ("hold back", "Puedes no jugar", "придержать"),
    "another round": ("another round is dealt", "reparte otra ronda", "сдают новый раунд"),
    "another draw": ("one card after another", "de una en una hasta", "по одной, пока"),
    "chance": ("[Cc]hance picks", "El azar elige", "решает жребий: этот"),
    "at once": ("drops their cards at once", "sus cartas a la vez", "тут же бросают"),
    "stacking": (r"stack|\bH1\b|added up", r"cumul|\bH1\b", r"акопл|\bH1\b"),
    "swapping": ("swap", "intercambi", "обмен"),
    "passing hands": ("hands are passed", "manos pasan", "передают свои карты"),
    "dropping": (r"\bdrop", "suelta", "броса|броси"),
    "a mark": (r"\bmark(ed)?\b", r"\bmarca\b", r"\bзнак"),
    "a demand": ("demand", "exig", "требова|требует"),
    "wild cards": (r"\bwild\b", r"\bcomod", r"\b[Дд]ик"),
}


def speaks(page: str, what: str, language: str) -> bool:
    return re.search(WORDS[what][LANGUAGES.index(language)], page) is not None


# When a page speaks of something. Where None: it need not, but may.
SPEAKS: dict[str, Callable[[Facts], bool]] = {
    "catching": lambda f: not f.options.auto_call,
    "another round": lambda f: True,
    "declining": lambda f: not f.options.forced_play,
    "another draw": lambda f: f.options.draw_until_playable,
    "chance": lambda f: f.has("race") and f.options.race == "chance",
    "at once": lambda f: f.has("race") and f.options.race == "reflex",
    "bluffing": lambda f: f.bluff,
    "challenging": lambda f: f.challenge,
    "stacking": lambda f: f.stacking,
    "swapping": lambda f: f.options.seven_zero and 7 in f.numbers,
    "passing hands": lambda f: f.options.seven_zero and 0 in f.numbers,
    "a mark": lambda f: f.has("demand") or any(face.marked for face in f.faces),
    "a demand": lambda f: f.has("demand"),
    "wild cards": lambda f: any(face.wild for face in f.faces),
}


@every_language
def test_a_page_speaks_of_what_can_happen_and_of_nothing_else(language: str) -> None:
    for edition, page in pages(language):
        facts = Facts(edition)
        # H6 and H8 say what there is not.
        said = "\n".join(
            line for line in page.split("\n") if not line.startswith(("- **H6**", "- **H8**"))
        )
        about = edition.file.about
        if about is not None:
            said = said.replace(about.in_language(language), "")
        for what, holds in SPEAKS.items():
            expected = holds(facts)
            if what == "bluffing" and edition.sheet.options.no_bluffing:
                continue
            assert speaks(said, what, language) == expected, (what, edition.sheet.options)
        if edition.sheet.options.auto_call:
            assert not speaks(said, "calling", language)


@every_language
def test_no_card_is_named_that_the_deck_does_not_have(language: str) -> None:
    every = {name for edition in editions() for name in symbols(edition, language)}
    for edition, page in pages(language):
        own = symbols(edition, language)
        texts = "\n".join([*bullets(page), *(row[0] for row in table(page))])
        for name in every - own:
            if not any(name in mine for mine in own | colors(edition, language)):
                quoted = f"«{name}»" if language == "ru" else name
                assert not re.search(rf"(?<!\w){re.escape(quoted)}(?!\w)", texts), (
                    name,
                    edition.id,
                )
        for name in own:
            assert name in texts, (name, edition.id)


def symbols(edition: Edition, language: str) -> set[str]:
    faces = enumerate(edition.sheet.faces)
    return {edition.symbol_name(kind, language) for kind, f in faces if f.number is None}


def colors(edition: Edition, language: str) -> set[str]:
    return {color.name.in_language(language) for color in edition.file.colors}


# The deck


@every_language
def test_the_table_has_every_card_with_its_points(language: str) -> None:
    for edition, page in pages(language):
        rows = table(page)
        faces = edition.sheet.faces
        assert sum(int(row[1]) for row in rows) == edition.sheet.cards
        points = sum(int(row[1]) * int(row[2]) for row in rows)
        assert points == sum(face.count * face.points for face in faces)
        expected: Counter[tuple[str, int]] = Counter()
        for kind, face in enumerate(faces):
            expected[edition.symbol_name(kind, language), face.points] += face.count
        told: Counter[tuple[str, int]] = Counter()
        for name, copies, worth, _ in rows:
            told[re.sub(r" \(.*\)$", "", name).strip("«»"), int(worth)] += int(copies)
        assert told == expected


@every_language
def test_the_cards_and_colors_are_counted_as_on_a_printed_sheet(language: str) -> None:
    joint = f"[,;]? {say(language, 'rules.list.and', first='', last='').strip()} |, "
    if language == "es":
        joint += "| e "
    for edition, page in pages(language):
        total = 0
        for text in bullets(page, "D1"):
            listed = re.search(r"\(([^)]*)\)", text)
            assert listed is not None
            total += count(text) * len(re.split(joint, listed[1]))
        for text in bullets(page, "D2", "D3", "D4"):
            total += count(text.partition(": ")[2])
        assert total == edition.sheet.cards, page
        for name in colors(edition, language):
            assert name in page.partition("## ")[2]


@every_language
def test_points_are_told_of_every_card(language: str) -> None:
    for edition, page in pages(language):
        (told,) = bullets(page, "P1")
        parts = re.split(r"; |: ", told)
        for kind, face in enumerate(edition.sheet.faces):
            name = edition.symbol_name(kind, language)
            if face.number is None:
                assert any(name in part and count_last(part) == face.points for part in parts), (
                    name,
                    told,
                )
            elif face.points != face.number:
                assert any(
                    re.search(rf"\b{name}\b", part) and count_last(part) == face.points
                    for part in parts
                ), (name, told)


def count_last(text: str) -> int | None:
    found = re.findall(r"\d+", text)
    return int(found[-1]) if found else None


@every_language
def test_every_card_does_as_much_as_its_file_says(language: str) -> None:
    clause = {"draw": "A1", "give": "A10", "race": "A11", "demand": "A12"}
    for edition, page in pages(language):
        for kind, face in enumerate(edition.sheet.faces):
            if face.effect not in clause:
                continue
            name = edition.symbol_name(kind, language)
            where = "A5" if face.effect == "draw" and face.wild else clause[face.effect]
            told = [text for text in bullets(page, where) if name in text.split(".")[0]]
            bare = [text.replace(name, "") for text in told]
            one = face.effect == "give" and face.amount == 1
            assert any(re.search(rf"\b{face.amount}\b", text) or one for text in bare), told
            if face.challengeable and Facts(edition).challenge and not Facts(edition).stacking:
                (innocent,) = bullets(page, "A8")
                assert re.search(rf"{re.escape(name)}»?: {face.amount + 2}\b", innocent)


def test_the_pages_of_users_editions_tell_of_all_effects() -> None:
    """Otherwise the tests above would say little."""
    found = {(f.effect, f.wild) for edition in editions()[6:] for f in edition.sheet.faces}
    assert found == {(effect, wild) for effect in EFFECTS for wild in (False, True)}


# Options


def same_play(facts: Facts, option: str, one: Any, other: Any) -> bool:
    """Whether two values of an option come to the same with these cards and the other options."""
    options = facts.options
    match option:
        case "drawn_no_match" | "drawn_by_choice":
            return options.forced_play
        case "challengers":
            return not facts.challenge
        case "catch_window" | "call_duty":
            return options.auto_call
        case "demand":
            return options.forced_play or not facts.has("demand")
        case "race":
            return not facts.has("race")
        case "stacking":
            both = facts.has("draw", wild=True) and facts.has("draw", wild=False)
            return not facts.has("draw") or ("off" not in (one, other) and not both)
        case "seven_zero":
            return not {0, 7} & facts.numbers
        case "no_bluffing":
            return not facts.bluff
    return False


def pairs(values: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
    return ((one, other) for one in values for other in values if str(one) < str(other))


@every_language
def test_values_that_play_differently_never_give_the_same_page(language: str) -> None:
    random = Random(41)
    for edition in editions():
        for base in [edition, *(with_options(edition, random_options(random)) for _ in range(2))]:
            if base is None:
                continue
            for option, values in VALUES.items():
                for one, other in pairs(values):
                    left = with_options(base, {option: one})
                    right = with_options(base, {option: other})
                    if left is None or right is None:
                        continue
                    same = edition_page(left, language) == edition_page(right, language)
                    assert same == same_play(Facts(base), option, one, other), (
                        option,
                        one,
                        other,
                        base.id,
                        base.sheet.options,
                    )


@every_language
def test_hand_size_and_target_are_those_of_the_table(language: str) -> None:
    for edition, page in pages(language):
        options = edition.sheet.options
        (dealt,) = bullets(page, "S2")
        assert count(dealt) == options.hand_size
        text = " ".join([page.partition("##")[0], *bullets(page, "P2", "P3", "H7")])
        assert str(options.target) in text
        others = {int(number) for number in re.findall(r"\b(?:500|320|200)\b", text)}
        assert others <= {options.target}


@pytest.mark.parametrize(("hand_size", "seats"), [(7, "2–10"), (20, "2–5"), (50, "2")])
def test_the_number_of_players_is_what_the_deck_allows(hand_size: int, seats: str) -> None:
    page = edition_page(shipped("classic").with_options({"hand_size": hand_size}), "en")
    assert bullets(page, "Q18") == [f"Players: {seats}. *(our ruling)*"]


# Order and marks


@every_language
def test_rulings_of_ours_are_marked_and_nothing_else_is(language: str) -> None:
    mark = f"*({say(language, 'rules.ours')})*"
    for _, page in pages(language):
        for line in page.split("\n"):
            assert line.endswith(mark) == line.startswith(("- **Q", "- **H")), line


@every_language
@pytest.mark.parametrize(
    ("edition", "clauses"),
    [
        ("revenge", ["D4", "A10"]),
        ("chili", ["D4", "A11"]),
        ("triforce", ["D4", "D5", "A12"]),
        ("violet", ["A9", "G1", "G2", "G3"]),
        (HARVEST, ["D4", "D4", "D5", "A10", "A12"]),
    ],
)
def test_a_page_begins_with_what_is_special(
    edition: str, clauses: list[str], language: str
) -> None:
    page = edition_page(load(edition).with_options({"jump_in": True}), language)
    first, second = page.split("\n## ")[1:3]
    assert cited(first) == clauses
    assert cited(second)[0] == "H3"
    assert set(cited(edition_page(shipped("classic"), language)[:1500])) & {"D1", "D2"}


# The texts


def test_every_sentence_has_a_condition_and_every_condition_a_sentence() -> None:
    written = {key for key in catalogue("en") if key.startswith("rules.clauses.")}
    used = {
        f"rules.clauses.{number}.{sentence}"
        for number, clause in CLAUSES.items()
        for sentence in clause.sentences
        if not sentence.startswith("card.")
    }
    assert written == used


def test_conditions_speak_of_facts_that_exist() -> None:
    """Every word of every condition is met by some edition and missed by another."""
    options = {f"{name}={value}" for name, values in CHOICES.items() for value in values}
    sides = ("", "wild_", "colored_")
    deck = {side + effect for side in sides for effect in EFFECTS}
    deck |= {"wild", "colored", "bluff", "symbols", "marks", "mark_named", "namers", "stacking"}
    deck |= {"seven", "zero", "resized", "edition=violet", ".several", ".numbers"}
    known = options | deck | {f".{word}" for word in deck} | set(SWITCHES)
    conditions = [*ACTS.values()]
    for clause in CLAUSES.values():
        conditions += [*clause.sentences.values(), clause.each or "", clause.special or ""]
    words = {word.lstrip("!") for text in conditions for word in text.split() if word != "|"}
    assert words <= known


@every_language
def test_a_page_is_tidy(language: str) -> None:
    for _, page in pages(language):
        assert "{" not in page
        assert "  " not in page
        for text in bullets(page):
            assert not re.search(r"\(\)|\( |: [.,;]|\.\.| [.,;]", text), text


def test_names_from_a_file_are_not_read_as_markdown() -> None:
    file = random_file(Random(3))
    file["cards"].append({"symbol": "Q", "copies": 1, "points": 5, "name": names("*a|b* <i>")})
    page = edition_page(read(toml.document(file), "odd.toml"), "en")
    (row,) = [line for line in page.split("\n") if line.startswith("| \\*A")]
    assert row.startswith(r"| \*A\|B\* \<I\> | ")
    assert len(re.split(r"(?<!\\)\|", row)) == 6


def test_a_symbol_with_two_names_is_told_by_both() -> None:
    file = random_file(Random(3))
    letters = [color["letter"] for color in file["colors"]]
    same = {"symbol": "Z", "copies": 1, "points": 5, "effect": "skip"}
    file["cards"] += [
        {**same, "name": names("north"), "colors": letters[:1]},
        {**same, "name": names("south"), "colors": letters[1:]},
    ]
    page = edition_page(read(toml.document(file), "two.toml"), "en")
    leads = [text.split(".")[0] for text in bullets(page, "A3")]
    assert leads[-2:] == ["North", "South"]


def test_an_edition_of_the_same_name_is_told_by_its_own_cards() -> None:
    """A user's file may call itself `violet` or `classic`."""
    for name in ("violet", "classic"):
        file = random_file(Random(3)) | {"id": name}
        edition = read(toml.document(file), "own.toml")
        page = edition_page(edition, "en")
        assert "D6" not in cited(page)
        assert sum(int(row[1]) for row in table(page)) == edition.sheet.cards
