"""Whole matches on a real server: every byte that a client got, and every line of its log."""

import asyncio
import contextlib
import json
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection

from penultima.client import Client, TableClient
from penultima.edition import shipped
from penultima.notation import action_text, cards_text
from penultima.piles import discard_pile
from penultima.server import botseat, due, log
from penultima.server.room import Room, Shop
from penultima.server.settings import Pace
from penultima.server.store import Seeds, hashed
from penultima.server.table import Table
from penultima.view import legal_texts
from tests.server.harness import a_server, play_on, until
from tests.test_table import dealt

EDITION = "violet"  # with a challenge that shows a hand
SEATS = 4


class Tapped(TableClient):
    """A client that keeps every byte it gets."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.bytes: list[bytes] = []

    async def _talk(self, socket: ClientConnection) -> None:
        await super()._talk(_Tap(socket, self.bytes))  # type: ignore[arg-type]


class _Tap:
    """A socket that is listened to."""

    def __init__(self, socket: ClientConnection, kept: list[bytes]) -> None:
        self._socket = socket
        self._kept = kept

    async def __aiter__(self) -> Any:
        async for data in self._socket:
            self._kept.append(data.encode() if isinstance(data, str) else data)
            yield data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)


class Played:
    """A match that was played: what everybody got, and what really happened."""

    def __init__(self, folder: Path) -> None:
        self.got: dict[int | None, list[bytes]] = {}
        self.tokens: list[str] = []
        with a_server(folder, PENULTIMA_LOG="DEBUG") as server:
            self.table = asyncio.run(self._play(server.address))
            token = {"authorization": f"Bearer {self.tokens[0]}"}
            paths = ("/metrics", "/api/tables", f"/api/tables/{self.table}", "/healthz")
            self.answers = [httpx.get(server.address + path, headers=token).text for path in paths]
            server.stop()
            self.lines = server.log.read_text().splitlines()
        with contextlib.closing(sqlite3.connect(folder / "tables.sqlite")) as database:
            rows = database.execute(
                "SELECT entry FROM log WHERE table_id = ? ORDER BY seq", (self.table,)
            ).fetchall()
            ((self.secret,),) = database.execute("SELECT secret FROM tables").fetchall()
        self.log = [log.read(entry.encode()) for (entry,) in rows]

    async def _play(self, address: str) -> str:
        people = [await Client.connect(address) for _ in range(2)]
        self.tokens = [client.token for client in people]
        options = {"target": 60, "hand_size": 5, "challengers": "anybody"}
        table = await people[0].open(
            edition=EDITION, seats=SEATS, name="A", options=options, public=True
        )
        watcher = Tapped(people[0], table, None, None)
        seats = [Tapped(client, table, f"P{n}", None) for n, client in enumerate(people)]
        async with watcher, seats[0], seats[1]:
            await until(seats[0], lambda s: sum(p.here for p in s.places) == 2)
            assert await seats[0].begin() is None
            await asyncio.gather(*(play_on(seat, Random(n)) for n, seat in enumerate(seats)))
            await until(seats[0], lambda s: s.matches == 1)
            await asyncio.sleep(0.2)  # for the last frames of the others
        self.got = {None: watcher.bytes, 0: seats[0].bytes, 1: seats[1].bytes}
        return table

    def folded(self) -> Iterator[Table]:
        """The table after every entry."""
        table = Table(Seeds(self.secret))
        for entry in self.log:
            table.apply(entry)
            yield table


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return Played(tmp_path_factory.mktemp("match"))


def truth(played: Played) -> dict[int, dict[str, Any]]:
    """What was so after every entry, by its number."""
    found = {}
    for table in played.folded():
        if table.match is not None:
            sheet, game = table.sheet, table.playing.game
            found[table.told] = {
                "hands": [cards_text(sheet, hand) for hand in game.hands[: game.seats]],
                "discard": [sheet.faces[kind].text for kind in discard_pile(sheet, game)],
                "shown": (game.shown_of, game.shown_to, cards_text(sheet, game.shown)),
            }
    return found


def strings(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text in a frame, with where it stands."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*path, "(key)"), name
            yield from strings(inner, (*path, name))
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner, path)
    elif isinstance(value, str):
        yield path, value


PUBLIC_PLACES = {
    ("state", "view", "discard"),
    ("moments", "events", "card"),  # put down, or turned, for everybody to see
}
OWN_PLACES = {
    ("state", "view", "hand"),
    ("state", "view", "legal"),
    ("state", "view", "bluffs"),
    ("state", "view", "drawn"),
    ("state", "view", "shown", "cards"),
    ("moments", "events", "cards"),
}


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_every_card_a_client_ever_got_was_one_it_might_know(
    played: Played, seat: int | None
) -> None:
    faces = {face.text for face in shipped(EDITION).sheet.faces}
    real = truth(played)
    seen = 0
    for data in played.got[seat]:
        frame = json.loads(data)
        frame.pop("settings", None)  # the names of all cards, which everybody knows
        for path, text in strings(frame):
            if text.partition(":")[0] in faces:
                allowed = PUBLIC_PLACES if seat is None else PUBLIC_PLACES | OWN_PLACES
                assert path in allowed, (path, text)
                seen += 1
        state = frame.get("state")
        if not state or not state["view"] or frame["seq"] not in real:
            continue
        view, now = state["view"], real[frame["seq"]]
        assert view["discard"] == now["discard"]
        if seat is None:
            assert view["hand"] == view["legal"] == view["bluffs"] == []
            assert view["shown"] is None and view["drawn"] is None
            continue
        hand = now["hands"][seat]
        assert view["hand"] == hand
        held = set(hand)
        if view["turn"] == seat:
            cards = {action.partition(":")[0] for action in view["legal"]} & faces
            assert cards <= held
        assert view["drawn"] is None or view["drawn"] in held
        if view["shown"] is not None:
            assert now["shown"] == (view["shown"]["of"], seat, view["shown"]["cards"])
        for moment in frame["moments"]:
            for event in moment["events"]:
                if "cards" in event:
                    assert seat in (event.get("seat"), event.get("other")), event
                    assert event["what"] == ("draw" if event["seat"] == seat else "show")
    assert seen > 100


def test_no_client_got_a_token_or_a_seed_too_soon(played: Played) -> None:
    seeds = [Seeds(played.secret)[attempt] for attempt in range(1, 4)]
    secrets = [*played.tokens, *map(hashed, played.tokens), played.secret]
    over = next(n for n, entry in enumerate(played.log, 1) if isinstance(entry, log.Shown))
    for frames in played.got.values():
        for data in frames:
            text = data.decode()
            assert not any(secret in text for secret in secrets)
            if json.loads(text).get("seq", 0) < over:
                assert not any(seed in text for seed in seeds)
    assert any(seeds[0] in data.decode() for data in played.got[None])  # and at the end it is told


def test_the_log_says_nothing_that_is_secret(played: Played) -> None:
    """At its most talkative, over a whole match."""
    known = {
        *("time", "level", "message", "table", "edition", "seats", "reason"),
        *("where", "error", "trace", "seat", "allowance"),
    }
    assert played.lines
    text = "\n".join(played.lines)
    for line in played.lines:
        fields = json.loads(line)
        assert set(fields) <= known
        assert fields["level"] not in ("error", "critical"), line
    seeds = [Seeds(played.secret)[attempt] for attempt in range(4)]
    for secret in (*played.tokens, *map(hashed, played.tokens), played.secret, *seeds):
        assert secret not in text


def test_pages_for_everybody_tell_no_card_and_no_secret(played: Played) -> None:
    faces = {f'"{face.text}"' for face in shipped(EDITION).sheet.faces}
    for text in played.answers:
        assert not any(face in text for face in faces)
        for secret in (*played.tokens, *map(hashed, played.tokens), played.secret):
            assert secret not in text


# Time tells nothing either


class Instant:
    """A thinker that needs no time at all."""

    lead = 0
    waiting = 0

    async def decide(self, ask: Any) -> int | None:
        question, _, _ = ask(0)
        return int(question.legal[0])


def test_a_bot_that_need_not_think_does_not_answer_sooner() -> None:
    """It acts after a fixed pause: as early as that only where the pause is over."""

    async def run() -> tuple[int, int]:
        pause = 300
        table = dealt(people=1, seats=2)
        while table.playing.game.turn != 1:
            move = table.playing.legal(0)[0]

            table.apply(log.Acted(at=0, place=0, action=action_text(table.sheet, move)))
        start = table.since = _Memory.now()
        shop = Shop(_Memory(), Instant(), Pace(bot=pause, moment=pause), _Counts())  # type: ignore[arg-type]
        room = Room(shop, table, Seeds("00" * 32))
        room.enter(_Ear(table.places[0].token), None)
        before = table.decision
        async with asyncio.timeout(20):
            while table.decision == before:
                await asyncio.sleep(0.01)
        entry = room.table.story.since(0)[-1].entry
        assert isinstance(entry, log.Acted) and entry.bot
        await room.close()
        return entry.at - start, pause

    waited, pause = asyncio.run(run())
    assert waited >= pause


class _Memory:
    """A store that keeps nothing."""

    shared = False

    @staticmethod
    def now() -> int:

        return time.time_ns() // 1_000_000

    async def append(self, new: Any) -> bool:
        return True

    async def describe(self, summary: Any, at: int) -> None:
        pass

    async def claim(self, *_: Any) -> bool:
        return True

    async def keep(self, snapshot: Any) -> None:
        pass


class _Counts:
    def count(self, what: str, number: int = 1) -> None:
        pass

    def trouble(self, where: str, error: BaseException) -> None:
        raise error


class _Ear:
    def __init__(self, token: str | None) -> None:
        self.token = token

    def send(self, frame: bytes) -> None:
        pass

    def end(self, reason: str) -> None:
        pass


def test_nobody_s_cards_are_drawn_for_them() -> None:
    """A draw that happens by itself when nothing can be played would tell everybody so."""
    found = 0
    for seed in range(200):
        table = dealt(people=2, seats=2)
        random = Random(seed)
        for _ in range(random.randint(0, 30)):
            moves = [(s, a) for s in range(2) for a in table.playing.legal(s)]
            if table.playing.over or not moves:
                break

            seat, action = random.choice(moves)
            table.apply(log.Acted(at=0, place=seat, action=action_text(table.sheet, action)))
        if table.playing.over:
            continue

        turn = table.playing.game.turn
        if legal_texts(table.sheet, table.playing.game, turn) == ["draw"]:
            found += 1
            assert due.deadline(table) is None
            assert due.tick(table, 10**9) == []
            assert botseat.asked(table) is None
    assert found > 5
