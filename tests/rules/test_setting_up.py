"""Who deals, the deal, and the card that is turned (S, Q1 to Q4)."""

from itertools import islice

import pytest

from penultima.errors import RulesetError
from penultima.ruleset import Face, Options, Sheet
from tests.rules.table import Table, deal, deal_turning, deal_where, deals


def left_of_dealer(t: Table, places: int = 1) -> int:
    return (t.dealer + places) % len(t.counts)


def what_happened(t: Table) -> list[str]:
    return [event.what for event in t.events]


def cuts(t: Table) -> list[tuple[int, str]]:
    """Who drew which card for the deal."""
    cut = [event for event in t.events if event.what == "cut"]
    return [(event.seat or 0, event.card or "") for event in cut]


def is_number(card: str) -> bool:
    return card[0] != "W" and card[1:].isdigit()


def worth(card: str) -> int:
    return int(card[1:]) if is_number(card) else 0


def first_cut(t: Table) -> set[str]:
    """What two players drew first: a number, or "symbol"."""
    return {card[1:] if is_number(card) else "symbol" for _, card in cuts(t)[:2]}


@pytest.mark.clause("S1")
def test_the_highest_number_deals() -> None:
    t = deal_where(lambda t: first_cut(t) == {"4", "9"}, "classic", 2)
    nine = next(seat for seat, card in cuts(t) if worth(card) == 9)
    assert (t.dealer, len(cuts(t))) == (nine, 2)


@pytest.mark.clause("S1")
def test_a_symbol_counts_as_zero_for_the_deal() -> None:
    t = deal_where(lambda t: first_cut(t) == {"symbol", "1"}, "classic", 2)
    one = next(seat for seat, card in cuts(t) if worth(card) == 1)
    assert (t.dealer, len(cuts(t))) == (one, 2)


@pytest.mark.clause("S1", "Q1")
def test_a_symbol_and_a_zero_are_a_tie() -> None:
    t = deal_where(lambda t: first_cut(t) == {"symbol", "0"}, "classic", 2)
    assert len(cuts(t)) > 2


@pytest.mark.clause("S1", "Q1")
def test_tied_players_alone_draw_again() -> None:
    for t in islice(deals("classic", 5), 40):
        cards = cuts(t)
        tied = [0, 1, 2, 3, 4]
        while len(tied) > 1:
            drawn, cards = cards[: len(tied)], cards[len(tied) :]
            assert [seat for seat, _ in drawn] == tied
            highest = max(worth(card) for _, card in drawn)
            tied = [seat for seat, card in drawn if worth(card) == highest]
        assert (tied, cards) == ([t.dealer], [])


@pytest.mark.clause("Q1")
def test_cards_drawn_for_the_deal_are_not_drawn_twice() -> None:
    for t in islice(deals("classic", 10), 150):
        drawn = [card for _, card in cuts(t)]
        assert not [card for card in drawn if drawn.count(card) > t.every_card[card]]


@pytest.mark.clause("Q1")
def test_a_tie_that_the_whole_deck_cannot_break_is_drawn_by_lot() -> None:
    """Our own decks may hold nothing but symbols."""
    faces = tuple(Face(f"{c}S", at, None, 20, 8, "skip") for at, c in enumerate("rb"))
    symbols = Sheet("symbols", "rb", faces, Options(hand_size=2))
    assert {t.dealer for t in islice(deals(symbols, 3), 30)} == {0, 1, 2}


@pytest.mark.clause("Q1", "Q17")
def test_only_the_first_dealer_is_drawn_for_then_the_deal_passes_to_the_left() -> None:
    t = deal("classic", 3, hand_size=1, target=1000)
    for _ in range(4):
        dealer = t.dealer
        _play_until_the_round_is_over(t)
        t.next_round()
        assert t.dealer == (dealer + 1) % 3
        assert "cut" not in what_happened(t)


def _play_until_the_round_is_over(t: Table) -> None:
    while t.over is None:
        actions = sorted(t.legal(t.turn) - {"call", "catch"})
        cards = [action for action in actions if action.partition(":")[0] in t.cards(t.turn)]
        t.play(f"{t.turn}:{(cards or actions)[0]}")


@pytest.mark.clause("S2", "S3", "S4")
@pytest.mark.parametrize(("edition", "cards"), [("classic", 108), ("chili", 112)])
def test_seven_cards_each_one_turned_and_the_rest_is_the_pile(edition: str, cards: int) -> None:
    t = deal_turning("5", edition, 4)
    assert t.counts == [7, 7, 7, 7]
    assert t.pile == cards - 4 * 7 - 1
    assert len(t.state["discard"]) == 1


@pytest.mark.clause("S2")
def test_the_cards_are_shuffled() -> None:
    hands = {t.hand(0) for t in islice(deals("classic", 2), 10)}
    assert len(hands) == 10


@pytest.mark.clause("S2", "P2")
def test_the_cards_are_shuffled_anew_for_every_round() -> None:
    t = deal("classic", 3, hand_size=1, target=1000)
    before = t.state["hands"], t.state["pile"]
    _play_until_the_round_is_over(t)
    t.next_round()
    assert t.every_card.total() == 108
    assert (t.state["hands"], t.state["pile"]) != before


@pytest.mark.clause("S4")
def test_left_of_the_dealer_starts_and_play_goes_left() -> None:
    t = deal_turning("5", "revenge", 4)
    first = left_of_dealer(t)
    assert (t.turn, t.phase) == (first, "turn")
    assert t.play(f"{first}:draw", f"{first}:keep").turn == left_of_dealer(t, 2)


