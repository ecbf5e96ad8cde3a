"""A full screen to press keys at: what stands on it, and players who never surprise."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from textual.pilot import Pilot

from penultima.bots.player import Question
from penultima.edition import Edition, shipped
from penultima.game import Match
from penultima.notation import move_text
from penultima.rules.ask import DECLINE
from penultima.tui.app import TableApp, table_app
from penultima.tui.local import LocalTable
from penultima.tui.table import Manners, TableScreen

PATIENCE = 180  # seconds: a machine may be busy
SMALL, WIDE = (80, 24), (140, 50)
AT_ONCE = Manners(pace=0, moment=0, race=(0.01, 0.01))
Keys = Callable[["Screen"], Awaitable[None]]


class Silent:
    """Lets every interrupt be and takes the last action it may."""

    name = "silent"

    def answer(self, question: Question) -> int:
        return DECLINE if question.may_decline else question.legal[-1]

    def reaction(self) -> float:
        return 9.0


class Screen:
    """A table on a screen, with a pilot at the keys."""

    def __init__(self, table: LocalTable, pilot: Pilot[Any]) -> None:
        self.table = table
        self.pilot = pilot
        self.app = pilot.app

    @property
    def lines(self) -> list[str]:
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip) for strip in strips]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def moves(self) -> list[str]:
        """The moves of the round, as `SEAT:ACTION`."""
        sheet = self.table.edition.sheet
        return [move_text(sheet, *move) for move in self.table.match.rounds[-1].moves]

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.settled()

    async def settled(self) -> None:
        """Until the table waits for somebody, or is over."""
        for _ in range(3):
            await self.pilot.pause()

    def query(self, *which: Any) -> Any:
        return self.table_screen().query_one(*which)

    def table_screen(self) -> TableScreen:
        return next(one for one in self.app.screen_stack if isinstance(one, TableScreen))


def seated(
    edition: Edition, match: Match, people: int = 1, bots: Mapping[int, str] | None = None
) -> LocalTable:
    """People at the first seats of a match, silent players at the others."""
    match.names = ["Ana", "Boris", "Chen", "Dora", "Emil", "Faye", "Gil", "Hana", "Ivo", "Jo"][
        : match.game.seats
    ]
    table = LocalTable(
        edition, match, bots or dict.fromkeys(range(people, match.game.seats), "basic")
    )
    if bots is None:
        table._host.players = [Silent()] * match.game.seats
    return table


def edition_of(match: Match) -> Edition:
    edition = shipped(match.sheet.edition)
    return Edition(edition.file, match.sheet, edition.source)


def at_screen(
    table: LocalTable,
    act: Keys,
    size: tuple[int, int] = SMALL,
    language: str = "en",
    manners: Manners = AT_ONCE,
) -> TableApp:
    """Run `act` at the screen of a table; gives the application, which says how it was left."""

    async def run() -> TableApp:
        app = table_app(table, language, manners)
        async with app.run_test(size=size) as pilot:
            screen = Screen(table, pilot)
            await screen.settled()
            await act(screen)
        return app

    return asyncio.run(asyncio.wait_for(run(), PATIENCE))
