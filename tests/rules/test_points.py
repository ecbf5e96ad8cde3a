"""Points, and who wins the match (P)."""

from typing import Any

import pytest

from penultima.edition import SHIPPED
from penultima.errors import Illegal
from tests.rules.table import table

NUMBERS = [(f"g{n}", n) for n in range(10)]
POINTS = [*NUMBERS, ("g+2", 20), ("gR", 20), ("gS", 20), ("W", 50), ("W4", 50)]

in_every_edition = pytest.mark.parametrize("edition", SHIPPED)


@pytest.mark.clause("P1")
@in_every_edition
@pytest.mark.parametrize(("card", "points"), POINTS)
def test_what_a_card_left_in_a_hand_counts(edition: str, card: str, points: int) -> None:
    t = table(edition, ["b1", card], "b7").play("0:b1")
    assert t.scores == [points, 0]


@pytest.mark.clause("P1")
@pytest.mark.parametrize(
    ("edition", "wild"), [("revenge", "WG"), ("chili", "WC"), ("triforce", "WT")]
)
def test_the_editions_own_wild_card_counts_fifty(edition: str, wild: str) -> None:
    assert table(edition, ["b1", wild], "b7").play("0:b1").scores == [50, 0]


@pytest.mark.clause("P1")
def test_who_goes_out_scores_all_cards_left_in_all_other_hands() -> None:
    hands = ["b1", "r9 y+2", "W g0 g7", "bS rR W4"]
    t = table("classic", hands, "b7", scores=[100, 5, 20, 0]).play("0:b1")
    # P1: 9 + 20, 50 + 0 + 7, 20 + 20 + 50; the scores of the others stay
    assert t.scores == [100 + 29 + 57 + 90, 5, 20, 0]
    assert (t.over, t.winner) == ("round", 0)


@pytest.mark.clause("P2")
@pytest.mark.parametrize(("before", "over"), [(479, "round"), (480, "match")])
def test_the_first_to_reach_five_hundred_wins(before: int, over: str) -> None:
    t = table("classic", ["b1", "rS", "g0"], "b7", scores=[before, 499, 0]).play("0:b1")
    assert (t.over, t.winner, t.scores[0]) == (over, 0, before + 20)


@pytest.mark.clause("P2")
def test_the_match_is_won_by_any_seat() -> None:
    t = table("classic", ["g1 g2", "b1", "rS"], "b7", turn=1, scores=[499, 490, 0]).play("1:b1")
    assert (t.over, t.winner, t.scores) == ("match", 1, [499, 513, 0])


@pytest.mark.clause("P2", "Q17")
def test_below_that_all_cards_are_shuffled_and_another_round_is_dealt() -> None:
    t = table("classic", ["b1", "rS g2", "g0"], "b7", scores=[10, 0, 7], direction=-1).play("0:b1")
    t.next_round()
    assert (t.over, t.winner, t.state["round"], t.scores) == (None, None, 2, [32, 0, 7])
    assert t.every_card.total() == 108
    assert min(t.counts) == 7


@pytest.mark.clause("P2", "Q22", "A6")
def test_nothing_of_a_round_is_left_in_the_next_but_the_scores() -> None:
    shown = {"of": 1, "to": 2, "cards": ["g2"]}
    counts: dict[str, Any] = {"decisions": 9_000, "renewals": 3}
    t = table("classic", ["b1", "rS g2", "g0"], "b7", direction=-1, shown=shown, **counts)
    state = t.play("0:b1").next_round().state
    assert {state[name] for name in counts} == {0}
    assert (state["shown"], t.sees(2).shown) == (None, None)


@pytest.mark.clause("P2")
def test_after_the_match_no_round_is_dealt_and_none_before_a_round_is_over() -> None:
    t = table("classic", ["b1", "W"], "b7", scores=[450, 0])
    with pytest.raises(Illegal):
        t.next_round()
    assert t.play("0:b1").over == "match"
    with pytest.raises(Illegal):
        t.next_round()


@pytest.mark.clause("P3")
def test_the_other_way_each_players_own_cards_are_added_up() -> None:
    t = table("classic", ["b1", "rS g2", "W"], "b7", scoring="tally", scores=[10, 20, 30])
    t.play("0:b1")
    assert (t.over, t.winner, t.scores) == ("round", 0, [10, 42, 80])


@pytest.mark.clause("P3")
def test_when_one_reaches_five_hundred_the_lowest_total_wins() -> None:
    t = table("classic", ["b1", "W g0", "g3"], "b7", scoring="tally", scores=[300, 450, 200])
    t.play("0:b1")
    assert (t.over, t.winner, t.scores) == ("match", 2, [300, 500, 203])


@pytest.mark.clause("P3")
def test_a_total_of_four_hundred_ninety_nine_does_not_end_the_match() -> None:
    t = table("classic", ["b1", "W", "g3"], "b7", scoring="tally", scores=[300, 449, 200])
    assert t.play("0:b1").over == "round"


@pytest.mark.clause("P3")
def test_a_tie_is_shared() -> None:
    t = table(
        "classic", ["b1", "W", "g3", "g4"], "b7", scoring="tally", scores=[203, 470, 200, 210]
    )
    t.play("0:b1")
    assert (t.over, t.winner) == ("match", [0, 2])


@pytest.mark.clause("P3", "Q16")
def test_a_blocked_round_may_end_such_a_match() -> None:
    hands = ["g3 g4", "W"]
    t = table("classic", hands, "b7", scoring="tally", scores=[9, 490], decisions=9_999, pile="g9")
    t.play("0:draw")
    assert (t.over, t.winner, t.scores) == ("match", 0, [9 + 3 + 4 + 9, 540])