@pytest.mark.clause("S5")
def test_a_turned_draw_two_hits_the_player_left_of_the_dealer() -> None:
    t = deal_turning("+2", "classic", 4)
    assert t.counts[left_of_dealer(t)] == 9
    assert sum(t.counts) == 4 * 7 + 2
    assert (t.turn, t.phase, t.direction) == (left_of_dealer(t, 2), "turn", 1)


@pytest.mark.clause("S6")
def test_a_turned_reverse_lets_the_dealer_start_to_the_right() -> None:
    t = deal_turning("R", "revenge", 4)
    assert (t.turn, t.counts) == (t.dealer, [7, 7, 7, 7])
    t.play(f"{t.dealer}:draw", f"{t.dealer}:keep")
    assert (t.turn, t.direction) == (left_of_dealer(t, -1), -1)


@pytest.mark.clause("S7")
def test_a_turned_skip_skips_the_player_left_of_the_dealer() -> None:
    t = deal_turning("S", "classic", 4)
    assert (t.turn, t.direction) == (left_of_dealer(t, 2), 1)
    assert t.counts == [7, 7, 7, 7]


@pytest.mark.clause("Q4")
@pytest.mark.parametrize("symbol", ["+2", "S", "R"])
def test_with_two_players_every_turned_action_card_leaves_the_start_to_the_dealer(
    symbol: str,
) -> None:
    t = deal_turning(symbol, "classic", 2)
    assert t.turn == t.dealer
    assert t.counts[1 - t.dealer] == (9 if symbol == "+2" else 7)


@pytest.mark.clause("S8", "S10", "Q2")
@pytest.mark.parametrize(
    ("edition", "wild"), [("classic", "W"), ("violet", "W"), ("revenge", "WG"), ("chili", "WC")]
)
def test_after_a_turned_wild_the_player_left_of_the_dealer_names_the_color_and_plays(
    edition: str, wild: str
) -> None:
    t = deal_turning(wild, edition, 3)
    left = left_of_dealer(t)
    assert (t.turn, t.phase, t.color) == (left, "name", None)
    assert t.legal(left) == {f"color:{c}" for c in t.match.sheet.colors}
    t.play(f"{left}:color:g")
    assert (t.turn, t.phase, t.color) == (left, "turn", "g")
    assert {card for card in t.cards(left) if card[0] != "W"} == {
        card for card in t.hand(left).split() if card[0] == "g"
    }


@pytest.mark.clause("S8")
def test_while_a_color_is_named_nobody_else_can_do_anything() -> None:
    """A fault seen elsewhere: the turn goes on while a player is still choosing."""
    t = deal_turning("W", "classic", 3)
    assert t.legal(left_of_dealer(t, 2)) == t.legal(t.dealer) == set()


@pytest.mark.clause("S9", "Q3")
def test_a_turned_wild_draw_four_goes_back_and_another_card_is_turned() -> None:
    t = deal_where(lambda t: "return" in what_happened(t), "classic", 4)
    assert [e.card for e in t.events if e.what == "return"] == ["W4"]
    assert t.top != "W4"
    assert t.every_card["W4"] == 4
    assert len(t.state["discard"]) == 1


@pytest.mark.clause("Q3")
def test_the_returned_wild_draw_four_is_shuffled_into_the_pile() -> None:
    returns = (t for t in deals("classic", 2) if "return" in what_happened(t))
    depths = {t.state["pile"].index("W4") for t in islice(returns, 6)}
    assert len(depths) > 3


@pytest.mark.clause("S10")
@pytest.mark.parametrize(("edition", "wild"), [("revenge", "WG"), ("chili", "WC")])
def test_a_turned_revenge_gives_nothing_and_a_turned_chili_drops_nothing(
    edition: str, wild: str
) -> None:
    t = deal_turning(wild, edition, 3)
    t.play(f"{t.turn}:color:b")
    assert (t.counts, t.phase) == ([7, 7, 7], "turn")


@pytest.mark.clause("S11")
def test_a_turned_triforce_demands_from_the_player_left_of_the_one_who_names_the_color() -> None:
    t = deal_turning("WT", "triforce", 4)
    assert (t.turn, t.phase) == (left_of_dealer(t), "name")
    t.play(f"{t.turn}:color:t")
    second = left_of_dealer(t, 2)
    assert (t.turn, t.phase, t.due, t.color) == (second, "demand", 3, "t")
    assert t.cards(second) == set(t.hand(second).split()) & {"t3", "t6", "t9"}


@pytest.mark.clause("S11")
def test_who_cannot_answer_a_turned_triforce_draws_three() -> None:
    t = deal_turning("WT", "triforce", 4)
    named = next(c for c in "bgtr" if not set(_marked(c)) & set(_second_hand(t).split()))
    second = left_of_dealer(t, 2)
    t.play(f"{t.turn}:color:{named}", f"{second}:draw")
    assert (t.counts[second], t.turn, t.phase) == (10, left_of_dealer(t, 3), "turn")


def _marked(color: str) -> list[str]:
    return [f"{color}3", f"{color}6", f"{color}9"]


def _second_hand(t: Table) -> str:
    return t.hand(left_of_dealer(t, 2))


@pytest.mark.clause("S11")
def test_with_two_players_a_turned_triforce_demands_from_the_dealer() -> None:
    t = deal_turning("WT", "triforce", 2)
    t.play(f"{t.turn}:color:b")
    assert (t.turn, t.phase) == (t.dealer, "demand")


@pytest.mark.clause("Q18")
def test_two_to_ten_players() -> None:
    assert len(deal("classic", 2).counts) == 2
    assert len(deal("classic", 10).counts) == 10
    for players in (0, 1, 11):
        with pytest.raises(RulesetError):
            deal("classic", players)
