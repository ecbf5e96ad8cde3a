"""When a call counts, and what a catch costs (Q11, Q12)."""

from typing import Any

import pytest

from tests.rules.table import Table, table


def silent(edition: str = "classic", **more: Any) -> Table:
    """Seat 0 has played down to one card and has not called."""
    hands = ["b1 g1", "b2 b3 g2", "b4 b5 g4"]
    return table(edition, hands, "b7", **more).play("0:b1")


@pytest.mark.clause("Q11")
def test_a_call_is_legal_on_ones_own_turn_with_two_cards() -> None:
    t = table("classic", ["b1 g1", "b2 b3"], "b7")
    assert "call" in t.legal(0)
    assert "call" not in t.legal(1)  # two cards, but not the turn
    assert table("classic", ["b1 g1 g2", "b2"], "b7").refuses("0:call")
    assert table("classic", ["b1", "b2"], "b7").refuses("0:call")


@pytest.mark.clause("Q11")
def test_nobody_calls_twice() -> None:
    assert table("classic", ["b1 g1", "b2 b3"], "b7").play("0:call").refuses("0:call")


@pytest.mark.clause("Q11")
def test_a_call_is_legal_after_drawing_too() -> None:
    t = table("classic", ["g1", "b2 b3", "g5"], "b7", pile="b9").play("0:draw", "0:call", "0:b9")
    assert (t.called, t.exposed) == ([0], [])


@pytest.mark.clause("Q11", "A12", "H1")
def test_a_call_is_legal_before_answering_a_demand_or_a_stack() -> None:
    demand = table("triforce", ["WT b1 b2", "t3 g1"], "b7").play("0:WT:t", "1:call", "1:t3")
    assert demand.exposed == []
    stack = table("classic", ["b+2 b1 b2", "g+2 g1"], "b7", stacking="same")
    assert stack.play("0:b+2", "1:call", "1:g+2").exposed == []


@pytest.mark.clause("Q11")
def test_who_has_to_accept_or_challenge_has_nothing_to_call_yet() -> None:
    t = table("classic", ["W4 b1 b2", "g1 g2"], "b7").play("0:W4:g")
    assert t.refuses("1:call")


@pytest.mark.clause("Q11")
def test_called_late_but_before_anybody_caught_it_counts() -> None:
    t = silent().play("0:call")
    assert (t.called, t.exposed) == ([0], [])
    assert t.refuses("1:catch", "2:catch")


@pytest.mark.clause("Q11", "A4")
def test_choosing_a_color_does_not_stand_in_the_way_of_the_call() -> None:
    """A fault seen elsewhere: the color picker hides the call button."""
    hands = ["W g1", "b2 b3"]
    assert table("classic", hands, "b7").play("0:call", "0:W:g").exposed == []
    assert table("classic", hands, "b7").play("0:W:g", "0:call").exposed == []


@pytest.mark.clause("Q11")
def test_a_call_not_followed_by_a_play_lapses_at_the_end_of_the_turn() -> None:
    t = table("revenge", ["g1", "b2 b3", "g5 g6"], "b7", pile="b9").play("0:draw", "0:call")
    assert t.play("0:keep").called == []
    t.play("1:b2", "2:draw", "2:keep", "0:b9")
    assert t.exposed == [0]


@pytest.mark.clause("Q11")
def test_a_stale_call_does_not_survive_a_draw() -> None:
    """A fault seen elsewhere."""
    t = table("revenge", ["b1 g1", "b2 b3"], "b7", pile="g9").play("0:call", "0:draw")
    assert (t.called, t.refuses("0:call")) == ([], True)


@pytest.mark.clause("Q11")
@pytest.mark.parametrize("moves", [["1:b+2"], ["1:WG:r", "1:give:0"], ["1:W4:r", "0:accept"]])
def test_a_card_gained_in_any_way_ends_call_and_exposure(moves: list[str]) -> None:
    hands = ["g1", "b+2 WG W4 b4"]
    assert table("revenge", hands, "b7", turn=1, called=[0]).play(*moves).called == []
    t = table("revenge", hands, "b7", turn=1, exposed=[0], catch_window="open").play(*moves)
    assert (t.exposed, t.refuses("1:catch")) == ([], True)


