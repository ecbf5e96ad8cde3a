"""The vocabulary of cards: limits, and what a card can do when it is put down.

A *kind* is a face (red 7, Wild); a ruleset numbers its kinds from 0: first the colored ones, color
by color, then the wild ones. A *color* is its place in the edition's list. Names and letters of
both belong to editions; inside the core they are ints.
"""

from typing import Final

MIN_SEATS: Final = 2
SEATS: Final = 10  # Q18
MIN_COLORS: Final = 2
COLORS: Final = 6
NO_COLOR: Final = -1  # the color of a wild card, and the color in play before one is named
NOBODY: Final = -1
NOTHING: Final = -1  # no kind

# What a card does when it is put down. Every wild card names a color besides.
PLAIN: Final = 0
SKIP: Final = 1  # A3
REVERSE: Final = 2  # A2
TAKE: Final = 3  # A1, A5: the next player draws `amount` and misses the turn
GIVE_AWAY: Final = 4  # A10: `amount` cards of the pile go to opponents
RACE: Final = 5  # A11: everybody drops their cards, the last one draws `amount`
DEMAND: Final = 6  # A12: the next player plays a marked card or draws `amount`
