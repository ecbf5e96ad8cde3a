"""Why an action is refused, from what its seat knows and nothing else.

What is legal is decided in `rules.legal` alone. Here an action is known to be refused; what stands
in its way follows from the moment and from the own hand.
"""

from collections.abc import Callable
from typing import Final

from penultima.cards import NOTHING
from penultima.errors import Why
from penultima.notation import color_letter
from penultima.rules.actions import (
    ANSWER,
    CALL,
    CATCH,
    CHALLENGE,
    COLOR,
    DRAW,
    DRAWN,
    DROP,
    GIVE,
    GIVING,
    JUDGE,
    KEEP,
    MATCH_OVER,
    NAME,
    OVER,
    PLAY,
    RACING,
    STACK,
    SWAP,
    SWAPPING,
    TURN,
)
from penultima.rules.legal import kind_of, stacks_on
from penultima.rules.observe import observe
from penultima.rules.schema import Game, Seen
from penultima.ruleset import Sheet


def why_not(sheet: Sheet, game: Game, seat: int, action: int) -> Why:
    """Why `rules.legal` does not allow a seat this action now."""
    seen = Seen(sheet.rules.size)
    observe(sheet.rules, game, seat, seen)
    return explain(sheet, seen, action)


def explain(sheet: Sheet, seen: Seen, action: int) -> Why:
    """The same from what the seat knows: the game itself is out of reach here."""
    if seen.phase == OVER:
        return Why("match_over") if seen.over == MATCH_OVER else Why("round_over")
    if action == CALL:
        return _call(sheet, seen)
    if action == CATCH:
        return _catch(sheet, seen)
    if action == CHALLENGE:
        return _challenge(sheet, seen)
    if seen.phase == RACING or action == DROP:
        return _race(seen, action)
    if seen.seat != seen.turn:
        return _jump(sheet, seen, action) if action >= PLAY else Why("not_your_turn")
    if seen.phase in _FIRST:
        return _FIRST[seen.phase](sheet, seen, action)
    if action >= PLAY:
        return _play(sheet, seen, kind_of(sheet.rules, action))
    if action == DRAW:
        return _draw(sheet, seen)
    if action == KEEP and seen.phase == DRAWN:
        return Why("must_play_drawn", card=sheet.texts[seen.drawn])
    return _nothing_to(action)


def _nothing_to(action: int) -> Why:
    """The action is for another moment."""
    if action >= SWAP:
        return Why("no_swap")
    if action >= GIVE:
        return Why("no_gifts")
    if action >= COLOR:
        return Why("no_color")
    return Why("not_drawn") if action == KEEP else Why("nothing_to_accept")


def _call(sheet: Sheet, seen: Seen) -> Why:
    """G1, Q11."""
    count = seen.counts[seen.seat]
    if sheet.options.auto_call:
        return Why("calls_itself")
    if seen.called >> seen.seat & 1:
        return Why("called_already")
    if count == 1:
        return Why("call_too_late")
    if count != 2:
        return Why("call_cards", count=count)
    return Why("call_turn") if seen.seat != seen.turn else Why("call_moment")


def _catch(sheet: Sheet, seen: Seen) -> Why:
    """G2, Q12."""
    if sheet.options.auto_call:
        return Why("calls_itself")
    return Why("only_you") if seen.exposed else Why("nobody_to_catch")


def _challenge(sheet: Sheet, seen: Seen) -> Why:
    """A6, A9, Q6."""
    rules = sheet.rules
    if rules.no_bluffing:
        return Why("no_bluffing")
    if seen.phase not in (JUDGE, STACK) or not rules.challengeable[seen.top]:
        return Why("nothing_to_challenge")
    if seen.seat == seen.by:
        return Why("own_card")
    return Why("only_victim")


def _race(seen: Seen, action: int) -> Why:
    """A11."""
    if seen.phase != RACING:
        return Why("no_race")
    if seen.counts[seen.seat] == 0:
        return Why("race_without_cards")
    if seen.dropped >> seen.seat & 1:
        return Why("dropped_already")
    return Why("drop_first")


def _jump(sheet: Sheet, seen: Seen, action: int) -> Why:
    """H3: a card out of turn."""
    rules = sheet.rules
    if not rules.jump_in:
        return Why("not_your_turn")
    if seen.phase != TURN or not seen.jump or seen.top >= rules.colored:
        return Why("jump_closed")
    if kind_of(rules, action) != seen.top:
        return Why("jump_other", top=sheet.texts[seen.top])
    return Why("not_held", card=sheet.texts[seen.top])


def _name_first(sheet: Sheet, seen: Seen, action: int) -> Why:
    return Why("name_first")


def _judge_first(sheet: Sheet, seen: Seen, action: int) -> Why:
    return Why("judge_first", top=sheet.texts[seen.top])


def _give_first(sheet: Sheet, seen: Seen, action: int) -> Why:
    if GIVE <= action < SWAP:
        return Why("give_yourself") if action - GIVE == seen.seat else Why("no_such_player")
    return Why("give_first", count=seen.due)


def _swap_first(sheet: Sheet, seen: Seen, action: int) -> Why:
    if SWAP <= action < PLAY:
        return Why("swap_yourself") if action - SWAP == seen.seat else Why("no_such_player")
    return Why("swap_first")


# Phases in which the seat on turn has one thing to do before all others.
_FIRST: Final[dict[int, Callable[[Sheet, Seen, int], Why]]] = {
    NAME: _name_first,
    JUDGE: _judge_first,
    GIVING: _give_first,
    SWAPPING: _swap_first,
}


def _play(sheet: Sheet, seen: Seen, kind: int) -> Why:
    """T1, T5, A5, A12, H1: a card of one's own turn."""
    rules, card = sheet.rules, sheet.texts[kind]
    if seen.hand[kind] == 0:
        return Why("not_held", card=card)
    if seen.phase == DRAWN and kind != seen.drawn:
        return Why("only_drawn", card=sheet.texts[seen.drawn])
    color = color_letter(sheet, seen.color)
    if seen.phase == ANSWER:
        return Why("demand_first", card=card, color=color, count=seen.due)
    top = sheet.texts[seen.top]
    if seen.phase == STACK and not (kind >= rules.colored and stacks_on(rules, kind, seen.top)):
        return Why("stack_first", card=card, top=top, count=seen.due)
    if kind >= rules.colored:  # nothing else stands in the way of a wild card
        return Why("would_bluff", card=card, color=color)
    if seen.top >= rules.colored:
        return Why("other_color", card=card, color=color)
    return Why("no_match", card=card, top=top)


def _draw(sheet: Sheet, seen: Seen) -> Why:
    """H5, Q9, Q16."""
    if seen.drawn != NOTHING:
        return Why("drew_already", card=sheet.texts[seen.drawn])
    if seen.pile + seen.discards == 1:
        return Why("must_play_empty")
    if seen.phase == ANSWER:
        return Why("must_answer", color=color_letter(sheet, seen.color))
    return Why("must_play")
