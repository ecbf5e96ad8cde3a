"""What lies on the table, and the few movements of cards everything else is made of."""

from typing import Any

from .cards import Card
from .chance import SHUFFLES, Stream
from .options import Options


class State:
    """A match in progress. Piles are lists whose last card is the next to be drawn."""

    def __init__(
        self, cards: list[Card], colors: str, seats: int, options: dict[str, Any], key: bytes
    ) -> None:
        self.cards = cards
        self.colors = colors
        self.seats = seats
        self.options = Options.checked(options)
        self.key = key
        self.place: dict[str, int] = {}  # canonical order of the card texts
        self.wild_actions: dict[str, list[str]] = {}  # every way to put down a wild card
        for card in cards:
            self.place.setdefault(card.text, len(self.place))
            if card.wild:
                self.wild_actions[card.text] = [f"{card.text}:{color}" for color in colors]

        self.hands: list[list[Card]] = [[] for _ in range(seats)]
        self.discard: list[Card] = []
        self.pile: list[Card] = []
        self.color: str | None = None
        self.turn = 0
        self.direction = 1
        self.dealer = 0
        self.phase = "over"
        self.drawn: Card | None = None
        self.choice = False
        self.due = 0
        self.by: int | None = None
        self.guilty: bool | None = None
        self.called: set[int] = set()
        self.exposed: set[int] = set()
        self.dropped: set[int] = set()
        self.jump = False
        self.passes = 0
        self.decisions = 0
        self.renewals = 0
        self.shuffled = 0  # numbers of chance used by the shuffles of this round
        self.round = 0
        self.scores = [0] * seats
        self.over: str | None = None
        self.winner: int | list[int] | None = None

    def shuffle(self) -> None:
        """Shuffle the pile; the shuffles of a round go on where the last one stopped."""
        stream = Stream(self.key, SHUFFLES, self.round, 0, self.shuffled)
        stream.shuffle(self.pile)
        self.shuffled = stream.used

    def after(self, seat: int) -> int:
        """The next seat in the direction of play."""
        return (seat + self.direction) % self.seats

    def left_of(self, seat: int) -> int:
        """The seat to the left, whichever way play goes."""
        return (seat + 1) % self.seats

    def nothing_to_draw(self) -> bool:
        """Whether not even a renewed pile would hold a card (Q16)."""
        return not self.pile and len(self.discard) <= 1

    def take(self, seat: int, count: int) -> list[Card]:
        """A seat draws that many cards, or what there is (Q15)."""
        taken: list[Card] = []
        while len(taken) < count and not self.nothing_to_draw():
            if not self.pile:
                self.renew()
            taken.append(self.pile.pop())
        if taken:
            self.hands[seat] += taken
            self.called.discard(seat)  # Q11: a card gained in any way
            self.exposed.discard(seat)
        return taken

    def renew(self) -> None:
        """The discard pile, less its top card, becomes the new pile (G6)."""
        top = self.discard.pop()
        self.pile = self.discard[::-1]
        self.discard = [top]
        self.shuffle()
        self.renewals += 1

    def clear_pending(self) -> None:
        """Forget whatever belonged to the phase that ends."""
        self.drawn = None
        self.choice = False
        self.due = 0
        self.by = None
        self.guilty = None
        self.dropped = set()

    def await_(self, phase: str, turn: int) -> None:
        """Wait for that seat to act in that phase, with nothing pending yet."""
        self.clear_pending()
        self.phase = phase
        self.turn = turn
