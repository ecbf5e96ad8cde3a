"""Draw cards on draw cards (H1), and how that goes with challenges, last cards and the like."""

from typing import Any

import pytest

from tests.rules.table import Table, deal_turning, table

stacking_on = pytest.mark.parametrize("stacking", ["same", "four_on_two"])


def fours(edition: str = "classic", bluff: bool = False, **more: Any) -> Table:
    """Seat 0 and seat 1 have each put down a Wild Draw Four; seat 2 faces eight cards."""
    second = "W4 g1 y1" if bluff else "W4 r1 y1"  # seat 0 names green
    if edition == "violet":
        second = second.replace("r", "u").replace("y", "p")
    hands = ["W4 g2 g3", second, "W4 g4 b5", "g6 b6"]
    t = table(edition, hands, "b7", stacking="same", **more)
    return t.play("0:W4:g", "1:W4:b")


@pytest.mark.clause("H1")
@stacking_on
def test_a_draw_two_on_a_draw_two_passes_the_draw_on_and_adds_up(stacking: str) -> None:
    hands = ["b+2 g1 g2", "g+2 g3 g4", "y5 y6", "y7 y8"]
    t = table("classic", hands, "b7", stacking=stacking).play("0:b+2")
    assert (t.turn, t.phase, t.due, t.counts[1]) == (1, "stack", 2, 3)
    t.play("1:g+2")
    assert (t.turn, t.phase, t.due, t.counts[2]) == (2, "stack", 4, 2)
    t.play("2:draw")
    assert (t.turn, t.phase, t.due, t.counts) == (3, "turn", 0, [2, 2, 6, 2])


@pytest.mark.clause("H1")
def test_off_by_default() -> None:
    t = table("classic", ["b+2 g1 g2", "g+2 g3", "y5"], "b7").play("0:b+2")
    assert (t.phase, t.turn, t.counts) == ("turn", 2, [2, 4, 1])


@pytest.mark.clause("H1")
@pytest.mark.parametrize(
    ("stacking", "answers"), [("same", {"g+2", "b+2"}), ("four_on_two", {"g+2", "b+2", "W4"})]
)
def test_what_answers_a_draw_two(stacking: str, answers: set[str]) -> None:
    hands = ["b+2 g1 g2", "g+2 b+2 b3 W W4", "y5"]
    t = table("classic", hands, "b7", stacking=stacking).play("0:b+2")
    assert t.cards(1) == answers
    assert "draw" in t.legal(1)
    assert t.refuses("1:accept", "1:challenge", "2:draw")


@pytest.mark.clause("H1")
@stacking_on
def test_only_a_wild_draw_four_answers_a_wild_draw_four(stacking: str) -> None:
    hands = ["W4 g1 g2", "g+2 b+2 g3 W W4", "y5"]
    t = table("classic", hands, "b7", stacking=stacking).play("0:W4:g")
    assert t.cards(1) == {"W4"}
    t = table("classic", ["b+2 g1 g2", "W4 g3", "g+2 b+2 y5"], "b7", stacking="four_on_two")
    t.play("0:b+2", "1:W4:g")
    assert (t.due, t.cards(2)) == (6, set())


@pytest.mark.clause("H1")
def test_wild_draw_fours_add_up_and_the_last_named_color_stands() -> None:
    t = fours()
    assert (t.turn, t.phase, t.due) == (2, "stack", 8)
    t.play("2:draw")
    assert (t.turn, t.phase, t.color, t.counts) == (3, "turn", "b", [2, 2, 11, 2])


@pytest.mark.clause("H1", "A2")
def test_the_draw_passes_on_in_the_direction_of_play() -> None:
    hands = ["b+2 g1 g2", "y1 y2", "g+2 y5 y6"]
    t = table("classic", hands, "b7", stacking="same", direction=-1).play("0:b+2", "2:g+2")
    assert (t.turn, t.due) == (1, 4)


