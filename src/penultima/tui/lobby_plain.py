"""Before the match, line by line."""

import asyncio
from collections.abc import Callable
from typing import Any

from penultima.errors import PenultimaError
from penultima.locale import say
from penultima.tui.gathering import BOTS, people_lines, stage_line
from penultima.tui.lines import Lines
from penultima.tui.plain import Stopped
from penultima.tui.remote import RemoteSeat
from penultima.tui.seat import Update


class PlainLobby:
    """Tells who comes and goes, until there is a game."""

    def __init__(
        self, seat: RemoteSeat, language: str, lines: Lines, write: Callable[[str], None]
    ) -> None:
        self.seat = seat
        self._language = language
        self._lines = lines
        self._print = write

    async def run(self, link: str) -> Update:
        """The first update of the game; raises `Stopped` when somebody leaves before it."""
        self.write(self._say("online.invite", link=link))
        happening = asyncio.ensure_future(self.seat.next())
        typed: asyncio.Future[str] | None = None
        try:
            while True:
                if typed is None and self._may_type():
                    typed = asyncio.ensure_future(self._lines.next())
                waiting: set[asyncio.Future[Any]] = {happening}
                if typed is not None:
                    waiting.add(typed)
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if happening.done():
                    update = happening.result()
                    if self.seat.playing:
                        return update
                    self._tell(update)
                    happening = asyncio.ensure_future(self.seat.next())
                if typed is not None and typed.done():
                    line, typed = self._line(typed), None
                    await self._take(line)
        finally:
            happening.cancel()
            if typed is not None:
                self._lines.give_back(typed)

    def write(self, text: str) -> None:
        self._print(f"{text}\n")

    def _may_type(self) -> bool:
        """A script's lines are for what only this person can decide."""
        if not self.seat.known:
            return False
        begins = self.seat.hosts and self.seat.state.stage == "gathering"
        return self._lines.interactive or begins or self.seat.may_sit

    def _line(self, typed: "asyncio.Future[str]") -> str:
        try:
            return typed.result().strip().lower()
        except EOFError:
            self.write(self._say("table.no_input"))
            raise Stopped from None

    def _tell(self, update: Update) -> None:
        for note in update.notes:
            self.write(self._say(note.key, **note.details))
        if update.ended:
            raise Stopped
        self.write(", ".join(people_lines(self.seat, self._language)))
        self.write(stage_line(self.seat, self._language))
        if self.seat.hosts and self.seat.state.stage == "gathering":
            self.write(self._say("online.commands"))

    async def _take(self, text: str) -> None:
        try:
            if text in ("quit", "exit", "q", self._say("command.quit")):
                raise Stopped
            if self.seat.may_sit and text in ("", "sit", self._say("command.sit")):
                await self.seat.sit()
            elif self.seat.waits:
                self.write(stage_line(self.seat, self._language))
            elif text == "begin" or not text:
                await self.seat.begin()
            elif text == "remove":
                await self.seat.remove_bot()
            elif text in BOTS.values():
                await self.seat.add_bot(text)
            else:
                self.write(self._say("online.commands"))
        except PenultimaError as error:
            self.write(self._say(f"{error.area}.{error.code}", **error.details))

    def _say(self, key: str, **details: object) -> str:
        return say(self._language, key, **details)
