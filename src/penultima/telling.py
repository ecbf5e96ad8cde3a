"""Events told as sentences, to one reader: the same words in every client."""

from collections.abc import Sequence
from dataclasses import dataclass

from penultima.edition import Edition
from penultima.errors import Why
from penultima.event import Event
from penultima.locale import knows, say


@dataclass(frozen=True)
class Teller:
    """Who is told, in which language, and what the players are called."""

    edition: Edition
    names: Sequence[str]
    language: str
    reader: int | None = None

    def card(self, text: str) -> str:
        """A card by its name: "red 7", "Wild".

        >>> from penultima.edition import shipped
        >>> Teller(shipped("classic"), [], "en").card("r7")
        'red 7'
        """
        kind = self.edition.sheet.kind(text)
        assert kind is not None
        face = self.edition.sheet.faces[kind]
        symbol = self.edition.symbol_name(kind, self.language)
        if face.wild:
            return say(self.language, "card.wild", symbol=symbol)
        form = "card.symbol" if face.number is None else "card.number"
        color = self.edition.color_name(face.color, self.language)
        return say(self.language, form, symbol=symbol, color=color)

    def color(self, letter: str) -> str:
        return self.edition.color_name(self.edition.sheet.colors.index(letter), self.language)

    def why(self, why: Why) -> str:
        """What stands in the way of an action, with cards and colors by their names."""
        details = dict(why.details)
        for name in ("card", "top"):
            if name in details:
                details[name] = self.card(details[name])
        if "color" in details:
            details["color"] = self.color(details["color"])
        return say(self.language, f"{why.area}.{why.code}", **details)

    def tell(self, event: Event) -> str:
        """The sentence for an event that the reader may see (`view.view_event`)."""
        key = f"event.{self._form(event)}"
        if self.reader is not None:
            if event.seat == self.reader and knows(f"{key}.you"):
                key += ".you"
            elif event.other == self.reader and knows(f"{key}.to_you"):
                key += ".to_you"
        return say(self.language, key, **self._details(event))

    def _form(self, event: Event) -> str:
        """The message of an event; some have one for each way it can go."""
        if event.what == "play" and event.color is not None:
            return "play_wild"
        if event.what in ("draw", "show") and event.cards is not None:
            theirs = self.reader in (event.seat, event.other)
            return event.what if self.reader is not None and theirs else f"{event.what}_open"
        if event.what == "challenge":
            return "guilty" if event.guilty else "innocent"
        if event.what in ("reverse", "rotate"):
            return f"{event.what}.{'left' if event.direction == 1 else 'right'}"
        return event.what

    def _details(self, event: Event) -> dict[str, object]:
        details: dict[str, object] = {}
        if event.seat is not None:
            details["player"] = self.names[event.seat]
        if event.other is not None:
            details["other"] = self.names[event.other]
        if event.card is not None:
            details["card"] = self.card(event.card)
        if event.cards is not None:
            cards = [self.card(text) for text in event.cards]
            details["cards"] = cards or say(self.language, "table.nothing")
        if event.color is not None:
            details["color"] = self.color(event.color)
        details["number"] = event.count
        details["count"] = event.count if event.points is None else event.points
        return details
