"""Hands that change places (H2), and what becomes of calls then."""

from typing import Any

import pytest

from tests.rules.table import Table, deal_turning, table


def played(card: str, hands: list[str], **more: Any) -> Table:
    """Seat 0 has put that card down."""
    top = "b5" if card[0] == "b" else "g5"
    return table("revenge", hands, top, seven_zero=True, **more).play(f"0:{card}")


@pytest.mark.clause("H2")
def test_a_seven_swaps_hands_with_a_player_of_ones_choice() -> None:
    t = played("b7", ["b7 g1 g2", "r1 r2", "y1 y2 y3"])
    assert (t.phase, t.turn, t.legal(0)) == ("swap", 0, {"swap:1", "swap:2"})
    t.play("0:swap:2")
    assert [t.hand(seat) for seat in range(3)] == ["y1 y2 y3", "r1 r2", "g1 g2"]
    assert (t.phase, t.turn) == ("turn", 1)


@pytest.mark.clause("H2")
def test_the_swap_is_compulsory_and_not_with_oneself() -> None:
    t = played("b7", ["b7 g1 g2", "b1 r2", "y1"])
    assert t.refuses("0:swap:0", "0:keep", "1:b1", "1:draw", "1:swap:2")


@pytest.mark.clause("H2")
@pytest.mark.parametrize(
    ("direction", "hands"),
    [(1, ["y1 y2 y3", "g1 g2", "r1 r2"]), (-1, ["r1 r2", "y1 y2 y3", "g1 g2"])],
)
def test_a_zero_passes_all_hands_on_in_the_direction_of_play(
    direction: int, hands: list[str]
) -> None:
    t = played("b0", ["b0 g1 g2", "r1 r2", "y1 y2 y3"], direction=direction)
    assert [t.hand(seat) for seat in range(3)] == hands
    assert (t.phase, t.turn) == ("turn", direction % 3)


@pytest.mark.clause("H2")
def test_seat_0_may_be_chosen_like_any_other() -> None:
    t = table("revenge", ["y1 y2", "b7 g1 g2", "r1"], "b5", seven_zero=True, turn=1)
    t.play("1:b7", "1:swap:0")
    assert [t.hand(seat) for seat in range(3)] == ["g1 g2", "y1 y2", "r1"]


@pytest.mark.clause("H2")
@pytest.mark.parametrize("card", ["b1", "b6", "b8", "W:b"])
def test_no_other_card_moves_a_hand(card: str) -> None:
    hands = [f"{card.partition(':')[0]} g1 g2", "r1 r2", "y1 y2"]
    t = played(card, hands)
    assert (t.phase, t.turn) == ("turn", 1)
    assert [t.hand(seat) for seat in range(3)] == ["g1 g2", "r1 r2", "y1 y2"]


@pytest.mark.clause("H2", "A6")
@pytest.mark.parametrize(
    ("shown", "then"),
    [
        ({"of": 2, "to": 1, "cards": ["b5", "b6"]}, {"of": 0, "cards": ["b5", "b6"]}),
        ({"of": 0, "to": 1, "cards": ["b1", "b7", "g2"]}, {"of": 2, "cards": ["b1", "g2"]}),
    ],
)
def test_a_hand_once_shown_is_known_where_it_goes(
    shown: dict[str, Any], then: dict[str, Any]
) -> None:
    hands = ["b7 b1 g2", "b3 b4", "b5 b6"]
    t = table("revenge", hands, "b2", seven_zero=True, shown=shown).play("0:b7", "0:swap:2")
    assert t.sees(1).shown == then


@pytest.mark.clause("H2")
def test_off_by_default() -> None:
    for card in ("b7", "b0"):
        t = table("revenge", [f"{card} g1", "r1 r2"], "b5").play(f"0:{card}")
        assert (t.phase, t.hand(0), t.hand(1)) == ("turn", "g1", "r1 r2")


@pytest.mark.clause("H2")
@pytest.mark.parametrize("number", ["7", "0"])
def test_not_when_turned_at_the_start(number: str) -> None:
    t = deal_turning(number, "classic", 3, seven_zero=True)
    assert (t.phase, t.turn) == ("turn", (t.dealer + 1) % 3)
    assert t.state["hands"] == deal_turning(number, "classic", 3).state["hands"]


