"""When the pile runs out (G6, Q15, Q16, Q22)."""

from typing import Any

import pytest

from penultima.ruleset import Face, Options, Sheet
from tests.rules.table import Table, table


@pytest.mark.clause("G6")
def test_an_empty_pile_is_made_anew_of_the_discard_pile_less_its_top_card() -> None:
    """A fault seen elsewhere: the live top card is shuffled back."""
    t = table("classic", ["g2 g4", "b1 b2"], "b7", rest="discard")
    assert t.pile == 0
    t.play("0:draw")
    assert (t.state["discard"], t.counts, t.turn) == (["b7"], [3, 2], 0)
    assert t.pile == 108 - 3 - 2 - 1


@pytest.mark.clause("G6")
def test_the_new_pile_is_shuffled() -> None:
    t = table("classic", ["g2 g4", "b1 b2"], "b7", rest="discard")
    lay = t.state["discard"][:-1]
    pile = t.play("0:draw").state["pile"]
    assert sorted([*pile, t.state["drawn"]]) == sorted(lay)
    assert pile not in (lay[1:], lay[-2::-1])


@pytest.mark.clause("G6")
def test_a_second_renewal_is_shuffled_anew() -> None:
    t = table("classic", ["g2", "b1"], "b7", rest="discard").play("0:draw")
    used = t.state["shuffled"]
    assert used > len(t.state["pile"])  # a number for each card, and those thrown away
    again = table("classic", ["g2", "b1"], "b7", rest="discard", shuffled=used).play("0:draw")
    assert again.state["pile"] != t.state["pile"]
    assert again.state["shuffled"] > used


@pytest.mark.clause("G6", "A4")
def test_a_wild_card_comes_back_from_the_discard_pile_without_its_color() -> None:
    """A fault seen elsewhere: it keeps the color that was named."""
    t = table("classic", ["g2 g4", "r1"], "W b7", rest=1).play("0:draw")
    assert t.hand(0) == "g2 g4 W"
    assert t.legal(0) == {"W:b", "W:g", "W:r", "W:y"}


@pytest.mark.clause("Q15")
def test_the_pile_is_renewed_at_the_first_draw_needed_not_before() -> None:
    t = table("classic", ["g2 g4", "b1 b2"], "b7", pile="g9", rest="discard").play("0:draw")
    assert (t.pile, t.state["renewals"]) == (0, 0)
    t.play("0:keep", "1:draw")
    assert t.state["renewals"] == 1


@pytest.mark.clause("Q15", "A1")
def test_in_the_middle_of_a_draw_if_need_be() -> None:
    hands = ["b+2 g1 g2", "b1", "b3"]
    t = table("classic", hands, "b7", pile="y9", rest="discard").play("0:b+2")
    assert (t.counts[1], "y9" in t.hand(1), t.state["renewals"]) == (3, True, 1)


@pytest.mark.clause("Q15", "G5")
def test_for_draws_after_a_last_card_too() -> None:
    t = table("classic", ["b+2", "b1", "b3"], "b7", rest="discard").play("0:b+2")
    assert (t.over, t.counts) == ("round", [0, 3, 1])


@pytest.mark.clause("Q15")
def test_fewer_cards_than_must_be_drawn_draw_what_there_is() -> None:
    """A fault seen elsewhere: cards that do not exist are dealt from the empty pile."""
    t = table("classic", ["b+2 g1 g2", "b1", "b3"], "g5 b7", rest=2).play("0:b+2")
    assert set(t.hand(1).split()) == {"b1", "g5", "b7"}
    t = table("classic", ["W4 g1 g2", "b1", "b3"], "g5 b7", rest=2).play("0:W4:g", "1:accept")
    assert (t.counts[1], t.pile, t.turn) == (3, 0, 2)


@pytest.mark.clause("Q16")
def test_with_nothing_to_draw_at_all_who_can_play_must() -> None:
    t = table("classic", ["b1 g4", "y1"], "b7", rest=1)
    assert t.legal(0) - {"call"} == {"b1"}


@pytest.mark.clause("Q16", "Q19")
@pytest.mark.parametrize("wild", ["W", "W4"])
def test_a_wild_card_is_a_card_that_can_be_played(wild: str) -> None:
    assert table("classic", [f"{wild} g4", "y1"], "b7", rest=1).refuses("0:draw")


@pytest.mark.clause("Q16", "Q19")
def test_a_bluff_need_not_be_made() -> None:
    """Seat 0 has no answer to the stack but a Wild Draw Four that would be a bluff."""
    t = table(
        "classic",
        ["W4 b4", "y1"],
        "b+2",
        rest=1,
        stacking="four_on_two",
        phase="stack",
    )
    assert t.cards(0) == {"W4"}
    assert "draw" in t.legal(0)


@pytest.mark.clause("Q16")
def test_who_cannot_play_passes_by_drawing_none() -> None:
    t = table("classic", ["g1 g4", "y1"], "b7", rest=1).play("0:draw")
    assert (t.hand(0), t.turn, t.phase) == ("g1 g4", 1, "turn")
    assert t.cards(1) > {"b1", "W"}


def stuck(hands: list[str], **options: Any) -> Table:
    """All cards of a tiny deck are in hands but the red 1, which no blue card matches."""
    held = " ".join(hands).split()
    faces = [Face("r1", 0, 1, 1, 1), Face("r2", 0, 2, 2, 1)]
    faces += [Face(f"b{n}", 1, n, n, 1) for n in range(3, 10)]
    own = tuple(face for face in faces if face.text in ("r1", *held))
    return table(Sheet("tiny", "rb", own, Options(hand_size=1)), hands, "r1", **options)


