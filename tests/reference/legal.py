"""Which actions a seat has."""

from .cards import Card
from .state import State


def matches(card: Card, top: Card, color: str | None) -> bool:
    """Whether a colored card matches by color, by number or by symbol (T1)."""
    if card.color == color:
        return True
    if top.wild:
        return False  # T6
    return card.symbol == top.symbol or (card.number is not None and card.number == top.number)


def stacks(card: Card, top: Card, stacking: str) -> bool:
    """Whether a card answers the stack on which top lies (H1)."""
    if card.effect != "draw":
        return False
    if card.symbol == top.symbol:
        return True
    return stacking == "four_on_two" and card.wild and not top.wild


def fits(s: State, card: Card) -> bool:
    """Whether a card can be put down in this phase, be it as a bluff."""
    if s.phase == "demand":
        return card.marked and card.color == s.color  # Q9
    if s.phase == "stack":
        return stacks(card, s.discard[-1], s.options.stacking)
    return card.wild or matches(card, s.discard[-1], s.color)  # A4


def is_bluff(s: State, hand: list[Card], card: Card) -> bool:
    """Whether the hand makes the card illegal: it holds the color in play (A5)."""
    return card.doubtful and any(other.color == s.color for other in hand)


def playable(s: State, hand: list[Card], card: Card) -> bool:
    """Whether a card of the hand can be played without breaking a rule (Q19)."""
    return fits(s, card) and not is_bluff(s, hand, card)


def holds_playable(s: State, seat: int) -> bool:
    """Whether a seat holds anything playable in this phase."""
    hand = s.hands[seat]
    return any(playable(s, hand, card) for card in hand)


def legal(s: State, seat: int) -> set[str]:
    """All actions of a seat."""
    actions: set[str] = set()
    if s.phase == "over" or not 0 <= seat < s.seats:
        return actions
    if not s.options.auto_call:  # H8
        if may_call(s, seat):
            actions.add("call")
        if s.exposed and s.exposed != {seat}:
            actions.add("catch")  # Q12
    if may_challenge(s, seat):
        actions.add("challenge")
    if s.phase == "race":
        if s.hands[seat] and seat not in s.dropped:
            actions.add("drop")  # A11, Q14
    elif seat == s.turn:
        add_turn_actions(s, seat, actions)
    elif s.jump and s.phase == "turn":
        top = s.discard[-1]
        if any(card.color == top.color and card.symbol == top.symbol for card in s.hands[seat]):
            actions.add(top.text)  # H3
    return actions


def may_call(s: State, seat: int) -> bool:
    """Whether a seat may call (Q11)."""
    if seat in s.called:
        return False
    if seat in s.exposed:
        return True
    own_turn = seat == s.turn and s.phase in ("turn", "drawn", "demand", "stack")
    return own_turn and len(s.hands[seat]) == 2


def may_challenge(s: State, seat: int) -> bool:
    """Whether a seat may challenge the card that is pending (A9, Q6)."""
    if s.guilty is None or seat == s.by:
        return False
    return seat == s.turn or s.options.challengers == "anybody"


def add_turn_actions(s: State, seat: int, actions: set[str]) -> None:
    """Add what only the seat whose turn it is can do."""
    if s.phase in ("turn", "stack", "demand"):
        if add_plays(s, seat, s.hands[seat], actions):
            if not must_play(s):
                actions.add("draw")  # T4
        else:
            actions.add("draw")  # T2
    elif s.phase == "drawn":
        add_drawn_actions(s, seat, actions)
    elif s.phase == "challenge":
        actions.add("accept")
    elif s.phase == "name":
        actions.update(f"color:{color}" for color in s.colors)
    else:  # give, swap
        others = [other for other in range(s.seats) if other != seat]
        actions.update(f"{s.phase}:{other}" for other in others)  # Q7, H2


def must_play(s: State) -> bool:
    """Whether something playable in hand forbids to draw instead."""
    if s.options.forced_play or s.nothing_to_draw():
        return True  # H5, Q16
    return s.phase == "demand" and s.options.demand == "must"  # Q9


def add_plays(s: State, seat: int, choice: list[Card], actions: set[str]) -> bool:
    """Add the plays among some cards of the hand; say whether any is more than a bluff."""
    honest = False
    for card in choice:
        if not fits(s, card):
            continue
        if is_bluff(s, s.hands[seat], card):
            if s.options.no_bluffing:
                continue  # H6
        else:
            honest = True
        if card.wild:
            actions.update(s.wild_actions[card.text])
        else:
            actions.add(card.text)
    return honest


def add_drawn_actions(s: State, seat: int, actions: set[str]) -> None:
    """Add what follows a draw: play that card, keep it or, with H4, draw on (T3 to T5)."""
    assert s.drawn is not None
    if add_plays(s, seat, [s.drawn], actions):
        rule = s.options.drawn_by_choice if s.choice else s.options.drawn_no_match
        if rule == "may" and not s.options.forced_play:
            actions.add("keep")
    elif s.options.draw_until_playable and not s.nothing_to_draw():
        actions.add("draw")
    else:
        actions.add("keep")  # Q21
