"""The pictures in `docs/screens/terminal/`, which `make screens-terminal` writes anew."""

import asyncio
import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from textual.app import App
from textual.screen import Screen

from penultima.bots import MANNERS
from penultima.bots.host import question
from penultima.bots.player import PolicyPlayer
from penultima.edition import Edition, shipped
from penultima.event import Event
from penultima.game import Match, key_of_seed
from penultima.rules.ask import DECLINE, ask, seat_asked
from penultima.rules.schema import Trace
from penultima.tui.app import TableApp
from penultima.tui.local import LocalTable
from penultima.tui.replay import Replay
from penultima.tui.replay_screen import ReplayScreen
from penultima.tui.table import Manners, TableScreen
from tests.screen import SMALL, WIDE

FOLDER = Path(__file__).parent.parent / "docs" / "screens" / "terminal"
NAMES = ("Ana", "Boris", "Chen", "Dora", "Emil", "Faye", "Gil", "Hana", "Ivo", "Jo")
AT_ONCE = Manners(pace=0, moment=0, race=(999, 999))


def a_match(edition: Edition, seats: int, seed: int, moves: int) -> tuple[Match, list[Event]]:
    """A match some way on, played by bots, with seat 0 to decide; and its story."""
    match = Match(edition.sheet, NAMES[:seats], key_of_seed(seed))
    story = list(match.opening)
    bot = PolicyPlayer("basic", MANNERS["basic"], seed)
    trace = Trace(edition.sheet.rules.size)
    place = played = 0
    while match.over is None:
        place = ask(edition.sheet.rules, match.game, place)
        seat = seat_asked(match.game, trace, place)
        if played >= moves and seat == 0 and place == 2 * seats:
            break
        action = bot.answer(question(edition.sheet, match.game, seat, place))
        if action == DECLINE:
            place += 1
        else:
            story += match.play(seat, action)
            place = 0
            played += 1
    return match, story


def with_wild(edition: Edition, seats: int) -> tuple[Match, list[Event]]:
    """A match in which seat 0 may play a wild card."""
    for seed in count():
        match, story = a_match(edition, seats, seed, 9)
        if match.over is None and "W:g" in match.legal_texts(0):
            return match, story
    raise AssertionError


def table(
    edition: Edition, played: tuple[Match, list[Event]], language: str = "en", people: int = 1
) -> Screen[None]:
    match, story = played
    bots = dict.fromkeys(range(people, len(match.names)), "basic")
    return TableScreen(LocalTable(edition, match, bots, story=story), language, AT_ONCE)


def picture(name: str, screen: Screen[None], keys: Sequence[str], size: tuple[int, int]) -> None:
    """Press some keys at a screen and keep what it shows."""

    async def run() -> None:
        app: App[str] = TableApp(screen)
        async with app.run_test(size=size) as pilot:
            await pilot.pause(0.3)
            for key in keys:
                await pilot.press(key)
                await pilot.pause(0.3)
            if "i" in keys or "e" in keys:
                await pilot.pause(2)
            svg = app.export_screenshot(title="Penultima", simplify=True)
        # The same picture every time: no random names, no fonts from elsewhere.
        svg = re.sub(r"terminal-\d+", "terminal", svg)
        svg = re.sub(r"\s*src:[^;]*url\([^;]*;", "", svg)
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / f"{name}.svg").write_text(svg, "utf-8")

    asyncio.run(run())


def main() -> None:
    classic, chili = shipped("classic"), shipped("chili")
    picture("turn", table(classic, a_match(classic, 4, 3, 14)), [], SMALL)
    picture("ten-seats", table(chili, a_match(chili, 10, 5, 22)), [], SMALL)
    picture("color", table(classic, with_wild(classic, 3)), ["up", "enter"], SMALL)
    picture("hint", table(classic, a_match(classic, 4, 3, 14)), ["i"], SMALL)
    revenge = shipped("revenge")
    picture("wide-es", table(revenge, a_match(revenge, 5, 7, 20), "es"), [], WIDE)
    trefoil = shipped("triforce")
    picture("rules-ru", table(trefoil, a_match(trefoil, 3, 2, 6), "ru"), ["r"], SMALL)
    violet = shipped("violet")
    picture("covered", table(violet, a_match(violet, 4, 9, 12), people=2), [], SMALL)
    finished, _ = a_match(classic, 4, 8, 10_000)
    picture(
        "replay", ReplayScreen(Replay.of(finished.record(), classic), "en", 20), ["e"], (100, 30)
    )
    print(*sorted(FOLDER.glob("*.svg")), sep="\n")


if __name__ == "__main__":
    main()