@pytest.mark.clause("H1", "Q4")
def test_with_two_players_it_goes_to_and_fro() -> None:
    t = table("classic", ["b+2 g+2 g2", "b+2 y2"], "b7", stacking="same")
    t.play("0:b+2", "1:b+2", "0:g+2", "1:draw")
    assert (t.counts, t.turn) == ([1, 7], 0)


@pytest.mark.clause("H1", "A7", "A9")
def test_challenged_and_guilty_the_player_of_the_card_draws_the_whole_stack() -> None:
    t = fours(bluff=True).play("2:challenge")
    assert (t.counts, t.turn, t.phase, t.due, t.color) == ([2, 10, 3, 2], 2, "turn", 0, "b")
    assert t.cards(2) == {"b5", "W4"}


@pytest.mark.clause("H1", "A8")
def test_challenged_and_innocent_the_challenger_draws_the_stack_and_two() -> None:
    t = fours().play("2:challenge")
    assert (t.counts, t.turn, t.phase) == ([2, 2, 13, 2], 3, "turn")


@pytest.mark.clause("H1", "A6")
def test_only_the_last_hand_of_a_stack_is_shown() -> None:
    assert fours().play("2:challenge").sees(2).shown == {"of": 1, "cards": ["r1", "y1"]}


@pytest.mark.clause("H1", "Q5")
@pytest.mark.parametrize(("held", "counts"), [("b1", [2, 8, 3]), ("g1", [2, 2, 11])])
def test_on_a_draw_two_its_color_decides_the_verdict(held: str, counts: list[int]) -> None:
    hands = ["b+2 g7 g2", f"W4 {held} y1", "y5 y6 y7"]
    t = table("classic", hands, "b7", stacking="four_on_two")
    assert t.play("0:b+2", "1:W4:y", "2:challenge").counts == counts


@pytest.mark.clause("H1", "Q6", "A9")
def test_where_anybody_may_challenge_one_who_is_right_leaves_the_victim_a_turn() -> None:
    t = fours("violet", bluff=True).play("3:challenge")
    assert (t.counts, t.turn, t.phase) == ([2, 10, 3, 2], 2, "turn")


@pytest.mark.clause("H1", "Q6", "A9")
def test_where_anybody_may_challenge_one_who_is_wrong_draws_and_the_victim_misses_the_turn() -> (
    None
):
    t = fours("violet").play("3:challenge")
    assert (t.counts, t.turn, t.phase) == ([2, 2, 3, 12], 3, "turn")


@pytest.mark.clause("H1", "Q6", "A9")
def test_who_began_the_stack_may_challenge_who_put_the_last_card_on_it_may_not() -> None:
    t = fours("violet", bluff=True)
    assert "challenge" in t.legal(0)
    assert t.refuses("1:challenge")
    assert t.play("0:challenge").counts == [2, 10, 3, 2]
    assert fours("classic").refuses("0:challenge", "3:challenge")


@pytest.mark.clause("H1", "S5")
def test_a_turned_draw_two_cannot_be_answered() -> None:
    t = deal_turning("+2", "classic", 3, stacking="four_on_two")
    assert (t.phase, t.turn) == ("turn", (t.dealer + 2) % 3)
    assert t.counts[(t.dealer + 1) % 3] == 9


@pytest.mark.clause("H1", "G5")
def test_a_draw_two_as_the_last_card_cannot_be_answered_and_brings_the_whole_stack() -> None:
    hands = ["b+2 y1", "g+2", "b+2 y5"]
    t = table("classic", hands, "b7", stacking="same", pile="g1 g2 g3 g4").play("0:b+2", "1:g+2")
    assert (t.over, t.winner, t.counts) == ("round", 1, [1, 0, 6])
    # P1: 1, and 20 + 5 with the four drawn: 1 + 2 + 3 + 4
    assert t.scores == [0, 1 + 25 + 10, 0]


