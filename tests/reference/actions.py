"""Everything a seat can do besides putting down a card."""

from .effects import expose_receiver, finish, lapse_call, racing
from .legal import holds_playable
from .scoring import end_round
from .state import State


def draw(s: State, seat: int) -> None:
    """Draw one card in a turn, or all that a demand or a stack asks for."""
    if s.options.catch_window == "begun":
        s.exposed = set()  # G2, Q10
    s.jump = False  # H3
    in_turn = s.phase in ("turn", "drawn")
    choice = s.choice if s.phase == "drawn" else in_turn and holds_playable(s, seat)  # T4, H4
    taken = s.take(seat, 1 if in_turn else s.due)
    if taken:
        s.passes = 0
    else:
        s.passes += 1
    if in_turn and taken:
        s.await_("drawn", seat)
        s.drawn = taken[0]
        s.choice = choice
        return
    if s.options.catch_window == "made":
        s.exposed = set()  # G2: the move is made
    if s.passes == s.seats:
        end_round(s, None)  # Q16
    else:
        end_turn(s, seat)


def keep(s: State, seat: int) -> None:
    """Keep the card just drawn (Q21)."""
    if s.options.catch_window == "made":
        s.exposed = set()  # G2
    end_turn(s, seat)


def end_turn(s: State, seat: int) -> None:
    """A turn ends without a card being put down."""
    lapse_call(s, seat)
    s.await_("turn", s.after(seat))


def call(s: State, seat: int) -> None:
    """Call UNO, in advance or late (Q11)."""
    s.called.add(seat)
    s.exposed.discard(seat)


def catch(s: State, seat: int) -> None:
    """Everybody exposed but the catcher draws 2 (G2, Q12)."""
    other = s.after(seat)
    while other != seat:
        if other in s.exposed:
            s.take(other, 2)
            s.exposed.discard(other)  # the miss is punished once, even with nothing to draw
        other = s.after(other)


def accept(s: State, seat: int) -> None:
    """The victim draws and loses the turn (Q5)."""
    assert s.by is not None
    s.take(seat, s.due)
    lapse_call(s, seat)
    finish(s, s.by, s.after(seat))


def challenge(s: State, seat: int) -> None:
    """The hand of the seat that put down the pending card is judged (A6 to A8, Q6)."""
    assert s.by is not None
    victim = s.turn
    if s.guilty:
        s.take(s.by, s.due)  # A7
        s.await_("turn", victim)
    else:
        s.take(seat, s.due + 2)  # A8
        lapse_call(s, victim)
        finish(s, s.by, s.after(victim))


def give(s: State, seat: int, receiver: int) -> None:
    """One card of the pile goes to an opponent (Q7)."""
    s.take(receiver, 1)
    s.due -= 1
    if s.due == 0 or s.nothing_to_draw():
        finish(s, seat, s.after(seat))


def drop(s: State, seat: int) -> None:
    """A seat drops its cards; the last one to do so draws (A11, Q8)."""
    assert s.by is not None
    s.dropped.add(seat)
    late = [racer for racer in racing(s) if racer not in s.dropped]
    if len(late) == 1:
        s.take(late[0], s.due)
        finish(s, s.by, s.after(s.by))


def swap(s: State, seat: int, other: int) -> None:
    """The player of a 7 swaps hands (H2)."""
    s.hands[seat], s.hands[other] = s.hands[other], s.hands[seat]
    s.called = set()
    expose_receiver(s, seat)
    expose_receiver(s, other)
    finish(s, seat, s.after(seat))
