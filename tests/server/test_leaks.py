"""What P may not know makes no difference to any byte that the server sends to P.

Two worlds have the same log, tokens of other people apart; then, in one of them, the cards that P
cannot know are dealt otherwise and chance gets another key. Everybody sends the same commands over
connections of the real server, P tries forbidden ones too, and every frame to P and every answer
over HTTP must be the same bytes, as long as the rules have made nothing public. Planted leaks must
be found.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import httpx
import msgspec
import pytest
from starlette.websockets import WebSocket

from penultima.edition import SHIPPED, shipped
from penultima.fair import commitment
from penultima.game import Match
from penultima.notation import WORDS, action_text
from penultima.rules.actions import CHALLENGE
from penultima.server import answers, commands, due, frames, log, race, story, wire
from penultima.server.app import make
from penultima.server.hub import Hub
from penultima.server.outbox import Outbox
from penultima.server.room import Room
from penultima.server.settings import Pace, ServerSettings
from penultima.server.socket import Connection
from penultima.server.sqlite import SqliteDatabase
from penultima.server.store import Opening, Seeds, Store, hashed
from penultima.server.table import Refusal, Stage, Table, open_table
from penultima.view import SPECTATOR, View, view
from tests.lockstep import random_options
from tests.test_table import dealt
from tests.test_view import may_differ, own_facts, playable_together, public_facts, twin_of

SECRET = "5e" * 32
TABLE = "abcdef"
FOREVER = 10**9


def token_of(seat: int, world: int, known: int) -> str:
    """A person's token: that of P, or of a watcher, is the same in both worlds."""
    return f"seat-{seat}-of-world-{0 if seat == known else world}".ljust(32, "x")


def opening(random: Random, known: int, world: int) -> tuple[list[log.Entry], Table]:
    """The log of a match that has gone on for a while between people."""
    edition = shipped(random.choice(SHIPPED))
    options = {**random_options(random), "hand_size": random.choice((3, 5, 7)), "race": "chance"}
    edition = edition.with_options(options)
    seats = random.randint(2, 4)
    table, entries = Table(Seeds(SECRET)), []

    def add(new: list[log.Entry]) -> None:
        for entry in new:
            table.apply(entry)
            entries.append(entry)

    add([open_table(TABLE, edition, seats, 0, hints=True)])
    for seat in range(seats):
        token = hashed(token_of(seat, world, known))
        add(answers.sit(table, token, commands.Sit(id="sit", name=f"P{seat}"), 0))
    add(answers.answer(table, 0, commands.Begin(id="begin"), 0))
    for seat in range(seats):
        promise = commitment(TABLE, 1, str(seat), bytes(32))
        add(answers.answer(table, seat, commands.Promise(id="promise", promise=promise), 0))
    for seat in range(seats):
        add(answers.answer(table, seat, commands.Reveal(id="reveal", seed="00" * 32), 0))
    add(due.tick(table, 0))
    for number in range(random.randint(0, 40)):
        moves = [(s, a) for s in range(seats) for a in table.playing.legal(s)]
        if table.stage != Stage.PLAYING or not moves:
            break
        seat, action = random.choice(moves)
        text = action_text(table.sheet, action)
        add([log.Acted(at=number, seat=seat, command=f"m{number}", place=seat, action=text)])
    return entries, table


class Wire:
    """The socket of a connection: what is sent to it is given by hand, what it gets is kept."""

    outbox: Outbox
    ready = True
    closed = False

    def __init__(
        self, hub: Hub, token: str | None, since: int | None = None, table: str = TABLE
    ) -> None:
        self._incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.got: list[bytes] = []
        self.welcomed = False
        self._incoming.put_nowait({"type": "websocket.connect"})
        hello = wire.Hello(version=wire.VERSION, table=table, token=token, since=since)
        self.send(msgspec.json.encode(hello))
        scope = {
            "type": "websocket",
            "headers": [],
            "client": ("192.0.2.1", 1),
            "path": "/ws",
            "state": {"line": self},
        }
        socket = WebSocket(scope, self._incoming.get, self._take)
        self._task = asyncio.create_task(Connection(socket, hub).run())

    def send(self, frame: bytes) -> None:
        self._incoming.put_nowait({"type": "websocket.receive", "text": frame.decode()})

    async def _take(self, message: Any) -> None:
        """Everything is sent through the outbox, but for the handshake and the end."""
        assert message["type"] in ("websocket.accept", "websocket.close")

    def round_trip(self) -> None:
        """Nothing that TCP has measured."""

    def write(self, data: bytes) -> None:
        while data:
            size, start = data[1], 2
            if size == 126:
                size, start = int.from_bytes(data[2:4]), 4
            assert data[0] == 0x81
            assert data[1] < 127
            frame, data = data[start : start + size], data[start + size :]
            if b'"ping"' not in frame[:20]:  # they come when they come, and hold a number
                self.got.append(frame)
                self.welcomed = True

    async def close(self) -> None:
        self._incoming.put_nowait({"type": "websocket.disconnect", "code": 1000})
        await self._task


