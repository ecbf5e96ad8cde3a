"""What happened, one fact each: made of a step's trace, shown to people by `view` and `locale`."""

from dataclasses import dataclass, replace
from typing import Any, Final

from penultima.cards import NO_COLOR
from penultima.notation import cards_text, color_letter
from penultima.rules import notes
from penultima.rules.schema import Game, Trace
from penultima.ruleset import Sheet


@dataclass(frozen=True, slots=True)
class Event:
    """`what` happened to `seat`; the other fields are set where they say more.

    The `cards` of a draw and of a shown hand are not for everybody: `view` decides.
    """

    what: str
    seat: int | None = None
    card: str | None = None
    cards: tuple[str, ...] | None = None
    color: str | None = None
    count: int | None = None
    other: int | None = None
    why: str | None = None
    points: int | None = None
    direction: int | None = None
    guilty: bool | None = None

    def to_json(self) -> dict[str, Any]:
        items = {name: getattr(self, name) for name in self.__slots__}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in items.items()
            if value is not None
        }


WHY: Final = {
    notes.OWN_TURN: "turn",
    notes.TWO: "attack",
    notes.CATCH_PENALTY: "caught",
    notes.WRONG_CHALLENGE: "challenge",
    notes.BLUFF: "bluff",
    notes.UNANSWERED: "demand",
    notes.GIFT: "gift",
    notes.SLOWEST: "race",
}


def events_of(sheet: Sheet, game: Game, trace: Trace) -> list[Event]:
    """The events that the notes of the last step tell; draws for one reason become one event."""
    events: list[Event] = []
    for line in trace.notes[: trace.length]:
        event = _event(sheet, game, *line)
        last = events[-1] if events else None
        if last and event.what == last.what == "draw" and _same_draw(last, event):
            events[-1] = replace(
                last,
                count=(last.count or 0) + 1,
                cards=(*(last.cards or ()), *(event.cards or ())),
            )
        else:
            events.append(event)
        if event.what == "challenge":
            hand = cards_text(sheet, game.shown)
            events.append(Event("show", game.shown_of, other=game.shown_to, cards=tuple(hand)))
    return events


def _same_draw(one: Event, other: Event) -> bool:
    return (one.seat, one.why) == (other.seat, other.why)


def _event(sheet: Sheet, game: Game, what: int, seat: int, first: int, second: int) -> Event:
    def card(kind: int) -> str:
        return sheet.faces[kind].text

    match what:
        case notes.CUT:
            return Event("cut", seat, card=card(first))
        case notes.DEALER:
            return Event("deal", seat, count=first)
        case notes.TURNED:
            return Event("turn_up", seat, card=card(first))
        case notes.RETURNED:
            return Event("return", card=card(first))
        case notes.NAMED:
            return Event("name", seat, color=color_letter(sheet, first))
        case notes.PLAYED:
            color = None if second == NO_COLOR else color_letter(sheet, second)
            return Event("play", seat, card=card(first), color=color)
        case notes.JUMPED:
            return Event("jump", seat, card=card(first))
        case notes.GOT:
            return Event("draw", seat, count=1, cards=(card(first),), why=WHY[second])
        case notes.SHORT:
            return Event("short", seat, count=first, why=WHY[second])
        case notes.PASSED:
            return Event("pass", seat)
        case notes.KEPT:
            return Event("keep", seat)
        case notes.SKIPPED:
            return Event("skip", seat)
        case notes.REVERSED:
            return Event("reverse", seat, direction=first)
        case notes.RENEWED:
            return Event("renew", count=first)
        case notes.CALLED:
            return Event("call", seat)
        case notes.CAUGHT:
            return Event("catch", seat, other=first)
        case notes.CHALLENGED:
            return Event("challenge", seat, other=first, guilty=bool(second))
        case notes.DEMANDED:
            return Event("demand", seat, color=color_letter(sheet, first), count=second)
        case notes.GAVE:
            return Event("give", seat, other=first)
        case notes.RACING_NOW:
            return Event("race", seat, count=first)
        case notes.DROPPED:
            return Event("drop", seat)
        case notes.LOST_RACE:
            return Event("slowest", seat)
        case notes.SWAPPED:
            return Event("swap", seat, other=first)
        case notes.ROTATED:
            return Event("rotate", seat, direction=first)
        case notes.STACKED:
            return Event("stack", seat, count=first)
        case notes.WON_ROUND:
            return Event("win_round", seat, points=first)
        case notes.BLOCKED:
            return Event("block")
        case notes.SCORED:
            return Event("score", seat, points=first)
        case notes.WON_MATCH:
            return Event("win_match", seat, points=first)
    raise AssertionError(what)
