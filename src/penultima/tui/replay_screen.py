"""A replay in the full screen: hands open, step by step, with what the bot expected."""

from typing import ClassVar

from rich.cells import set_cell_size
from rich.style import Style
from rich.text import Text
from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from penultima.tui.board import Chip, Choices, Piles, Story
from penultima.tui.keys import key_of
from penultima.tui.look import face_of
from penultima.tui.replay import Replay
from penultima.tui.seat import aside
from penultima.tui.wording import Wording


class Hands(Widget):
    """A line for each seat, with its cards."""

    def __init__(self, replay: Replay) -> None:
        super().__init__(id="hands")
        self.replay = replay
        self.at = 0

    def show(self, at: int) -> None:
        self.at = at
        self.refresh()

    def render(self) -> Text:
        seen = self.replay.table(self.at)
        lines = []
        for seat, name in enumerate(self.replay.names):
            line = Text(no_wrap=True, overflow="ellipsis")
            on_turn = seat == seen.turn and seen.over is None
            line.append("▶ " if on_turn else "  ", "bold")
            line.append(set_cell_size(name, 12), "bold" if on_turn else "")
            line.append(f"{seen.counts[seat]:>3} {seen.scores[seat]:>4} ", "dim")
            hand = self.replay.hand(self.at, seat)
            for card in hand or []:
                line.append(f"{card:<3}", face_of(self.replay.edition, card).style)
                line.append(" ")
            if hand is None:
                line.append("▮ " * seen.counts[seat], "dim")
            lines.append(line)
        return Text("\n").join(lines)


class ReplayScreen(Screen[None]):
    """Walks through a `Replay`; where it stands is all that it knows."""

    AUTO_FOCUS = None
    CSS_PATH: ClassVar = "table.tcss"

    def __init__(self, replay: Replay, language: str, at: int) -> None:
        super().__init__()
        self.replay = replay
        self.words = Wording(replay.edition, replay.names, language, replay.seat)
        self.at = at
        self._estimating = False

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield Hands(self.replay)
        with Horizontal(id="middle"):
            yield Piles()
            yield Story()
            yield Static(id="estimates", markup=False)
        yield Choices("menu")

    def on_mount(self) -> None:
        keys = ("right", "left", "pagedown", "pageup", "e", "q")
        labels = [self.words.say(f"replay.keys.{key}") for key in keys]
        signs = {"right": "→", "left": "←", "pagedown": "PgDn", "pageup": "PgUp"}
        self.query_one("#menu", Choices).show(
            [Chip(signs.get(key, key), label, key) for key, label in zip(keys, labels, strict=True)]
        )
        self.query_one(Hands).styles.height = len(self.replay.names) + 2
        self.on_resize()
        self.query_one("#estimates").display = False
        self.draw()

    def on_resize(self) -> None:
        menu = self.query_one("#menu", Choices)
        menu.styles.height = menu.lines_wanted(self.size.width - 2)

    def draw(self) -> None:
        replay, moment = self.replay, self.replay.moments[self.at]
        name = replay.edition.file.name.in_language(self.words.language)
        last = sum(1 for one in replay.moments if one.round == moment.round) - 1
        place = self.words.say("replay.place", round=moment.round, move=moment.number, moves=last)
        self.query_one("#title", Static).update(Text(f" Penultima · {name} · {place}", "bold"))
        self.query_one(Hands).show(self.at)
        self.query_one(Piles).show(self.words, replay.table(self.at))
        story = self.query_one(Story)
        story.lines = []
        first = self.at - moment.number
        for at in range(max(first, self.at - 40), self.at + 1):
            story.lines += replay.sentences(at, self.words)
        story.tell([])
        if self._estimating:
            self._estimate(self.at)

    @work(exclusive=True)
    async def _estimate(self, at: int) -> None:
        shown = self.query_one("#estimates", Static)
        shown.update(Text(self.words.say("hint.thinking")))
        lines = await aside(lambda: self.replay.estimate_lines(at, self.words))
        if at == self.at:
            text = Text(no_wrap=True, overflow="ellipsis")
            for line in lines:
                text.append(f"{line}\n", Style(bold=line.startswith("→")))
            shown.update(text)

    def on_key(self, event: events.Key) -> None:
        self.walk(key_of(event))

    @on(Choices.Picked)
    def _picked(self, message: Choices.Picked) -> None:
        self.walk(message.value)

    def walk(self, key: str) -> None:
        last = len(self.replay.moments) - 1
        match key:
            case "right" | "space" | "enter" | "down":
                self.at = min(self.at + 1, last)
            case "left" | "up" | "backspace":
                self.at = max(self.at - 1, 0)
            case "pagedown":
                self.at = self.replay.round_after(self.at)
            case "pageup":
                self.at = self.replay.round_before(self.at)
            case "home":
                self.at = 0
            case "end":
                self.at = last
            case "e":
                self._estimating = not self._estimating
                self.query_one("#estimates").display = self._estimating
            case "q" | "escape":
                self.app.exit("quit")
                return
            case _:
                return
        self.draw()
