"""The end of a round (G4, G5, Q13, Q14); points as P1 counts them."""

import pytest

from penultima.edition import SHIPPED
from tests.rules.table import table

in_every_edition = pytest.mark.parametrize("edition", SHIPPED)


@pytest.mark.clause("G4", "P1")
@in_every_edition
def test_the_round_ends_when_a_hand_is_empty(edition: str) -> None:
    t = table(edition, ["b1", "b2 b3", "g4"], "b7").play("0:b1")
    assert (t.over, t.phase, t.winner, t.scores) == ("round", "over", 0, [2 + 3 + 4, 0, 0])
    assert t.legal(0) == t.legal(1) == t.legal(2) == set()


@pytest.mark.clause("G4")
def test_an_action_card_may_be_the_last() -> None:
    """A Skip or a Reverse as the last card changes nothing any more."""
    for card in ("bS", "bR"):
        t = table("classic", [card, "b2 b3", "g4"], "b7").play(f"0:{card}")
        assert (t.over, t.scores, t.direction) == ("round", [9, 0, 0], 1)


@pytest.mark.clause("G4")
def test_the_last_card_needs_no_call() -> None:
    t = table("classic", ["b1", "b2 b3"], "bS", exposed=[0]).play("0:b1")
    assert (t.over, t.exposed, t.legal(1)) == ("round", [], set())


@pytest.mark.clause("G4")
def test_with_the_round_every_call_ends_and_every_chance_to_catch_or_jump_in() -> None:
    hands = ["b1", "g2", "b1", "b4"]
    t = table("violet", hands, "b7", exposed=[1, 2], called=[3], jump_in=True).play("0:b1")
    assert (t.over, t.exposed, t.called, t.state["jump"]) == ("round", [], [], False)
    assert all(t.legal(seat) == set() for seat in range(4))


@pytest.mark.clause("G4", "G3", "Q13")
def test_nor_can_its_player_be_caught_while_it_waits() -> None:
    t = table("violet", ["W4", "b2 b3", "g4"], "b7", exposed=[0]).play("0:W4:g")
    assert (t.phase, t.exposed) == ("challenge", [])
    assert t.refuses("1:catch", "2:catch")
    assert table("violet", ["W4", "b2 b3"], "b7", called=[0]).play("0:W4:g").called == []


@pytest.mark.clause("G5")
@in_every_edition
def test_after_a_draw_two_as_the_last_card_the_next_player_still_draws(edition: str) -> None:
    t = table(edition, ["b+2", "b2 b3", "g4"], "b7", pile="g8 g9").play("0:b+2")
    assert (t.over, t.counts) == ("round", [0, 4, 1])
    assert t.scores == [2 + 3 + 8 + 9 + 4, 0, 0]


@pytest.mark.clause("G5", "Q13")
@in_every_edition
def test_after_a_wild_draw_four_as_the_last_card_the_four_are_drawn_and_count(
    edition: str,
) -> None:
    t = table(edition, ["W4", "b2 b3", "g4"], "b7", pile="g5 g6 g8 g9").play("0:W4:g")
    assert (t.over, t.phase, t.turn) == (None, "challenge", 1)
    t.play("1:accept")
    assert (t.over, t.winner, t.counts) == ("round", 0, [0, 6, 1])
    assert t.scores == [2 + 3 + 5 + 6 + 8 + 9 + 4, 0, 0]


@pytest.mark.clause("Q13", "A8")
def test_a_wild_draw_four_as_the_last_card_is_challenged_in_vain() -> None:
    pile = "g1 g1 g2 g2 g3 g3"
    t = table("classic", ["W4", "b2 b3", "g4"], "b7", pile=pile).play("0:W4:g", "1:challenge")
    assert (t.over, t.winner, t.counts) == ("round", 0, [0, 8, 1])
    assert t.scores == [2 + 3 + 1 + 1 + 2 + 2 + 3 + 3 + 4, 0, 0]


@pytest.mark.clause("Q13", "Q6", "A9")
def test_where_anybody_may_challenge_a_last_wild_draw_four_costs_that_one_the_six() -> None:
    t = table("violet", ["W4", "b2 b3", "g4"], "b7").play("0:W4:g", "2:challenge")
    assert (t.over, t.counts) == ("round", [0, 2, 7])


@pytest.mark.clause("Q13", "H6")
def test_without_bluffing_the_four_follow_at_once() -> None:
    t = table("classic", ["W4", "b2 b3", "g4"], "b7", no_bluffing=True).play("0:W4:g")
    assert (t.over, t.counts) == ("round", [0, 6, 1])


@pytest.mark.clause("Q14", "A10")
def test_a_revenge_as_the_last_card_gives_its_four_before_the_count() -> None:
    t = table("revenge", ["WG", "b2 b3", "g4"], "b7", pile="r1 r2 r3 r5").play("0:WG:g")
    assert (t.over, t.phase) == (None, "give")
    t.play("0:give:1", "0:give:2", "0:give:2", "0:give:2")
    assert (t.over, t.winner, t.counts) == ("round", 0, [0, 3, 4])
    assert t.scores == [2 + 3 + 1 + 4 + 2 + 3 + 5, 0, 0]


@pytest.mark.clause("Q14", "A11")
def test_a_chili_as_the_last_card_is_raced_by_those_still_holding_cards() -> None:
    t = table("chili", ["WC", "b2 b3", "g4"], "b7", pile="p1 p2").play("0:WC:g")
    assert (t.over, t.legal(0)) == (None, set())
    t.play("1:drop")
    assert (t.over, t.winner, t.hand(2)) == ("round", 0, "p1 p2 g4")
    assert t.scores == [2 + 3 + 4 + 1 + 2, 0, 0]


@pytest.mark.clause("Q14", "Q8")
def test_chance_too_spares_who_has_no_cards_left() -> None:
    hands = ["WC", "b2 b3", "g4"]
    tables = [table("chili", hands, "b7", race="chance", seed=s).play("0:WC:g") for s in range(12)]
    assert {tuple(t.counts) for t in tables} == {(0, 4, 1), (0, 2, 3)}
    assert {t.over for t in tables} == {"round"}


@pytest.mark.clause("Q14")
@pytest.mark.parametrize("race", ["reflex", "chance"])
def test_with_one_such_player_that_one_draws(race: str) -> None:
    t = table("chili", ["WC", "b2 b3"], "b7", pile="p1 p2", race=race).play("0:WC:g")
    assert (t.over, t.hand(1), t.scores) == ("round", "b2 b3 p1 p2", [8, 0])


@pytest.mark.clause("Q14")
def test_a_triforce_as_the_last_card_demands_nothing() -> None:
    t = table("triforce", ["WT", "b2 b3"], "b7").play("0:WT:g")
    assert (t.over, t.counts, t.scores) == ("round", [0, 2], [5, 0])
