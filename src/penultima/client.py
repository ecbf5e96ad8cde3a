"""A client for a server's tables, for bots and programs of one's own.

    import asyncio
    from penultima.client import Client

    async def main() -> None:
        client = await Client.connect("http://127.0.0.1:8765")
        async with client.sit("abc234", name="Robin") as table:
            async for view in table.decisions():
                await table.act(view.legal[0])

    asyncio.run(main())

It deals fairly (promises and reveals a seed of its own, keeps everybody's promises in a file and
plays no further with a server that does not keep to them), comes back after a lost connection,
sends again what was not answered, and drops in races like a person. `docs/protocol.md` has the
rest.
"""

import asyncio
import contextlib
import http.client
import json
import logging
import random
import secrets
import urllib.error
import urllib.request
from collections.abc import AsyncIterator
from typing import Any, Final, Self

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from penultima.dealing import Notices, OwnPart
from penultima.errors import ServerError, Unfair, Why
from penultima.locale import Message, say
from penultima.receipt import Receipt, Receipts
from penultima.server import commands, wire
from penultima.system import unanswered
from penultima.view import View

FIRST_WAIT: Final = 0.2  # seconds before coming back, doubled each time up to
LONGEST_WAIT: Final = 2.0
UNANSWERED: Final = 32  # commands at a time: the server knows copies of no more than these
_log: Final = logging.getLogger(__name__)
FINAL: Final = ("closed", "moved", "no_table", "forbidden", "version", "bad_frames")


class Client:
    """A person, known to a server by a token. What it keeps of deals goes to `receipts`: without,
    to files in the user's folder."""

    def __init__(self, address: str, token: str, receipts: Receipts | None = None) -> None:
        self.address = address.rstrip("/")
        self.token = token
        self.receipts = receipts

    @classmethod
    async def connect(
        cls, address: str, token: str | None = None, receipts: Receipts | None = None
    ) -> Self:
        """Come as somebody known, or as somebody new."""
        client = cls(address, token or "", receipts)
        if token is None:
            client.token = (await client.ask("POST", "/api/people"))["token"]
        return client

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        """A request over HTTP; gives what the answer holds, or raises `ServerError`."""
        return await asyncio.to_thread(self._ask, method, path, body)

    def _ask(self, method: str, path: str, body: Any) -> Any:
        try:
            request = urllib.request.Request(
                self.address + path,
                method=method,
                data=None if body is None else msgspec.json.encode(body),
                headers={"Authorization": f"Bearer {self.token}"} if self.token else {},
            )
            with urllib.request.urlopen(request, timeout=30) as answer:
                data = answer.read()
                kind = answer.headers.get_content_type()
                return json.loads(data) if kind == "application/json" else data.decode()
        except urllib.error.HTTPError as error:
            try:
                fault = json.loads(error.read())["message"]
            except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
                fault = f"HTTP {error.code}"
            raise ServerError("refused", reason=fault) from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            why = unanswered(error)
            raise ServerError("unreachable", address=self.address, reason=why) from error

    async def open(self, **settings: Any) -> str:
        """Open a table (`wire.NewTable` says with what); gives its id."""
        seated = await self.ask("POST", "/api/tables", settings)
        return str(seated["table"])

    def sit(self, table: str, name: str = "", place: int | None = None) -> "TableClient":
        """A seat at a table; without a name the server finds one."""
        return TableClient(self, table, name, place)

    def watch(self, table: str) -> "TableClient":
        return TableClient(self, table, None, None)


