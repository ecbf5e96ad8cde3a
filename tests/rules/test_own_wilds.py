"""Revenge, Chili and Triforce (A10 to A12, Q7 to Q9)."""

from typing import Any

import pytest

from penultima.view import view_event
from tests.rules.table import Table, table


def revenge(**more: Any) -> Table:
    """Seat 0 has put down a Revenge card; four cards are to be given."""
    return table("revenge", ["WG b1 b2", "g1 g2", "g3 g4"], "b7", **more).play("0:WG:r")


def chili(**more: Any) -> Table:
    """Seat 0 has put down a Chili card."""
    return table("chili", ["WC b1 b2", "g1 g2", "g3 g4"], "b7", **more).play("0:WC:p")


def triforce(hand: str, **more: Any) -> Table:
    """Seat 0 has put down a Triforce naming tan; seat 1 has to answer with this hand."""
    return table("triforce", ["WT b1 b2", hand, "t1 g1 b4"], "b7", **more).play("0:WT:t")


@pytest.mark.clause("A10")
@pytest.mark.parametrize(
    ("to", "counts"), [("1111", [2, 6, 2]), ("1212", [2, 4, 4]), ("2221", [2, 3, 5])]
)
def test_the_four_top_cards_are_given_in_any_split(to: str, counts: list[int]) -> None:
    t = revenge(pile="y1 y2 y3 y4 y5")
    t.play(*(f"0:give:{seat}" for seat in to))
    assert t.counts == counts
    assert t.state["pile"][0] == "y5"


@pytest.mark.clause("A10", "Q7")
def test_given_cards_go_one_at_a_time_from_the_top() -> None:
    t = revenge(pile="y1 y2 y3 y4").play("0:give:2", "0:give:1")
    assert (t.hand(1), t.hand(2), t.phase, t.due) == ("g1 g2 y2", "g3 g4 y1", "give", 2)


@pytest.mark.clause("A10", "Q7")
def test_the_color_is_named_first_and_nobody_misses_a_turn() -> None:
    t = revenge()
    assert (t.phase, t.color, t.turn) == ("give", "r", 0)
    t.play(*["0:give:1"] * 4)
    assert (t.phase, t.color, t.turn) == ("turn", "r", 1)


@pytest.mark.clause("Q7")
def test_nothing_is_given_to_the_giver_and_nobody_else_gives() -> None:
    t = revenge()
    assert t.legal(0) == {"give:1", "give:2"}
    assert t.legal(1) == t.legal(2) == set()


@pytest.mark.clause("Q7")
def test_the_giver_does_not_see_what_is_given() -> None:
    t = revenge(pile="y1").play("0:give:1")
    drawn = next(event for event in t.events if event.what == "draw")
    assert view_event(drawn, 1).cards == ("y1",)
    assert view_event(drawn, 0).cards is view_event(drawn, 2).cards is None


@pytest.mark.clause("Q7")
def test_a_short_pile_is_renewed_for_the_gift() -> None:
    t = revenge(pile="y1", rest="discard").play(*["0:give:1"] * 4)
    assert (t.counts, t.phase, t.state["renewals"]) == ([2, 6, 2], "turn", 1)


@pytest.mark.clause("Q7", "Q15")
def test_where_fewer_than_four_cards_exist_those_are_given() -> None:
    hands = ["WG b1 b2", "g1 g2", "g3 g4"]
    t = table("revenge", hands, "b7", pile="y1", rest=2).play("0:WG:r")
    t.play("0:give:1", "0:give:1")  # y1, then the blue 7 of the renewed pile
    assert (t.hand(1), t.turn, t.phase) == ("b7 g1 g2 y1", 1, "turn")


@pytest.mark.clause("A11")
def test_everybody_drops_and_the_last_to_do_so_draws_two() -> None:
    t = chili()
    assert [t.legal(seat) for seat in range(3)] == [{"drop"}] * 3
    t.play("1:drop", "0:drop")
    assert (t.counts, t.phase) == ([2, 2, 4], "turn")


