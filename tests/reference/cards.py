"""Cards and the decks of the five editions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """One kind of card; equal cards are copies of each other."""

    text: str
    color: str | None
    symbol: str
    number: int | None = None
    points: int = 0
    effect: str | None = None
    amount: int = 0
    challengeable: bool = False
    marked: bool = False

    @property
    def wild(self) -> bool:
        """Whether the card has no color of its own."""
        return self.color is None

    @property
    def doubtful(self) -> bool:
        """Whether the card is one that can be put down illegally and challenged (A5)."""
        return self.color is None and self.challengeable and self.effect == "draw"


# The order of the colors is part of the canonical card order.
COLORS = {
    "classic": "bgry",
    "revenge": "bgry",
    "chili": "bpgy",
    "triforce": "bgtr",
    "violet": "gbup",  # D6: the sheet's red action cards are its pink ones
}

# D4: symbol, effect and amount of an edition's own wild card.
OWN_WILD = {
    "revenge": ("WG", "give", 4),  # A10
    "chili": ("WC", "race", 2),  # A11
    "triforce": ("WT", "demand", 3),  # A12
}


def number_card(color: str, number: int, marked: bool) -> Card:
    """A number card, worth its face value (P1)."""
    symbol = str(number)
    return Card(color + symbol, color, symbol, number=number, points=number, marked=marked)


def action_card(color: str, symbol: str, effect: str, amount: int = 0) -> Card:
    """A colored action card, worth 20 points (P1)."""
    return Card(color + symbol, color, symbol, points=20, effect=effect, amount=amount)


def wild_card(
    symbol: str, effect: str | None = None, amount: int = 0, challengeable: bool = False
) -> Card:
    """A wild card, worth 50 points (P1)."""
    return Card(
        symbol,
        None,
        symbol,
        points=50,
        effect=effect,
        amount=amount,
        challengeable=challengeable,
    )


def deck(edition: str) -> list[Card]:
    """All cards of an edition in canonical order, copies side by side."""
    if edition not in COLORS:
        raise ValueError(f"unknown edition: {edition!r}")
    cards: list[Card] = []
    for color in COLORS[edition]:
        for number in range(10):
            marked = edition == "triforce" and number in (3, 6, 9)  # D5
            copies = 1 if number == 0 else 2  # D1
            cards += [number_card(color, number, marked)] * copies
        cards += [action_card(color, "+2", "draw", 2)] * 2  # D2
        cards += [action_card(color, "R", "reverse")] * 2
        cards += [action_card(color, "S", "skip")] * 2
    cards += [wild_card("W")] * 4  # D3
    cards += [wild_card("W4", "draw", 4, challengeable=True)] * 4
    if edition in OWN_WILD:
        symbol, effect, amount = OWN_WILD[edition]
        cards += [wild_card(symbol, effect, amount)] * 4
    return cards
