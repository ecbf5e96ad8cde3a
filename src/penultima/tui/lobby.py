"""Before the match: who sits at a server's table, and how others find it."""

from collections.abc import Coroutine
from typing import ClassVar

from rich.text import Text
from textual import events, on, work
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from penultima.errors import PenultimaError
from penultima.locale import say
from penultima.tui.board import Chip, Choices, Story
from penultima.tui.gathering import BOTS, people_lines, stage_line
from penultima.tui.keys import FREE, SIT, key_of
from penultima.tui.remote import RemoteSeat
from penultima.tui.seat import Note
from penultima.tui.table import Manners, TableScreen


class LobbyScreen(Screen[None]):
    """Shows the places until there is a game, then makes way for the table."""

    CSS_PATH: ClassVar = "table.tcss"
    AUTO_FOCUS = None

    def __init__(self, seat: RemoteSeat, language: str, link: str) -> None:
        super().__init__()
        self.seat = seat
        self._language = language
        self._link = link
        self._notice = ""
        self._ended = False

    def compose(self) -> ComposeResult:
        yield Static(Text(" Penultima", "bold"), id="title")
        yield Static(id="places", markup=False)
        yield Story()
        yield Static(id="prompt", markup=False)
        yield Choices("choices")

    def on_mount(self) -> None:
        prompt = Text(self._say("online.connecting"), "bold")
        self.query_one("#prompt", Static).update(prompt)
        self.follow()

    @work
    async def follow(self) -> None:
        while not self._ended:
            update = await self.seat.next()
            if self.seat.playing:
                manners = Manners(pace=0, moment=0)
                self.app.switch_screen(TableScreen(self.seat, self._language, manners, update))
                return
            self._ended = update.ended
            self.query_one(Story).tell([self._note(note) for note in update.notes])
            self.draw()

    def _say(self, key: str, **details: object) -> str:
        return say(self._language, key, **details)

    def _note(self, note: Note) -> str:
        return self._say(note.key, **note.details)

    def draw(self) -> None:
        chips = [Chip("q", self._say("screen.quit"), "q")]
        prompt = self._notice
        if not self._ended:
            places = people_lines(self.seat, self._language)
            text = "\n".join([self._say("online.invite", link=self._link), "", *places])
            self.query_one("#places", Static).update(Text(text))
            prompt = prompt or stage_line(self.seat, self._language)
            if self.seat.hosts and self.seat.state.stage == "gathering":
                chips = [
                    Chip("enter", self._say("online.start"), "begin"),
                    *(
                        Chip(key, self._say("online.add", bot=bot), key)
                        for key, bot in BOTS.items()
                    ),
                    Chip(FREE, self._say("online.remove"), FREE),
                    *chips,
                ]
            if self.seat.may_sit:
                chips = [Chip(SIT, self._say("choice.sit"), "sit"), *chips]
        self.query_one("#prompt", Static).update(Text(prompt, "bold"))
        choices = self.query_one("#choices", Choices)
        choices.show(chips)
        choices.styles.height = choices.lines_wanted(self.size.width - 2)

    def on_key(self, event: events.Key) -> None:
        key = key_of(event)
        for chip in self.query_one("#choices", Choices).chips:
            if chip.key == key:
                self.answer(chip.value)
                return

    @on(Choices.Picked)
    def _picked(self, message: Choices.Picked) -> None:
        self.answer(message.value)

    def answer(self, value: str) -> None:
        match value:
            case "q":
                self.app.exit("quit")
            case "sit":
                self.run_worker(self._do(self.seat.sit()))
            case "begin":
                self.run_worker(self._do(self.seat.begin()))
            case "x":
                self.run_worker(self._do(self.seat.remove_bot()))
            case bot:
                self.run_worker(self._do(self.seat.add_bot(BOTS[bot])))

    async def _do(self, command: Coroutine[None, None, None]) -> None:
        self._notice = ""
        try:
            await command
        except PenultimaError as error:
            self._notice = self._say(f"{error.area}.{error.code}", **error.details)
            self.draw()
