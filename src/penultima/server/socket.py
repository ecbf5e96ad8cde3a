"""A connection to a table: frames in, one after another; frames out, through a bounded queue."""

import asyncio
import contextlib
import time
from typing import Any, Final

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from penultima.errors import ServerError
from penultima.server import commands, hint, tcp, wire
from penultima.server.failpoint import failpoint
from penultima.server.hub import Hub
from penultima.server.racetrack import Line
from penultima.server.room import Room
from penultima.server.store import hashed
from penultima.server.table import Refusal, Stage

HELLO: Final = 10  # seconds for the first frame
HELD: Final = 1.0  # seconds before one more wrong code is answered
PING: Final = 10  # seconds between two pings
GOODBYE: Final = 2  # seconds for the last frame
SILENCE: Final = 30  # seconds without any frame: the connection is lost
MOST_BAD: Final = 20  # frames that cannot be understood
# Reasons to close, and after how many milliseconds to come back.
RETRY: Final[dict[str, int | None]] = {
    "restart": 1_000,
    "slow": 200,
    "idle": 200,
    "trouble": 1_000,
    "too_often": 15_000,
}


class Connection:
    """Somebody's socket. `send` never waits: who does not read is dropped, and may come back."""

    def __init__(self, socket: WebSocket, hub: Hub) -> None:
        self.token: str | None = None
        self.line = Line(tcp.of(socket, hub.settings.proxies > 0))
        self._socket = socket
        self._hub = hub
        self._out = tcp.outbox_of(socket, hub.settings.limits.unread)
        self._why: str | None = None
        self._reader: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._pinging: asyncio.TimerHandle | None = None
        self._receiving = False
        self._heard = time.monotonic()
        self._bad = 0
        self._allowed = 3.0 * hub.settings.limits.frames_per_second
        self._refilled = time.monotonic()

    def send(self, frame: bytes) -> None:
        if self._why is None and not self._out.put(frame):
            self._hub.metrics.count("slow")
            self.end("slow")

    def end(self, reason: str) -> None:
        """Say goodbye and close; what is waiting to be sent is left unsent."""
        if self._why is None:
            self._why = reason
            self._out.clear()
            self._out.put(wire.encode(wire.Bye(reason=reason, retry=RETRY.get(reason))))
            self._closing = asyncio.create_task(self._close())
            if self._reader is not None and self._receiving:  # it might not hear of it for long
                self._reader.cancel()

    async def run(self) -> None:
        await self._socket.accept()
        self._reader = asyncio.create_task(self._read())
        try:
            await asyncio.wait((self._reader,))
        finally:
            self.end("closed")
            if self._closing is not None:
                await self._closing

    async def _close(self) -> None:
        for step in (self._out.sent, self._socket.close):
            with contextlib.suppress(Exception):  # it is gone
                await asyncio.wait_for(step(), GOODBYE)

    async def _read(self) -> None:
        room: Room | None = None
        try:
            room = await self._greet()
            if room is not None:
                await room.vouch()
                await self._listen(room)
        except WebSocketDisconnect:
            pass
        except TimeoutError:
            self.end("idle")
        except Exception as error:
            self._hub.metrics.trouble("socket", error)
            self.end("trouble")
        finally:
            if room is not None:
                room.leave(self)
                with contextlib.suppress(Exception):
                    await room.vouch()

    async def _greet(self) -> Room | None:
        """The first frame says to which table, and who."""
        async with asyncio.timeout(HELLO):
            hello = self._understood(await self._receive())
        if not isinstance(hello, wire.Hello):
            self.end("bad_frames")
            return None
        if hello.version != wire.VERSION:
            self.end("version")
            return None
        self.token = None if hello.token is None else hashed(hello.token)
        room = await self._hub.room(hello.table)
        may_guess = self._hub.limiter.may_guess(self._socket)
        if not may_guess and (room is None or not room.is_open_to(self.token)):
            await asyncio.sleep(HELD)
            self.end("too_often")
            return None
        if room is None:
            self._hub.limiter.guess(self._socket)
            self.end("no_table")
            return None
        if room.seat_of(self) is None and not room.table.watchers and not self._may_sit(room):
            self.end("forbidden")
            return None
        if room.table.stage == Stage.CLOSED:
            self.end("closed")
            return None
        self.send(wire.encode(room.enter(self, hello.since)))
        return room

    def _may_sit(self, room: Room) -> bool:
        return self.token is not None and not room.table.in_match

    async def _receive(self) -> str | bytes:
        self._receiving = True
        message = await self._socket.receive()
        self._receiving = False
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        self._heard = time.monotonic()
        failpoint("decode")
        text: str | bytes | None = message.get("text")
        return message.get("bytes") or b"" if text is None else text

    async def _listen(self, room: Room) -> None:
        self._ping()
        try:
            while self._why is None:
                frame = self._understood(await self._receive())
                await self._slow_down()
                if frame is None:
                    continue
                if isinstance(frame, wire.Pong):
                    self.line.pong(frame.n)
                elif isinstance(frame, commands.Command):
                    await self._obey(room, frame)
                else:
                    self._problem("hello", "hello is the first frame, and comes once")
        finally:
            if self._pinging is not None:
                self._pinging.cancel()

    async def _obey(self, room: Room, command: commands.Command) -> None:
        started = time.perf_counter()
        if isinstance(command, commands.Drop):
            answer = await self._drop(room, command)
        elif isinstance(command, commands.Hint):
            await self._hint(room, command)
            return
        else:
            answer = await room.obey(self, command)
        failpoint("answer")
        self.send(wire.encode(answer))
        self._hub.metrics.answered(time.perf_counter() - started)

    async def _drop(self, room: Room, command: commands.Drop) -> wire.Answer:
        seat = room.seat_of(self)
        track = self._hub.track(room)
        if seat is None:
            refused: str | None = "no_seat"
        elif room.table.answered(seat, command.id):  # a copy
            refused = room.table.answers[seat][command.id]
        else:
            refused = "not_now" if track is None else await track.drop(seat, command, self.line)
        return wire.Answer(id=command.id, refused=refused)

    async def _hint(self, room: Room, command: commands.Hint) -> None:
        thinker = self._hub.thinker
        try:
            question = hint.asked(room.table, room.seat_of(self))
            decision = room.table.decision
            who = self.token or ""
            ready = thinker.thinks(question.sheet)
            rows = await thinker.study(who, hint.think, question, ready)
        except (Refusal, ServerError) as refusal:  # not here, or too much at a time
            self.send(wire.encode(wire.Answer(id=command.id, refused=refusal.code)))
            return
        self.send(wire.encode(wire.Advice(id=command.id, decision=decision, actions=rows)))

    def _ping(self) -> None:
        if time.monotonic() - self._heard > SILENCE:
            self.end("idle")
        if self._why is None:
            self.send(self.line.ping())
            self._pinging = asyncio.get_running_loop().call_later(PING, self._ping)

    def _understood(self, data: str | bytes) -> Any:
        """A frame, or None where it is none."""
        self._hub.metrics.count("frames")
        try:
            size = len(data.encode() if isinstance(data, str) else data)
            if size > wire.MOST_BYTES:
                self._problem("too_long", f"a frame has at most {wire.MOST_BYTES} bytes", data)
                return None
            return wire.decode_incoming(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self._problem("not_understood", str(error)[:200], data)
            return None

    def _problem(self, code: str, message: str, data: str | bytes = b"") -> None:
        self._hub.metrics.count("bad_frames")
        self.send(wire.encode(wire.Problem(code=code, message=message, id=wire.id_of(data))))
        self._bad += 1
        if self._bad >= MOST_BAD:
            self.end("bad_frames")

    async def _slow_down(self) -> None:
        """Who sends too much is read more slowly: a bucket of frames that fills with time."""
        rate = self._hub.settings.limits.frames_per_second
        now = time.monotonic()
        self._allowed = min(self._allowed + rate * (now - self._refilled), 3.0 * rate)
        self._refilled = now
        self._allowed -= 1
        if self._allowed < 0:
            self._hub.metrics.count("limited")
            await asyncio.sleep(-self._allowed / rate)
