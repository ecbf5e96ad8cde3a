"""Both piles of a game as lists of kinds, shuffled to the end: as positions name them."""

from penultima.rules.pile import in_pile, settle
from penultima.rules.schema import Game, Trace
from penultima.ruleset import Sheet


def discard_pile(sheet: Sheet, game: Game) -> list[int]:
    """From its bottom."""
    first = game.base - game.discards
    if first >= 0:
        return game.deck[first : game.base][::-1]
    cards = sheet.rules.cards
    return (game.deck[first + cards : cards] + game.deck[: game.base])[::-1]


def piles(sheet: Sheet, game: Game) -> tuple[list[int], list[int]]:
    """The discard pile from its bottom, and the draw pile in the order it will be drawn."""
    game = settled(sheet, game)
    return discard_pile(sheet, game), [
        game.deck[in_pile(sheet.rules, game, n)] for n in reversed(range(game.pile))
    ]


def settled(sheet: Sheet, game: Game) -> Game:
    """The same game with its pile shuffled to the end."""
    if game.loose:
        game = game.copy()
        settle(sheet.rules, game, Trace(sheet.rules.size))
    return game


def lay_out(sheet: Sheet, game: Game, discard: list[int], pile: list[int]) -> None:
    """Put both piles down as `piles` gives them, shuffled and done with."""
    empty = sheet.cards - len(pile) - len(discard)
    game.deck[: sheet.cards] = pile[::-1] + [0] * empty + discard[::-1]
    game.pile = len(pile)
    game.discards = len(discard)
    game.base = game.loose = 0
