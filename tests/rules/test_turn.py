"""A turn: match, draw, play what was drawn (T, Q19 to Q21)."""

import pytest

from penultima.edition import SHIPPED
from tests.rules.table import table

in_every_edition = pytest.mark.parametrize("edition", SHIPPED)
but_revenge = pytest.mark.parametrize("edition", ["classic", "chili", "triforce", "violet"])
but_classic = pytest.mark.parametrize("edition", ["revenge", "chili", "triforce", "violet"])


@pytest.mark.clause("T1")
def test_on_a_red_seven_goes_a_red_card_or_any_seven_or_a_wild() -> None:
    t = table("revenge", ["r2 b7 b2 g8 y+2 W WG", "g1 g2"], "r7")
    assert t.cards(0) == {"r2", "b7", "W", "WG"}


@pytest.mark.clause("T1")
def test_on_a_blue_seven_goes_a_blue_card_or_any_seven_or_a_wild() -> None:
    t = table("chili", ["b2 p7 p2 g8 y+2 W WC", "g1 g2"], "b7")
    assert t.cards(0) == {"b2", "p7", "W", "WC"}


@pytest.mark.clause("T1")
@pytest.mark.parametrize("symbol", ["+2", "R", "S"])
def test_a_symbol_matches_the_same_symbol(symbol: str) -> None:
    t = table("classic", ["b+2 bR bS b2", "g1 g2"], f"r{symbol}")
    assert t.cards(0) == {f"b{symbol}"}


@pytest.mark.clause("T1")
def test_one_card_is_put_down_and_the_turn_goes_on() -> None:
    t = table("classic", ["r2 r4 b2", "g1 g2"], "r7").play("0:r2")
    assert (t.hand(0), t.top, t.color, t.turn) == ("b2 r4", "r2", "r", 1)
    assert t.refuses("0:r4")


@pytest.mark.clause("T1")
def test_nobody_plays_or_draws_out_of_turn() -> None:
    assert table("classic", ["r2 r4", "r1 W", "r3 r5"], "r7").refuses("1:r1", "1:draw", "2:r3")


@pytest.mark.clause("T1")
def test_only_what_is_held_can_be_played() -> None:
    assert table("classic", ["r2 r4", "r1 r3"], "r7").refuses("0:r1", "0:W:b")


@pytest.mark.clause("T2")
@in_every_edition
def test_with_nothing_to_play_one_card_is_drawn(edition: str) -> None:
    t = table(edition, ["g2 g4", "g1 g5"], "b7", pile="g6 b1")
    assert t.legal(0) - {"call"} == {"draw"}
    assert t.play("0:draw").hand(0) == "g2 g4 g6"


@pytest.mark.clause("T3")
@in_every_edition
def test_a_drawn_card_that_fits_may_be_put_down_in_the_same_turn(edition: str) -> None:
    t = table(edition, ["g2 g4", "g1 g5"], "b7", pile="b1").play("0:draw", "0:b1")
    assert (t.hand(0), t.top, t.turn) == ("g2 g4", "b1", 1)


@pytest.mark.clause("T3", "T1")
@pytest.mark.parametrize(
    ("drawn", "top", "fits"),
    [("g7", "b7", True), ("gS", "bS", True), ("g8", "b7", False), ("g6", "b7", False)],
)
def test_a_drawn_card_fits_as_one_of_the_hand_would(drawn: str, top: str, fits: bool) -> None:
    t = table("classic", ["y2 y4", "g1 g5"], top, pile=drawn).play("0:draw")
    assert t.legal(0) == ({drawn} if fits else {"keep"})


@pytest.mark.clause("T3")
@but_revenge
def test_drawn_for_want_of_one_a_card_that_fits_is_put_down(edition: str) -> None:
    t = table(edition, ["g2 g4", "g1 g5"], "b7", pile="b1").play("0:draw")
    assert t.legal(0) == {"b1"}


@pytest.mark.clause("T3")
def test_in_revenge_a_card_drawn_for_want_of_one_may_be_kept() -> None:
    t = table("revenge", ["g2 g4", "g1 g5"], "b7", pile="b1").play("0:draw")
    assert t.legal(0) == {"b1", "keep"}
    assert t.play("0:keep").turn == 1


@pytest.mark.clause("T3")
@in_every_edition
def test_a_drawn_card_that_does_not_fit_ends_the_turn(edition: str) -> None:
    t = table(edition, ["g2 g4", "g1 g5"], "b7", pile="g9").play("0:draw")
    assert t.legal(0) == {"keep"}
    assert (t.play("0:keep").turn, t.hand(0)) == (1, "g2 g4 g9")


@pytest.mark.clause("T4")
@but_classic
def test_a_player_may_decline_to_play_and_need_not_play_what_is_drawn(edition: str) -> None:
    t = table(edition, ["b2 g4", "g1 g5"], "b7", pile="b1").play("0:draw")
    assert t.legal(0) == {"b1", "keep"}


@pytest.mark.clause("T4")
def test_in_classic_what_is_drawn_by_choice_is_played_too() -> None:
    t = table("classic", ["b2 g4", "g1 g5"], "b7", pile="b1").play("0:draw")
    assert t.legal(0) == {"b1"}