@pytest.mark.clause("H1", "Q13")
@pytest.mark.parametrize(("answer", "drawn"), [("2:accept", 8), ("2:challenge", 10)])
def test_a_wild_draw_four_as_the_last_card_waits_and_brings_the_whole_stack(
    answer: str, drawn: int
) -> None:
    t = table("classic", ["W4 g2", "W4", "W4 b5"], "b7", stacking="same")
    t.play("0:W4:g", "1:W4:b")
    assert (t.phase, t.due) == ("challenge", 8)
    assert t.legal(2) >= {"accept", "challenge"}
    assert t.cards(2) == set()
    t.play(answer)
    assert (t.over, t.winner, t.counts) == ("round", 1, [1, 0, 2 + drawn])


@pytest.mark.clause("H1", "Q13", "Q6", "A9")
def test_where_anybody_may_challenge_that_one_too_draws_the_stack_and_two() -> None:
    t = table("violet", ["W4 g2", "W4", "W4 b5"], "b7", stacking="same")
    t.play("0:W4:g", "1:W4:b", "0:challenge")
    assert (t.over, t.winner, t.counts) == ("round", 1, [11, 0, 2])


@pytest.mark.clause("H1", "H6")
def test_without_bluffing_a_stack_cannot_be_challenged() -> None:
    hands = ["W4 g2 g3", "W4 r1 y1", "W4 g4 g5"]
    t = table("classic", hands, "b7", stacking="same", no_bluffing=True).play("0:W4:g", "1:W4:b")
    assert t.legal(2) == {"W4:b", "W4:g", "W4:r", "W4:y", "draw"}
    assert t.refuses("2:challenge", "2:accept")
    assert t.play("2:draw").counts == [2, 2, 11]


@pytest.mark.clause("H1", "H6")
def test_without_bluffing_an_illegal_wild_draw_four_does_not_answer_a_stack() -> None:
    hands = ["W4 g2 g3", "W4 g1 y1"]
    t = table("classic", hands, "b7", stacking="same", no_bluffing=True).play("0:W4:g")
    assert t.legal(1) == {"draw"}


@pytest.mark.clause("H1", "H6", "G5")
def test_without_bluffing_the_last_cards_victim_draws_the_stack_at_once() -> None:
    t = table("classic", ["W4 g2", "W4", "W4 b5"], "b7", stacking="same", no_bluffing=True)
    t.play("0:W4:g", "1:W4:b")
    assert (t.over, t.counts) == ("round", [1, 0, 10])


@pytest.mark.clause("H1", "H5")
def test_with_forced_play_who_can_answer_a_stack_must() -> None:
    hands = ["b+2 g1 g2", "g+2 g3 g4"]
    t = table("classic", hands, "b7", stacking="same", forced_play=True).play("0:b+2")
    assert t.legal(1) == {"g+2"}


@pytest.mark.clause("H1", "H5", "Q19")
def test_with_forced_play_nobody_must_answer_a_stack_by_a_bluff() -> None:
    """The Wild Draw Four is a bluff while a card of the color in play is held."""
    for held, draw in (("b3", True), ("g3", False)):
        hands = ["b+2 g1 g2", f"W4 {held} g4"]
        t = table("classic", hands, "b7", stacking="four_on_two", forced_play=True).play("0:b+2")
        assert ("draw" in t.legal(1)) is draw
        assert "W4" in t.cards(1)


@pytest.mark.clause("H1", "H4")
def test_a_stack_is_no_draw_until_something_can_be_played() -> None:
    hands = ["b+2 g1 g2", "y3 y4", "y5"]
    t = table("classic", hands, "b7", stacking="same", draw_until_playable=True, pile="b1 b2 b3")
    t.play("0:b+2", "1:draw")
    assert (t.counts, t.turn) == ([2, 4, 1], 2)


@pytest.mark.clause("H1", "Q15")
def test_of_a_stack_is_drawn_what_there_is() -> None:
    hands = ["b+2 g1 g2", "y3 y4", "y5"]
    t = table("classic", hands, "b7", stacking="same", rest=2).play("0:b+2", "1:draw")
    assert (t.hand(1), t.turn, t.phase) == ("b7 y3 y4", 2, "turn")
