"""The smaller house rules (H4 to H8)."""

import pytest

from penultima.errors import RulesetError
from tests.rules.table import deal, sheet_of, table


@pytest.mark.clause("H4", "T2")
def test_one_draw_per_card_until_one_can_be_played() -> None:
    hands = ["g2 g4", "g1 g5"]
    t = table("classic", hands, "b7", pile="g8 y1 b9", draw_until_playable=True)
    t.play("0:draw")
    assert (t.counts[0], t.legal(0)) == (3, {"draw"})
    t.play("0:draw")
    assert (t.counts[0], t.legal(0)) == (4, {"draw"})
    t.play("0:draw")
    assert (t.counts[0], t.legal(0)) == (5, {"b9"})


@pytest.mark.clause("H4", "T4")
@pytest.mark.parametrize(("edition", "last"), [("classic", {"b9"}), ("revenge", {"b9", "keep"})])
def test_drawing_by_choice_goes_on_to_the_first_that_fits_too(edition: str, last: set[str]) -> None:
    hands = ["b2 g4", "g1 g5"]
    t = table(edition, hands, "b7", pile="g8 b9", draw_until_playable=True).play("0:draw")
    assert t.legal(0) == {"draw"}
    assert t.play("0:draw").legal(0) == last


@pytest.mark.clause("H4", "T3", "T4")
def test_whether_it_was_by_choice_is_settled_before_the_first_card() -> None:
    """Chili: by choice it may be kept, for want of one it must be played."""
    for held, kept in (("b2", True), ("g2", False)):
        hands = [f"{held} g4", "g1 g5"]
        t = table("chili", hands, "b7", pile="g8 b9", draw_until_playable=True)
        assert ("keep" in t.play("0:draw", "0:draw").legal(0)) is kept


@pytest.mark.clause("H4")
def test_a_bluff_does_not_end_the_drawing() -> None:
    hands = ["b2 g4", "g1 g5"]
    t = table("classic", hands, "b7", pile="W4 b9", draw_until_playable=True).play("0:draw")
    assert t.legal(0) == {"draw", "W4:b", "W4:g", "W4:r", "W4:y"}
    assert t.play("0:draw").legal(0) == {"b9"}


@pytest.mark.clause("H4", "Q15")
def test_when_no_card_is_left_the_drawing_ends() -> None:
    t = table("classic", ["g2 g4", "y5"], "b7", pile="g8 y1", rest=1, draw_until_playable=True)
    t.play("0:draw", "0:draw")
    assert t.legal(0) == {"keep"}


@pytest.mark.clause("H4", "A12")
def test_not_for_demands() -> None:
    hands = ["WT b1 b2", "t4 b6 W", "t1"]
    t = table("triforce", hands, "b7", pile="g1 g2 g4 t3", draw_until_playable=True)
    t.play("0:WT:t", "1:draw")
    assert (t.counts[1], t.turn) == (6, 2)


@pytest.mark.clause("H4", "A1", "G2")
def test_not_for_penalties() -> None:
    hands = ["b+2 g1", "y4 y6", "y1"]
    t = table("classic", hands, "b7", pile="g1 g2 g4 y3", draw_until_playable=True)
    assert t.play("0:b+2", "2:catch").counts == [3, 4, 1]


@pytest.mark.clause("H5", "T4")
def test_with_forced_play_what_can_be_played_must_be() -> None:
    hands = ["b2 g4 g5", "g1"]
    assert table("revenge", hands, "b7", forced_play=True).legal(0) == {"b2"}
    assert "draw" in table("revenge", ["g2 g4", "g1"], "b7", forced_play=True).legal(0)


@pytest.mark.clause("H5", "Q19")
@pytest.mark.parametrize("wild", ["W", "WG", "W4"])
def test_with_forced_play_a_wild_must_be_played(wild: str) -> None:
    t = table("revenge", [f"{wild} g4 g5", "g1"], "b7", forced_play=True)
    assert "draw" not in t.legal(0)


@pytest.mark.clause("H5", "T3")
@pytest.mark.parametrize("drawn", ["b9", "W", "W4"])
def test_with_forced_play_a_drawn_card_must_be_played_too(drawn: str) -> None:
    t = table("revenge", ["g2 g4", "g1"], "b7", pile=drawn, forced_play=True).play("0:draw")
    assert t.refuses("0:keep")


@pytest.mark.clause("H5", "Q9")
def test_with_forced_play_a_demand_is_answered_even_where_it_may_be_declined() -> None:
    hands = ["WT b1 b2", "t3 b6 W"]
    t = table("triforce", hands, "b7", demand="may", forced_play=True).play("0:WT:t")
    assert t.legal(1) == {"t3"}


