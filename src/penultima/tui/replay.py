"""A match being looked at again: every step, the state after it, and what the bot would expect."""

from dataclasses import dataclass, field

from penultima.advice import hint
from penultima.bots.mind import Estimate
from penultima.edition import Edition
from penultima.errors import SaveError
from penultima.event import Event
from penultima.game import replayed
from penultima.notation import action_text
from penultima.record import Record
from penultima.rules.schema import Game
from penultima.tui.wording import Wording
from penultima.view import SPECTATOR, View, view, view_event

HINT_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Moment:
    """A step: who did what (nothing: a deal), what came of it, and the state after it."""

    round: int
    number: int  # of the action in its round; 0 is the deal
    seat: int | None
    action: str | None
    events: list[Event]
    game: Game


@dataclass
class Replay:
    """The steps of a record. `seat`: only what that seat saw; None: all hands open."""

    edition: Edition
    names: list[str]
    moments: list[Moment]
    seat: int | None = None
    _found: dict[int, list[Estimate]] = field(default_factory=dict)

    @classmethod
    def of(cls, record: Record, edition: Edition, seat: int | None = None) -> "Replay":
        if seat is not None and seat >= len(record.names):
            raise SaveError("no_seat", seat=seat, most=len(record.names) - 1)
        moments: list[Moment] = []
        for step in replayed(record):
            number = 0 if step.action is None else moments[-1].number + 1
            action = None if step.action is None else action_text(record.sheet, step.action)
            game = step.match.game.copy()
            moments.append(Moment(step.round, number, step.seat, action, step.events, game))
        return cls(edition, record.names, moments, seat)

    def find(self, round: int, number: int = 0) -> int:
        """The place of an action of a round."""
        for at, moment in enumerate(self.moments):
            if (moment.round, moment.number) == (round, number):
                return at
        last = self.moments[-1]
        raise SaveError("no_moment", round=round, move=number, rounds=last.round)

    def round_before(self, at: int) -> int:
        """Where the round begins, or the one before it where it has just begun."""
        earlier = [n for n in range(at) if self.moments[n].number == 0]
        return earlier[-1] if earlier else 0

    def round_after(self, at: int) -> int:
        later = (n for n in range(at + 1, len(self.moments)) if self.moments[n].number == 0)
        return next(later, len(self.moments) - 1)

    def view(self, at: int, seat: int) -> View:
        return view(self.edition.sheet, self.moments[at].game, seat)

    def table(self, at: int) -> View:
        """What everybody may see, or what the chosen seat saw."""
        return self.view(at, SPECTATOR if self.seat is None else self.seat)

    def hand(self, at: int, seat: int) -> list[str] | None:
        """The cards of a seat, where they may be looked at."""
        return self.view(at, seat).hand if self.seat in (None, seat) else None

    def sentences(self, at: int, words: Wording) -> list[str]:
        events = self.moments[at].events
        if self.seat is not None:
            events = [view_event(one, self.seat) for one in events]
        return [words.teller.tell(one) for one in events]

    def decided(self, at: int) -> Moment | None:
        """What is done next, if it is part of the same round."""
        following = self.moments[at + 1] if at + 1 < len(self.moments) else None
        return following if following is not None and following.action is not None else None

    def estimates(self, at: int) -> list[Estimate]:
        """What the bot expects for the seat that decides next, from what that seat knows."""
        decided = self.decided(at)
        if decided is None or decided.seat is None:
            return []
        if self.seat not in (None, decided.seat):
            return []
        if at not in self._found:
            game = self.moments[at].game
            self._found[at] = hint(self.edition.sheet, game, decided.seat, HINT_SECONDS)
        return self._found[at]

    def estimate_lines(self, at: int, words: Wording) -> list[str]:
        """The estimates in words; an arrow points at what was done."""
        decided, found = self.decided(at), self.estimates(at)
        if decided is None or decided.seat is None or not found:
            return [words.say("hint.none")]
        seen = self.view(at, decided.seat)
        names = [words.estimate_name(one, seen) for one in found]
        width = max(len(name) for name in names)
        lines = [words.say("replay.estimates", player=self.names[decided.seat])]
        for name, one in zip(names, found, strict=True):
            chosen = words.action_of(one) == decided.action
            arrow = "→" if chosen else " "
            lines.append(f"{arrow} {name:<{width}}  {one.rate:6.1%}")
        return lines


def where(text: str) -> tuple[int, int]:
    """`ROUND` or `ROUND.ACTION`.

    >>> where("2"), where("2.15")
    ((2, 0), (2, 15))
    """
    first, dot, second = text.partition(".")
    parts = (first, second) if dot else (first, "0")
    if not all(part.isascii() and part.isdigit() and len(part) < 6 for part in parts):
        raise SaveError("where", text=text[:20])
    return int(parts[0]), int(parts[1])
