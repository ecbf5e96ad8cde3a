"""What a seat, or a spectator, may see of a game and of an event: the only door out of a game.

Built by allow-list: a field is here because somebody may know it. Own cards, the card just drawn
and the hand shown in a challenge go to the seat concerned and to nobody else.
"""

from dataclasses import dataclass
from typing import Any, Final

from penultima.cards import NO_COLOR, NOBODY, NOTHING
from penultima.event import Event
from penultima.notation import PHASE_NAMES, action_text, actions_in, cards_text, color_letter
from penultima.piles import discard_pile
from penultima.position import OVERS, seats_in, winner_of
from penultima.rules.actions import PLAY
from penultima.rules.legal import kind_of, legal, playable
from penultima.rules.observe import observe
from penultima.rules.schema import Game, Seen
from penultima.ruleset import Sheet

SPECTATOR: Final = NOBODY

# What the rules make public, so that two games may look different to a seat from then on although
# they differed only in hidden cards: cards put down and turned, numbers of cards, what is due and
# why, verdicts, calls, catches, drops, passes, renewals, scores.


@dataclass(frozen=True, slots=True)
class View:
    """A game as one seat knows it; `legal` are the actions it may take now, `bluffs` those cards of
    theirs that would be put down wrongly (A5)."""

    seat: int | None
    hand: list[str]
    counts: list[int]
    discard: list[str]
    pile: int
    color: str | None
    turn: int
    direction: int
    dealer: int
    phase: str
    drawn: str | None
    due: int
    by: int | None
    called: list[int]
    exposed: list[int]
    dropped: list[int]
    jump: bool
    round: int
    decisions: int
    renewals: int
    scores: list[int]
    lacked: list[list[int]]
    shown: dict[str, Any] | None
    over: str | None
    winner: int | list[int] | None
    legal: list[str]
    bluffs: list[str]

    @property
    def top(self) -> str:
        return self.discard[-1]

    def to_json(self) -> dict[str, Any]:
        """Its lists are the view's own, not copies."""
        return {name: getattr(self, name) for name in self.__slots__}


def view(sheet: Sheet, game: Game, seat: int) -> View:
    """What `seat` may see; SPECTATOR is everybody else."""
    seen = Seen(sheet.rules.size)
    observe(sheet.rules, game, seat, seen)
    shown = None
    if seen.shown_of != NOBODY:
        shown = {"of": seen.shown_of, "cards": cards_text(sheet, seen.shown)}
    allowed = [] if seat == SPECTATOR else _legal(sheet, game, seat)
    return View(
        seat=None if seat == SPECTATOR else seat,
        hand=cards_text(sheet, seen.hand),
        counts=seen.counts[: seen.seats],
        # every one of them was seen on top
        discard=[sheet.faces[kind].text for kind in discard_pile(sheet, game)],
        pile=seen.pile,
        color=None if seen.color == NO_COLOR else color_letter(sheet, seen.color),
        turn=seen.turn,
        direction=seen.direction,
        dealer=seen.dealer,
        phase=PHASE_NAMES[seen.phase],
        drawn=None if seen.drawn == NOTHING else sheet.faces[seen.drawn].text,
        due=seen.due,
        by=None if seen.by == NOBODY else seen.by,
        called=seats_in(seen.called),
        exposed=seats_in(seen.exposed),
        dropped=seats_in(seen.dropped),
        jump=bool(seen.jump),
        round=seen.round,
        decisions=seen.decisions,
        renewals=seen.renewals,
        scores=seen.scores[: seen.seats],
        lacked=[row[: sheet.rules.colors] for row in seen.lacked[: seen.seats]],
        shown=shown,
        over=OVERS[seen.over],
        winner=winner_of(game),
        legal=[action_text(sheet, action) for action in allowed],
        bluffs=_bluffs(sheet, game, seat, allowed),
    )


def _bluffs(sheet: Sheet, game: Game, seat: int, allowed: list[int]) -> list[str]:
    kinds = {kind_of(sheet.rules, action) for action in allowed if action >= PLAY}
    return [
        sheet.faces[kind].text
        for kind in sorted(kinds)
        if sheet.faces[kind].challengeable and not playable(sheet.rules, game, seat, kind)
    ]


def legal_texts(sheet: Sheet, game: Game, seat: int) -> list[str]:
    return [action_text(sheet, action) for action in _legal(sheet, game, seat)]


def _legal(sheet: Sheet, game: Game, seat: int) -> list[int]:
    mask = [0] * sheet.rules.size.mask_words
    legal(sheet.rules, game, seat, mask)
    return actions_in(mask)


def view_event(event: Event, seat: int) -> Event:
    """An event as `seat` may see it: cards only to who drew them or was shown them."""
    drew_them = event.what == "draw" and event.seat == seat
    was_shown = event.what == "show" and event.other == seat
    return Event(
        event.what,
        event.seat,
        card=event.card,
        cards=event.cards if drew_them or was_shown else None,
        color=event.color,
        count=event.count,
        other=event.other,
        why=event.why,
        points=event.points,
        direction=event.direction,
        guilty=event.guilty,
    )