@pytest.mark.clause("Q11", "H3")
def test_a_jump_in_lets_the_call_of_the_player_on_turn_lapse() -> None:
    hands = ["b1 b9 g9", "b2 g1", "b1 g3 g4"]
    t = table("classic", hands, "b7", jump_in=True).play("0:b1", "1:call", "2:b1")
    assert t.called == []


@pytest.mark.clause("Q11", "Q16")
def test_a_call_lapses_when_the_turn_is_passed_with_nothing_to_draw() -> None:
    t = table("classic", ["g1 g2", "y1"], "b7", rest=1).play("0:call", "0:draw")
    assert (t.turn, t.called) == (1, [])


@pytest.mark.clause("Q11", "Q6", "H1")
def test_the_call_of_a_victim_who_misses_the_turn_lapses() -> None:
    hands = ["W4 g1 g2", "b1 g3", "g4 g5"]
    t = table("violet", hands, "b7", stacking="same").play("0:W4:g", "1:call", "2:challenge")
    assert (t.counts, t.turn, t.called) == ([2, 2, 8], 2, [])


@pytest.mark.clause("Q12")
def test_a_catch_with_nobody_exposed_is_refused_and_costs_nothing() -> None:
    """A fault seen elsewhere: who keeps pressing the button always wins."""
    t = table("classic", ["b1 g1", "b2 b3", "b4 b5"], "b7")
    assert t.refuses("1:catch", "2:catch", "1:catch")
    assert t.play("0:b1").counts == [1, 2, 2]
    assert t.play("0:call").refuses("1:catch")


@pytest.mark.clause("Q12")
def test_nobody_catches_themselves() -> None:
    assert silent().refuses("0:catch")


@pytest.mark.clause("Q12")
def test_the_same_miss_is_punished_once() -> None:
    """A fault seen elsewhere."""
    t = silent().play("1:catch")
    assert t.refuses("1:catch", "2:catch")
    t = silent("violet").play("1:catch", "1:b2")
    assert t.refuses("1:catch", "2:catch")


@pytest.mark.clause("Q12", "Q15")
def test_a_miss_caught_with_nothing_to_draw_is_punished_all_the_same() -> None:
    t = table("violet", ["g1", "b2 b3", "b4"], "b7", rest=2, exposed=[0], turn=1)
    assert t.play("1:catch").counts[0] == 1
    assert (t.exposed, t.refuses("1:catch")) == ([], True)


@pytest.mark.clause("Q12", "G2")
def test_a_catch_moves_neither_the_turn_nor_what_is_pending() -> None:
    t = table("classic", ["W4 g1", "b2 b3", "b4"], "b7").play("0:W4:r", "2:catch")
    assert (t.turn, t.phase, t.due) == (1, "challenge", 4)


@pytest.mark.clause("Q12")
def test_who_is_exposed_cannot_play_on_in_the_meantime() -> None:
    """A fault seen elsewhere: acting twice in the grace period."""
    t = silent()
    assert t.legal(0) == {"call"}
    assert t.refuses("0:g1", "0:draw")


@pytest.mark.clause("Q12")
@pytest.mark.parametrize(
    ("direction", "drawn"),
    [(1, {3: "y3 y4", 0: "y5 y6"}), (-1, {0: "y3 y4", 3: "y5 y6"})],
)
def test_everybody_exposed_draws_in_order_of_play_from_the_catcher(
    direction: int, drawn: dict[int, str]
) -> None:
    t = table(
        "classic",
        ["g1", "b2 b3", "b4 b5", "g2"],
        "b7",
        pile="y3 y4 y5 y6",
        turn=2,
        direction=direction,
        catch_window="open",
        exposed=[0, 3],
    )
    t.play("1:catch" if direction == -1 else "2:catch")
    assert {0: t.hand(0)[3:], 3: t.hand(3)[3:]} == drawn


@pytest.mark.clause("Q12")
def test_the_catcher_is_spared_though_exposed() -> None:
    t = table("violet", ["g1", "b2 b3", "g2"], "b7", turn=1, exposed=[0, 2]).play("0:catch")
    assert (t.counts, t.exposed) == ([1, 2, 3], [0])
    assert t.play("2:catch").counts == [3, 2, 3]
