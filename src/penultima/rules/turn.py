"""What an action comes to, and how the turn goes on."""

from typing import Final

from penultima.cards import NOBODY
from penultima.rules.actions import TURN
from penultima.rules.pile import next_seat
from penultima.rules.schema import Game
from penultima.rules.score import clear_pending

# What an action comes to: who draws how many cards and why, who is skipped, and when they have
# drawn, whose card it was and who is next. Every action ends in the same lines of `step`, so that
# the threads of a GPU, whose games do different things, are soon together again.
Outcome = tuple[int, int, int, int, int, int]

STAY: Final = -1  # nobody is next: the turn goes on
TRY: Final = -2  # nobody is next: the card drawn can be played (T3, T4)
NO_MORE: Final = (NOBODY, 0, 0, NOBODY, NOBODY, STAY)


def begin_turn(game: Game, seat: int) -> None:
    """The turn goes to `seat`; a call that led to nothing lapses (Q11)."""
    if game.called >> game.turn & 1 and game.counts[game.turn] != 1:
        game.called &= ~(1 << game.turn)
    clear_pending(game)
    game.phase = TURN
    game.turn = seat


def finish(game: Game, seat: int, places: int) -> Outcome:
    """The card of `seat` has had its effect: the round ends, or the turn goes on."""
    return NOBODY, 0, 0, NOBODY, seat, next_seat(game, seat, places)


def wait(game: Game, phase: int, seat: int, by: int, due: int) -> Outcome:
    """The table waits for `seat` to settle what the card of `by` asks."""
    game.phase = phase
    game.turn = seat
    game.by = by
    game.due = due
    return NO_MORE
