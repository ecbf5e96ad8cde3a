"""The full screen: a table, drawn from what `Seat` says, and the keys that answer it."""

import asyncio
import contextlib
import random
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from math import inf
from typing import ClassVar, Final

from rich.text import Text
from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from penultima.errors import PenultimaError
from penultima.rulebook import edition_page
from penultima.tui.board import NO_STYLE, Chip, Choices, Piles, Seats, Story
from penultima.tui.hand import Hand
from penultima.tui.keys import key_of
from penultima.tui.offers import Choosing, Offers
from penultima.tui.pages import Page
from penultima.tui.seat import Anybody, Asked, Seat, Update, reader_of
from penultima.tui.wording import Wording
from penultima.view import SPECTATOR, View

FALSE_START: Final = 0.1  # seconds: nobody reacts faster


@dataclass(frozen=True)
class Manners:
    """How the table treats people: seconds between what bots do, and for an interrupt.

    `moment` 0 waits for as long as people like.
    """

    pace: float = 0.9
    moment: float = 3.0
    race: tuple[float, float] = (1.0, 3.0)  # before the signal, from and to


class TableScreen(Screen[None]):
    """Shows one `Seat`. What it keeps itself is only what a person is in the middle of choosing."""

    CSS_PATH: ClassVar = "table.tcss"
    AUTO_FOCUS = None

    def __init__(
        self, seat: Seat, language: str, manners: Manners, first: Update | None = None
    ) -> None:
        super().__init__()
        self.seat = seat
        self._first = first  # what has happened already
        self.manners = manners
        self.words = Wording(seat.edition, seat.names, language, reader_of(seat.people))
        self.now = Choosing(uncovered=reader_of(seat.people))
        self._timer: Timer | None = None
        self._hurry = asyncio.Event()

    @property
    def offers(self) -> Offers:
        return Offers(self.seat, self.words, self.now)

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        with Horizontal(id="middle"):
            yield Seats()
            yield Piles()
            yield Story()
        yield Static(id="prompt", markup=False)
        yield Hand(self.seat.edition)
        yield Choices("choices")
        yield Choices("menu")

    def on_mount(self) -> None:
        self._show_menu()
        if self.seat.paced:
            self.set_interval(1, self._draw_title)
        self.follow()

    def _show_menu(self) -> None:
        menu = {"?": "help", "r": "rules", "s": "scores", "i": "hint", "t": "talk", "q": "quit"}
        if not self.seat.phrases or not self.seat.people:
            del menu["t"]
        chips = [Chip(key, self.words.say(f"screen.{name}"), key) for key, name in menu.items()]
        self.query_one("#menu", Choices).show(chips)

    @work
    async def follow(self) -> None:
        """Show what happens, as fast as people can read."""
        if self._first is not None:
            self.show(self._first)
        while not self.now.ended:
            update = await self.seat.next()
            self.show(update)
            if update.events and not self.seat.paced and self.manners.pace:
                self._hurry.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._hurry.wait(), self.manners.pace)

    def show(self, update: Update) -> None:
        self._meet()
        lines = [self.words.teller.tell(event) for event in update.events]
        lines += [self.words.note(note) for note in update.notes]
        if lines:
            self.query_one(Story).tell(lines)
            self.now.notice = lines[-1] if update.ended else ""
        changed = update.asked != self.now.asked
        self.now.asked, self.now.ended = update.asked, update.ended
        if changed:
            self.now.wild = None
            self.now.go_at = None
        self._stop_timer()
        seen = self._seen()
        if len(self.seat.people) > 1 and not self._still_at_it(seen):
            self.now.uncovered = None
        if update.signal:
            self._signal()
        elif self.now.go_at is None and self.offers.is_race(update.asked) and not self.seat.paced:
            self._timer = self.set_timer(random.uniform(*self.manners.race), self._signal)
        elif self._hurried(update.asked):
            self._timer = self.set_timer(self.manners.moment, self._let_be)
        self.draw()

    def _meet(self) -> None:
        """Take notice of who sits where: people come and go, this one too."""
        reader = reader_of(self.seat.people)
        seated = reader != self.words.reader
        if seated or self.seat.names != self.words.names:
            language = self.words.language
            self.words = Wording(self.seat.edition, self.seat.names, language, reader)
        if seated:
            self.now.uncovered = reader
            self._show_menu()

    def _still_at_it(self, seen: View) -> bool:
        """Whether the person whose hand is open goes on deciding."""
        if isinstance(self.now.asked, Asked):
            return self.now.asked.seat == self.now.uncovered
        return self.now.asked is None and seen.turn == self.now.uncovered and seen.over is None

    def _hurried(self, asked: Asked | Anybody | None) -> bool:
        """Whether the moment to interrupt passes by itself."""
        if not self.manners.moment or self.seat.paced:
            return False
        return isinstance(asked, Anybody) or (isinstance(asked, Asked) and asked.optional)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _signal(self) -> None:
        self.now.go_at = time.monotonic()
        self.app.bell()
        self.draw()

    def _let_be(self) -> None:
        if self.now.asked is not None and self.now.uncovered == reader_of(self.seat.people):
            self.answer("pass")

    # Drawing

    def _whose(self) -> int:
        """Whose cards are on the screen."""
        return SPECTATOR if self.now.uncovered is None else self.now.uncovered

    def _seen(self) -> View:
        return self.seat.view(self._whose())

    def draw(self) -> None:
        seen = self._seen()
        self._draw_title()
        self.query_one(Seats).show(self.words, seen, self.seat.away)
        self.query_one(Piles).show(self.words, seen)
        self._draw_hand(seen)
        style = "bold reverse" if self.now.go_at is not None else "bold"
        self.query_one("#prompt", Static).update(Text(self.offers.prompt(seen), style))
        self.query_one("#choices", Choices).show(self.offers.chips(seen))
        self._fit()

    def _draw_title(self) -> None:
        name = self.seat.edition.file.name.in_language(self.words.language)
        number = self.words.say("screen.round_number", number=self._seen().round)
        left = self.seat.seconds_left
        parts = ["Penultima", name, number, self.words.goal()]
        if left is not None:
            parts.insert(1, self.words.say("screen.clock", seconds=left))
        if self.seat.deal_code is not None:
            parts.append(self.words.say("screen.deal_code", code=self.seat.deal_code))
        self.query_one("#title", Static).update(Text(" " + " · ".join(parts), "bold"))

    def _draw_hand(self, seen: View) -> None:
        cover = ""
        if self.now.uncovered is None and self.seat.people:
            cover = self.words.say("screen.covered")
        playable: frozenset[str] = frozenset()
        if isinstance(self.now.asked, Asked) and not cover:
            heads = (choice.partition(":")[0] for choice in self.now.asked.choices)
            playable = frozenset(head for head in heads if head in seen.hand)
        if not self.seat.people:
            cover = self.words.say("screen.watching")
        self.query_one(Hand).show(seen.hand, playable, cover)

    def _fit(self) -> None:
        """Give the hand and the choices the lines they need, and the rest to the table."""
        width, height = self.size
        self.query_one(Seats).styles.width = 28 if width < 110 else 44
        hand, choices = self.query_one(Hand), self.query_one("#choices", Choices)
        menu = self.query_one("#menu", Choices)
        chips = choices.lines_wanted(width - 2)
        choices.styles.height = chips
        menu.styles.height = menu.lines_wanted(width - 2)
        seats = len(self.seat.names) + 2
        room = max(height - seats - 3 - chips - int(menu.lines_wanted(width - 2)), 4)
        hand.styles.height = hand.lines_wanted(width - 2, min(room, 12))

    def on_resize(self) -> None:
        self._fit()

    # Answering

    def answer(self, value: str) -> None:
        """Do what a chip, a key or a click means."""
        asked = self.now.asked
        match value:
            case "?" | "r" | "s" | "i" | "t" | "q":
                self._menu(value)
            case "next":
                self.run_worker(self._do(self.seat.go_on()))
            case "again":
                self.run_worker(self._do(self._again()))
            case "sit":
                self.run_worker(self._do(self.seat.sit()))
            case "let_bot":
                self.run_worker(self._do(self.seat.let_bot()))
            case "free":
                self.run_worker(self._do(self.seat.remove_bot()))
            case "back":
                self.now.wild = None
                self.now.talking = False
                self.draw()
            case _ if value.startswith("say:"):
                self.now.talking = False
                self.draw()
                self.run_worker(self._do(self.seat.talk(value[4:])))
            case "uncover" if isinstance(asked, Asked):
                self.now.uncovered = asked.seat
                self.draw()
            case "play":
                self._play()
            case "pass" if isinstance(asked, Anybody):
                self.run_worker(self._do(self.seat.speak_up(None)))
            case "pass":
                self.run_worker(self._do(self.seat.act(None)))
            case "drop" if isinstance(asked, Asked) and self.offers.is_race(asked):
                self._drop()
            case _ if value.startswith("seat:"):
                self.run_worker(self._do(self.seat.speak_up(int(value[5:]))))
            case _:
                self.run_worker(self._do(self.seat.act(value)))

    async def _again(self) -> None:
        if not await self.seat.again():
            self.app.exit("again")

    async def _do(self, answer: Coroutine[None, None, None]) -> None:
        self.now.notice = ""
        try:
            await answer
        except PenultimaError as error:
            self.now.notice = self.words.error(error)
            self.draw()

    def _drop(self) -> None:
        after = inf if self.now.go_at is None else time.monotonic() - self.now.go_at
        if after < FALSE_START:
            after = inf
        if after == inf:
            self.query_one(Story).tell([self.words.say("screen.false_start")])
        self._stop_timer()
        self.run_worker(self._do(self.seat.act("drop", after)))

    def _play(self) -> None:
        card = self.query_one(Hand).chosen
        if not isinstance(self.now.asked, Asked):
            self.now.notice = ""
            self.draw()
            return
        if card is None:  # the table says why it cannot be played
            self.run_worker(self._do(self.seat.act(self.query_one(Hand).any_play)))
            return
        if card in self.now.asked.choices:
            self.run_worker(self._do(self.seat.act(card)))
        else:
            self.now.wild = card
            self.now.notice = ""
            self.draw()

    def _menu(self, value: str) -> None:
        match value:
            case "?":
                lines = [self.words.say(f"screen.keys.{key}") for key in HELP]
                self.app.push_screen(Page(self.words.say("screen.help"), lines))
            case "r":
                text = edition_page(self.seat.edition, self.words.language)
                self.app.push_screen(Page(self.words.say("screen.rules"), [text], rich=True))
            case "s":
                lines = list(self.words.sheet(self.seat.rounds, self._seen().scores))
                self.app.push_screen(Page(self.words.say("screen.scores"), lines))
            case "i":
                self._hint()
            case "t":
                self.now.talking = not self.now.talking
                self.draw()
            case "q":
                self.app.exit("quit")

    @work(exclusive=True, group="hint")
    async def _hint(self) -> None:
        asked = self.now.asked
        if not isinstance(asked, Asked) or self.now.uncovered != asked.seat:
            return
        self._stop_timer()  # whoever asks for advice is not hurried
        self.now.notice = self.words.say("hint.thinking")
        self.draw()
        try:
            found = await self.seat.hint()
        except PenultimaError as error:
            self.now.notice = self.words.error(error)
            self.draw()
            return
        self.now.notice = ""
        self.draw()
        if self.now.asked is asked:
            lines = list(self.words.estimates(found, self._seen()))
            self.app.push_screen(Page(self.words.say("screen.hint"), lines))

    # Keys and clicks

    def on_key(self, event: events.Key) -> None:
        key = key_of(event)
        value = self._meant(key)
        if value is not None:
            event.stop()
            event.prevent_default()
            self.answer(value)
            return
        hand = self.query_one(Hand)
        steps = {"left": (hand.step, -1), "right": (hand.step, 1)}
        steps |= {"up": (hand.step_playable, -1), "down": (hand.step_playable, 1)}
        steps |= {"shift+tab": (hand.step_playable, -1), "tab": (hand.step_playable, 1)}
        if key in steps:
            event.stop()
            event.prevent_default()
            walk, by = steps[key]
            walk(by)
        elif key in ("pageup", "pagedown"):
            story = self.query_one(Story)
            story.scroll_page_up() if key == "pageup" else story.scroll_page_down()
        elif key == "space":
            self._hurry.set()

    def _meant(self, key: str) -> str | None:
        chips = self.query_one("#choices", Choices).chips
        for chip in chips:
            if chip.key == key:
                return chip.value
        for chip in chips:  # a color by its letter
            if chip.style != NO_STYLE and chip.value.endswith(f":{key}"):
                return chip.value
        for chip in self.query_one("#menu", Choices).chips:
            if chip.key == key:
                return chip.value
        return None

    @on(Choices.Picked)
    def _picked(self, message: Choices.Picked) -> None:
        self.answer(message.value)

    @on(Hand.Chosen)
    def _chosen(self) -> None:
        self._play()

    @on(Piles.Drawn)
    def _drawn(self) -> None:
        if isinstance(self.now.asked, Asked) and "draw" in self.now.asked.choices:
            self.answer("draw")

    @on(Seats.Picked)
    def _seat_picked(self, message: Seats.Picked) -> None:
        for chip in self.query_one("#choices", Choices).chips:
            head, _, tail = chip.value.partition(":")
            if head in ("give", "swap", "seat") and tail == str(message.seat):
                self.answer(chip.value)
                return


HELP: Final = (
    "cards",
    "play",
    "actions",
    "call",
    "colors",
    "seats",
    "interrupt",
    "race",
    "story",
    "menu",
    "saved",
)
