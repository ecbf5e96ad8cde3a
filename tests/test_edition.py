"""Editions: the five that ship, those a user writes, and what is said of a file that is wrong."""

import tomllib
from collections.abc import Callable
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from penultima.bots import MANNERS
from penultima.bots.luck import start_luck
from penultima.bots.policy import decide
from penultima.cli import main
from penultima.edition import MOST_BYTES, SHIPPED, Edition, load, read, shipped
from penultima.errors import EditionError, RulesetError
from penultima.game import Match, key_of_seed
from penultima.record import Record
from penultima.rules.ask import DECLINE, ask, may_decline, seat_asked
from penultima.rules.legal import legal
from penultima.rules.observe import observe
from penultima.rules.schema import STANDARD, WIDE, Seen, Trace
from penultima.ruleset import CHOICES, SWITCHES, Options
from tests import toml
from tests.support import assert_speaks, edition_text, faults, in_all_languages

HARVEST = Path(__file__).parent.parent / "examples" / "harvest.toml"


# The five that ship


@pytest.mark.parametrize("id", SHIPPED)
def test_an_edition_is_found_by_every_name_that_it_is_shown_by(id: str) -> None:
    name = shipped(id).file.name
    for shown in (id, name.en, name.es, name.ru):
        for typed in (shown, shown.upper(), f" {shown.lower()} "):
            assert load(typed) is shipped(id)


def test_accents_are_not_needed_to_name_an_edition() -> None:
    assert load("Trebol") is load("trefoil") is shipped("triforce")
    assert load("clasica") is shipped("classic")


@pytest.mark.parametrize("id", ["classic", "revenge", "triforce"])
def test_cards_are_called_in_russian_as_the_russian_sheet_has_it(id: str) -> None:
    names = {card.symbol: card.name.ru for card in shipped(id).file.cards if card.name}
    assert names["R"] == "Смена направления"
    assert {color.letter: color.name.ru for color in shipped(id).file.colors}["b"] == "голубой"


class Printed(NamedTuple):
    """What a printed sheet says of its deck and of its rules."""

    colors: str
    own: tuple[str, str, int] | None  # symbol, effect, amount
    options: str  # drawn_no_match, drawn_by_choice, challengers, catch_window, call_duty


SHEETS = {
    "classic": Printed("bgry", None, "must must victim made playing"),
    "revenge": Printed("bgry", ("WG", "give", 4), "may may victim begun playing"),
    "chili": Printed("bpgy", ("WC", "race", 2), "must may victim begun playing"),
    "triforce": Printed("bgtr", ("WT", "demand", 3), "must may victim begun playing"),
    "violet": Printed("gbup", None, "must may anybody open holding"),
}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_deck_has_the_cards_of_its_sheet(name: str) -> None:
    sheet = SHEETS[name]
    marked = {3, 6, 9} if name == "triforce" else set()
    expected: list[tuple[Any, ...]] = []
    for color in sheet.colors:
        for number in range(10):
            copies = 2 if number else 1
            expected.append((f"{color}{number}", copies, number, "none", 0, number in marked))
        expected.append((f"{color}+2", 2, 20, "draw", 2, False))
        expected.append((f"{color}R", 2, 20, "reverse", 0, False))
        expected.append((f"{color}S", 2, 20, "skip", 0, False))
    expected += [("W", 4, 50, "none", 0, False), ("W4", 4, 50, "draw", 4, False)]
    if sheet.own is not None:
        symbol, effect, amount = sheet.own
        expected.append((symbol, 4, 50, effect, amount, False))
    faces = shipped(name).sheet.faces
    assert [(f.text, f.count, f.points, f.effect, f.amount, f.marked) for f in faces] == expected
    assert [face.text for face in faces if face.challengeable] == ["W4"]
    assert shipped(name).sheet.cards == (108 if sheet.own is None else 112)


@pytest.mark.parametrize("name", SHIPPED)
def test_an_edition_is_played_by_the_rules_of_its_sheet(name: str) -> None:
    options = shipped(name).sheet.options
    have = [options.drawn_no_match, options.drawn_by_choice, options.challengers]
    assert [*have, options.catch_window, options.call_duty] == SHEETS[name].options.split()
    others = {option: getattr(options, option) for option in Options.names()[5:]}
    assert others == {option: getattr(Options(), option) for option in others}


