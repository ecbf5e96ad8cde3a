"""Playing out of turn (H3)."""

from typing import Any

import pytest

from penultima.ruleset import Face, Options, Sheet
from tests.rules.table import Table, deal_where, table


def jumping(hands: list[str], discard: str = "b7", **more: Any) -> Table:
    return table("classic", hands, discard, jump_in=True, **more)


@pytest.mark.clause("H3")
def test_a_card_identical_to_the_top_card_may_be_played_out_of_turn() -> None:
    t = jumping(["b1 b9 g9", "b2 b3", "b1 g3 g4", "b5 b6"]).play("0:b1")
    assert t.legal(2) == {"b1"}
    t.play("2:b1")
    assert (t.counts, t.turn, t.phase) == ([2, 2, 2, 2], 3, "turn")


@pytest.mark.clause("H3")
def test_color_and_number_must_both_be_the_same() -> None:
    t = jumping(["b1 b9 g9", "b2 b3", "g1 b3 W", "b5 b6"]).play("0:b1")
    assert t.legal(2) == t.legal(3) == set()


@pytest.mark.clause("H3")
def test_off_by_default() -> None:
    t = table("classic", ["b1 b9 g9", "b2 b3", "b1 g3 g4"], "b7").play("0:b1")
    assert t.refuses("2:b1")


@pytest.mark.clause("H3")
def test_the_player_of_the_card_may_jump_in_too() -> None:
    t = jumping(["b1 b1 g9", "b2 b3", "g3 g4"]).play("0:b1", "0:b1")
    assert (t.counts, t.turn) == ([1, 2, 2], 1)


@pytest.mark.clause("H3")
def test_the_player_on_turn_plays_the_same_card_as_usual() -> None:
    t = jumping(["b1 b9 g9", "b1 b3", "g3 g4"]).play("0:b1", "1:b1")
    assert (t.turn, t.counts) == (2, [2, 1, 2])


@pytest.mark.clause("H3")
@pytest.mark.parametrize("begins", ["1:b2", "1:draw", "1:W:b"])
def test_only_until_the_next_turn_begins(begins: str) -> None:
    hands = ["b1 b9 g9", "b2 b3 W", "b5 b6", "b1 g3 g4"]
    t = jumping(hands, pile="g9").play("0:b1")
    assert t.legal(3) == {"b1"}
    assert t.play(begins).refuses("3:b1")


@pytest.mark.clause("H3")
def test_once_a_card_is_drawn_the_moment_does_not_come_back() -> None:
    hands = ["b1 b9 g9", "b2 b3 W", "b5 b6", "b1 g3 g4"]
    t = jumping(hands, pile="g9").play("0:b1", "1:draw", "1:keep")
    assert (t.turn, t.top, t.refuses("3:b1")) == (2, "b1", True)


@pytest.mark.clause("H3", "Q10")
def test_a_call_or_a_catch_does_not_end_the_moment() -> None:
    t = jumping(["b1 g9", "b2 b3", "b1 g3 g4"]).play("0:b1", "1:call", "2:catch")
    assert "b1" in t.legal(2)


@pytest.mark.clause("H3", "S4")
def test_never_on_the_turned_card() -> None:
    def somebody_has_its_twin(t: Table) -> bool:
        others = [seat for seat in range(4) if seat != t.turn]
        return t.phase == "turn" and any(t.top in t.hand(seat).split() for seat in others)

    t = deal_where(somebody_has_its_twin, "classic", 4, jump_in=True)
    assert all(t.legal(seat) == set() for seat in range(4) if seat != t.turn)


@pytest.mark.clause("H3")
def test_never_on_a_wild_card() -> None:
    t = jumping(["W g9 g8", "b2 b3", "W g3 g4"]).play("0:W:b")
    assert t.legal(2) == set()


@pytest.mark.clause("H3", "H1")
def test_never_while_a_stack_is_pending_nor_once_it_is_drawn() -> None:
    t = jumping(["b+2 g9 g8", "b2 b3", "b+2 g3 g4"], stacking="same").play("0:b+2")
    assert t.refuses("2:b+2")
    hands = ["b+2 g9 g8", "b2 b3", "g1 g2", "b+2 g3 g4"]
    t = jumping(hands, stacking="same").play("0:b+2", "1:draw")
    assert (t.turn, t.refuses("3:b+2")) == (2, True)


@pytest.mark.clause("H3", "H2")
def test_not_while_hands_are_being_swapped_but_after_it() -> None:
    t = jumping(["b7 g9 g8", "y2 y3", "b7 g3 g4"], "b5", seven_zero=True).play("0:b7")
    assert t.refuses("2:b7")
    assert t.play("0:swap:1").legal(2) == {"b7"}


@pytest.mark.clause("H3", "H2")
def test_after_a_swap_whoever_has_the_card_now_may_jump_in() -> None:
    t = jumping(["b7 g9 g8", "b7 y3", "g3 g4"], "b5", seven_zero=True).play("0:b7", "0:swap:1")
    assert (t.turn, t.legal(0)) == (1, {"b7"})


@pytest.mark.clause("H3", "A1")
def test_effects_already_applied_stand_and_the_jumpers_own_card_takes_effect() -> None:
    hands = ["b+2 g9 g8", "y2 y3", "y4 y5", "b+2 g3 g4"]
    t = jumping(hands).play("0:b+2")
    assert (t.counts, t.turn) == ([2, 4, 2, 3], 2)
    t.play("3:b+2")
    assert (t.counts, t.turn) == ([4, 4, 2, 2], 1)


@pytest.mark.clause("H3", "A2")
def test_play_goes_on_from_the_jumper_in_the_direction_then_in_force() -> None:
    hands = ["bR g9 g8", "y2 y3", "bR y4 y5", "g3 g4"]
    t = jumping(hands).play("0:bR")
    assert (t.turn, t.direction) == (3, -1)
    t.play("2:bR")
    assert (t.turn, t.direction) == (3, 1)


@pytest.mark.clause("H3", "G2", "Q10")
@pytest.mark.parametrize("window", ["begun", "made"])
def test_a_jump_in_begins_a_turn(window: str) -> None:
    """So the catch comes too late; and who jumps in down to one card is exposed in turn."""
    t = jumping(["b1 g9", "b2 b3", "b1 g3"], catch_window=window).play("0:b1", "2:b1")
    assert t.exposed == [2]
    t = jumping(["b1 g9", "b2 b3", "b1 g3"], catch_window="open").play("0:b1", "2:b1")
    assert t.exposed == [0, 2]


@pytest.mark.clause("H3", "G4")
def test_a_jump_in_may_be_the_last_card() -> None:
    t = jumping(["b1 g9", "b2 b3", "b1"]).play("0:b1", "2:b1")
    assert (t.over, t.winner, t.scores) == ("round", 2, [0, 0, 9 + 2 + 3])


@pytest.mark.clause("H3")
def test_a_jump_in_may_be_jumped_in_upon() -> None:
    """In our own decks, where a card may be there three times."""
    faces = (Face("b1", 0, 1, 1, 3), Face("r2", 1, 2, 2, 8))
    sheet = Sheet("three", "br", faces, Options(hand_size=2, jump_in=True))
    t = table(sheet, ["b1 r2 r2", "r2 r2", "b1 r2 r2"], "r2 b1", turn=1).play("0:b1")
    assert (t.turn, t.legal(2)) == (1, {"b1"})