@pytest.mark.clause("H2", "G4")
@pytest.mark.parametrize("card", ["b7", "b0"])
def test_not_as_the_last_card(card: str) -> None:
    t = played(card, [card, "r1 r2", "y1 y2 y3"])
    assert (t.over, t.winner, t.scores) == ("round", 0, [1 + 2 + 1 + 2 + 3, 0, 0])


@pytest.mark.clause("H2", "Q11")
def test_all_calls_end_with_a_seven() -> None:
    """A fault seen elsewhere: a stale call survives a swap of hands."""
    t = played("b7", ["b7 g1", "r1 r2", "y1", "y2 y3"], called=[0, 2])
    assert t.called == [0, 2]
    assert t.play("0:swap:3").called == []


@pytest.mark.clause("H2", "Q11")
def test_all_calls_end_with_a_zero() -> None:
    t = played("b0", ["b0 g1 g2", "r1", "y1 y2", "y3 y4"], called=[1])
    assert t.called == []


@pytest.mark.clause("H2", "G1", "G2")
def test_who_receives_a_hand_of_one_card_is_exposed() -> None:
    t = played("b7", ["b7 g1", "r1 r2", "y1 y2 y3"])
    assert t.exposed == [0]
    t.play("0:swap:1")
    assert (t.exposed, t.hand(1)) == ([1], "g1")
    assert t.play("2:catch").counts == [2, 3, 3]


@pytest.mark.clause("H2", "G1")
def test_though_the_one_who_played_down_to_it_had_called() -> None:
    t = table("revenge", ["b7 g1", "r1 r2"], "b5", seven_zero=True)
    t.play("0:call", "0:b7", "0:swap:1")
    assert (t.called, t.exposed) == ([], [1])
    assert t.play("1:call").exposed == []


@pytest.mark.clause("H2", "G1")
def test_who_takes_the_one_card_of_another_is_exposed_too() -> None:
    t = played("b7", ["b7 g1 g2", "r1", "y1 y2"]).play("0:swap:1")
    assert (t.hand(0), t.exposed) == ("r1", [0])


@pytest.mark.clause("H2", "G2")
@pytest.mark.parametrize(("edition", "still"), [("revenge", []), ("violet", [0])])
def test_such_an_exposure_ends_like_any_other(edition: str, still: list[int]) -> None:
    hands = ["b7 g1 g2", "p1" if edition == "violet" else "r1", "b1 b2"]
    t = table(edition, hands, "b5", seven_zero=True).play("0:b7", "0:swap:1")
    t.play("1:draw")
    assert t.exposed == still


@pytest.mark.clause("H2")
def test_a_zero_moves_the_exposures_with_the_hands() -> None:
    hands = ["b0 g1 g2", "p1", "b1 b2", "u1"]
    t = table("violet", hands, "b5", seven_zero=True, exposed=[1, 3]).play("0:b0")
    assert (t.counts, t.exposed) == ([1, 2, 1, 2], [0, 2])


@pytest.mark.clause("H2")
def test_a_seven_leaves_the_exposure_of_others_alone() -> None:
    hands = ["b7 g1 g2", "p1 p2", "b1"]
    t = table("violet", hands, "b5", seven_zero=True, exposed=[2]).play("0:b7", "0:swap:1")
    assert t.exposed == [2]


@pytest.mark.clause("H2", "Q11")
def test_who_gets_more_cards_by_a_swap_is_exposed_no_longer() -> None:
    hands = ["b7 g1 g2", "p1", "b1 b2"]
    t = table("violet", hands, "b5", seven_zero=True, exposed=[1]).play("0:b7", "0:swap:1")
    assert (t.exposed, t.counts) == ([0], [1, 2, 2])


@pytest.mark.clause("H2", "H8")
@pytest.mark.parametrize("moves", [["0:b7", "0:swap:1"], ["0:b0"]])
def test_where_calls_are_automatic_a_swap_exposes_nobody(moves: list[str]) -> None:
    hands = ["b7 b0 g2", "r1", "y1 y2"]
    t = table("revenge", hands, "b5", seven_zero=True, auto_call=True).play(*moves)
    assert t.exposed == []


@pytest.mark.clause("H2", "Q12")
def test_caught_before_the_swap_the_two_cards_go_with_the_hand() -> None:
    t = played("b7", ["b7 g1", "r1 r2", "y1 y2 y3"], pile="y8 y9").play("2:catch", "0:swap:1")
    assert (t.hand(1), t.exposed) == ("g1 y8 y9", [])
