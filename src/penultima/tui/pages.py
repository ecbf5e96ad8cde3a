"""Pages over the table: help, rules, the score sheet, a hint."""

from collections.abc import Sequence

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from penultima.tui.keys import key_of


class Page(ModalScreen[None]):
    """Text to read; any of the keys that close things goes back to the table."""

    DEFAULT_CSS = """
    Page { align: center middle; }
    Page > VerticalScroll {
        width: 90%; max-width: 100; height: auto; max-height: 90%;
        border: round $primary; padding: 0 1; background: $surface;
    }
    Page Static { height: auto; }
    """

    def __init__(self, title: str, lines: Sequence[str], rich: bool = False) -> None:
        super().__init__()
        self._title = title
        self._lines = lines
        self._rich = rich

    def compose(self) -> ComposeResult:
        text = "\n".join(self._lines)
        with VerticalScroll() as scroll:
            scroll.border_title = self._title
            scroll.border_subtitle = "esc"
            if self._rich:
                from rich.markdown import Markdown  # its parser takes a while to load

                yield Static(Markdown(text))
            else:
                yield Static(Text(text))

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def on_key(self, event: events.Key) -> None:
        if key_of(event) in ("escape", "q", "enter", "?", "i", "s", "r", "ctrl+c"):
            event.stop()
            event.prevent_default()
            self.dismiss()

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss()
