"""The action cards but for challenges and the editions' own wild cards (A1 to A5, Q4)."""

import pytest

from penultima.edition import SHIPPED
from tests.rules.table import table

in_every_edition = pytest.mark.parametrize("edition", SHIPPED)


@pytest.mark.clause("A1")
@in_every_edition
def test_draw_two_the_next_player_draws_two_and_misses_the_turn(edition: str) -> None:
    t = table(edition, ["b+2 g1 g2", "b1 b2", "g4"], "b7", pile="g5 g6 g7").play("0:b+2")
    assert set(t.hand(1).split()) == {"b1", "b2", "g5", "g6"}
    assert (t.counts, t.turn, t.phase) == ([2, 4, 1], 2, "turn")


@pytest.mark.clause("A1", "A2", "A3")
@in_every_edition
@pytest.mark.parametrize("symbol", ["+2", "R", "S"])
def test_an_action_card_goes_on_its_color_or_on_its_like(edition: str, symbol: str) -> None:
    hands = [f"b{symbol} g1", "g2"]
    assert f"b{symbol}" in table(edition, hands, "b7").cards(0)
    assert f"b{symbol}" in table(edition, hands, f"g{symbol}").cards(0)
    assert f"b{symbol}" not in table(edition, hands, "g7").cards(0)
    other = {"+2": "R", "R": "S", "S": "+2"}[symbol]
    assert f"b{symbol}" not in table(edition, hands, f"g{other}").cards(0)


@pytest.mark.clause("A2")
@in_every_edition
def test_reverse_play_goes_the_other_way_round(edition: str) -> None:
    t = table(edition, ["bR g1 g2", "b1", "g3", "bR b3 b4"], "b7").play("0:bR")
    assert (t.turn, t.direction) == (3, -1)
    assert t.play("3:b3").turn == 2


@pytest.mark.clause("A2")
def test_a_second_reverse_turns_it_back() -> None:
    t = table("classic", ["bR g1 g2", "b1", "g3", "gR b3 b4"], "b7").play("0:bR", "3:gR")
    assert (t.turn, t.direction) == (0, 1)


@pytest.mark.clause("A2", "A1", "A3")
@pytest.mark.parametrize(("card", "turn"), [("b+2", 2), ("bS", 2), ("b5", 3)])
def test_after_a_reverse_the_next_player_is_the_one_to_the_right(card: str, turn: int) -> None:
    t = table("classic", [f"{card} g1 g2", "b1", "g3", "b3 b4"], "b7", direction=-1)
    assert t.play(f"0:{card}").turn == turn
    assert t.counts[3] == (4 if card == "b+2" else 2)


@pytest.mark.clause("A3")
@in_every_edition
def test_skip_the_next_player_misses_the_turn(edition: str) -> None:
    t = table(edition, ["bS g1 g2", "b1", "g4", "g5"], "b7").play("0:bS")
    assert (t.turn, t.counts, t.direction) == (2, [2, 1, 1, 1], 1)


@pytest.mark.clause("A4")
def test_wild_any_color_may_be_named_the_present_one_too() -> None:
    t = table("classic", ["W r2 r3", "g1"], "r7")
    assert t.legal(0) == {"r2", "r3", "draw", "W:b", "W:g", "W:r", "W:y"}
    assert t.play("0:W:r").color == "r"
    assert (t.turn, t.phase) == (1, "turn")


@pytest.mark.clause("A4")
def test_wild_needs_no_want_of_other_cards() -> None:
    assert "W" in table("classic", ["W r2 r3", "g1"], "r7").cards(0)
    assert "W" in table("classic", ["W b2 b3", "g1"], "r7").cards(0)


@pytest.mark.clause("A4", "S8")
def test_there_is_no_moment_between_a_wild_card_and_its_color() -> None:
    """A fault seen elsewhere: the player's time runs out while the color is being named."""
    t = table("classic", ["W r2 r3", "g1 g2"], "r7").play("0:W:g")
    assert (t.turn, t.phase, t.color) == (1, "turn", "g")


@pytest.mark.clause("A5")
@in_every_edition
def test_wild_draw_four_the_next_player_draws_four_and_misses_the_turn(edition: str) -> None:
    t = table(edition, ["W4 g1 g2", "b1 b2", "g4"], "b7").play("0:W4:g")
    assert (t.color, t.turn) == ("g", 1)
    t.play("1:accept")
    assert (t.counts, t.turn, t.color, t.phase) == ([2, 6, 1], 2, "g", "turn")


@pytest.mark.clause("A5")
def test_a_wild_draw_four_can_be_put_down_illegally() -> None:
    assert "W4" in table("classic", ["W4 b1 g2", "b1 b2"], "b7").cards(0)


@pytest.mark.clause("A5")
@pytest.mark.parametrize(
    ("hand", "guilty"),
    [
        ("b1 g2", True),
        ("bS g2", True),
        ("g7 g2", False),  # the number matches, the color does not
        ("W W4 g2", False),
    ],
)
def test_only_a_card_of_the_color_in_play_makes_a_wild_draw_four_illegal(
    hand: str, guilty: bool
) -> None:
    t = table("classic", [f"W4 {hand}", "g1 g3", "g4"], "b7").play("0:W4:g", "1:challenge")
    assert (t.counts[0] > len(hand.split())) is guilty


@pytest.mark.clause("A5")
def test_a_matching_symbol_does_not_make_a_wild_draw_four_illegal() -> None:
    t = table("classic", ["W4 gS g2", "g1 g3", "g4"], "bS").play("0:W4:g", "1:challenge")
    assert t.counts == [2, 8, 1]


@pytest.mark.clause("Q4")
def test_with_two_players_a_reverse_acts_as_a_skip_and_still_turns_the_direction() -> None:
    t = table("classic", ["bR b2 b3", "b1 b4"], "b7").play("0:bR")
    assert (t.turn, t.phase, t.direction) == (0, "turn", -1)
    assert t.play("0:b2").turn == 1


@pytest.mark.clause("Q4", "A1", "A3")
@pytest.mark.parametrize("card", ["b+2", "bS"])
def test_with_two_players_who_makes_the_other_miss_a_turn_plays_again(card: str) -> None:
    t = table("classic", [f"{card} b2 b3", "b1 b4"], "b7").play(f"0:{card}")
    assert (t.turn, t.direction) == (0, 1)