@pytest.mark.clause("A11")
def test_who_played_the_chili_card_races_too() -> None:
    assert chili().play("1:drop", "2:drop").counts == [4, 2, 2]


@pytest.mark.clause("Q8", "A11")
def test_the_color_is_named_before_the_race_and_nobody_misses_a_turn() -> None:
    t = chili()
    assert (t.phase, t.color) == ("race", "p")
    t.play("2:drop", "0:drop")
    assert (t.turn, t.phase, t.color, t.state["dropped"]) == (1, "turn", "p", [])


@pytest.mark.clause("Q8")
def test_nobody_drops_twice_and_nothing_else_is_done_in_a_race() -> None:
    t = chili().play("1:drop")
    assert t.legal(1) == set()
    assert t.refuses("1:g1", "1:draw", "0:b1")


@pytest.mark.clause("Q8")
def test_without_anybody_to_race_chance_decides_who_is_last() -> None:
    tables = [chili(race="chance", seed=seed) for seed in range(30)]
    assert {t.phase for t in tables} == {"turn"}
    assert {tuple(t.counts) for t in tables} == {(4, 2, 2), (2, 4, 2), (2, 2, 4)}


@pytest.mark.clause("Q8")
def test_chance_decides_every_race_of_a_round_anew() -> None:
    last = set()
    for seed in range(30):
        t = table("chili", ["WC b1 b2", "WC g1 g2"], "b7", race="chance", seed=seed)
        before = t.play("0:WC:b").counts
        after = t.play("1:WC:b").counts
        last.add((before[1] > 3, after[1] > before[1]))
    assert len(last) == 4


@pytest.mark.clause("A12", "Q9")
def test_a_triforce_is_answered_by_a_marked_card_of_the_named_color_only() -> None:
    t = triforce("t3 t9 t4 tS b6 W W4 WT")
    assert (t.color, t.turn, t.phase, t.due) == ("t", 1, "demand", 3)
    assert t.legal(1) == {"t3", "t9"}


@pytest.mark.clause("A12", "Q9")
def test_holding_several_any_of_them_answers_and_play_goes_on() -> None:
    t = triforce("t3 t9 t4").play("1:t9")
    assert (t.turn, t.phase, t.due, t.color) == (2, "turn", 0, "t")


@pytest.mark.clause("A12")
def test_who_has_no_answer_draws_three() -> None:
    t = triforce("t4 b6 W", pile="t6 b3 b8 g9")
    assert t.legal(1) == {"draw"}
    assert (t.play("1:draw").counts, t.state["pile"][0]) == ([2, 6, 3], "g9")


@pytest.mark.clause("Q9")
def test_drawing_the_three_ends_the_turn_and_the_demand() -> None:
    """Even when an answer is among them; the next player matches the color as usual."""
    t = triforce("t4 b6 W", pile="t6 t3 t9").play("1:draw")
    assert (t.turn, t.phase, t.due) == (2, "turn", 0)
    assert t.cards(2) == {"t1"}


@pytest.mark.clause("Q9")
def test_as_a_variant_who_holds_an_answer_may_draw_the_three_instead() -> None:
    t = triforce("t3 t4 b6", demand="may")
    assert t.legal(1) == {"t3", "draw"}
    assert t.play("1:draw").counts == [2, 6, 3]


@pytest.mark.clause("Q9", "Q15")
def test_a_demand_takes_no_more_than_there_is() -> None:
    hands = ["WT b1", "t4 b6", "t1"]
    t = table("triforce", hands, "b7", rest=2).play("0:WT:t", "1:draw")
    assert (t.hand(1), t.turn, t.phase) == ("b6 b7 t4", 2, "turn")


@pytest.mark.clause("Q9", "Q16")
def test_a_demand_with_nothing_to_draw_is_a_pass() -> None:
    hands = ["b1 b2", "t4 b6", "t1"]
    t = table("triforce", hands, "WT", rest=2, turn=1, phase="demand", color="t").play("1:draw")
    assert (t.counts[1], t.turn, t.phase, t.state["passes"]) == (2, 2, "turn", 1)
