"""What a client knows of the table it sits at, whether that stands here or on a server.

A client shows what `Seat.next` tells it and hands on what the person decides. It keeps no state of
the game: that is in `Match`, or on the server.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from penultima.bots.mind import Estimate
from penultima.edition import Edition
from penultima.event import Event
from penultima.view import View

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """Somebody at this screen may decide; `optional`: they may also let it be."""

    seat: int
    choices: list[str]
    optional: bool


@dataclass(frozen=True, slots=True)
class Anybody:
    """Any of several people at this screen may interrupt; who, is said before hands are shown."""

    people: list[int]


class Note:
    """What happened besides the game, to a file or a connection: a key of the catalogue."""

    def __init__(self, key: str, **details: object) -> None:
        self.key = key
        self.details = details


@dataclass(frozen=True, slots=True)
class Update:
    """What has happened, as this client may see it, and what is asked of it now.

    `signal`: the race is on. `ended`: nothing more will come.
    """

    events: Sequence[Event] = ()
    asked: Asked | Anybody | None = None
    notes: Sequence[Note] = ()
    signal: bool = False
    ended: bool = False


class Seat(Protocol):
    """A place at a table, or several at one screen, or none (a spectator)."""

    reflex: bool  # a race is run by hand
    rounds: list[list[int]]  # the points that each round brought, by seat
    phrases: tuple[str, ...]  # what can be said to the others

    @property
    def edition(self) -> Edition: ...

    @property
    def names(self) -> list[str]: ...

    @property
    def people(self) -> list[int]:
        """The seats that are played at this screen."""
        ...

    @property
    def paced(self) -> bool:
        """Whether somebody else sees to it that people can follow."""
        ...

    @property
    def hosts(self) -> bool:
        """Whether another match is begun from here."""
        ...

    @property
    def waits(self) -> bool:
        """Whether somebody came to play and has no seat."""
        ...

    @property
    def may_sit(self) -> bool:
        """Whether there is a seat for them now."""
        ...

    @property
    def may_free(self) -> bool:
        """Whether the seat of a bot can be freed from here."""
        ...

    @property
    def may_let_bot(self) -> bool:
        """Whether the host can let a bot play for somebody who does not decide."""
        ...

    @property
    def away(self) -> list[int]:
        """Seats that a bot plays for now."""
        ...

    @property
    def seconds_left(self) -> int | None:
        """For the decision, where there is a clock."""
        ...

    @property
    def deal_code(self) -> str | None:
        """What players of a fair deal compare; None where nobody else took part in it."""
        ...

    @property
    def over(self) -> str | None:
        """None, "round" or "match"."""
        ...

    def view(self, seat: int) -> View: ...

    async def next(self) -> Update:
        """What happens next; waits while somebody has to decide."""
        ...

    async def act(self, action: str | None, after: float | None = None) -> None:
        """Take an action for the seat asked; None lets it be. `after`: seconds, in a race."""
        ...

    async def speak_up(self, seat: int | None) -> None:
        """Say which of several people interrupts (`Anybody`); None: nobody."""
        ...

    async def go_on(self) -> None:
        """Be ready for the next round."""
        ...

    async def talk(self, phrase: str) -> None:
        """Say one of `phrases` to the others."""
        ...

    async def again(self) -> bool:
        """Ask for another match here; False: this table has no other."""
        ...

    async def sit(self) -> None:
        """Sit down where a seat is free."""
        ...

    async def remove_bot(self) -> None:
        """Free the last seat that a bot has."""
        ...

    async def let_bot(self) -> None:
        """Let a bot play for the person whose turn it is."""
        ...

    async def hint(self) -> list[Estimate]:
        """What the bot would expect of each choice, best first."""
        ...


def reader_of(people: Sequence[int]) -> int | None:
    """Whom the story is told to: the only person at a screen, or nobody in particular."""
    return people[0] if len(people) == 1 else None


def points_of(scores: Sequence[int], rounds: Sequence[Sequence[int]]) -> list[int]:
    """What a round that has just ended brought each seat, after the rounds before it.

    >>> points_of([30, 52], [[30, 0], [0, 20]])
    [0, 32]
    """
    return [score - sum(one[seat] for one in rounds) for seat, score in enumerate(scores)]


async def aside(work: Callable[[], T]) -> T:
    """Do something long without keeping the screen, or the end of the program, waiting."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def finish(result: T | None, error: Exception | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        try:
            outcome = work(), None
        except Exception as error:
            outcome = None, error  # type: ignore[assignment]
        if not loop.is_closed():
            loop.call_soon_threadsafe(finish, *outcome)

    threading.Thread(target=run, daemon=True).start()
    return await done