@pytest.mark.clause("H6", "A5")
def test_without_bluffing_an_illegal_wild_draw_four_is_refused() -> None:
    t = table("classic", ["W4 b2 g4", "g1"], "b7", no_bluffing=True)
    assert t.cards(0) == {"b2"}
    assert t.refuses("0:W4:g")


@pytest.mark.clause("H6", "A6")
@pytest.mark.parametrize("edition", ["classic", "violet"])
def test_without_bluffing_the_four_are_drawn_at_once(edition: str) -> None:
    hands = ["W4 g2 g4", "g1", "b1"]
    t = table(edition, hands, "b7", no_bluffing=True).play("0:W4:g")
    assert (t.counts, t.turn, t.phase, t.color) == ([2, 5, 1], 2, "turn", "g")
    assert t.refuses("1:challenge", "1:accept", "2:challenge")


@pytest.mark.clause("H6", "H1")
def test_without_bluffing_a_stack_may_still_be_passed_on() -> None:
    hands = ["W4 g2 g4", "W4 y1", "b1"]
    t = table("classic", hands, "b7", no_bluffing=True, stacking="same").play("0:W4:g", "1:W4:b")
    assert (t.turn, t.phase, t.due) == (2, "stack", 8)


@pytest.mark.clause("H6", "Q20")
def test_without_bluffing_a_drawn_bluff_is_kept() -> None:
    t = table("classic", ["b2 g4", "g1"], "b7", pile="W4", no_bluffing=True).play("0:draw")
    assert t.legal(0) == {"keep"}


@pytest.mark.clause("H6", "H4")
def test_without_bluffing_the_drawing_goes_on_past_a_bluff() -> None:
    hands = ["b2 g4", "g1"]
    t = table("classic", hands, "b7", pile="W4 b9", no_bluffing=True, draw_until_playable=True)
    t.play("0:draw")
    assert t.legal(0) == {"draw"}


@pytest.mark.clause("H7", "S2")
@pytest.mark.parametrize("hand_size", [1, 5, 10])
def test_the_hand_size_can_be_chosen(hand_size: int) -> None:
    t = deal("classic", 3, hand_size=hand_size)
    assert min(t.counts) == hand_size
    assert t.every_card.total() == 108


@pytest.mark.clause("H7")
@pytest.mark.parametrize(
    ("edition", "players", "most"),
    [("classic", 2, 51), ("classic", 10, 10), ("chili", 10, 10), ("chili", 2, 53)],
)
def test_a_hand_size_that_leaves_fewer_than_five_cards_is_refused(
    edition: str, players: int, most: int
) -> None:
    # 108 - 2 x 51 = 6 and 108 - 10 x 10 = 8; of 112, 12 and 112 - 2 x 53 = 6
    assert min(deal(edition, players, hand_size=most).counts) == most
    with pytest.raises(RulesetError):
        deal(edition, players, hand_size=most + 1)


@pytest.mark.clause("H7", "P2", "P3")
def test_the_target_can_be_chosen() -> None:
    t = table("classic", ["b1", "W W"], "b7", target=100).play("0:b1")
    assert (t.over, t.winner) == ("match", 0)
    t = table("classic", ["b1", "W W"], "b7", target=101).play("0:b1")
    assert t.over == "round"
    t = table("classic", ["b1", "W W"], "b7", target=100, scoring="tally").play("0:b1")
    assert (t.over, t.winner, t.scores) == ("match", 0, [0, 100])


@pytest.mark.clause("H8", "G1")
def test_where_calls_are_automatic_there_is_no_call_and_no_catch() -> None:
    t = table("classic", ["b1 g1", "b2 b3", "b4 b5"], "b7", auto_call=True)
    assert t.refuses("0:call")
    t.play("0:b1")
    assert t.exposed == []
    assert t.refuses("0:call", "1:catch", "2:catch")


@pytest.mark.clause("H8", "G1")
def test_where_calls_are_automatic_one_dealt_card_exposes_nobody() -> None:
    assert deal("violet", 3, hand_size=1, auto_call=True).exposed == []


@pytest.mark.clause("H1", "H2", "H3", "H4", "H5", "H6", "H8")
@pytest.mark.parametrize("edition", ["classic", "revenge", "chili", "triforce", "violet"])
def test_every_house_rule_is_off_by_default(edition: str) -> None:
    options = sheet_of(edition).options
    assert options.stacking == "off"
    assert not (options.seven_zero or options.jump_in or options.draw_until_playable)
    assert not (options.forced_play or options.no_bluffing or options.auto_call)