class TableClient:
    """A connection to a table that mends itself. `state` is how things stand."""

    _since: int | None = None  # from when on it wants to be told, where it has seen nothing yet

    def __init__(self, client: Client, table: str, name: str | None, place: int | None) -> None:
        self.table = table
        self.seat: int | None = None
        self.state: wire.State | None = None
        self.settings: wire.Settings | None = None
        self.connected = False
        self.ended: str | None = None  # why the server will not have us any more
        self.refused: str | None = None  # why we have no seat, where we asked for one
        self.why: Why | None = None  # what stood in the way of the action last refused
        self._client = client
        self._name = name
        self._place = place
        self._socket: ClientConnection | None = None
        self._seq: int | None = None
        self.asked: str | None = None  # the command by which we asked for a seat
        self.unfair: Unfair | None = None  # what the server did, where it does not deal fairly
        self.part = OwnPart(client.receipts, client.address, table)
        self._notices = Notices()
        self._unanswered: dict[str, tuple[bytes, asyncio.Future[str | None]]] = {}
        self._may_ask = asyncio.Semaphore(UNANSWERED)
        self._frames: asyncio.Queue[wire.Outgoing | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._errands: set[asyncio.Task[Any]] = set()

    @property
    def receipt(self) -> Receipt | None:
        """What was kept of the deals at this seat."""
        return self.part.receipt

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._stay())
        return self

    async def __aexit__(self, *_error: object) -> None:
        for task in (self._task, *self._errands):
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task
        if self._socket is not None:
            await self._socket.close()

    # What a player does

    async def act(self, action: str) -> str | None:
        """Take an action now; gives why it was refused, if it was."""
        assert self.state is not None
        return await self.send(commands.Act(id=_id(), action=action, decision=self.state.decision))

    async def begin(self) -> str | None:
        return await self.send(commands.Begin(id=_id()))

    async def ready(self) -> str | None:
        return await self.send(commands.GetReady(id=_id()))

    async def say(self, phrase: str) -> str | None:
        return await self.send(commands.Say(id=_id(), phrase=phrase))

    async def sit(self) -> str | None:
        """Ask for a seat again, after there was none; gives why it was refused, if it was."""
        sit = commands.Sit(id=_id(), name=self._name or "", place=None)
        return await self.send(sit)

    async def let_bot(self) -> str | None:
        """As the host, let a bot play for the person whose turn it is and who does not decide."""
        assert self.state is not None
        turn = 0 if self.state.view is None else self.state.view.turn
        return await self.send(commands.LetBot(id=_id(), place=turn, decision=self.state.decision))

    async def leave(self) -> str | None:
        return await self.send(commands.Leave(id=_id()))

    async def send(self, command: commands.Command) -> str | None:
        """Send a command until it is answered; gives the code of a refusal."""
        async with self._may_ask:
            return await self._send(command)

    async def _send(self, command: commands.Command) -> str | None:
        data = msgspec.json.encode(command)
        future: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._unanswered[command.id] = data, future
        if self.ended is not None:
            return self.ended
        if self.connected and self._socket is not None:
            await _say(self._socket, data)
        return await future

    async def frames(self) -> AsyncIterator[wire.Outgoing]:
        """Everything the server says, as it comes; ends when there is no coming back."""
        while (frame := await self._frames.get()) is not None:
            yield frame

    async def decisions(self) -> AsyncIterator[View]:
        """What this seat sees, each time it may act; rounds go on by themselves.

        Raises `ServerError` where there is no seat to act for.
        """
        answered = -1
        going_on = True
        while going_on and self.unfair is None:
            if self.seat is None and self.refused is not None:
                raise self._no_seat(f"talk.refused.{self.refused}")
            state = self.state
            if state is not None and self._frames.empty():
                if state.stage == "between" and self.seat is not None:
                    if not state.places[self.seat].ready:
                        await self.ready()
                elif state.stage in ("over", "closed"):
                    return
                elif state.decision != answered and _may_act(state.view):
                    answered = state.decision
                    assert state.view is not None
                    yield state.view
            going_on = await self._frames.get() is not None
        if self.unfair is not None:
            raise self.unfair
        lost = self.seat is None or self.ended not in ("closed", "moved")
        if self._name is not None and self.ended is not None and lost:
            raise self._no_seat(f"online.bye.{self.ended}")

    def _no_seat(self, reason: str) -> ServerError:
        return ServerError("not_seated", table=self.table, reason=Message(reason))

    # The connection

    async def _stay(self) -> None:
        wait = FIRST_WAIT
        try:
            while self.ended is None:
                with contextlib.suppress(ConnectionClosed, OSError, InvalidHandshake, TimeoutError):
                    address = self._client.address.replace("http", "ws", 1) + "/ws"
                    async with connect(address, open_timeout=10, compression=None) as socket:
                        self._socket = socket
                        await self._talk(socket)
                if self.connected:
                    wait = FIRST_WAIT
                self.connected = False
                if self.ended is None:
                    await asyncio.sleep(wait * random.uniform(0.5, 1.0))
                    wait = min(2 * wait, LONGEST_WAIT)
        finally:
            for _, future in self._unanswered.values():
                if not future.done():
                    future.set_result(self.ended or "closed")
            self._frames.put_nowait(None)

    async def _talk(self, socket: ClientConnection) -> None:
        token = None if self._name is None else self._client.token
        hello = wire.Hello(
            version=wire.VERSION, table=self.table, token=token, since=self._seq or self._since
        )
        await socket.send(msgspec.json.encode(hello).decode())
        async for data in socket:
            frame = msgspec.json.decode(data, type=wire.AnyOutgoing)
            await self._take(socket, frame)
            if self.unfair is not None:
                return

    async def _take(self, socket: ClientConnection, frame: wire.Outgoing) -> None:
        match frame:
            case wire.Ping(n=n):
                await _say(socket, msgspec.json.encode(wire.Pong(n=n)))
                return
            case wire.Welcome():
                self.settings = frame.settings
                self._see(frame)
                self.connected = True
                if self.unfair is not None:
                    return
                if self._name is not None and self.seat is None and self.refused is None:
                    self.asked = _id()
                    sit = commands.Sit(id=self.asked, name=self._name, place=self._place)
                    await _say(socket, msgspec.json.encode(sit))
                for again, _ in tuple(self._unanswered.values()):
                    await _say(socket, again)
                self._deal()
            case wire.News():
                if self._removed(frame):
                    self.refused = "removed"
                self._see(frame)
                self._deal()
            case wire.Answer():
                if frame.seat is not None:
                    self.seat, self.refused = frame.seat, None
                self.why = None if frame.why is None else frame.why.error
                self._answered(frame.id, frame.refused)
            case wire.Problem():  # frames are answered in the order in which they were sent
                self._answered(frame.id or next(iter(self._unanswered), ""), "not_understood")
            case wire.Go(race=race):
                self._errand(self._drop(race))
            case wire.Bye(reason=reason) if reason in FINAL:
                self.ended = reason
        self._frames.put_nowait(frame)

    def _removed(self, news: wire.News) -> bool:
        """Whether the host has taken our seat from us."""
        if self.seat is None or news.seat is not None:
            return False
        entries = [moment.entry for moment in news.moments]
        rose = [one for one in entries if one["type"] == "rose" and one["place"] == self.seat]
        return any(one["seat"] not in (None, self.seat) for one in rose)

    def _answered(self, command: str, refused: str | None) -> None:
        if command == self.asked:
            self.refused = refused
        _, future = self._unanswered.pop(command, (b"", None))
        if future is not None and not future.done():
            future.set_result(refused)

    def _errand(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    def _see(self, frame: wire.Welcome | wire.News) -> None:
        """Take how things stand, unless the server does not keep to the fair deal."""
        try:
            self.part.see(frame.seat, frame.state, frame.moments)
        except Unfair as error:
            self._break_off(error)
        self.seat, self.state, self._seq = frame.seat, frame.state, frame.seq
        for key, details in self._notices.new(self.part, frame.seat, frame.state):
            self._notice(key, details)

    def _notice(self, key: str, details: dict[str, object]) -> None:
        """Something that people are to know of the deal."""
        known = key == "fair.code"
        _log.log(logging.INFO if known else logging.WARNING, "%s", say("en", key, **details))

    def _break_off(self, error: Unfair) -> None:
        self.unfair = error
        self.ended = "unfair"

    def _deal(self) -> None:
        """Promise a seed of our own, and show it when all have promised."""
        if self.state is None or self.unfair is not None:
            return
        if (command := self.part.due(self.seat, self.state)) is not None:
            self._errand(self._give(command, self.state.attempt))

    async def _give(self, command: commands.Promise | commands.Reveal, attempt: int) -> None:
        seat = self.seat
        refused = await self.send(command)
        if isinstance(command, commands.Promise) and seat is not None and self.ended is None:
            try:
                self.part.answered(seat, attempt, refused)
            except Unfair as error:
                self._break_off(error)
                if self._socket is not None:
                    await self._socket.close()

    async def _drop(self, race: int) -> None:
        """As fast as people are."""
        reaction = random.uniform(0.25, 0.6)
        await asyncio.sleep(reaction)
        await self.send(commands.Drop(id=_id(), race=race, reaction=int(1000 * reaction)))


def _may_act(view: View | None) -> bool:
    return view is not None and bool(view.legal) and view.phase != "race"


async def _say(socket: ClientConnection, data: bytes) -> None:
    """A connection that is closed may still hold what the server said last."""
    with contextlib.suppress(ConnectionClosed):
        await socket.send(data.decode())


def _id() -> str:
    return secrets.token_hex(8)