@pytest.mark.parametrize("name", SHIPPED)
def test_colors_differ_by_shape_as_well_as_by_hue(name: str) -> None:
    colors = shipped(name).file.colors
    assert len({color.shape for color in colors}) == len({color.hue for color in colors}) == 4


# Files that are wrong


def good() -> dict[str, Any]:
    """An edition that can be played, with every kind of entry, as data."""
    return deepcopy(tomllib.loads(edition_text("triforce")))


Change = Callable[[dict[str, Any]], None]


def find(data: Any, path: str) -> tuple[Any, Any]:
    """The table or list that holds a place of the file, and the name of the place in it."""
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in way:
        data = data[step]
    return data, last


def set_at(path: str, value: Any) -> Change:
    def change(data: dict[str, Any]) -> None:
        table, name = find(data, path)
        table[name] = value

    return change


def drop(path: str) -> Change:
    def change(data: dict[str, Any]) -> None:
        table, name = find(data, path)
        del table[name]

    return change


def colors(number: int) -> list[dict[str, Any]]:
    shapes = ("circle", "square", "triangle", "diamond", "star", "hexagon", "circle")
    return [
        {
            "letter": letter,
            "name": {"en": letter, "es": letter, "ru": letter},
            "hue": f"#{place:06x}",
            "shape": shape,
        }
        for place, (letter, shape) in enumerate(zip("abcdefg"[:number], shapes, strict=False))
    ]


ENTRY: dict[str, Any] = {"numbers": [1], "copies": 1}
SYMBOL: dict[str, Any] = {"symbol": "Z", "copies": 1, "points": 5}
WILD: dict[str, Any] = {
    "symbol": "WZ",
    "name": {"en": "Z", "es": "Z", "ru": "Z"},
    "copies": 1,
    "points": 5,
}


def many_wilds(data: dict[str, Any]) -> None:
    """So many wild cards that naming colors with them would be too many actions."""
    data["colors"] = colors(6)
    data["wilds"] = [{**WILD, "symbol": f"W{a}{b}"} for a in "ABCDEF" for b in "ABCDEFGH"]


def no_beginning(data: dict[str, Any]) -> None:
    """Hardly a card that could be turned up at the start."""
    data["cards"] = [{**ENTRY, "marked": True}]
    data["wilds"] = [{**WILD, "copies": 60, "effect": "draw", "amount": 1}]


