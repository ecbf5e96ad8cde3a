"""Who is asked next: the one way to put calls, catches, challenges and jump-ins in sequence.

After every step the places are gone through from 0. First each exposed seat may call; then each
seat that could interrupt may do so, both in order of play from the seat on turn; at the last place
the seat that the table waits for must decide. Who declines is passed over until the next step.
Whom it asks depends on public facts alone: being asked tells a seat nothing.

    place = 0
    while game.phase != OVER:
        place = ask(rules, game, place)
        seat = seat_asked(game, trace, place)
        action = ...  # one of `choices`, or DECLINE where `may_decline(game, place)`
        place = answer(rules, game, trace, place, seat, action)
"""

from typing import Final

from penultima.rules.actions import ANYBODY, CALL, OVER, RACING, TURN
from penultima.rules.chance import draw_lot
from penultima.rules.legal import legal
from penultima.rules.observe import observe
from penultima.rules.pile import next_seat
from penultima.rules.schema import Game, Ruleset, Seen, Trace
from penultima.rules.step import step

DECLINE: Final = -1  # an answer
NOT_ASKED: Final = -1  # a place


def ask(rules: Ruleset, game: Game, place: int) -> int:
    """The first place from `place` on whose seat is to be asked."""
    last = 2 * game.seats
    if not interruptible(rules, game):
        return last
    while place < last:
        if place < game.seats:
            if game.exposed >> next_seat(game, game.turn, place) & 1:
                return place
        elif could_interrupt(rules, game, next_seat(game, game.turn, place - game.seats)):
            return place
        place += 1
    return last


def may_decline(game: Game, place: int) -> bool:
    return place < 2 * game.seats


def choices(rules: Ruleset, game: Game, place: int, seat: int, mask: list[int]) -> None:
    """Write what the seat asked may answer: at the first places only a call.

    Otherwise a seat that is exposed on its own turn could go out before anybody may catch it.
    """
    legal(rules, game, seat, mask)
    if place < game.seats:
        mask[0] &= 1 << CALL
        for word in range(1, len(rules.plays[0]) + 1):
            mask[word] = 0


def interruptible(rules: Ruleset, game: Game) -> bool:
    """Whether anybody at all could act out of turn."""
    if game.exposed:
        return True
    if game.phase == TURN:
        return game.jump != 0
    return rules.challengers == ANYBODY and game.guilty >= 0


def could_interrupt(rules: Ruleset, game: Game, seat: int) -> bool:
    """Whether the table, not knowing the hands, must reckon with an interrupt by this seat."""
    if seat == game.turn and game.phase != RACING:
        return False  # decides anyway
    if game.exposed & ~(1 << seat):
        return True
    if game.phase == TURN:
        return game.jump != 0
    return rules.challengers == ANYBODY and game.guilty >= 0 and seat != game.by


def seat_asked(game: Game, trace: Trace, place: int) -> int:
    """The seat at a place. In a race that nobody runs by hand, chance orders the drops (Q8)."""
    if place < game.seats:
        return next_seat(game, game.turn, place)
    if place < 2 * game.seats:
        return next_seat(game, game.turn, place - game.seats)
    if game.phase != RACING:
        return game.turn
    racers = 0
    for seat in range(game.seats):
        if game.counts[seat] > 0 and not game.dropped >> seat & 1:
            racers += 1
    chosen = draw_lot(game, racers)
    racer = -1
    while chosen >= 0:
        racer += 1
        if game.counts[racer] > 0 and not game.dropped >> racer & 1:
            chosen -= 1
    return racer


def answer(rules: Ruleset, game: Game, trace: Trace, place: int, seat: int, action: int) -> int:
    """Take what the seat asked has answered; gives the place to go on from."""
    if action == DECLINE:
        return place + 1
    step(rules, game, trace, seat, action)
    return 0


def advance(
    rules: Ruleset,
    game: Game,
    trace: Trace,
    place: int,
    seat: int,
    action: int,
    mask: list[int],
    seen: Seen,
) -> tuple[int, int]:
    """Take an answer and ask on: gives place and seat, writes what it may do and what it knows.

    A place of NOT_ASKED has no answer yet. A round that is over stays so, with an empty mask.
    """
    if place == NOT_ASKED:
        place = 0
    elif game.phase != OVER:
        place = answer(rules, game, trace, place, seat, action)
    place = ask(rules, game, place)
    seat = seat_asked(game, trace, place)
    choices(rules, game, place, seat, mask)
    observe(rules, game, seat, seen)
    return place, seat
