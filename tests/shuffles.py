"""Is every order of the cards as likely as any other? `make shuffle-check` asks a million deals.

Three questions, each answered by a sum of squares that is compared with what chance would give:
which card lies where, which card lies upon which, and what is dealt to whom. A naive shuffle, which
swaps every card with any other, is asked the same and must be found out.
"""

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numba import njit

from penultima.compiled import deal_games, dtype, to_array
from penultima.edition import shipped
from penultima.rules.chance import derive_key, resume_numbers
from penultima.rules.pile import lift, shuffle
from penultima.rules.schema import Game, Trace

CARDS: Final = 108
SEATS: Final = 4
UNTOUCHED: Final = (2, 3, 4)  # seats from the dealer on that a turned Draw Two never hits
CHUNK: Final = 10_000
DOUBTFUL: Final = 5.0  # standard deviations: further off once in two million times


@dataclass
class Findings:
    """How far each count is from chance, in standard deviations."""

    deals: int
    positions: float
    neighbours: float
    hands: float = 0.0
    wilds: float = 0.0

    @property
    def good(self) -> bool:
        return max(map(abs, (self.positions, self.neighbours, self.hands, self.wilds))) < DOUBTFUL


@njit(nogil=True)
def fair_orders(rules: Any, game: Any, trace: Any, seed: int, first: int, orders: Any) -> None:
    """The cards as they come off the pile, by the keys of numbered games."""
    for number in range(len(orders)):
        derive_key(seed, first + number, game.key, trace.words)
        for card in range(CARDS):
            game.deck[card] = card
        game.base = 0
        game.pile = CARDS
        game.discards = 0
        game.round = 1
        resume_numbers(game, trace, number % 101)  # in any place of a block
        shuffle(game)
        for place in range(CARDS):
            orders[number, place] = lift(rules, game, trace)


@njit(nogil=True)
def naive_orders(rules: Any, game: Any, trace: Any, seed: int, first: int, orders: Any) -> None:
    """Every card is swapped with any other, which favours some orders."""
    np.random.seed(seed + first)
    for number in range(len(orders)):
        for card in range(CARDS):
            orders[number, card] = card
        for card in range(CARDS):
            other = np.random.randint(CARDS)
            orders[number, card], orders[number, other] = (
                orders[number, other],
                orders[number, card],
            )


Orders = Callable[[Any, Any, Any, int, int, Any], None]


def orders_of(deals: int, seed: int, make: Orders) -> Findings:
    """Cards by place, and by the card below."""
    rules = to_array(shipped("classic").sheet.rules)
    game, trace = np.zeros(1, dtype(Game)), np.zeros(1, dtype(Trace))
    where = np.zeros((CARDS, CARDS))
    upon = np.zeros((CARDS, CARDS))
    places = np.arange(CARDS) * CARDS
    for first in range(0, deals, CHUNK):
        orders = np.zeros((min(CHUNK, deals - first), CARDS), np.int64)
        make(rules[0], game[0], trace[0], seed, first, orders)
        where += np.bincount((orders + places).ravel(), minlength=CARDS**2).reshape(CARDS, CARDS)
        pairs = orders[:, :-1] * CARDS + orders[:, 1:]
        upon += np.bincount(pairs.ravel(), minlength=CARDS**2).reshape(CARDS, CARDS)
    expected = deals / CARDS
    # Rows and columns of `where` add up, so it has (n-1)² degrees of freedom, and each of them
    # varies n/(n-1) times as much as that of independent counts.
    squares = ((where - expected) ** 2 / expected).sum() * (CARDS - 1) / CARDS
    beside = ~np.eye(CARDS, dtype=bool)
    pair_squares = ((upon - expected) ** 2 / expected)[beside].sum()
    freedom = (CARDS - 1) ** 2
    return Findings(deals, _deviations(squares, freedom), _deviations(pair_squares, freedom))


def _deviations(squares: float, freedom: float) -> float:
    return float((squares - freedom) / math.sqrt(2 * freedom))


def dealt(deals: int, seed: int) -> tuple[float, float]:
    """Whole deals of the classic game: kinds by seat, and how many wild cards a hand has."""
    sheet = shipped("classic").sheet
    rules = sheet.rules
    traces = np.zeros(1, dtype(Trace))
    counts = np.array(rules.count[: rules.kinds], float)
    by_seat = np.zeros((len(UNTOUCHED), rules.kinds))
    wilds = np.zeros((len(UNTOUCHED), rules.hand_size + 1))
    for first in range(0, deals, CHUNK):
        games = np.zeros(min(CHUNK, deals - first), dtype(Game, rules.size))
        games["seats"] = SEATS
        deal_games(to_array(rules), games, traces, seed, first)
        hands = games["hands"][:, :SEATS, : rules.kinds].astype(np.int64)
        seats = (games["dealer"][:, None] + np.array(UNTOUCHED)) % SEATS
        hands = np.take_along_axis(hands, seats[:, :, None], axis=1)
        by_seat += hands.sum(axis=0)
        held = hands[:, :, rules.colored :].sum(axis=2)
        for seat in range(len(UNTOUCHED)):
            wilds[seat] += np.bincount(held[:, seat], minlength=rules.hand_size + 1)
    expected = deals * rules.hand_size * counts / CARDS
    # A hand is drawn without putting back: it varies less than independent counts by (n-7)/(n-1).
    shrink = (CARDS - rules.hand_size) / (CARDS - 1)
    squares = ((by_seat - expected) ** 2 / expected).sum() / shrink
    several = wilds[:, :4].copy()
    several[:, 3] = wilds[:, 3:].sum(axis=1)
    chances = _hypergeometric(int(counts[rules.colored :].sum()), rules.hand_size)
    wild_squares = ((several - deals * chances) ** 2 / (deals * chances)).sum()
    return (
        _deviations(squares, len(UNTOUCHED) * (rules.kinds - 1)),
        _deviations(wild_squares, len(UNTOUCHED) * (len(chances) - 1)),
    )


def _hypergeometric(wanted: int, drawn: int) -> Any:
    """The chances of 0, 1, 2 and more of the wanted cards."""
    ways = [math.comb(wanted, n) * math.comb(CARDS - wanted, drawn - n) for n in range(drawn + 1)]
    chances = np.array(ways) / math.comb(CARDS, drawn)
    return np.array([*chances[:3], chances[3:].sum()])


def look(deals: int, seed: int) -> Findings:
    found = orders_of(deals, seed, fair_orders)
    found.hands, found.wilds = dealt(deals, seed)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = look(options.deals, options.seed)
    naive = orders_of(options.deals, options.seed, naive_orders)
    print(f"{found.deals} deals, standard deviations from chance (up to {DOUBTFUL} is good):")
    for name in ("positions", "neighbours", "hands", "wilds"):
        print(f"  {name:12} {getattr(found, name):12.2f}", end="")
        print(
            f"   naive {getattr(naive, name):12.2f}" if name in ("positions", "neighbours") else ""
        )
    return 0 if found.good and not naive.good else 1


if __name__ == "__main__":
    sys.exit(main())