# What is changed, and words that the message must have: the place, and what to do about it.
BROKEN: dict[str, tuple[Change, list[str]]] = {
    "an unknown field": (set_at("flavor", "mint"), ["flavor", "Remove it"]),
    "an unknown field of a color": (set_at("colors.1.smell", 1), ["colors", "smell", "Remove it"]),
    "an unknown field of a wild card": (set_at("wilds.0.colour", 1), ["wilds", "colour"]),
    "no id": (drop("id"), ["id", "Add it"]),
    "no colors field": (drop("colors"), ["colors", "Add it"]),
    "no points on a wild card": (drop("wilds.0.points"), ["wilds", "points", "Add it"]),
    "a name without Spanish": (drop("name.es"), ["name", "es", "Add it"]),
    "a number for a name": (set_at("name", 5), ["name", "object", "found int"]),
    "text for a number": (set_at("cards.0.copies", "two"), ["cards", "copies", "int", "found str"]),
    "a date for a number": (set_at("cards.0.copies", date(2000, 1, 1)), ["copies", "int"]),
    "one card for a list of them": (set_at("cards", ENTRY), ["cards", "array", "found object"]),
    "an empty name": (set_at("name.en", ""), ["name.en", "length"]),
    "an id with spaces": (set_at("id", "My Deck"), ["id", "lowercase letters"]),
    "no copies": (set_at("cards.0.copies", 0), ["cards", "copies", ">= 1"]),
    "very many copies": (set_at("cards.0.copies", 10**30), ["cards", "copies", "<= 100"]),
    "points below zero": (set_at("wilds.0.points", -5), ["wilds", "points", ">= 0"]),
    "a number of three digits": (set_at("cards.0.numbers", [100]), ["cards", "numbers", "<= 99"]),
    "an unknown effect": (set_at("cards.3.effect", "explode"), ["effect", "explode", "skip"]),
    "an unknown shape": (set_at("colors.0.shape", "heart"), ["shape", "heart", "hexagon"]),
    "a hue by name": (set_at("colors.0.hue", "red"), ["colors", "hue", "#rrggbb"]),
    "a letter in capitals": (set_at("colors.0.letter", "B"), ["colors", "letter", "a to z"]),
    "a letter of two": (set_at("colors.0.letter", "bl"), ["colors", "letter", "a to z"]),
    "a symbol in small letters": (set_at("cards.3.symbol", "draw"), ["cards", "symbol", "capital"]),
    "a symbol with a colon": (set_at("cards.3.symbol", "A:B"), ["cards", "symbol", "capital"]),
    "a wild symbol without W": (set_at("wilds.0.symbol", "X"), ["wilds", "symbol", "with W"]),
    "no color": (set_at("colors", []), ["2 to 6 colors", "Change the list"]),
    "one color": (set_at("colors", colors(1)), ["2 to 6 colors", "Change the list"]),
    "seven colors": (set_at("colors", colors(7)), ["2 to 6 colors", "Change the list"]),
    "a letter twice": (set_at("colors.1.letter", "b"), ["its own letter"]),
    "a card twice": (set_at("cards.0.numbers", [0, 9]), ["b9", "twice", "one entry"]),
    "a number twice": (set_at("cards.0.numbers", [0, 0]), ["b0", "twice", "one entry"]),
    "a wild card twice": (set_at("wilds.0.symbol", "W4"), ["W4", "twice", "one entry"]),
    "no colored cards": (set_at("cards", []), ["colored cards"]),
    "a card of an unknown color": (set_at("cards.0.colors", ["x"]), ["“x”", "b, g, t, r"]),
    "a symbol that is a number": (set_at("cards.3.symbol", "12"), ["b12", "symbol"]),
    "neither number nor symbol": (set_at("cards.0", {"copies": 1}), ["symbol", "list of numbers"]),
    "a symbol without points": (drop("cards.3.points"), ["b+2", "needs points"]),
    "a number with an effect": (set_at("cards.0.effect", "skip"), ["b0", "effect", "symbol"]),
    "a number with a symbol": (set_at("cards.0.symbol", "Q"), ["b0", "is a number"]),
    "no amount to draw": (drop("cards.3.amount"), ["b+2", "amount of at least 1"]),
    "an amount to skip": (set_at("cards.5.amount", 1), ["bS", "amount", "others have none"]),
    "an amount of nothing": (set_at("wilds.0.amount", 1), ["W", "amount"]),
    "a challenge to a mere wild card": (
        set_at("wilds.0.challengeable", True),
        ["W", "only a wild"],
    ),
    "a challenge to a colored card": (
        set_at("cards.3.challengeable", True),
        ["cards", "challengeable", "Remove it"],
    ),
    "a demand without marks": (drop("cards.2.marked"), ["demands a mark", "marked = true"]),
    "too many cards": (set_at("cards.1.copies", 100), ["too many", "240 cards", "Leave some out"]),
    "too many wild cards": (many_wilds, ["too many", "wild", "Leave some out"]),
    "too few cards": (
        set_at("cards", [{**ENTRY, "marked": True}]),
        ["2 players", "16 cards", "at least 5", "at most 5"],
    ),
    "no card to begin with": (no_beginning, ["2 players", "a card to begin with", "at most 1"]),
    "an unknown option": (set_at("options.stack", "same"), ["“stack”", "stacking"]),
    "an impossible value": (set_at("options.stacking", "yes"), ["stacking", "four_on_two"]),
    "a switch that is a word": (set_at("options.jump_in", "on"), ["jump_in", "true, false"]),
    "a list for an option": (set_at("options.target", [1]), ["options", "found array"]),
    "a hand too large": (set_at("options.hand_size", 54), ["2 players", "Deal at most 53"]),
    "a hand out of range": (set_at("options.hand_size", 0), ["hand_size", "1–100"]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused_with_the_place_and_the_remedy(case: str) -> None:
    change, words = BROKEN[case]
    data = good()
    change(data)
    with pytest.raises(EditionError) as refused:
        read(toml.document(data), "mine.toml")
    assert_speaks(refused.value)
    for text in in_all_languages(refused.value):
        assert "mine.toml" in text
    for word in words:
        assert word in str(refused.value)


def test_a_file_that_is_no_toml_says_where_it_breaks() -> None:
    with pytest.raises(EditionError, match=r"mine\.toml is not valid TOML: .*line 2") as refused:
        read('id = "x"\n= 5\n', "mine.toml")
    assert_speaks(refused.value)


def test_a_number_of_thousands_of_digits_is_no_toml() -> None:
    with pytest.raises(EditionError) as refused:
        read(f"id = {'9' * 5000}", "mine.toml")
    assert_speaks(refused.value)


FILES: dict[str, tuple[bytes | None, str]] = {
    "not UTF-8": (b'id = "\xff"', "not UTF-8 text (byte 6)"),
    "too long": (b"#" * (MOST_BYTES + 1), f"larger than {MOST_BYTES} bytes"),
    "not there": (None, "cannot be read"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, case: str) -> None:
    path = tmp_path / "mine.toml"
    content, words = FILES[case]
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(EditionError) as refused:
        load(str(path))
    assert_speaks(refused.value)
    assert str(path) in str(refused.value)
    assert words in str(refused.value)


def test_a_folder_is_no_edition(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "deck.toml"):
        path.mkdir(exist_ok=True)
        with pytest.raises(EditionError) as refused:
            load(str(path))
        assert_speaks(refused.value)


@pytest.mark.parametrize("name", ["clasic", "Classics", "", "a\0", "a\0.toml", "x" * 300])
def test_a_name_that_is_no_edition_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(EditionError) as refused:
        load(name)
    assert_speaks(refused.value)
    if not name.endswith(".toml"):
        assert "classic, revenge, chili, triforce, violet" in str(refused.value)


# Decks of one's own


def play_to_the_end(edition: Edition, seats: int, seed: int = 1) -> Match:
    """A whole match between bots, every state of it sound."""
    rules = edition.sheet.rules
    match = Match(edition.sheet, [f"Bot {seat}" for seat in range(seats)], key_of_seed(seed))
    trace, seen, mask = Trace(rules.size), Seen(rules.size), [0] * rules.size.mask_words
    while match.over != "match":
        if match.over == "round":
            match.next_round()
        start_luck(match.game, trace)
        place = 0
        while match.over is None:
            place = ask(rules, match.game, place)
            seat = seat_asked(match.game, trace, place)
            legal(rules, match.game, seat, mask)
            observe(rules, match.game, seat, seen)
            optional = may_decline(match.game, place)
            action = decide(rules, MANNERS["basic"], seen, mask, optional, trace)
            if action == DECLINE:
                place += 1
                continue
            match.play(seat, action)
            assert faults(match) == 0
            place = 0
    return match


def smallest() -> dict[str, Any]:
    """Two colors, nothing but numbers, and one wild card."""
    return {
        "id": "smallest",
        "name": {"en": "Smallest", "es": "Mínima", "ru": "Малая"},
        "colors": colors(2),
        "cards": [{"numbers": [0, 1, 2, 3], "copies": 2}],
        "wilds": [WILD],
        "options": {"hand_size": 3, "target": 30},
    }


EFFECTS: dict[str, dict[str, Any]] = {
    "N": {},
    "S": {"effect": "skip"},
    "R": {"effect": "reverse"},
    "+": {"effect": "draw", "amount": 2},
    "G": {"effect": "give", "amount": 3},
    "C": {"effect": "race", "amount": 2},
    "D": {"effect": "demand", "amount": 3},
}


def largest() -> dict[str, Any]:
    """Six colors, nearly as many kinds and cards as there can be, and every effect."""
    wilds = [{**WILD, "symbol": f"W{sign}", "copies": 3, **does} for sign, does in EFFECTS.items()]
    wilds[3]["challengeable"] = True
    return {
        "id": "largest",
        "name": {"en": "Largest", "es": "Máxima", "ru": "Большая"},
        "colors": colors(6),
        "cards": [
            {"numbers": [0, 1, 2, 4, 5, 7, 8, 99], "copies": 2},
            {"numbers": [3, 6, 9], "copies": 2, "marked": True},
            *({**SYMBOL, "symbol": sign, **does} for sign, does in EFFECTS.items()),
            {**SYMBOL, "symbol": "?", "colors": ["a", "f"]},
        ],
        "wilds": wilds,
        "options": {"hand_size": 9, "stacking": "four_on_two", "seven_zero": True, "jump_in": True},
    }


def own(data: dict[str, Any]) -> Edition:
    return read(toml.document(data), "mine.toml")


@pytest.mark.parametrize("seats", [2, 3])
def test_a_deck_of_two_colors_can_be_played(seats: int) -> None:
    edition = own(smallest())
    assert edition.sheet.cards == 17
    assert edition.sheet.rules.size == STANDARD
    match = play_to_the_end(edition, seats)
    assert max(match.game.scores) >= 30


def test_a_deck_too_wide_for_a_gpu_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wide.toml"
    file.write_text(toml.document(largest()), "utf-8")
    assert main(["simulate", str(file), "--device", "gpu"]) == 1
    assert "56" in capsys.readouterr().err


@pytest.mark.parametrize("seats", [2, 10])
def test_a_deck_of_six_colors_and_many_kinds_can_be_played(seats: int) -> None:
    edition = own(largest())
    assert edition.sheet.rules.size == WIDE
    assert (len(edition.sheet.faces), edition.sheet.cards) == (117, 197)
    match = play_to_the_end(edition, seats)
    text = match.record().to_text()
    assert Match.replay(Record.from_text(text)).record().to_text() == text


def test_the_example_can_be_played() -> None:
    edition = load(str(HARVEST))
    assert edition.source == str(HARVEST)
    assert play_to_the_end(edition, seats=4).over == "match"


@pytest.mark.parametrize("name", SHIPPED)
def test_an_edition_that_ships_can_be_played(name: str) -> None:
    assert play_to_the_end(shipped(name), seats=3).over == "match"


def test_an_edition_without_a_name_for_a_symbol_shows_the_symbol() -> None:
    edition = own(largest())
    assert edition.symbol_name(12, "ru") == "S"


def test_a_larger_hand_leaves_a_card_to_begin_with() -> None:
    """Were all but draw fours dealt, no card could be turned."""
    data = smallest()
    data["wilds"] = [{**WILD, "copies": 60, "effect": "draw", "amount": 1}]
    data["options"] = {"hand_size": 7}
    assert own(data).sheet.cards == 76
    with pytest.raises(RulesetError, match="Deal at most 7 "):
        own(data).with_options({"hand_size": 8})


# Options


@pytest.mark.parametrize("option", [*CHOICES, *SWITCHES])
def test_every_value_of_an_option_is_allowed_and_no_other(option: str) -> None:
    edition = shipped("classic")
    values: tuple[Any, ...] = CHOICES.get(option, (True, False))
    for value in values:
        assert getattr(edition.with_options({option: value}).sheet.options, option) == value
    wrong: tuple[Any, ...] = ("", "MUST", "yes", 1, 0, None, 1.0, [values[0]])
    for value in wrong:
        with pytest.raises(RulesetError, match=option) as refused:
            edition.with_options({option: value})
        assert_speaks(refused.value)


@pytest.mark.parametrize(
    ("option", "least", "most"), [("target", 1, 1_000_000), ("hand_size", 1, 51)]
)
def test_numbers_have_limits(option: str, least: int, most: int) -> None:
    edition = shipped("classic")
    for value in (least, most):
        assert getattr(edition.with_options({option: value}).sheet.options, option) == value
    wrong: tuple[Any, ...] = (least - 1, most + 1, True, "7", 7.0, None, -(10**30))
    for other in wrong:
        with pytest.raises(RulesetError) as refused:
            edition.with_options({option: other})
        assert_speaks(refused.value)


def test_an_unknown_option_is_refused_with_those_there_are() -> None:
    with pytest.raises(RulesetError) as refused:
        shipped("classic").with_options({"names": 3})
    for option in Options.names():
        assert option in str(refused.value)


def test_options_do_not_change_the_edition_they_are_set_for() -> None:
    changed = shipped("classic").with_options({"target": 50})
    assert shipped("classic").sheet.options.target == 500
    assert changed.sheet.hash != shipped("classic").sheet.hash
