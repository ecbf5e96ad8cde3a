"""The hand at the bottom of the screen: cards to walk through and to click."""

from collections.abc import Sequence
from typing import Final

from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from penultima.edition import Edition
from penultima.tui.look import face_of, faded

CELL: Final = 6
TALL: Final = 4  # lines of a card and the line under it
POINTER: Final = "↑"
PLAYABLE: Final = "•"


class Hand(Widget):
    """Draws the cards it is shown; which one the cursor is on is all that it knows itself."""

    cursor: reactive[int] = reactive(0)

    class Chosen(Message):
        """Somebody wants to play the card at the cursor."""

    def __init__(self, edition: Edition) -> None:
        super().__init__(id="hand")
        self.edition = edition
        self.cards: Sequence[str] = ()
        self.playable: frozenset[str] = frozenset()
        self.cover = ""

    def show(self, cards: Sequence[str], playable: frozenset[str], cover: str = "") -> None:
        """Show a hand, or the words that cover it; the cursor goes where something can be done."""
        held = self.card
        changed = (tuple(cards), playable) != (tuple(self.cards), self.playable)
        self.cards, self.playable, self.cover = list(cards), playable, cover
        if changed and held not in playable:
            self.cursor = next((n for n, card in enumerate(cards) if card in playable), 0)
        elif changed and held in cards:
            self.cursor = list(cards).index(held)
        self.cursor = min(self.cursor, max(len(cards) - 1, 0))
        self.refresh(layout=True)

    @property
    def card(self) -> str:
        return self.cards[self.cursor] if self.cursor < len(self.cards) else ""

    @property
    def any_play(self) -> str:
        """The play of the card at the cursor, possible or not; of a wild one in any color."""
        sheet = self.edition.sheet
        kind = sheet.kind(self.card)
        wild = kind is not None and sheet.faces[kind].wild
        return f"{self.card}:{sheet.colors[0]}" if wild else self.card

    @property
    def chosen(self) -> str | None:
        """The card at the cursor, if it can be played."""
        return self.card if self.card in self.playable else None

    def step(self, by: int) -> None:
        if self.cards:
            self.cursor = (self.cursor + by) % len(self.cards)

    def step_playable(self, by: int) -> None:
        """To the next card that can be played."""
        for distance in range(1, len(self.cards) + 1):
            at = (self.cursor + by * distance) % len(self.cards)
            if self.cards[at] in self.playable and self.cards[at] != self.card:
                self.cursor = at
                return

    # Drawing

    def _per_row(self, width: int) -> int:
        return max(width // CELL, 1)

    def lines_wanted(self, width: int, most: int) -> int:
        rows = max(-(-len(self.cards) // self._per_row(width)), 1)
        return TALL * rows if TALL * rows <= most else min(max(rows, TALL), most)

    def _tall(self) -> bool:
        rows = -(-len(self.cards) // self._per_row(self.size.width))
        return TALL * rows <= max(self.size.height, TALL)

    def render(self) -> Text:
        if self.cover:
            return Text(f"\n{self.cover}", style="bold", justify="center")
        per_row = self._per_row(self.size.width)
        rows = [range(at, min(at + per_row, len(self.cards))) for at in self._starts(per_row)]
        drawn = (self._tall_row(row) if self._tall() else self._short_row(row) for row in rows)
        return Text("\n", no_wrap=True).join(drawn)

    def _starts(self, per_row: int) -> list[int]:
        """Where the rows begin; of too many, those around the cursor."""
        starts = list(range(0, len(self.cards), per_row))
        fitting = max(self.size.height // (TALL if self._tall() else 1), 1)
        first = max(0, min(self.cursor // per_row - fitting // 2, len(starts) - fitting))
        return starts[first : first + fitting]

    def _tall_row(self, row: range) -> Text:
        lines = [Text(), Text(), Text(), Text()]
        for at in row:
            face = face_of(self.edition, self.cards[at])
            style = self._style(at, face.style)
            for line, text in zip(
                lines, (f" {face.sign}   ", f"{face.symbol:^5}", f"   {face.letter} "), strict=False
            ):
                line.append(text, style)
                line.append(" ")
            here, can = at == self.cursor, self.cards[at] in self.playable
            under = POINTER if here else PLAYABLE if can else " "
            lines[3].append(f"  {under}   ", "bold" if here else "")
        return Text("\n").join(lines)

    def _short_row(self, row: range) -> Text:
        line = Text()
        for at in row:
            card = self.cards[at]
            face = face_of(self.edition, card)
            here, can = at == self.cursor, card in self.playable
            left, right = ("[", "]") if here else (PLAYABLE if can else " ", " ")
            line.append(left, "bold")
            line.append(f"{card:<4}", self._style(at, face.style))
            line.append(right, "bold")
        return line

    def _style(self, at: int, style: Style) -> Style:
        if at == self.cursor:
            return style + Style(bold=True)
        if self.playable and self.cards[at] not in self.playable:
            return faded(style)
        return style

    # The mouse

    def on_click(self, event: events.Click) -> None:
        if self.cover or not self.cards:
            return
        per_row = self._per_row(self.size.width)
        height = TALL if self._tall() else 1
        starts = self._starts(per_row)
        row, column = event.y // height, event.x // CELL
        if row < len(starts) and column < per_row and starts[row] + column < len(self.cards):
            self.cursor = starts[row] + column
            self.post_message(self.Chosen())
