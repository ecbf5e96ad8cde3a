"""The call and being caught without it (G1 to G3, Q10 to Q12)."""

from typing import Any

import pytest

from penultima.edition import SHIPPED
from tests.rules.table import Table, deal, deal_turning, table

in_every_edition = pytest.mark.parametrize("edition", SHIPPED)
begun = pytest.mark.parametrize("edition", ["revenge", "chili", "triforce"])


def silent(edition: str, **more: Any) -> Table:
    """Seat 0 has played down to one card and has not called."""
    hands = ["b1 g1", "b2 b3 g2", "b4 b5 g4"]
    return table(edition, hands, "b7", **more).play("0:b1")


@pytest.mark.clause("G1", "G2")
@in_every_edition
def test_who_did_not_call_and_is_caught_draws_two(edition: str) -> None:
    t = silent(edition)
    assert t.exposed == [0]
    assert t.play("2:catch").counts == [3, 3, 3]
    assert (t.turn, t.phase) == (1, "turn")


@pytest.mark.clause("G1", "G2")
@in_every_edition
def test_who_called_cannot_be_caught(edition: str) -> None:
    t = table(edition, ["b1 g1", "b2 b3", "b4 b5"], "b7").play("0:call", "0:b1")
    assert (t.called, t.exposed) == ([0], [])
    assert t.refuses("1:catch", "2:catch")


@pytest.mark.clause("G1")
def test_with_two_cards_or_more_left_nothing_is_to_be_called() -> None:
    t = table("classic", ["b1 g1 g2", "b2 b3"], "b7").play("0:b1")
    assert (t.exposed, t.refuses("1:catch")) == ([], True)


@pytest.mark.clause("G1")
def test_on_holding_one_card_however_it_came_about() -> None:
    """Violet, dealt one card each: all hold one, and none has called."""
    t = deal_turning("5", "violet", 3, hand_size=1)
    assert t.exposed == [0, 1, 2]
    assert deal_turning("5", "classic", 3, hand_size=1).exposed == []
    assert deal("violet", 3, hand_size=2).exposed == []
    assert deal_turning("5", "classic", 3, hand_size=1, call_duty="holding").exposed == [0, 1, 2]


@pytest.mark.clause("G1", "Q11", "S5")
def test_who_draws_for_a_turned_draw_two_holds_more_than_one_card() -> None:
    t = deal_turning("+2", "violet", 3, hand_size=1)
    assert (t.dealer + 1) % 3 not in t.exposed
    assert len(t.exposed) == 2


@pytest.mark.clause("G2")
@begun
@pytest.mark.parametrize("begins", ["1:b2", "1:draw"])
def test_too_late_once_the_next_player_has_begun_a_turn(edition: str, begins: str) -> None:
    t = silent(edition, pile="g9").play(begins)
    assert t.exposed == []
    assert t.refuses("1:catch", "2:catch", "0:call")
    assert t.counts[0] == 1


@pytest.mark.clause("G2")
def test_in_classic_still_in_time_between_drawing_and_playing_or_keeping() -> None:
    t = silent("classic", pile="g9").play("1:draw")
    assert "catch" in t.legal(2)
    assert t.play("2:catch").counts[0] == 3


@pytest.mark.clause("G2")
@pytest.mark.parametrize(("drawn", "move"), [("g9", "1:keep"), ("b9", "1:b9")])
def test_in_classic_too_late_once_the_next_player_has_made_a_move(drawn: str, move: str) -> None:
    t = silent("classic", pile=drawn).play("1:draw", move)
    assert (t.exposed, t.refuses("1:catch", "2:catch")) == ([], True)
    assert silent("classic").play("1:b2").refuses("2:catch")


@pytest.mark.clause("G3")
def test_in_violet_there_is_no_end_while_the_card_is_held_and_not_called() -> None:
    t = silent("violet", pile="g9").play("1:draw", "1:keep", "2:b4")
    assert (t.turn, t.exposed) == (0, [0])
    assert t.play("1:catch").counts[0] == 3


@pytest.mark.clause("G3", "H1")
def test_in_violet_a_stack_drawn_does_not_end_it_either() -> None:
    t = table("violet", ["b+2 g1", "b2 b3", "b4"], "b7", stacking="same").play("0:b+2", "1:draw")
    assert t.exposed == [0]


@pytest.mark.clause("G3", "Q11")
def test_in_violet_a_card_drawn_or_a_late_call_ends_it() -> None:
    later = silent("violet", pile="g9").play("1:b2", "2:b4")
    assert later.play("0:draw").exposed == []
    called = silent("violet").play("1:b2", "2:b4", "0:call")
    assert called.refuses("1:catch", "2:catch")