class World:
    """A hub with one table on a clock that stands still, and everybody's connections."""

    def __init__(self, hub: Hub, room: Room, number: int, known: int) -> None:
        self.hub, self.room, self.number, self.known = hub, room, number, known
        seats = len(room.table.places)
        tokens = [token_of(seat, number, known) for seat in range(seats)]
        self.wires: dict[Any, Wire] = {s: Wire(hub, token) for s, token in enumerate(tokens)}
        self.wires[SPECTATOR] = Wire(hub, None)

    @property
    def match(self) -> Match:
        return self.room.table.playing

    async def settle(self) -> None:
        """Until everybody was welcomed and nothing is under way."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(30):
            while not all(line.welcomed for line in self.wires.values()):
                await asyncio.sleep(0.001)
        for _ in range(2_000):
            await asyncio.sleep(0)
            timer = self.room._timer
            later = timer is None or timer.when() > loop.time() + 1
            if later and self.room._advancing is None and not self.room._lock.locked():
                break
        for _ in range(20):
            await asyncio.sleep(0)

    async def obey(self, seat: int, command: commands.Command) -> None:
        """Send a command and wait for what comes of it."""
        line = self.wires[seat]
        mark = f'"id":"{command.id}"'.encode()
        line.send(msgspec.json.encode(command))
        async with asyncio.timeout(30):
            while not any(mark in frame for frame in line.got[-50:]):
                await asyncio.sleep(0.001)
        await self.settle()

    def told(self) -> list[bytes]:
        frames, self.wires[self.known].got = self.wires[self.known].got, []
        return frames

    async def over_http(self) -> list[Any]:
        """Answers to whatever P could ask, without the time they took."""
        app = make(self.hub.settings)
        app.state.hub = self.hub
        token = token_of(self.known, self.number, self.known)
        found = []
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1"
        ) as client:
            for path in (
                *(f"/api/tables/{TABLE}{rest}" for rest in ("", "/rules", "/matches/1")),
                *("/api/tables", "/api/me/history", "/api/me/statistics", "/metrics", "/healthz"),
                *("/admin/tables", "/admin/backup", f"/admin/tables/{TABLE}/export"),
            ):
                answer = await client.get(path, headers={"authorization": f"Bearer {token}"})
                assert answer.status_code != 421, "a host that the server knows"
                lines = [line for line in answer.text.split("\n") if "answer_seconds" not in line]
                kept = {n: v for n, v in answer.headers.items() if n != "content-length"}
                length = 0 if path == "/metrics" else len(answer.content)
                found.append((path, answer.status_code, kept, length, lines))
        return found


@contextlib.asynccontextmanager
async def two_worlds(folder: Path, seed: int) -> Any:
    """The same table twice: the second with what P may not know exchanged."""
    worlds, hubs = [], []
    known = 0
    try:
        for number in range(2):
            random = Random(seed)
            known = random.randint(SPECTATOR, 1)
            entries, table = opening(random, known, number)
            data = folder / f"{seed}-{number}.sqlite"
            settings = ServerSettings(str(data), folder, pace=Pace(FOREVER, FOREVER))
            store = Store(SqliteDatabase(data))
            store.now = lambda: 1_000_000
            assert await store.open(Opening(entries, frames.summary(table), SECRET))
            hubs.append(Hub(store, settings))
            room = await hubs[-1].room(TABLE)
            assert room is not None
            if number == 1:
                room.table.match = twin_of(room.table.playing, known, random)
            worlds.append(World(hubs[-1], room, number, known))
            await worlds[-1].settle()
        yield worlds, known, random
    finally:
        for world in worlds:
            for line in world.wires.values():
                await line.close()
        for hub in hubs:
            await hub.close()


async def watch(folder: Path, seed: int) -> int:
    """One pair of worlds, until the rules make something public that was hidden from P; gives how
    many frames were compared."""
    compared = 0
    random = Random(seed)
    if opening(random, random.randint(SPECTATOR, 1), 0)[1].stage != Stage.PLAYING:
        return 0  # nothing is hidden any more
    async with two_worlds(folder, seed) as ((one, other), known, random):
        sheet = one.room.table.sheet

        def same() -> None:
            nonlocal compared
            mine, theirs = one.told(), other.told()
            assert [len(frame) for frame in mine] == [len(frame) for frame in theirs]
            assert mine == theirs
            compared += len(mine)

        same()
        for number in range(12):
            if known != SPECTATOR and not await probe(one, other, known, random, number):
                return compared
            same()
            move = playable_together(one.match, other.match, random)
            if move is None or move[1] == CHALLENGE:
                break
            command = commands.Act(
                id=f"c{number}",
                action=action_text(sheet, move[1]),
                decision=one.room.table.decision,
            )
            marks = [world.room.table.told for world in (one, other)]
            for world in (one, other):
                await world.obey(move[0], command)
            facts = [public_facts(sheet, world.match.game) for world in (one, other)]
            own = [own_facts(world.match.game, known) for world in (one, other)]
            if facts[0] != facts[1] or own[0] != own[1]:
                events = [
                    event
                    for world, mark in zip((one, other), marks, strict=True)
                    for happening in world.room.table.story.since(mark)
                    for event in happening.events
                ]
                assert may_differ(sheet, known, move, events)
                return compared
            same()
            if one.room.table.stage != Stage.PLAYING:
                break
        assert await one.over_http() == await other.over_http()
        token = None if known == SPECTATOR else token_of(known, 0, known)
        for world in (one, other):  # who comes back is told what was missed
            back = world.wires["back"] = Wire(world.hub, token, since=0)
            await world.settle()
            world.wires[known].got += back.got
        same()
    return compared


async def probe(one: World, other: World, known: int, random: Random, number: int) -> bool:
    """P tries what may be forbidden, and asks for a hint: answers must not tell anything. False
    when something was done."""
    table = one.room.table
    faces = [face.text + ":b" * face.wild for face in table.sheet.faces]
    tries = random.sample([*WORDS, "swap:0", "give:1", "color:b", *faces], 3)
    legal = {action_text(table.sheet, a) for a in one.match.legal(known)}
    wishes: list[commands.Command] = [
        commands.Act(id=f"try {number} {n}", action=text, decision=table.decision)
        for n, text in enumerate(tries)
        if text not in legal
    ]
    wishes.append(commands.Act(id=f"nonsense {number}", action="r99", decision=table.decision))
    if number == 0 and legal:
        wishes.append(commands.Hint(id=f"hint {number}"))
    for wish in wishes:
        for world in (one, other):
            await world.obey(known, wish)
    return one.room.table.decision == other.room.table.decision == table.decision


def watch_many(folder: Path, pairs: int) -> int:
    async def run() -> int:
        return sum([await watch(folder, seed) for seed in range(pairs)])

    return asyncio.run(run())


def test_no_byte_to_anybody_depends_on_what_they_may_not_know(tmp_path: Path) -> None:
    assert watch_many(tmp_path, 24) > 200


# Planted leaks: each must be found


def next_hand(game: Any, seat: int) -> list[int]:
    hand: list[int] = game.hands[(seat + 1) % game.seats]
    return hand


def a_hand_in_the_view(patch: pytest.MonkeyPatch) -> None:
    true = view

    def leaking(sheet: Any, game: Any, seat: int) -> View:
        return replace(true(sheet, game, seat), hand=[str(next_hand(game, seat))])

    patch.setattr(frames, "view", leaking)


def anothers_legal_actions(patch: pytest.MonkeyPatch) -> None:
    true = view

    def leaking(sheet: Any, game: Any, seat: int) -> View:
        other = true(sheet, game, (seat + 1) % game.seats)
        return replace(true(sheet, game, seat), legal=other.legal)

    patch.setattr(frames, "view", leaking)


def drawn_cards_in_events(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(frames, "view_event", lambda event, seat: event)


def a_length_that_tells(patch: pytest.MonkeyPatch) -> None:
    """Not a word is said; the frame is a little longer when the next seat holds a wild card."""
    true = frames.state

    def leaking(table: Table, seat: int | None, here: Any) -> wire.State:
        state = true(table, seat, here)
        if table.match is None or state.view is None:
            return state
        game, rules = table.playing.game, table.sheet.rules
        hand = next_hand(game, SPECTATOR if seat is None else seat)
        wilds = sum(hand[kind] for kind in range(rules.colored, rules.kinds))
        return msgspec.structs.replace(state, stage=state.stage + " " * wilds)

    patch.setattr(frames, "state", leaking)


def the_hash_of_a_token(patch: pytest.MonkeyPatch) -> None:
    told: Any = frames._TOLD
    patch.setitem(told, log.Sat, ("place", "name", "bot", "token"))


def a_refusal_that_tells(patch: pytest.MonkeyPatch) -> None:
    true = answers._action

    def leaking(table: Table, seat: int, command: commands.Act, by: Any) -> log.Entry:
        try:
            return true(table, seat, command, by)
        except Refusal as refusal:
            hand = next_hand(table.playing.game, seat)
            raise Refusal("stale" if sum(hand[::2]) % 2 else refusal.code) from None

    patch.setattr(answers, "_action", leaking)


def a_count_of_the_server(patch: pytest.MonkeyPatch) -> None:
    true = Room._tell

    def leaking(room: Room, new: Any) -> None:
        true(room, new)
        if room.table.match is not None:
            room.shop.metrics.count("commands", sum(next_hand(room.table.playing.game, 0)[::2]))

    patch.setattr(Room, "_tell", leaking)


@pytest.mark.parametrize(
    "plant",
    [
        a_hand_in_the_view,
        anothers_legal_actions,
        drawn_cards_in_events,
        a_length_that_tells,
        the_hash_of_a_token,
        a_refusal_that_tells,
        a_count_of_the_server,
    ],
)
def test_a_planted_leak_is_found(
    plant: Callable[[pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        watch_many(tmp_path, 40)


# A race: when its signal comes, and how fast bots are, follows from the key


def racing_pair() -> Iterator[tuple[Table, Table]]:
    """Two tables at which a race is armed, alike but for the key."""
    for seed in range(30):
        pair = []
        for number in range(2):
            random = Random(seed)
            table = dealt(people=2, seats=3, edition="chili")
            for _ in range(60):
                if due.racing(table) or table.stage != Stage.PLAYING:
                    break
                moves = [(s, a) for s in range(3) for a in table.playing.legal(s)]
                seat, action = random.choice(moves)
                text = action_text(table.sheet, action)
                table.apply(log.Acted(at=0, place=seat, action=text))
            if not due.racing(table):
                break
            table.playing.key[0] += number
            table.playing.game.key[0] += number
            pair.append(table)
        if len(pair) == 2:
            yield pair[0], pair[1]


def race_frames(table: Table, seat: int | None) -> bytes:
    (armed,) = due.tick(table, table.since)
    happening = story.Happening(table.seq + 1, armed, table.apply(armed))
    told = wire.encode(frames.moments([happening], seat))
    return told + wire.encode(frames.state(table, seat, {0, 1}))


def test_nobody_is_told_when_the_signal_of_a_race_comes() -> None:
    pairs = list(racing_pair())
    assert len(pairs) >= 2
    assert any(race.delay(one, 1) != race.delay(other, 1) for one, other in pairs)
    for one, other in pairs:
        for seat in (None, 0, 1):
            assert race_frames(one, seat) == race_frames(other, seat)
            one.race = other.race = None


@pytest.mark.parametrize("how", ["in the entry", "as a deadline"])
def test_a_planted_delay_of_a_race_is_found(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if how == "in the entry":
        told: Any = frames._TOLD
        monkeypatch.setitem(told, log.Armed, ("race", "delay"))
    else:
        monkeypatch.setattr(
            frames, "_deadline", lambda table: table.race.go if table.race else None
        )
    with pytest.raises(AssertionError):
        test_nobody_is_told_when_the_signal_of_a_race_comes()