@pytest.mark.clause("T4")
@in_every_edition
def test_who_declines_to_play_must_draw(edition: str) -> None:
    t = table(edition, ["b2 g4 g5", "g1 g5"], "b7")
    assert t.legal(0) == {"b2", "draw"}


@pytest.mark.clause("T3", "T4")
def test_a_table_may_set_these_options_otherwise() -> None:
    kept = table("classic", ["g2 g4", "g1"], "b7", pile="b1", drawn_no_match="may").play("0:draw")
    assert kept.legal(0) == {"b1", "keep"}
    kept = table("classic", ["b2 g4", "g1"], "b7", pile="b1", drawn_by_choice="may").play("0:draw")
    assert kept.legal(0) == {"b1", "keep"}
    bound = table("revenge", ["b2 g4", "g1"], "b7", pile="b1", drawn_by_choice="must").play(
        "0:draw"
    )
    assert bound.legal(0) == {"b1"}


@pytest.mark.clause("T5", "T4")
@in_every_edition
@pytest.mark.parametrize("drawn", ["b1", "g9"])
def test_after_drawing_no_other_card_can_be_played(edition: str, drawn: str) -> None:
    t = table(edition, ["b2 b4 W", "g1 g5"], "b7", pile=drawn).play("0:draw")
    assert t.cards(0) <= {drawn}
    assert t.refuses("0:b2", "0:W:g", "0:draw")


@pytest.mark.clause("T6")
def test_after_a_wild_card_the_named_color_alone_is_matched() -> None:
    t = table("classic", ["W r1", "r5 g5 gS W W4 b7"], "b7").play("0:W:g")
    assert t.color == "g"
    assert t.cards(1) == {"g5", "gS", "W", "W4"}


@pytest.mark.clause("T6")
def test_a_colored_card_ends_the_color_that_was_named() -> None:
    t = table("classic", ["W r1 r2", "g5 r5", "r5 g1 b1"], "b7").play("0:W:g", "1:g5")
    assert t.cards(2) == {"r5", "g1"}


@pytest.mark.clause("T6")
@pytest.mark.parametrize("wild", ["W", "W4"])
def test_a_wild_card_on_top_offers_no_symbol_to_match(wild: str) -> None:
    t = table("classic", ["b+2 b4 bS g1", "g1"], f"b7 {wild}", color="g")
    assert t.cards(0) == {"g1"}


@pytest.mark.clause("Q19")
@pytest.mark.parametrize("wild", ["W", "WC", "W4"])
def test_a_hand_with_a_wild_card_draws_by_choice(wild: str) -> None:
    """Chili: drawn for want of one it must be played, drawn by choice it may be kept."""
    without = table("chili", ["g2 g4", "g1"], "b7", pile="b1").play("0:draw")
    assert without.refuses("0:keep")
    holding = table("chili", [f"g2 {wild}", "g1"], "b7", pile="b1").play("0:draw")
    assert "keep" in holding.legal(0)


@pytest.mark.clause("Q20")
@pytest.mark.parametrize(
    ("edition", "wild"), [("classic", "W"), ("chili", "WC"), ("triforce", "WT")]
)
def test_a_drawn_wild_must_be_played_in_any_color(edition: str, wild: str) -> None:
    t = table(edition, ["g2 g4", "g1"], "b7", pile=wild).play("0:draw")
    assert t.legal(0) == {f"{wild}:{color}" for color in t.match.sheet.colors}


@pytest.mark.clause("Q20", "T4")
def test_a_wild_drawn_by_choice_must_be_played_too_whatever_else_is_held() -> None:
    t = table("classic", ["b2 g4", "g1"], "b7", pile="W").play("0:draw")
    assert t.legal(0) == {"W:b", "W:g", "W:r", "W:y"}


@pytest.mark.clause("Q20")
def test_a_drawn_wild_draw_four_must_be_played_where_it_is_legal() -> None:
    t = table("classic", ["g2 g4", "g1"], "b7", pile="W4").play("0:draw")
    assert t.legal(0) == {"W4:b", "W4:g", "W4:r", "W4:y"}


@pytest.mark.clause("Q20")
def test_a_drawn_wild_draw_four_that_would_be_a_bluff_stays_optional() -> None:
    t = table("classic", ["b2 g4", "g1"], "b7", pile="W4").play("0:draw")
    assert t.legal(0) == {"W4:b", "W4:g", "W4:r", "W4:y", "keep"}


@pytest.mark.clause("Q20")
def test_where_drawn_cards_may_be_kept_a_drawn_wild_may_too() -> None:
    t = table("revenge", ["g2 g4", "g1"], "b7", pile="W").play("0:draw")
    assert "keep" in t.legal(0)


@pytest.mark.clause("Q21")
def test_the_turn_never_ends_by_itself_after_a_draw() -> None:
    t = table("classic", ["g2 g4", "b1 b5"], "b7", pile="g9").play("0:draw")
    assert (t.turn, t.phase) == (0, "drawn")
    assert t.refuses("1:b1")


@pytest.mark.clause("Q21")
@in_every_edition
def test_nobody_can_tell_from_the_draw_whether_the_card_fits(edition: str) -> None:
    fits, does_not = (
        table(edition, ["g2 g4", "g1 g5"], "b7", pile=card, rest="discard").play("0:draw")
        for card in ("b1 g9", "g9 b1")
    )
    assert fits.sees(1) == does_not.sees(1)
