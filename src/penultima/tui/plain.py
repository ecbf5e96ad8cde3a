"""A game line by line: sentences out, typed commands in. Made for any terminal and for pipes."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

from penultima.errors import PenultimaError, Why
from penultima.locale import say
from penultima.notation import read_action
from penultima.rulebook import edition_page
from penultima.tui.lines import Lines
from penultima.tui.seat import Anybody, Asked, Seat, Update, reader_of
from penultima.tui.wording import Wording, is_bluff
from penultima.view import SPECTATOR, View

COMMANDS: Final = ("hand", "table", "scores", "rules", "hint", "help", "quit")
COVER: Final = 60  # lines that push a hand off the screen


class Stopped(Exception):
    """The player wants to leave."""


class PlainTable:
    """Tells what happens at a table and asks the people at this terminal."""

    def __init__(
        self, seat: Seat, language: str, lines: Lines, write: Callable[[str], None]
    ) -> None:
        self.seat = seat
        self.words = Wording(seat.edition, seat.names, language, reader_of(seat.people))
        self._lines = lines
        self._print = write
        self._asked: Asked | Anybody | None = None
        self._prompt: str | None = None  # what is being asked for
        self._uncovered: int | None = reader_of(seat.people)
        self._due = False  # the prompt is to be shown (again)
        self._warned = ""
        self._told_over: str | None = None
        self._late = False  # came after the match was over: for the next one

    async def run(self, first: Update | None = None) -> None:
        """Play the match to its end; raises `Stopped` when the player leaves.

        `first` is what has happened already.
        """
        self._introduce()
        if first is not None:
            self._late = self.seat.over == "match"
            self._update(first)
        happening = asyncio.ensure_future(self.seat.next())
        typed: asyncio.Future[str] | None = None
        try:
            while True:
                if self._prompt is not None and self._due:
                    self._print(self._prompt)
                    self._due = False
                if typed is None and (self._prompt is not None or self._lines.interactive):
                    typed = asyncio.ensure_future(self._lines.next())
                waiting: set[asyncio.Future[Any]] = {happening}
                if typed is not None:
                    waiting.add(typed)
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if typed is not None and typed.done():
                    line, typed = self._line(typed), None
                    await self._take(line)
                if happening.done():
                    update = happening.result()
                    self._update(update)
                    if update.ended or (self.seat.over == "match" and not self._late):
                        return
                    happening = asyncio.ensure_future(self.seat.next())
        finally:
            happening.cancel()
            if typed is not None:
                typed.cancel()

    def write(self, text: str) -> None:
        self._print(f"{text}\n")

    def _introduce(self) -> None:
        """Who plays, for how much, and how."""
        seats = range(len(self.seat.names))
        self.write(self.words.say("table.seats", names=[self.words.name(n) for n in seats]))
        self.write(self.words.goal())
        if self.seat.people:
            self._help()

    def _line(self, typed: "asyncio.Future[str]") -> str:
        try:
            return typed.result().strip()
        except EOFError:
            self.write(self.words.say("table.no_input"))
            raise Stopped from None

    # What happens

    def _update(self, update: Update) -> None:
        over = self.seat.over
        self._meet()
        new = update.asked != self._asked or over != self._told_over
        if new or update.events or update.notes or update.signal:
            self._due = True
        for event in update.events:
            self.write(self.words.teller.tell(event))
        for note in update.notes:
            self.write(self.words.note(note))
        if update.signal:
            self.write(self.words.say("ask.race"))
        self._asked = update.asked
        if new:
            self._prompt = None
        if over is not None and over != self._told_over:
            self._scores()
            if over == "round" and self.seat.people:
                self._prompt = self.words.say("ask.next")
        self._told_over = over
        if self.seat.may_sit:
            self._prompt = self.words.say("ask.sit")
        elif self._late and self.seat.hosts:
            self._prompt = self.words.say("ask.again")
        if update.asked is not None and new:
            self._ask(update.asked)

    def _meet(self) -> None:
        """Take notice of who sits where: people come and go, this one too."""
        reader = reader_of(self.seat.people)
        seated = reader != self.words.reader
        if seated or self.seat.names != self.words.names:
            self.words = Wording(self.seat.edition, self.seat.names, self.words.language, reader)
        if seated:
            self._uncovered = reader
            self._prompt = None
            self._introduce()
        if self.seat.over != "match":
            self._late = False
        elif self.seat.waits or seated:
            self._late = True

    def _ask(self, asked: Asked | Anybody) -> None:
        self._prompt = self.words.say("ask.prompt")
        if isinstance(asked, Anybody):
            self._cover()
            people = [f"{n + 1} {self.seat.names[n]}" for n in asked.people]
            self.write("")
            self.write(self.words.top(self.seat.view(SPECTATOR)))
            self.write(self.words.say("ask.anybody", people=people))
        elif self._uncovered != asked.seat:
            self._cover()
            self._prompt = self.words.say("ask.uncover", player=self.seat.names[asked.seat])
        else:
            self._show(asked)

    def _cover(self) -> None:
        """Several people share the terminal: what one of them saw goes out of sight."""
        if self._uncovered is not None:
            self._print("\n" * COVER)
            self._uncovered = None

    def _show(self, asked: Asked) -> None:
        """What a person needs to decide."""
        seen = self.seat.view(asked.seat)
        self.write("")
        self.write(self.words.top(seen))
        self.write(self.words.others(seen))
        self._hand(seen)
        if len(self.seat.people) > 1 and (shown := self.words.shown(seen)):
            self.write(shown)
        if asked.optional:
            self.write(self.words.say("ask.interrupt"))
        else:
            self.write(self.words.question(seen, asked.choices))
        numbered = [f"{number} {choice}" for number, choice in enumerate(asked.choices, 1)]
        choices = "  ".join(numbered) or self.words.say("table.nothing")
        self.write(self.words.say("table.choices", choices=choices))

    def _hand(self, seen: View) -> None:
        cards = "  ".join(seen.hand)
        self.write(self.words.say("table.hand", count=len(seen.hand), cards=cards))

    def _scores(self) -> None:
        self.write(self.words.scores(self.seat.view(SPECTATOR).scores))

    def _help(self) -> None:
        sheet = self.seat.edition.sheet
        cards = [next(f for f in sheet.faces if f.number is not None).text]
        wilds = [face.text for face in sheet.faces if face.wild]
        if wilds:
            cards.append(f"{wilds[0]}:{sheet.colors[0]}")
        self.write(self.words.say("help.play", cards=cards))
        commands = [self.words.say(f"command.{word}") for word in COMMANDS]
        self.write(self.words.say("help.words", commands=commands))

    # What is typed

    async def _take(self, text: str) -> None:
        self._due = True
        try:
            if not await self._command(text):
                await self._answer(text)
        except PenultimaError as error:
            self.write(self.words.error(error))

    async def _command(self, text: str) -> bool:
        """Words that are not actions."""
        asked = self._asked
        match self._english(text):
            case "help" | "?":
                self._help()
            case "hand" if self._uncovered is not None:
                self._hand(self.seat.view(self._uncovered))
            case "table" if isinstance(asked, Asked) and self._uncovered is not None:
                self._show(asked)
            case "table":
                self.write(self.words.others(self.seat.view(SPECTATOR)))
            case "scores":
                for line in self.words.sheet(self.seat.rounds, self.seat.view(SPECTATOR).scores):
                    self.write(line)
            case "rules":
                self.write(edition_page(self.seat.edition, self.words.language))
            case "hint" if isinstance(asked, Asked) and self._uncovered is not None:
                found = await self.seat.hint()
                for line in self.words.estimates(found, self.seat.view(asked.seat)):
                    self.write(line)
            case "bot" if self.seat.may_let_bot:
                await self.seat.let_bot()
            case "quit" | "exit":
                raise Stopped
            case _:
                return False
        return True

    def _english(self, text: str) -> str:
        """A command in the reader's language, or in English."""
        word = text.lower()
        names = {self.words.say(f"command.{name}"): name for name in (*COMMANDS, "bot")}
        return names.get(word, word)

    async def _answer(self, text: str) -> None:
        asked = self._asked
        if asked is None:
            if self.seat.may_sit and text.lower() in ("", "sit", self.words.say("command.sit")):
                self._prompt = None
                await self.seat.sit()
            elif self.seat.over == "round" and self.seat.people:
                self._prompt = None
                await self.seat.go_on()
            elif self._late and self.seat.hosts and text.lower() in ("", "begin"):
                self._prompt = None
                await self.seat.again()
            elif text:
                raise Why("nothing_asked")
        elif isinstance(asked, Anybody):
            await self._interrupted_by(text, asked)
        elif self._uncovered is None:
            self._uncovered = asked.seat
            self._prompt = self.words.say("ask.prompt")
            self._show(asked)
        else:
            await self._decide(text, asked)

    async def _interrupted_by(self, text: str, asked: Anybody) -> None:
        seats = {str(n + 1): n for n in asked.people}
        seats |= {self.seat.names[n].lower(): n for n in asked.people}
        if text and text.lower() not in seats:
            names = [f"{n + 1} {self.seat.names[n]}" for n in asked.people]
            self.write(self.words.say("ask.anybody", people=names))
            return
        self._done()
        await self.seat.speak_up(seats[text.lower()] if text else None)

    async def _decide(self, text: str, asked: Asked) -> None:
        seen = self.seat.view(asked.seat)
        if not text or text.lower() == self.words.say("choice.pass").lower():
            if not asked.optional:
                self._show(asked)
                return
            self._done()
            await self.seat.act(None)
            return
        action = self._meant(text, asked.choices, seen)
        if action is None:
            await self._refused(text, asked)
            return
        if is_bluff(self.seat.edition.sheet, seen, action) and self._warned != action:
            self._warned = action
            self.write(self.words.say("ask.bluff"))
            return
        self._done()
        await self.seat.act(action)

    async def _refused(self, text: str, asked: Asked) -> None:
        """Try what is not among the choices: the table says why it cannot be."""
        read_action(self.seat.edition.sheet, text)  # what cannot be understood is not sent
        try:
            await self.seat.act(text)
        except Why as why:
            said = self.words.error(why)
            self.write(self.words.say("table.not_now", why=said, allowed=asked.choices))
        else:
            self._done()  # it has become possible meanwhile

    def _meant(self, text: str, choices: Sequence[str], seen: View) -> str | None:
        """The choice that a text names: as it is written, by its number, or by its name."""
        if text.isascii() and text.isdigit():
            number = int(text[:6])
            return choices[number - 1] if 1 <= number <= len(choices) else None
        for choice in choices:
            if text.lower() in (choice.lower(), self.words.label(choice, seen).lower().strip("!¡")):
                return choice
        return None

    def _done(self) -> None:
        """An answer is on its way."""
        self._asked = None
        self._prompt = None
        self._warned = ""


async def play(seat: Seat, language: str, lines: Lines, write: Callable[[str], None]) -> None:
    """Play line by line; says goodbye to who leaves."""
    try:
        await PlainTable(seat, language, lines, write).run()
    except Stopped:
        write(f"{say(language, 'table.goodbye')}\n")
