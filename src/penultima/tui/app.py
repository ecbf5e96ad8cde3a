"""The application around the screens."""

from typing import Any, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from penultima.tui.look import few_colors, monochrome, use
from penultima.tui.seat import Seat
from penultima.tui.table import Manners, TableScreen


class TableApp(App[str]):
    """Shows one screen and says how it was left: "quit", "again", or None."""

    TITLE = "Penultima"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "leave", show=False, priority=True),
        Binding("ctrl+q", "leave", show=False, priority=True),
    ]

    def __init__(self, screen: Screen[Any]) -> None:
        # With this, NO_COLOR means none at all instead of shades of grey.
        super().__init__(ansi_color=True if monochrome() else None)
        use(self.console.color_system)
        if few_colors():
            self.ansi_color = True  # named colors stay as they are
        self._first = screen

    def on_mount(self) -> None:
        self.push_screen(self._first)

    def action_leave(self) -> None:
        self.exit("quit")


def table_app(seat: Seat, language: str, manners: Manners) -> TableApp:
    seat.reflex = len(seat.people) == 1
    return TableApp(TableScreen(seat, language, manners))
