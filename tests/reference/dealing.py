"""Setting up: who deals, the deal, and the card turned to start."""

from .cards import Card
from .chance import SHUFFLES, TIE, Stream
from .state import State


def draw_dealer(s: State) -> int:
    """Each player draws a card; the highest number deals (S1, Q1)."""
    pile = list(s.cards)
    Stream(s.key, SHUFFLES, 0, 0).shuffle(pile)
    tied = list(range(s.seats))
    while len(tied) > 1:
        if len(pile) < len(tied):
            return tied[Stream(s.key, TIE, 0, 0).below(len(tied))]
        numbers = {seat: pile.pop().number or 0 for seat in tied}  # any symbol counts as zero
        highest = max(numbers.values())
        tied = [seat for seat in tied if numbers[seat] == highest]
    return tied[0]


def deal(s: State) -> None:
    """Shuffle, deal and turn the first card; dealer and round are already set."""
    s.direction = 1
    s.jump = False
    s.passes = s.decisions = s.renewals = s.shuffled = 0
    s.over = None
    s.winner = None
    s.called = set()
    s.exposed = set()
    s.pile = list(s.cards)
    s.shuffle()
    s.hands = [[] for _ in range(s.seats)]
    for _ in range(s.options.hand_size):  # S2
        seat = s.dealer
        for _ in range(s.seats):
            seat = s.left_of(seat)
            s.hands[seat].append(s.pile.pop())
    holding_one = s.options.call_duty == "holding" and s.options.hand_size == 1
    if holding_one and not s.options.auto_call:
        s.exposed = set(range(s.seats))  # G1: however it came about
    top = turn_first_card(s)
    s.discard = [top]
    s.color = top.color
    start(s, top)


def turn_first_card(s: State) -> Card:
    """The first card of the discard pile (S4); a wild draw card goes back (S9, Q3)."""
    if all(card.wild and card.effect == "draw" for card in s.pile):
        raise ValueError("the pile holds no card to start with")  # user-made decks only
    while True:
        top = s.pile.pop()
        if not (top.wild and top.effect == "draw"):
            return top
        s.pile.append(top)
        s.shuffle()


def start(s: State, top: Card) -> None:
    """Who has the first turn, and what the turned card does (S4 to S11)."""
    first = s.left_of(s.dealer)
    second = s.left_of(first)
    if top.wild:
        s.await_("name", first)  # S8, S10, S11
    elif top.effect == "draw":
        s.take(first, top.amount)  # S5; H1: cannot be answered
        s.await_("turn", second)
    elif top.effect == "reverse":
        s.direction = -1  # S6
        s.await_("turn", s.dealer)
    elif top.effect == "skip":
        s.await_("turn", second)  # S7
    elif top.effect == "demand":
        s.await_("demand", first)
        s.due = top.amount
    else:
        s.await_("turn", first)


def name_color(s: State, color: str) -> None:
    """The player left of the dealer has named the color of the turned wild card."""
    top = s.discard[-1]
    s.color = color
    if top.effect == "demand":
        s.await_("demand", s.left_of(s.turn))  # S11
        s.due = top.amount
    else:
        s.await_("turn", s.turn)  # Q2
