"""A table set up for one example: who holds what, what lies on top, and what happens then.

>>> t = table("classic", ["r7 b2", "g1 g2"], "r3")
>>> t.play("0:r7").turn
1
>>> t.refuses("1:g2")
True
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, count
from typing import Any

from penultima.edition import shipped
from penultima.errors import Illegal
from penultima.event import Event
from penultima.game import Match, digest, key_of_seed
from penultima.notation import read_move
from penultima.position import read_position, write_position
from penultima.rules.check import check
from penultima.ruleset import Options, Sheet
from penultima.view import View, view


class Table:
    """A match, as the examples speak of it. After every move the whole deck must still be there."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.events: list[Event] = match.opening

    def play(self, *moves: str) -> "Table":
        """Moves as `SEAT:ACTION`, one after the other."""
        for move in moves:
            self.events = self.match.play(*read_move(self.match.sheet, move))
            assert self.faults == 0, move
        return self

    def next_round(self) -> "Table":
        self.events = self.match.next_round()
        return self

    def refuses(self, *moves: str) -> bool:
        """Whether each of these is against the rules now, and trying it changes nothing."""
        before = digest(self.match.game)
        for move in moves:
            try:
                self.match.play(*read_move(self.match.sheet, move))
            except Illegal:
                assert digest(self.match.game) == before
            else:
                return False
        return True

    def legal(self, seat: int) -> set[str]:
        return set(self.match.legal_texts(seat))

    def cards(self, seat: int) -> set[str]:
        """The cards that a seat may put down now, whatever color a wild one may name."""
        faces = {face.text for face in self.match.sheet.faces}
        return {action.partition(":")[0] for action in self.legal(seat)} & faces

    def hand(self, seat: int) -> str:
        return " ".join(self.state["hands"][seat])

    @property
    def counts(self) -> list[int]:
        return [len(hand) for hand in self.state["hands"]]

    def sees(self, seat: int) -> View:
        return view(self.match.sheet, self.match.game, seat)

    @property
    def state(self) -> dict[str, Any]:
        return write_position(self.match.sheet, self.match.game)

    @property
    def faults(self) -> int:
        rules = self.match.sheet.rules
        return check(rules, self.match.game, [0] * rules.kinds)

    @property
    def every_card(self) -> Counter[str]:
        """All cards at the table, wherever they lie."""
        state = self.state
        return Counter(state["pile"] + state["discard"] + [*chain(*state["hands"])])

    @property
    def top(self) -> str:
        return str(self.state["discard"][-1])

    @property
    def turn(self) -> int:
        return self.match.game.turn

    @property
    def dealer(self) -> int:
        return self.match.game.dealer

    @property
    def direction(self) -> int:
        return self.match.game.direction

    @property
    def phase(self) -> str:
        return str(self.state["phase"])

    @property
    def color(self) -> str | None:
        color = self.state["color"]
        return None if color is None else str(color)

    @property
    def due(self) -> int:
        return self.match.game.due

    @property
    def called(self) -> list[int]:
        return list(self.state["called"])

    @property
    def exposed(self) -> list[int]:
        return list(self.state["exposed"])

    @property
    def pile(self) -> int:
        """How many cards are left to draw before the pile is renewed."""
        return self.match.game.pile

    @property
    def scores(self) -> list[int]:
        return list(self.state["scores"])

    @property
    def over(self) -> str | None:
        return self.match.over

    @property
    def winner(self) -> int | list[int] | None:
        return self.match.winner


@cache
def sheet_of(edition: str | Sheet, **options: Any) -> Sheet:
    sheet = shipped(edition).sheet if isinstance(edition, str) else edition
    return sheet.with_options(options)


def table(
    edition: str | Sheet,
    hands: list[str],
    discard: str,
    *,
    pile: str = "",
    rest: str | int = "pile",
    **more: Any,
) -> Table:
    """The table that these cards make; seat 0 has the turn.

    `discard` ends with the top card, `pile` begins with the next one drawn. The cards that nobody
    names are the `rest`: under the pile, under the discard pile, or in the hand of a seat. `more`
    are options of the rules and other fields of a position.
    """
    options = {name: more.pop(name) for name in Options.names() if name in more}
    sheet = sheet_of(edition, **options)
    held = [hand.split() for hand in hands]
    gone = discard.split()
    if rest != "pile":
        named = Counter(pile.split() + gone + [*chain(*held)])
        left = Counter({face.text: face.count for face in sheet.faces}) - named
        if isinstance(rest, int):
            held[rest] += left.elements()
        else:
            gone = [*left.elements(), *gone]
    data = {"hands": held, "discard": gone, "pile": pile.split(), **more}
    return Table(Match.at(sheet, read_position(sheet, data)))


def deal(edition: str | Sheet, players: int, seed: int = 0, **options: Any) -> Table:
    """A fresh match with the cards as they fall."""
    sheet = sheet_of(edition, **options)
    return Table(Match(sheet, [f"player {seat}" for seat in range(players)], key_of_seed(seed)))


def deals(edition: str | Sheet, players: int, **options: Any) -> Iterator[Table]:
    return (deal(edition, players, seed, **options) for seed in count())


def deal_where(
    wanted: Callable[[Table], bool], edition: str | Sheet, players: int, **options: Any
) -> Table:
    """The first of many deals in which things fall as wanted."""
    return next(filter(wanted, deals(edition, players, **options)))


def deal_turning(symbol: str, edition: str, players: int, **options: Any) -> Table:
    """A deal whose turned card is that wild card, or has that number or symbol in any color."""
    seed = _seed_turning(symbol, edition, players, tuple(options.items()))
    return deal(edition, players, seed, **options)


@cache
def _seed_turning(
    symbol: str, edition: str, players: int, options: tuple[tuple[str, Any], ...]
) -> int:
    for seed, dealt in enumerate(deals(edition, players, **dict(options))):
        if dealt.top == symbol or (dealt.top[0].islower() and dealt.top[1:] == symbol):
            return seed
    raise AssertionError
