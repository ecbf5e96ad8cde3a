"""How a bot of the core plays: a policy, habits in per mille, and what it weighs a play by.

Strong, weak and peculiar bots are settings of this record, not code of their own.
"""

from typing import Annotated, Final

from penultima.rules.schema import Field, Int2, Record, record

RANDOM: Final = 0
EAGER: Final = 1
BASIC: Final = 2


@record
class Manner(Record):
    """`call`, `catch`, `challenge` and `careless` are chances in a thousand: to call in time, to
    see a call that is missing, to doubt a bold card, and to put down just any card. The rest are
    weights in hundredths that `basic` adds up for each card it could put down.
    """

    policy: Int2
    call: Int2
    catch: Int2
    challenge: Int2
    careless: Int2
    color: Int2  # for each other card in hand of the color then in play
    symbol: Int2  # for each other card in hand with the same symbol
    wild: Int2  # for a wild card
    bold: Int2  # for a wild card that can be challenged, on top of that
    bluff: Int2  # for putting it down wrongly, on top of that
    take: Int2  # for making the next player draw, by card
    skip: Int2  # for taking the next player's turn
    turn_back: Int2  # for a reverse, by card that the player before has more than the next
    give: Int2  # for giving cards away, by card
    race: Int2  # for a race
    demand: Int2  # for a demand, by card
    danger: Int2  # for any attack, by card that the next player has less than four
    lacks: Int2  # for a color on which the next player has drawn
    points: Int2  # by ten points of the card
    last: Annotated[int, Field(2)]  # for each color less in the rest of a hand of up to four


def manner(policy: int, **settings: int) -> Manner:
    made = Manner()
    made.policy = policy
    for name, value in {**HABITS, **settings}.items():
        setattr(made, name, value)
    return made


HABITS: Final = {"call": 1000, "catch": 1000, "challenge": 250}