@pytest.mark.clause("G2", "G3")
def test_a_table_may_set_another_window() -> None:
    assert silent("classic", catch_window="begun").play("1:draw").exposed == []
    assert silent("violet", catch_window="made").play("1:b2").exposed == []
    assert silent("revenge", catch_window="open").play("1:b2", "2:b4").exposed == [0]


@pytest.mark.clause("Q10")
def test_the_same_players_next_turn_after_a_two_player_skip_ends_the_window() -> None:
    t = table("revenge", ["bS g1", "b2 b3"], "b7", pile="g9").play("0:bS")
    assert (t.turn, "catch" in t.legal(1)) == (0, True)
    assert t.play("0:draw").refuses("1:catch")


@pytest.mark.clause("Q10")
def test_a_forced_draw_begins_nothing() -> None:
    t = table("revenge", ["b+2 g1", "b2 b3", "b4"], "b7").play("0:b+2")
    assert (t.counts[1], t.turn) == (4, 2)
    assert t.play("2:catch").counts[0] == 3


@pytest.mark.clause("Q10")
@pytest.mark.parametrize("answer", ["1:accept", "1:challenge"])
def test_accepting_and_challenging_begin_nothing(answer: str) -> None:
    t = table("revenge", ["W4 g1", "b2 b3", "b4"], "b7").play("0:W4:r")
    assert "catch" in t.legal(1)
    assert t.play(answer).exposed == [0]
    assert t.play("1:catch").counts[0] == 3


@pytest.mark.clause("Q10")
def test_giving_begins_nothing() -> None:
    t = table("revenge", ["WG g1", "b2 b3", "b4"], "b7").play("0:WG:r", "0:give:1")
    assert "catch" in t.legal(2)
    t.play("0:give:1", "0:give:1", "0:give:1")
    assert t.play("2:catch").counts[0] == 3


@pytest.mark.clause("Q10")
def test_dropping_begins_nothing() -> None:
    t = table("chili", ["WC g1", "b2 b3", "b4 b5"], "b7").play("0:WC:p", "0:drop")
    assert "catch" in t.legal(1)
    assert t.play("1:drop").exposed == [0]
    assert t.play("2:catch").counts == [3, 2, 4]


@pytest.mark.clause("Q10", "H2")
def test_swapping_begins_nothing() -> None:
    hands = ["b7 g1", "b2 b3", "b4 b5"]
    t = table("revenge", hands, "b6", seven_zero=True).play("0:b7")
    assert "catch" in t.legal(2)
    assert t.play("0:swap:1").exposed == [1]
    assert t.play("2:catch").counts == [2, 3, 2]


@pytest.mark.clause("Q10")
def test_naming_a_color_begins_nothing() -> None:
    t = deal_turning("W", "violet", 3, hand_size=1, catch_window="begun")
    namer, dealer = t.turn, t.dealer
    assert "catch" in t.legal(dealer)
    assert t.play(f"{namer}:color:g").exposed == [0, 1, 2]
    assert t.play(f"{dealer}:catch").counts[namer] == 3


@pytest.mark.clause("Q10")
def test_calling_and_catching_begin_nothing() -> None:
    t = table("revenge", ["b1 g1", "b2 g2", "b4 b5"], "b7").play("0:b1", "1:call")
    assert t.play("2:catch").counts == [3, 2, 2]
    t = table("violet", ["b1 g1", "b2 g2", "b4 b5", "g5"], "b7", catch_window="begun", exposed=[3])
    assert t.play("1:catch").counts[3] == 3


@pytest.mark.clause("Q10", "A12")
def test_the_three_of_a_demand_begin_a_turn() -> None:
    t = table("triforce", ["WT g1", "b2 b3", "b4"], "b7").play("0:WT:t")
    assert "catch" in t.legal(2)
    assert t.play("1:draw").refuses("2:catch")
    made = table("triforce", ["WT g1", "b2 b3", "b4"], "b7", catch_window="made")
    assert made.play("0:WT:t", "1:draw").exposed == []


@pytest.mark.clause("Q10", "H1")
@pytest.mark.parametrize("edition", ["classic", "revenge"])
def test_drawing_a_stack_begins_a_turn(edition: str) -> None:
    t = table(edition, ["b+2 g1", "b2 b3", "b4"], "b7", stacking="same").play("0:b+2")
    assert "catch" in t.legal(2)
    assert t.play("1:draw").refuses("2:catch")
