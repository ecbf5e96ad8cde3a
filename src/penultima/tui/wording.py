"""Questions, choices and lists in words: what the full screen and the line mode both say."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from penultima.bots.mind import Estimate
from penultima.edition import Edition
from penultima.errors import PenultimaError, Why
from penultima.locale import say
from penultima.notation import action_text
from penultima.rules.ask import DECLINE
from penultima.ruleset import Sheet
from penultima.telling import Teller
from penultima.tui.seat import Note
from penultima.view import View


def is_bluff(sheet: Sheet, seen: View, action: str) -> bool:
    """Whether an action plays a card that could be challenged with success (A5)."""
    kind = sheet.kind(action.partition(":")[0])
    if kind is None or not sheet.faces[kind].challengeable:
        return False
    return any(card[0] == seen.color for card in seen.hand)


@dataclass(frozen=True)
class Wording:
    """The words of one table in one language; `reader` is the only person at the screen."""

    edition: Edition
    names: Sequence[str]
    language: str
    reader: int | None

    @cached_property
    def teller(self) -> Teller:
        return Teller(self.edition, self.names, self.language, self.reader)

    def name(self, seat: int) -> str:
        """What the reader calls a player."""
        return self.say("table.you") if seat == self.reader else self.names[seat]

    def say(self, key: str, /, **details: object) -> str:
        return say(self.language, key, **details)

    def note(self, note: Note) -> str:
        return self.say(note.key, **note.details)

    def error(self, error: PenultimaError) -> str:
        if isinstance(error, Why):
            return self.teller.why(error)
        return self.say(f"{error.area}.{error.code}", **error.details)

    def goal(self) -> str:
        options = self.edition.sheet.options
        key = "table.tally" if options.scoring == "tally" else "table.target"
        return self.say(key, target=options.target)

    def question(self, seen: View, choices: Sequence[str]) -> str:
        """What the table waits for."""
        return self.say(
            f"ask.{self._moment(seen, choices)}",
            count=seen.due,
            card=self.teller.card(seen.drawn) if seen.drawn else "",
            player=self.names[seen.by] if seen.by is not None else "",
        )

    def _moment(self, seen: View, choices: Sequence[str]) -> str:
        if seen.phase == "drawn" and seen.drawn is not None:
            can_play = any(action.split(":")[0] == seen.drawn for action in choices)
            if not can_play:
                return "drawn_again" if "draw" in choices else "drawn_keep"
            if "keep" not in choices:
                return "drawn_more" if "draw" in choices else "drawn_play"
        return seen.phase

    def label(self, action: str, seen: View) -> str:
        """A choice in a word or two."""
        head, _, tail = action.partition(":")
        if head == "color":
            return self.teller.color(tail)
        if head in ("give", "swap"):
            seat = int(tail)
            return self.say("table.others", name=self.names[seat], count=seen.counts[seat])
        if head == "draw" and seen.phase in ("demand", "stack"):
            return self.say("choice.draw_due", count=seen.due)
        if self.edition.sheet.kind(head) is None:
            return self.say(f"choice.{head}")
        card = self.teller.card(head)
        return f"{card}: {self.teller.color(tail)}" if tail else card

    def top(self, seen: View) -> str:
        card = self.teller.card(seen.top)
        if seen.top.startswith("W") and seen.color is not None:
            return self.say("table.top", card=card, color=self.teller.color(seen.color))
        return self.say("table.top_plain", card=card)

    def others(self, seen: View) -> str:
        """How many cards everybody else has, the piles, and where play goes."""
        parts = []
        for seat, count in enumerate(seen.counts):
            if seat != seen.seat:
                part = self.say("table.others", name=self.names[seat], count=count)
                called = self.say("table.called") if seat in seen.called else ""
                parts.append(f"{part} {called}".rstrip())
        side = "left" if seen.direction == 1 else "right"
        piles = self.say("table.piles", pile=seen.pile, discards=len(seen.discard))
        return f"{', '.join(parts)}. {piles} {self.say(f'table.direction.{side}')}"

    def shown(self, seen: View) -> str | None:
        """The hand that a challenger was shown, as far as it is still held."""
        if seen.shown is None:
            return None
        cards = [self.teller.card(card) for card in seen.shown["cards"]]
        player = self.names[seen.shown["of"]]
        return self.say(
            "event.show.to_you", player=player, cards=cards or self.say("table.nothing")
        )

    def scores(self, totals: Sequence[int]) -> str:
        parts = [f"{self.name(seat)} {total}" for seat, total in enumerate(totals)]
        return self.say("table.scores", scores=parts)

    def sheet(self, rounds: Sequence[Sequence[int]], totals: Sequence[int]) -> Iterator[str]:
        """The score sheet: a line for each round, then the totals."""
        width = max(6, *(len(str(total)) + 2 for total in totals))
        title = self.say("screen.round")
        first = max(len(title), len(self.say("screen.total")), len(str(len(rounds))))
        for seat in range(len(self.names)):
            yield f"{seat + 1}. {self.name(seat)}"
        yield ""
        yield f"{title:<{first}}" + "".join(f"{n + 1:>{width}}" for n in range(len(totals)))
        for number, points in enumerate(rounds, 1):
            yield f"{number:<{first}}" + "".join(f"{one or '·':>{width}}" for one in points)
        total = self.say("screen.total")
        yield f"{total:<{first}}" + "".join(f"{one:>{width}}" for one in totals)
        yield ""
        yield self.goal()

    def estimates(self, found: Sequence[Estimate], seen: View) -> Iterator[str]:
        """What the bot expects of each action, best first."""
        if not found:
            yield self.say("hint.none")
            return
        yield self.say("hint.title")
        names = [self.estimate_name(one, seen) for one in found]
        width = max(len(name) for name in names)
        for name, one in zip(names, found, strict=True):
            yield f"  {name:<{width}}  {one.rate:6.1%}  {'▬' * round(20 * one.rate)}".rstrip()

    def action_of(self, estimate: Estimate) -> str | None:
        """The action as text; None: letting it be."""
        if estimate.action == DECLINE:
            return None
        return action_text(self.edition.sheet, estimate.action)

    def estimate_name(self, estimate: Estimate, seen: View) -> str:
        action = self.action_of(estimate)
        return self.say("choice.pass") if action is None else self.label(action, seen)
