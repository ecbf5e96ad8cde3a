"""What a step leaves in its trace: notes of four ints, (what, seat, first, second)."""

from typing import Final

from penultima.rules.schema import Trace

# what                      first, second
CUT: Final = 1  # kind drawn for the deal (S1)
DEALER: Final = 2  # the seat deals round `first`
TURNED: Final = 3  # kind that begins the discard pile
RETURNED: Final = 4  # kind put back (S9)
NAMED: Final = 5  # color
PLAYED: Final = 6  # kind, color named or NO_COLOR
JUMPED: Final = 7  # kind: the play that follows is out of turn
GOT: Final = 8  # kind, why
PASSED: Final = 9
KEPT: Final = 10
SKIPPED: Final = 11
REVERSED: Final = 12  # direction
RENEWED: Final = 13  # cards in the new pile
CALLED: Final = 14
CAUGHT: Final = 15  # by
CHALLENGED: Final = 16  # whom, guilty or not
DEMANDED: Final = 17  # color, cards otherwise
GAVE: Final = 18  # to
RACING_NOW: Final = 19  # cards for the last
DROPPED: Final = 20
LOST_RACE: Final = 21
SWAPPED: Final = 22  # with
ROTATED: Final = 23  # direction
WON_ROUND: Final = 24  # points
BLOCKED: Final = 25
SCORED: Final = 26  # points, under the tally
WON_MATCH: Final = 27
SHORT: Final = 28  # cards that should have been drawn but do not exist
STACKED: Final = 29  # sum due

# Why a card was drawn.
OWN_TURN: Final = 0
TWO: Final = 1  # a draw card, or a stack of them
CATCH_PENALTY: Final = 2
WRONG_CHALLENGE: Final = 3
BLUFF: Final = 4
UNANSWERED: Final = 5
GIFT: Final = 6
SLOWEST: Final = 7


def note(trace: Trace, what: int, seat: int, first: int, second: int) -> None:
    # In a bulk trace there is room for one: the compiler sees that, and leaves all notes out.
    if trace.on != 0 and len(trace.notes) > 1 and trace.length < len(trace.notes):
        line = trace.notes[trace.length]
        line[0] = what
        line[1] = seat
        line[2] = first
        line[3] = second
        trace.length += 1
