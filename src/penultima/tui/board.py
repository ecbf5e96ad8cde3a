"""The public part of the table: who has how many cards, the piles, the story, the choices."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.console import Group
from rich.style import Style
from rich.text import Text
from textual import events
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from penultima.tui.look import color_sign, color_style, face_of
from penultima.tui.wording import Wording
from penultima.view import View

MOST_LINES: Final = 300  # of the story that can be scrolled back
LABEL: Final = 22
BAR: Final = 13
NO_STYLE: Final = Style()
KEY_NAMES: Final = {"enter": "⏎", "space": "␣", "escape": "esc"}


class Seats(Widget):
    """A line for each seat, in order."""

    class Picked(Message):
        def __init__(self, seat: int) -> None:
            super().__init__()
            self.seat = seat

    def __init__(self) -> None:
        super().__init__(id="seats")
        self._shown: tuple[Wording, View, Sequence[int]] | None = None

    def show(self, words: Wording, seen: View, away: Sequence[int] = ()) -> None:
        self._shown = words, seen, away
        arrow = "↓" if seen.direction == 1 else "↑"
        self.border_title = f"{arrow} {words.say('screen.players')}"
        self.refresh()

    def render(self) -> Text:
        if self._shown is None:
            return Text()
        words, seen, away = self._shown
        lines = [self._line(seat, words, seen, seat in away) for seat in range(len(words.names))]
        return Text("\n").join(lines)

    def _line(self, seat: int, words: Wording, seen: View, away: bool) -> Text:
        on_turn = seat == seen.turn and seen.over is None
        count, score = seen.counts[seat], str(seen.scores[seat])
        bar = BAR if self.size.width > 26 + BAR else 0
        room = max(self.size.width - 13 - bar - max(len(score) - 4, 0), 1)
        name = words.name(seat)
        line = Text(no_wrap=True, overflow="crop")
        line.append("▶ " if on_turn else "  ", "bold")
        line.append(set_cell_size(name, room), "bold" if on_turn else "")
        if bar:
            line.append(f"{'▮' * min(count, bar - 1):<{bar}}", "dim")
        line.append(f"{count:>3} ", "bold reverse" if count == 1 else "")
        line.append(f"{self._flag(seat, words, seen, away)[:3]:<3}", "bold")
        line.append(f"{score:>{max(4, len(score))}}", "dim")
        return line

    def _flag(self, seat: int, words: Wording, seen: View, away: bool) -> str:
        if seat in seen.called:
            return words.say("table.called")
        if seat in seen.dropped:
            return "✓"
        if away:
            return "zz"
        return words.say("screen.dealer") if seat == seen.dealer else ""

    def on_click(self, event: events.Click) -> None:
        self.post_message(self.Picked(event.y - 1))


class Piles(Widget):
    """The draw pile and the discard pile, with the color in play."""

    class Drawn(Message):
        """The draw pile was clicked."""

    def __init__(self) -> None:
        super().__init__(id="piles")
        self._content: Group | Text = Text()

    def show(self, words: Wording, seen: View) -> None:
        edition = words.edition
        face = face_of(edition, seen.top)
        style = face.style + Style(bold=True)
        color = seen.color
        if color is not None and face.letter == " ":
            style = color_style(edition, color) + Style(bold=True)
        back = Style(color="white", bgcolor="grey30")
        lines = [Text(), Text(), Text(), Text(), Text()]
        card = (face.sign, "", face.symbol, "", face.letter)
        pile = ("", "", str(seen.pile), "", "")
        for number, line in enumerate(lines):
            line.append(" ")
            line.append(f"{pile[number]:^7}", back)
            line.append("  ")
            align = "<" if number == 0 else ">" if number == 4 else "^"
            line.append(f" {card[number]:{align}5} ", style)
        named = Text(" ")
        if color is not None:
            name = f" {color_sign(edition, color)} {words.teller.color(color)} ({color}) "
            named.append(name, color_style(edition, color) + Style(bold=True))
        due = Text("")
        if seen.due:
            due = Text(f" {words.say('screen.due', count=seen.due)}", "bold")
        self._content = Group(*lines, Text(""), named, due)
        self.refresh()

    def render(self) -> Group | Text:
        return self._content

    def on_click(self, event: events.Click) -> None:
        if event.y <= 5 and event.x <= 8:
            self.post_message(self.Drawn())


class Story(VerticalScroll):
    """What happened, the latest at the bottom."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__(Static("", id="lines", markup=False), id="story")
        self.lines: list[str] = []

    def tell(self, lines: Sequence[str]) -> None:
        self.lines = (self.lines + list(lines))[-MOST_LINES:]
        self.query_one("#lines", Static).update(Text("\n".join(self.lines)))
        self.scroll_end(animate=False)

    def on_resize(self) -> None:
        self.scroll_end(animate=False)


@dataclass(frozen=True, slots=True)
class Chip:
    """Something that can be chosen by a key or a click; `value` is what is done then."""

    key: str
    label: str
    value: str
    style: Style = NO_STYLE


class Choices(Widget):
    """Chips in a row, or in as many rows as it takes."""

    class Picked(Message):
        def __init__(self, value: str) -> None:
            super().__init__()
            self.value = value

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.chips: Sequence[Chip] = ()

    def show(self, chips: Sequence[Chip]) -> None:
        self.chips = list(chips)
        self.refresh(layout=True)

    def _rows(self, width: int) -> list[list[Chip]]:
        rows: list[list[Chip]] = [[]]
        used = 0
        for chip in self.chips:
            wide = cell_len(self._text(chip))
            if used and used + wide > width:
                rows.append([])
                used = 0
            rows[-1].append(chip)
            used += wide
        return rows

    def lines_wanted(self, width: int) -> int:
        return len(self._rows(max(width, 1)))

    def _text(self, chip: Chip) -> str:
        return f" {KEY_NAMES.get(chip.key, chip.key)}  {chip.label[:LABEL]}  "

    def render(self) -> Text:
        text = Text(no_wrap=True)
        for number, row in enumerate(self._rows(max(self.size.width, 1))):
            text.append("\n" if number else "")
            for chip in row:
                key = f" {KEY_NAMES.get(chip.key, chip.key)} "
                text.append(key, "bold reverse")
                text.append(f" {chip.label[:LABEL]} ", chip.style)
                text.append(" ")
        return text

    def on_click(self, event: events.Click) -> None:
        rows = self._rows(max(self.size.width, 1))
        if event.y >= len(rows):
            return
        at = 0
        for chip in rows[event.y]:
            at += cell_len(self._text(chip))
            if event.x < at:
                self.post_message(self.Picked(chip.value))
                return
