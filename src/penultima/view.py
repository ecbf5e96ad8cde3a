"""What a seat, or a spectator, may see of a game and of an event: the only door out of a game.

Built by allow-list: a field is here because somebody may know it. Own cards, the card just drawn
and the hand shown in a challenge go to the seat concerned and to nobody else.
"""

from dataclasses import dataclass
from typing import Any, Final

from penultima.cards import NO_COLOR, NOBODY, NOTHING
from penultima.event import Event
from penultima.notation import OVERS, PHASE_NAMES, action_text, actions_in, cards_text, color_letter
from penultima.piles import discard_pile
from penultima.position import seats_in, winner_of
from penultima.rules.actions import PLAY, WORD
from penultima.rules.legal import kind_of, legal, playable
from penultima.rules.pile import lacking
from penultima.rules.schema import Game
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


@dataclass(slots=True)
class Open:
    """What everybody sees of a game: the same for all seats, so it is made once for all of them."""

    counts: list[int]
    discard: list[str]
    pile: int
    color: str | None
    turn: int
    direction: int
    dealer: int
    phase: str
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
    over: str | None
    winner: int | list[int] | None


@dataclass(slots=True)
class Own:
    """What one seat sees besides."""

    seat: int | None
    hand: list[str]
    drawn: str | None
    shown: dict[str, Any] | None
    legal: list[str]
    bluffs: list[str]


def view(sheet: Sheet, game: Game, seat: int) -> View:
    """What `seat` may see; SPECTATOR is everybody else."""
    there, own = view_open(sheet, game), view_own(sheet, game, seat)
    return View(
        **{name: getattr(own, name) for name in Own.__slots__},
        **{name: getattr(there, name) for name in Open.__slots__},
    )


def view_open(sheet: Sheet, game: Game) -> Open:
    """What every seat and every spectator may see."""
    rules, seats, texts = sheet.rules, game.seats, sheet.texts
    return Open(
        counts=game.counts[:seats],
        # every one of them was seen on top
        discard=[texts[kind] for kind in discard_pile(sheet, game)],
        pile=game.pile,
        color=None if game.color == NO_COLOR else color_letter(sheet, game.color),
        turn=game.turn,
        direction=game.direction,
        dealer=game.dealer,
        phase=PHASE_NAMES[game.phase],
        due=game.due,
        by=None if game.by == NOBODY else game.by,
        called=seats_in(game.called),
        exposed=seats_in(game.exposed),
        dropped=seats_in(game.dropped),
        jump=bool(game.jump),
        round=game.round,
        decisions=game.decisions,
        renewals=game.renewals,
        scores=game.scores[:seats],
        lacked=[
            [lacking(game, seat, color) for color in range(rules.colors)] for seat in range(seats)
        ],
        over=OVERS[game.over],
        winner=winner_of(game),
    )


def view_own(sheet: Sheet, game: Game, seat: int) -> Own:
    """What only `seat` may see: its hand, the card it drew, the hand it was shown (A6)."""
    if seat == SPECTATOR:
        return Own(None, [], None, None, [], [])
    shown = None
    if game.shown_of != NOBODY and seat == game.shown_to:
        shown = {"of": game.shown_of, "cards": cards_text(sheet, game.shown)}
    allowed = _legal(sheet, game, seat)
    drawn = game.drawn if seat == game.turn else NOTHING
    return Own(
        seat=seat,
        hand=_hand(sheet, game, seat),
        drawn=None if drawn == NOTHING else sheet.texts[drawn],
        shown=shown,
        legal=[action_text(sheet, action) for action in allowed],
        bluffs=_bluffs(sheet, game, seat, allowed),
    )


def _hand(sheet: Sheet, game: Game, seat: int) -> list[str]:
    """The cards of a hand, in the order of the deck."""
    counts = game.hands[seat]
    hand: list[str] = []
    for word, bits in enumerate(game.held[seat]):
        while bits:
            kind = word * WORD + (bits & -bits).bit_length() - 1
            bits &= bits - 1
            hand += [sheet.texts[kind]] * counts[kind]
    return hand


def _bluffs(sheet: Sheet, game: Game, seat: int, allowed: list[int]) -> list[str]:
    if not allowed or allowed[-1] < PLAY:
        return []
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


def shown_to(event: Event) -> int:
    """The one seat that sees more of an event than everybody, or SPECTATOR."""
    if event.cards is None:
        return SPECTATOR
    seat = event.seat if event.what == "draw" else event.other if event.what == "show" else None
    return SPECTATOR if seat is None else seat


def view_event(event: Event, seat: int) -> Event:
    """An event as `seat` may see it: cards only to who drew them or was shown them."""
    return Event(
        event.what,
        event.seat,
        card=event.card,
        cards=event.cards if seat != SPECTATOR and seat == shown_to(event) else None,
        color=event.color,
        count=event.count,
        other=event.other,
        why=event.why,
        points=event.points,
        direction=event.direction,
        guilty=event.guilty,
    )