@pytest.mark.clause("Q16", "P1")
def test_all_having_passed_in_a_row_the_round_ends_blocked_and_nobody_scores() -> None:
    """A fault seen elsewhere: with all cards in hands nobody can move and the game hangs."""
    t = stuck(["b3 b4", "b5 b6", "b7 b8 b9"], scores=[10, 20, 30]).play("0:draw", "1:draw")
    assert (t.over, t.turn) == (None, 2)
    t.play("2:draw")
    assert (t.over, t.winner, t.scores) == ("round", None, [10, 20, 30])


@pytest.mark.clause("Q16", "P3")
def test_where_everybody_keeps_their_own_points_a_blocked_round_counts_every_hand() -> None:
    t = stuck(["b3 b4", "b5 b6", "b7 b8 b9"], scoring="tally", scores=[10, 20, 30])
    t.play("0:draw", "1:draw", "2:draw")
    assert (t.over, t.winner) == ("round", None)
    assert t.scores == [10 + 3 + 4, 20 + 5 + 6, 30 + 7 + 8 + 9]


@pytest.mark.clause("Q16")
def test_a_card_played_or_drawn_begins_the_count_of_passes_anew() -> None:
    t = stuck(["b3 b4", "b5 b6", "r2 b8 b9"]).play("0:draw", "1:draw")
    assert (t.state["passes"], t.legal(2)) == (2, {"r2"})
    assert t.play("2:r2").state["passes"] == 0
    t.play("0:draw", "0:keep", "1:draw", "2:draw")  # the red 1, and two passes
    assert (t.over, t.state["passes"]) == (None, 2)
    assert t.legal(0) == {"r1"}


@pytest.mark.clause("Q16", "P2")
def test_after_a_blocked_round_the_next_one_is_dealt() -> None:
    t = stuck(["b3 b4", "b5 b6 b7 b8 b9"]).play("0:draw", "1:draw")
    assert t.over == "round"
    assert t.next_round().counts == [1, 1]
    assert t.state["passes"] == 0


@pytest.mark.clause("Q22")
def test_a_round_of_ten_thousand_decisions_ends_blocked() -> None:
    t = table("classic", ["g2 g4", "b1 b2"], "b7", pile="g9", decisions=9_998)
    assert t.play("0:draw").over is None
    t.play("0:keep")
    assert (t.over, t.winner, t.scores) == ("round", None, [0, 0])


@pytest.mark.clause("Q22", "P3")
def test_such_a_round_counts_every_hand_where_everybody_keeps_their_own_points() -> None:
    t = table("classic", ["g2 g4", "b1 b2"], "b7", pile="g9", decisions=9_999, scoring="tally")
    assert t.play("0:draw").scores == [2 + 4 + 9, 1 + 2]


@pytest.mark.clause("Q22", "G4")
def test_who_goes_out_with_the_last_decision_wins_all_the_same() -> None:
    t = table("classic", ["b4", "b1 b2"], "b7", decisions=9_999).play("0:b4")
    assert (t.over, t.winner, t.scores) == ("round", 0, [3, 0])


@pytest.mark.clause("Q22", "G4", "Q13")
@pytest.mark.parametrize(("answer", "drawn"), [("1:accept", 4), ("1:challenge", 6)])
def test_the_verdict_on_a_last_card_is_still_given(answer: str, drawn: int) -> None:
    pile = "g9 g9 g8 g8 g7 g7"
    t = table("classic", ["W4", "b1 b2"], "b7", pile=pile, decisions=9_999).play("0:W4:r")
    assert (t.over, t.phase) == (None, "challenge")
    t.play(answer)
    points = 1 + 2 + sum((9, 9, 8, 8, 7, 7)[:drawn])
    assert (t.over, t.winner, t.scores) == ("round", 0, [points, 0])


@pytest.mark.clause("Q22", "G4", "Q14")
def test_the_gifts_of_a_last_card_are_still_given() -> None:
    t = table("revenge", ["WG", "b1"], "b7", pile="g9 g8 g7 g6", decisions=9_999).play("0:WG:r")
    t.play("0:give:1", "0:give:1", "0:give:1")
    assert (t.over, t.phase) == (None, "give")
    t.play("0:give:1")
    assert (t.over, t.winner, t.scores) == ("round", 0, [1 + 9 + 8 + 7 + 6, 0])


@pytest.mark.clause("Q22", "G4", "Q14")
def test_the_race_of_a_last_card_is_still_run() -> None:
    hands = ["WC", "b1", "b2"]
    t = table("chili", hands, "b7", pile="g9 g8", decisions=9_999).play("0:WC:g")
    assert (t.over, t.phase) == (None, "race")
    t.play("2:drop")
    assert (t.over, t.winner, t.scores) == ("round", 0, [1 + 2 + 9 + 8, 0, 0])


@pytest.mark.clause("Q22", "G4", "Q14")
def test_a_last_card_just_before_that_decision_is_settled_too() -> None:
    t = table("revenge", ["WG", "b1"], "b7", pile="g9 g8 g7 g6", decisions=9_998).play("0:WG:r")
    t.play("0:give:1", "0:give:1", "0:give:1", "0:give:1")
    assert (t.over, t.winner) == ("round", 0)


@pytest.mark.clause("Q22")
def test_what_another_card_started_is_not_settled_any_more() -> None:
    t = table("classic", ["W4 g2", "b1 b2"], "b7", decisions=9_999).play("0:W4:r")
    assert (t.over, t.winner, t.scores) == ("round", None, [0, 0])
