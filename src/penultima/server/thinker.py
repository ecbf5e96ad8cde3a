"""Where bots think: outside the event loop, and no longer than the queue allows.

A server is up at once: until the machine code for a size of deck is there, compiled by a process of
its own, `sharp` plays as `basic` does.
"""

import asyncio
import importlib.util
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

from penultima import players
from penultima.bots.player import Question
from penultima.edition import shipped
from penultima.rules.ask import DECLINE
from penultima.ruleset import Sheet
from penultima.server.metrics import note
from penultima.server.turns import Turns

THREADS: Final = 2
SLACK: Final = 100  # milliseconds that thinking may take longer than it should
LEAST: Final = 10  # milliseconds that are worth thinking
CROWD: Final = 40  # waiting bots with which nobody thinks any more

T = TypeVar("T")
# What compiles for the sheet that is given: thinking ahead, then a look at all hands. The machine
# code stays on disk, so one process at a time is enough; it makes way for people, and ends with the
# server, however that ends. Where nothing can be kept, it would be compiled in vain.
_COMPILE: Final = """
import json, logging, os, sys, threading
threading.Thread(target=lambda: (os.read(0, 1), os._exit(1)), daemon=True).start()
logging.disable()
from penultima.machinecode import cache_folder, is_kept
if not is_kept():
    sys.exit(1)
if sys.platform != "win32":
    import fcntl
    os.nice(10)
    alone = open(cache_folder() / "compiling", "w")
    fcntl.flock(alone, fcntl.LOCK_EX)
from penultima.ruleset import Sheet
sheet = Sheet.from_json(json.loads(sys.argv[1]))
"""
_SHARP: Final = """
from penultima.sharp import prepare
prepare(sheet)
"""
_FORESIGHT: Final = """
from penultima.bots import MANNERS
from penultima.fastforesight import FastForesight
from penultima.game import Match, key_of_seed
match = Match(sheet, ["0", "1"], key_of_seed(1))
FastForesight(sheet, MANNERS["basic"]).chances(match.game, 1, 1)
"""


class Thinker:
    """Asks bots for their moves, in threads."""

    def __init__(self, milliseconds: int) -> None:
        self.waiting = 0
        self.lead = milliseconds + SLACK  # how long before it acts a bot begins to think
        self._milliseconds = milliseconds
        self._executor = ThreadPoolExecutor(THREADS, thread_name_prefix="bot")
        self._student = ThreadPoolExecutor(1, thread_name_prefix="study")
        self._turns = Turns(1)
        # The sizes of deck whose machine code is there, by their kinds, and those asked for.
        self.thinking: set[int] = set()
        self.foreseeing: set[int] = set()  # a replay shows every seat's chance in no time
        self._wanted: set[int] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._compiling: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        wanted = os.environ.get("PENULTIMA_COMPILE", "1") != "0"
        if wanted and importlib.util.find_spec("numba") is not None:
            self._loop = asyncio.get_running_loop()
            self._want(shipped("classic").sheet)

    def thinks(self, sheet: Sheet) -> bool:
        """Whether `sharp` can think with this deck. If not, what it takes is compiled."""
        self._want(sheet)
        return sheet.rules.size.kinds in self.thinking

    def _want(self, sheet: Sheet) -> None:
        """Compile for a deck of a new size, whichever thread asks."""
        if self._loop is not None and sheet.rules.size.kinds not in self._wanted:
            self._wanted.add(sheet.rules.size.kinds)
            self._loop.call_soon_threadsafe(self._begin, sheet)

    def _begin(self, sheet: Sheet) -> None:
        task = asyncio.create_task(self._compile(sheet))
        self._compiling.add(task)
        task.add_done_callback(self._compiling.discard)

    async def _compile(self, sheet: Sheet) -> None:
        kinds = sheet.rules.size.kinds
        for what, code, ready in (
            ("thinking", _SHARP, self.thinking),
            ("foresight", _FORESIGHT, self.foreseeing),
        ):
            note("compiling", what=what, kinds=kinds)
            if await self._succeeds(_COMPILE + code, sheet):
                ready.add(kinds)
                note("compiled", what=what, kinds=kinds)
            else:
                note("not compiled", what=what, kinds=kinds)

    async def _succeeds(self, code: str, sheet: Sheet) -> bool:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, sheet.canonical, stdin=asyncio.subprocess.PIPE
        )
        try:
            return await process.wait() == 0
        finally:
            if process.returncode is None:
                process.kill()
            if process.stdin is not None:
                process.stdin.close()

    async def decide(self, ask: Callable[[int], tuple[Question, str, int] | None]) -> int | None:
        """Let bots decide one after another until one acts.

        `ask(place)` gives the next question from a place of `rules.ask` on, with the name of who is
        asked and the seed of its luck, or None when nobody is left; the answer names the action of
        the seat that was asked last, or is None.
        """
        self.waiting += 1
        loop = asyncio.get_running_loop()
        try:
            place = 0
            while (found := ask(place)) is not None:
                question, name, luck = found
                answering = loop.run_in_executor(self._executor, self._answer, question, name, luck)
                action = await answering
                if action != DECLINE:
                    return action
                place = question.place + 1
            return None
        finally:
            self.waiting -= 1

    async def study(self, who: str, work: Callable[..., T], *arguments: Any) -> T:
        """What people at a table ask for and takes a while: in turn, and never in the way of bots.
        Raises where too much is asked for."""
        async with self._turns.turn(who):
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._student, work, *arguments)

    def _answer(self, question: Question, name: str, luck: int) -> int:
        return players.seat(self._name(name, question.sheet), luck).answer(question)

    def _name(self, name: str, sheet: Sheet) -> str:
        """Who is to think: the budget shrinks with the queue, down to `basic`."""
        if name != "sharp":
            return name
        budget = self._milliseconds * THREADS // max(self.waiting, THREADS)
        if not self.thinks(sheet) or budget < LEAST or self.waiting > CROWD:
            return "basic"
        return f"sharp:{budget}ms"

    async def close(self) -> None:
        self._loop = None
        for task in self._compiling:
            task.cancel()
        for executor in (self._executor, self._student):
            executor.shutdown(wait=False, cancel_futures=True)
