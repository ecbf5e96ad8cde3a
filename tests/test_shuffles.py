"""Shuffles by their statistics; `make shuffle-check` does the same for a million deals."""

from tests.shuffles import fair_orders, look, naive_orders, orders_of

DEALS = 40_000


def test_every_card_is_everywhere_and_with_everybody_equally_often() -> None:
    found = look(DEALS, seed=3)
    assert found.good, found


def test_a_naive_shuffle_is_found_out() -> None:
    naive = orders_of(DEALS, 3, naive_orders)
    assert naive.positions > 50, naive
    assert not naive.good
    assert orders_of(DEALS, 4, fair_orders).good
