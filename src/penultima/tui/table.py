"""The full screen: a table, drawn from what `Seat` says, and the keys that answer it."""

import asyncio
import contextlib
import random
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar, Final

from rich.style import Style
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
from penultima.tui.keys import ACTIONS, key_of, numbered
from penultima.tui.look import color_sign, color_style
from penultima.tui.pages import Page
from penultima.tui.seat import Anybody, Asked, Seat, Update, reader_of
from penultima.tui.wording import Wording, is_bluff
from penultima.view import SPECTATOR, View

FALSE_START: Final = 0.1  # seconds: nobody reacts faster
_REFLEXES: Final = {"call", "catch"}


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

    def __init__(self, seat: Seat, language: str, manners: Manners) -> None:
        super().__init__()
        self.seat = seat
        self.manners = manners
        self.words = Wording(seat.edition, seat.names, language, reader_of(seat.people))
        self.asked: Asked | Anybody | None = None
        self._wild: str | None = None  # a wild card that waits for its color
        self._uncovered: int | None = reader_of(seat.people)
        self._notice = ""
        self._go_at: float | None = None  # when the signal of a race was given
        self._timer: Timer | None = None
        self._hurry = asyncio.Event()

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
        self.query_one("#menu", Choices).show(
            [
                Chip("?", self.words.say("screen.help"), "?"),
                Chip("r", self.words.say("screen.rules"), "r"),
                Chip("s", self.words.say("screen.scores"), "s"),
                Chip("i", self.words.say("screen.hint"), "i"),
                Chip("q", self.words.say("screen.quit"), "q"),
            ]
        )
        self.follow()

    @work
    async def follow(self) -> None:
        """Show what happens, as fast as people can read."""
        while True:
            update = await self.seat.next()
            self.show(update)
            if update.events and not self.seat.paced and self.manners.pace:
                self._hurry.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._hurry.wait(), self.manners.pace)

    def show(self, update: Update) -> None:
        lines = [self.words.teller.tell(event) for event in update.events]
        if update.note is not None:
            lines.append(self.words.say(update.note, **dict(update.details)))
        if lines:
            self.query_one(Story).tell(lines)
            self._notice = ""
        self.asked = update.asked
        self._wild = None
        self._go_at = None
        self._stop_timer()
        seen = self._seen()
        if len(self.seat.people) > 1 and not self._still_at_it(seen):
            self._uncovered = None
        if isinstance(update.asked, Asked) and self._is_race(update.asked):
            self._timer = self.set_timer(random.uniform(*self.manners.race), self._signal)
        elif self._hurried(update.asked):
            self._timer = self.set_timer(self.manners.moment, self._let_be)
        self.draw()

    def _still_at_it(self, seen: View) -> bool:
        """Whether the person whose hand is open goes on deciding."""
        if isinstance(self.asked, Asked):
            return self.asked.seat == self._uncovered
        return self.asked is None and seen.turn == self._uncovered and seen.over is None

    def _is_race(self, asked: Asked) -> bool:
        return self.seat.reflex and "drop" in asked.choices

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
        self._go_at = time.monotonic()
        self.app.bell()
        self.draw()

    def _let_be(self) -> None:
        if self.asked is not None and self._uncovered == reader_of(self.seat.people):
            self.answer("pass")

    # Drawing

    def _whose(self) -> int:
        """Whose cards are on the screen."""
        return SPECTATOR if self._uncovered is None else self._uncovered

    def _seen(self) -> View:
        return self.seat.view(self._whose())

    def draw(self) -> None:
        seen = self._seen()
        self.query_one("#title", Static).update(self._title(seen))
        self.query_one(Seats).show(self.words, seen)
        self.query_one(Piles).show(self.words, seen)
        self._draw_hand(seen)
        style = "bold reverse" if self._go_at is not None else "bold"
        self.query_one("#prompt", Static).update(Text(self._prompt(seen), style))
        self.query_one("#choices", Choices).show(self._chips(seen))
        self._fit()

    def _title(self, seen: View) -> Text:
        name = self.seat.edition.file.name.in_language(self.words.language)
        number = self.words.say("screen.round_number", number=seen.round)
        return Text(f" Penultima · {name} · {number} · {self.words.goal()}", "bold")

    def _draw_hand(self, seen: View) -> None:
        cover = ""
        if self._uncovered is None and self.seat.people:
            cover = self.words.say("screen.covered")
        playable: frozenset[str] = frozenset()
        if isinstance(self.asked, Asked) and not cover:
            heads = (choice.partition(":")[0] for choice in self.asked.choices)
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

    def _prompt(self, seen: View) -> str:
        if self._notice:
            return self._notice
        asked = self.asked
        if seen.over == "round":
            return self.words.scores(seen.scores) + " " + self.words.say("ask.next")
        if seen.over == "match":
            return self.words.scores(seen.scores) + " " + self.words.say("screen.again")
        if self._wild is not None:
            bluff = is_bluff(self.seat.edition.sheet, seen, self._wild)
            return self.words.say("screen.bluff" if bluff else "ask.name")
        if isinstance(asked, Anybody):
            return self.words.say("screen.anybody")
        if isinstance(asked, Asked):
            if self._uncovered != asked.seat:
                return self.words.say("ask.uncover", player=self.seat.names[asked.seat])
            if self._is_race(asked):
                return self.words.say("screen.wait" if self._go_at is None else "screen.go")
            if asked.optional:
                return self.words.say("screen.interrupt")
            shown = self.words.shown(seen) if len(self.seat.people) > 1 else None
            return " ".join(filter(None, (shown, self.words.question(seen, asked.choices))))
        return self.words.say("screen.waiting", player=self.seat.names[seen.turn])

    def _chips(self, seen: View) -> list[Chip]:
        asked = self.asked
        if seen.over == "round":
            return [Chip("enter", self.words.say("choice.next"), "next")]
        if seen.over == "match":
            return [Chip("n", self.words.say("choice.again"), "again")]
        if self._wild is not None:
            return [
                *self._colors([f"{self._wild}:{c}" for c in self.seat.edition.sheet.colors]),
                Chip("escape", self.words.say("choice.back"), "back"),
            ]
        if isinstance(asked, Anybody):
            digits = numbered(len(self.seat.names))
            chips = [Chip(digits[n], self.seat.names[n], f"seat:{n}") for n in asked.people]
            return [*chips, Chip("space", self.words.say("choice.nobody"), "pass")]
        if not isinstance(asked, Asked):
            return []
        if self._uncovered != asked.seat:
            return [Chip("enter", self.words.say("choice.uncover"), "uncover")]
        return self._asked_chips(asked, seen)

    def _asked_chips(self, asked: Asked, seen: View) -> list[Chip]:
        chips: list[Chip] = []
        if any(choice.partition(":")[0] in seen.hand for choice in asked.choices):
            chips.append(Chip("enter", self.words.say("choice.play"), "play"))
        chips += self._colors([c for c in asked.choices if c.startswith("color:")])
        digits = numbered(len(self.seat.names))
        for choice in asked.choices:
            head, _, tail = choice.partition(":")
            if head in ("give", "swap"):
                chips.append(Chip(digits[int(tail)], self.words.label(choice, seen), choice))
            elif head in ACTIONS:
                chips.append(Chip(ACTIONS[head], self.words.label(choice, seen), choice))
        if asked.optional:
            chips.append(Chip("space", self.words.say("choice.pass"), "pass"))
        return chips

    def _colors(self, choices: Sequence[str]) -> list[Chip]:
        """Colors by digit; their letters work as well."""
        chips = []
        for digit, choice in zip(numbered(len(choices)), choices, strict=True):
            letter = choice.partition(":")[2]
            sign = color_sign(self.seat.edition, letter)
            label = f" {sign} {self.words.teller.color(letter)} ({letter})"
            style = color_style(self.seat.edition, letter) + Style(bold=True)
            chips.append(Chip(digit, label, choice, style))
        return chips

    # Answering

    def answer(self, value: str) -> None:
        """Do what a chip, a key or a click means."""
        asked = self.asked
        match value:
            case "?" | "r" | "s" | "i" | "q":
                self._menu(value)
            case "next":
                self.run_worker(self._do(self.seat.go_on()))
            case "again":
                self.app.exit("again")
            case "back":
                self._wild = None
                self.draw()
            case "uncover" if isinstance(asked, Asked):
                self._uncovered = asked.seat
                self.draw()
            case "play":
                self._play()
            case "pass" if isinstance(asked, Anybody):
                self.run_worker(self._do(self.seat.speak_up(None)))
            case "pass":
                self.run_worker(self._do(self.seat.act(None)))
            case "drop" if isinstance(asked, Asked) and self._is_race(asked):
                self._drop()
            case _ if value.startswith("seat:"):
                self.run_worker(self._do(self.seat.speak_up(int(value[5:]))))
            case _:
                self.run_worker(self._do(self.seat.act(value)))

    async def _do(self, answer: Coroutine[None, None, None]) -> None:
        self._notice = ""
        try:
            await answer
        except PenultimaError as error:
            self._notice = self.words.error(error)
            self.draw()

    def _drop(self) -> None:
        after = inf if self._go_at is None else time.monotonic() - self._go_at
        if after < FALSE_START:
            after = inf
        if after == inf:
            self.query_one(Story).tell([self.words.say("screen.false_start")])
        self._stop_timer()
        self.run_worker(self._do(self.seat.act("drop", after)))

    def _play(self) -> None:
        card = self.query_one(Hand).chosen
        if card is None or not isinstance(self.asked, Asked):
            self._notice = self.words.say("screen.not_playable") if self.asked else ""
            self.draw()
            return
        if card in self.asked.choices:
            self.run_worker(self._do(self.seat.act(card)))
        else:
            self._wild = card
            self._notice = ""
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
            case "q":
                self.app.exit("quit")

    @work(exclusive=True, group="hint")
    async def _hint(self) -> None:
        asked = self.asked
        if not isinstance(asked, Asked) or self._uncovered != asked.seat:
            return
        self._stop_timer()  # whoever asks for advice is not hurried
        self._notice = self.words.say("hint.thinking")
        self.draw()
        found = await self.seat.hint()
        self._notice = ""
        self.draw()
        if self.asked is asked:
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
        if isinstance(self.asked, Asked) and "draw" in self.asked.choices:
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
