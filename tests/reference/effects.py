"""Putting down a card, and what it does."""

from .cards import Card
from .chance import RACE, Stream
from .scoring import end_round
from .state import State


def lapse_call(s: State, seat: int) -> None:
    """At the end of a turn a call that was not followed by playing down to one card ends (Q11)."""
    if len(s.hands[seat]) != 1:
        s.called.discard(seat)


def finish(s: State, seat: int, following: int) -> None:
    """The effects of a seat's card are done: the round ends (G4) or the turn passes."""
    if not s.hands[seat]:
        end_round(s, seat)
    else:
        lapse_call(s, seat)
        s.await_("turn", following)


def put_down(s: State, seat: int, card: Card, named: str) -> None:
    """A seat puts down a card, naming a color if it is wild."""
    if s.options.catch_window != "open":
        s.exposed = set()  # G2: a play is a turn begun and a move made
    if seat != s.turn:
        lapse_call(s, s.turn)  # H3: the turn of the other is gone
    stacked = s.due if s.phase == "stack" else 0
    color_before = s.color
    hand = s.hands[seat]
    remove(hand, card)
    s.discard.append(card)
    s.color = named if card.wild else card.color
    s.jump = s.options.jump_in and not card.wild
    s.passes = 0
    guilty = any(held.color == color_before for held in hand)  # Q5
    if len(hand) == 1 and seat not in s.called and not s.options.auto_call:
        s.exposed.add(seat)  # G1
    if not hand:
        s.called.discard(seat)
        s.exposed.discard(seat)
    s.await_("turn", seat)
    take_effect(s, seat, card, stacked, guilty)


def remove(hand: list[Card], card: Card) -> None:
    """Take one copy of a card out of a hand."""
    for place, held in enumerate(hand):
        if held.text == card.text:
            del hand[place]
            return


def take_effect(s: State, seat: int, card: Card, stacked: int, guilty: bool) -> None:
    """What the card just put down does."""
    if card.effect == "draw":
        draw_card(s, seat, card, stacked, guilty)
    elif card.effect == "give":
        give_card(s, seat, card)
    elif card.effect == "race":
        race_card(s, seat, card)
    elif not s.hands[seat]:
        end_round(s, seat)  # G4, Q14, H2: nothing else matters as a last card
    elif card.effect == "demand":
        lapse_call(s, seat)
        s.await_("demand", s.after(seat))  # A12
        s.due = card.amount
    elif card.effect == "skip":
        finish(s, seat, s.after(s.after(seat)))  # A3
    elif card.effect == "reverse":
        s.direction = -s.direction  # A2
        finish(s, seat, seat if s.seats == 2 else s.after(seat))  # Q4
    elif s.options.seven_zero and card.number == 7:
        s.await_("swap", seat)
        s.by = seat
    elif s.options.seven_zero and card.number == 0:
        pass_hands_on(s)
        finish(s, seat, s.after(seat))
    else:
        finish(s, seat, s.after(seat))


def draw_card(s: State, seat: int, card: Card, stacked: int, guilty: bool) -> None:
    """Draw Two, Wild Draw Four and their like (A1, A5, G5, H1)."""
    victim = s.after(seat)
    due = stacked + card.amount
    doubtful = card.doubtful and not s.options.no_bluffing  # H6
    stackable = s.options.stacking != "off" and bool(s.hands[seat])  # H1: a last card is not
    if stackable or doubtful:
        lapse_call(s, seat)
        s.await_("stack" if stackable else "challenge", victim)  # Q13
        s.due = due
        s.by = seat
        s.guilty = guilty if doubtful else None
    else:
        s.take(victim, due)
        finish(s, seat, s.after(victim))


def give_card(s: State, seat: int, card: Card) -> None:
    """Cards from the pile go to opponents one by one (A10, Q7), after a last card too (Q14)."""
    if s.nothing_to_draw():
        finish(s, seat, s.after(seat))
    else:
        s.await_("give", seat)
        s.by = seat
        s.due = card.amount


def race_card(s: State, seat: int, card: Card) -> None:
    """Everybody holding cards drops them; the last draws (A11, Q8, Q14)."""
    racers = racing(s)
    if len(racers) == 1:
        s.take(racers[0], card.amount)
        finish(s, seat, s.after(seat))
    elif s.options.race == "chance":
        loser = racers[Stream(s.key, RACE, s.round, s.decisions).below(len(racers))]
        s.take(loser, card.amount)
        finish(s, seat, s.after(seat))
    else:
        s.await_("race", seat)
        s.by = seat
        s.due = card.amount


def racing(s: State) -> list[int]:
    """The seats that take part in a race."""
    return [seat for seat, hand in enumerate(s.hands) if hand]


def pass_hands_on(s: State) -> None:
    """A 0: every hand goes to the next seat in the direction of play (H2)."""
    old = list(s.hands)
    for seat, hand in enumerate(old):
        s.hands[s.after(seat)] = hand
    s.called = set()
    s.exposed = set()
    for seat in range(s.seats):
        expose_receiver(s, seat)


def expose_receiver(s: State, seat: int) -> None:
    """Who receives a one-card hand is exposed as if having played down to it (H2)."""
    s.exposed.discard(seat)
    if len(s.hands[seat]) == 1 and not s.options.auto_call:
        s.exposed.add(seat)
