"""A Wild Draw Four in doubt (A6 to A9, Q5, Q6)."""

from typing import Any

import pytest

from penultima.view import SPECTATOR, view_event
from tests.rules.table import Table, table

but_violet = pytest.mark.parametrize("edition", ["classic", "revenge", "chili", "triforce"])


def bluff(edition: str = "classic", **more: Any) -> Table:
    """Seat 0 has put down a Wild Draw Four on blue while holding blue."""
    hands = ["W4 b1 g2", "g1 g3", "g4 g5", "g2 g7"]
    return table(edition, hands, "b7", **more).play("0:W4:g")


def honest(edition: str = "classic", **more: Any) -> Table:
    hands = ["W4 g1 g2", "b1 g3", "g4 g5", "g6 g7"]
    return table(edition, hands, "b7", **more).play("0:W4:g")


@pytest.mark.clause("A6")
def test_the_hand_is_shown_to_the_challenger_and_to_nobody_else() -> None:
    t = bluff().play("1:challenge")
    assert t.sees(1).shown == {"of": 0, "cards": ["b1", "g2"]}
    assert [t.sees(seat).shown for seat in (0, 2, 3, SPECTATOR)] == [None] * 4
    shown = next(event for event in t.events if event.what == "show")
    assert view_event(shown, 1).cards == ("b1", "g2")
    assert [view_event(shown, seat).cards for seat in (0, 2, 3, SPECTATOR)] == [None] * 4


@pytest.mark.clause("A6")
def test_what_is_drawn_after_the_challenge_is_not_shown() -> None:
    t = bluff(pile="y1 y2 y3 y4").play("1:challenge")
    assert t.hand(0) == "b1 g2 y1 y2 y3 y4"
    assert t.sees(1).shown == {"of": 0, "cards": ["b1", "g2"]}


@pytest.mark.clause("A6")
def test_of_a_hand_once_shown_the_challenger_knows_what_is_left() -> None:
    """Neither another's green 2 nor a green 9 drawn later is taken from it."""
    t = bluff(pile="g9 y1 y2 y3").play("1:challenge", "1:g1", "2:g4", "3:g2", "0:g9")
    assert t.sees(1).shown == {"of": 0, "cards": ["b1", "g2"]}
    t = bluff(pile="g9 y1 y2 y3").play("1:challenge", "1:g1", "2:g4", "3:g2", "0:g2")
    assert t.sees(1).shown == {"of": 0, "cards": ["b1"]}


@pytest.mark.clause("A7", "Q5")
def test_guilty_the_challenged_player_draws_the_four_and_the_challenger_plays() -> None:
    """A fault seen elsewhere: who challenges rightly still loses the turn."""
    t = bluff().play("1:challenge")
    assert t.counts == [6, 2, 2, 2]
    assert (t.turn, t.phase, t.due, t.color) == (1, "turn", 0, "g")
    assert t.play("1:g1").turn == 2


@pytest.mark.clause("Q5")
def test_guilty_the_named_color_stands_and_the_turn_is_a_normal_one() -> None:
    t = bluff(pile="r1 r2 r3 r4 g9").play("1:challenge")
    assert t.legal(1) == {"g1", "g3", "draw", "call"}
    assert t.play("1:draw", "1:g9").turn == 2


@pytest.mark.clause("A8")
def test_innocent_the_challenger_draws_six_and_the_turn_is_lost() -> None:
    t = honest().play("1:challenge")
    assert t.counts == [2, 8, 2, 2]
    assert (t.turn, t.phase, t.color) == (2, "turn", "g")


@pytest.mark.clause("Q5", "A5")
def test_accepting_draws_the_four_and_loses_the_turn_in_one_step() -> None:
    t = bluff().play("1:accept")
    assert (t.counts, t.turn, t.phase) == ([2, 6, 2, 2], 2, "turn")


@pytest.mark.clause("Q5")
def test_while_it_waits_the_victim_can_only_accept_or_challenge() -> None:
    assert honest().legal(1) == {"accept", "challenge"}


@pytest.mark.clause("A9")
@but_violet
def test_only_who_has_to_draw_may_challenge(edition: str) -> None:
    t = bluff(edition)
    assert "challenge" in t.legal(1)
    assert t.refuses("0:challenge", "2:challenge", "3:challenge", "2:accept")


