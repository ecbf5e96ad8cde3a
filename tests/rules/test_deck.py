"""What is in the box (D)."""

from collections import Counter

import pytest

from penultima.edition import SHIPPED, shipped
from tests.rules.table import deal, deal_turning, deal_where, table

COLORS = {
    "classic": "blue green red yellow",
    "revenge": "blue green red yellow",
    "chili": "blue pink green yellow",
    "triforce": "blue green tan red",
    "violet": "green blue purple pink",
}
LETTERS = {
    "classic": "bgry",
    "revenge": "bgry",
    "chili": "bpgy",
    "triforce": "bgtr",
    "violet": "gbup",
}
OWN_WILD = {"revenge": "WG", "chili": "WC", "triforce": "WT"}

in_every_edition = pytest.mark.parametrize("edition", SHIPPED)


def deck(edition: str) -> Counter[str]:
    return deal(edition, 2).every_card


@pytest.mark.clause("D1")
@in_every_edition
def test_nineteen_numbers_of_each_color(edition: str) -> None:
    numbers = {card: n for card, n in deck(edition).items() if card[0] != "W"}
    numbers = {card: n for card, n in numbers.items() if card[1:].isdigit()}
    expected = {f"{color}0": 1 for color in LETTERS[edition]}
    expected |= {f"{color}{n}": 2 for color in LETTERS[edition] for n in range(1, 10)}
    assert numbers == expected
    assert sum(numbers.values()) == 4 * 19


@pytest.mark.clause("D1", "D6")
@in_every_edition
def test_the_colors_are_those_of_the_sheet(edition: str) -> None:
    names = [shipped(edition).color_name(color, "en") for color in range(4)]
    assert names == COLORS[edition].split()


@pytest.mark.clause("D2")
@in_every_edition
@pytest.mark.parametrize("symbol", ["+2", "R", "S"])
def test_two_of_each_action_card_in_each_color(edition: str, symbol: str) -> None:
    cards = {card: n for card, n in deck(edition).items() if card[1:] == symbol}
    assert cards == {f"{color}{symbol}": 2 for color in LETTERS[edition]}


@pytest.mark.clause("D3", "D4")
@in_every_edition
def test_four_of_each_wild_card_and_of_the_editions_own(edition: str) -> None:
    wilds = {card: n for card, n in deck(edition).items() if card[0] == "W"}
    expected = {"W": 4, "W4": 4}
    if edition in OWN_WILD:
        expected[OWN_WILD[edition]] = 4
    assert wilds == expected
    assert deck(edition).total() == (112 if edition in OWN_WILD else 108)


@pytest.mark.clause("D5")
@pytest.mark.parametrize("color", "bgtr")
def test_every_three_six_and_nine_carries_the_mark_and_nothing_else_does(color: str) -> None:
    whole_color = " ".join(color + symbol for symbol in [*"0123456789", "+2", "R", "S"])
    t = table("triforce", [whole_color, "b1"], "WT", color=color, phase="demand")
    assert t.cards(0) == {f"{color}3", f"{color}6", f"{color}9"}


@pytest.mark.clause("D6")
def test_the_violet_edition_has_pink_action_cards_and_no_red_ones() -> None:
    cards = deck("violet")
    assert not [card for card in cards if card[0] == "r"]
    assert {cards[f"p{symbol}"] for symbol in ("+2", "R", "S")} == {2}
    assert table("violet", ["p+2 pR pS u1", "g1"], "p5").cards(0) == {"p+2", "pR", "pS"}


@pytest.mark.clause("D1", "D2", "D3", "D4", "S4", "S9")
@in_every_edition
def test_after_the_start_there_is_not_one_card_too_many(edition: str) -> None:
    """A fault seen elsewhere: the returned or the turned card is there twice, 109 in all."""
    box = deck(edition)
    assert deal_turning("+2", edition, 4).every_card == box
    returned = deal_where(lambda t: any(e.what == "return" for e in t.events), edition, 4)
    assert returned.every_card == box