@pytest.mark.clause("A9")
def test_in_violet_anybody_may_challenge() -> None:
    t = bluff("violet")
    assert all("challenge" in t.legal(seat) for seat in (1, 2, 3))
    assert t.refuses("2:accept")


@pytest.mark.clause("A9")
def test_a_table_may_let_anybody_challenge() -> None:
    assert bluff("classic", challengers="anybody").legal(3) == {"challenge"}
    assert bluff("violet", challengers="victim").legal(3) == set()


@pytest.mark.clause("Q5")
def test_what_is_drawn_later_convicts_nobody() -> None:
    """Caught with one card, the player of the Wild Draw Four draws two of the color in doubt."""
    t = table("classic", ["W4 g1", "g3 g4", "g5"], "b7", pile="b1 b2").play("0:W4:g", "2:catch")
    assert t.hand(0) == "b1 b2 g1"
    assert t.play("1:challenge").counts == [3, 8, 1]


@pytest.mark.clause("Q5", "A5")
@pytest.mark.parametrize(("named", "guilty"), [("b", True), ("r", False)])
def test_the_color_in_force_decides_not_the_one_the_wild_draw_four_names(
    named: str, guilty: bool
) -> None:
    """A fault seen elsewhere: the new color decides, or that of the card beneath a Wild."""
    t = table("classic", ["W4 b1 y2", "g3 g4", "g5"], "y5 W", color=named).play("0:W4:y")
    assert t.play("1:challenge").counts == ([6, 2, 1] if guilty else [2, 8, 1])


@pytest.mark.clause("Q5", "Q20", "T4")
def test_a_bluff_with_the_card_just_drawn_can_be_punished() -> None:
    """A fault seen elsewhere."""
    t = table("classic", ["b1 g2", "g3 g4", "g5"], "b7", pile="W4")
    assert t.play("0:draw", "0:W4:r", "1:challenge").counts == [6, 2, 1]


@pytest.mark.clause("Q6")
def test_the_player_of_the_card_never_challenges_it() -> None:
    assert bluff("violet").refuses("0:challenge")


@pytest.mark.clause("Q6", "A9")
def test_another_challenger_who_is_right_leaves_the_victim_a_turn() -> None:
    t = bluff("violet").play("3:challenge")
    assert (t.counts, t.turn, t.phase) == ([6, 2, 2, 2], 1, "turn")
    assert t.sees(3).shown == {"of": 0, "cards": ["g2", "b1"]}
    assert t.sees(1).shown is None


@pytest.mark.clause("Q6", "A9", "A8")
def test_another_challenger_who_is_wrong_draws_the_six_and_the_victim_misses_the_turn() -> None:
    t = honest("violet").play("3:challenge")
    assert (t.counts, t.turn, t.phase) == ([2, 2, 2, 8], 2, "turn")


@pytest.mark.clause("Q6")
@pytest.mark.parametrize("first", ["1:accept", "1:challenge", "2:challenge"])
def test_one_challenge_per_card_and_none_after_it_is_accepted(first: str) -> None:
    t = honest("violet").play(first)
    assert all("challenge" not in t.legal(seat) for seat in range(4))


@pytest.mark.clause("Q6")
def test_right_of_the_player_too_the_victim_is_the_next_in_the_direction_of_play() -> None:
    hands = ["W4 b1 g2", "g1 g3", "g4 g5"]
    t = table("classic", hands, "b7", direction=-1).play("0:W4:g")
    assert t.refuses("1:challenge")
    assert t.play("2:accept").counts == [2, 2, 6]
    assert t.turn == 1


@pytest.mark.clause("Q6", "A9")
def test_without_a_wild_draw_four_there_is_nothing_to_challenge() -> None:
    t = table("violet", ["b1 g1 g2", "g3 g4", "g5 g6"], "b7", pile="b9").play("0:draw")
    assert t.legal(1) == t.legal(2) == set()
    t = table("violet", ["b+2 g1 g2", "g3 g4", "g5 g6"], "b7", stacking="same").play("0:b+2")
    assert t.refuses("1:challenge", "2:challenge")
