"""What each request and each command costs the one thread that everybody shares.

`make bench-routes` asks for everything once to warm up and then again and again, in this process,
and prints the median of the thread's own time: what others wait for. Work that is done elsewhere
(the database, workers, threads) does not count.
"""

import asyncio
import contextlib
import statistics
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette

from penultima.edition import shipped
from penultima.server import commands, wire
from penultima.server.app import ROUTES, make
from penultima.server.hub import Hub
from penultima.server.settings import Limits, ServerSettings
from penultima.server.store import hashed
from tests.commands import HARVEST
from tests.server.hostile import COMMANDS
from tests.support import states

TIMES = 30
TOKEN = "x" * 32
WIDE = Limits(
    tables=100_000,
    tables_per_address=10**9,
    requests_per_address=10**9,
    guesses_per_address=10**9,
    work_per_address=10**9,
)


class Timed:
    """Adds up what a coroutine takes of this thread, pauses left out."""

    def __init__(self, work: Any) -> None:
        self._work = work
        self.seconds = 0.0

    def __await__(self) -> Generator[Any, Any, Any]:
        inner = self._work.__await__()
        error: BaseException | None = None
        while True:
            started = time.thread_time()
            try:
                waited_for = inner.send(None) if error is None else inner.throw(error)
            except StopIteration as done:
                return done.value
            finally:
                self.seconds += time.thread_time() - started
            try:
                error = None
                yield waited_for
            except BaseException as thrown:
                error = thrown


async def request(app: Starlette, method: str, path: str, body: bytes) -> tuple[int, float]:
    """The status of an answer, and the milliseconds that it took."""
    status = 0
    given = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if given:
            return given.pop()
        return await asyncio.Event().wait()

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {TOKEN}".encode())]
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "scheme": "http",
        "root_path": "",
        "http_version": "1.1",
        "server": ("127.0.0.1", 80),
    }
    timed = Timed(app(scope, receive, send))
    await timed
    return status, 1000 * timed.seconds


def a_record() -> bytes:
    *_, match = states(shipped("classic").sheet, seats=2, seed=1)
    return match.record().to_text().encode()


async def report() -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "tables.sqlite")
        app = make(ServerSettings(database, Path(folder), limits=WIDE, admin=hashed(TOKEN)))
        async with app.router.lifespan_context(app):
            await _report(app)


async def _report(app: Starlette) -> None:
    hub: Hub = app.state.hub
    new = wire.NewTable(name="A", seats=2, public=True, hints=True)
    seated = await hub.open(shipped("classic"), new, hashed(TOKEN))
    own = msgspec.json.encode({"own": Path(HARVEST).read_text("utf-8"), "name": "A"})
    bodies = {
        "/api/tables": own,
        "/api/quick": b'{"name": "A"}',
        "/api/move": b'{"code": "abcdefgh"}',
        "/api/replay": a_record(),
        "/api/analysis/1": a_record(),
    }
    found: list[tuple[float, str]] = []
    extra = [("GET", path, None) for path in ("/", "/core.json", "/no/such/page.html")]
    for method, path, _ in (*ROUTES, *extra):
        if path == "/admin/tables/{table}/close":
            continue
        address = path.format_map({"table": seated.table, "number": "1", "edition": "classic"})
        body = bodies.get(address, b"") if method == "POST" else b""
        times = 3 if "analysis" in path else TIMES
        asked = [await request(app, method, address, body) for _ in range(times + 1)]
        median = statistics.median(cost for _, cost in asked[1:])
        found.append((median, f"{method} {path} ({asked[-1][0]})"))
    room = await hub.room(seated.table)
    assert room is not None
    for example in COMMANDS[: len(commands.AnyCommand.__args__)]:
        costs = []
        for number in range(TIMES):
            command: Any = wire.decode_incoming(msgspec.json.encode({**example, "id": f"{number}"}))
            listener: Any = type("Listener", (), {"token": hashed(TOKEN), "send": print})
            if not isinstance(command, commands.Hint | commands.Drop):
                timed = Timed(room.obey(listener, command))
                await timed
                costs.append(1000 * timed.seconds)
        if costs:
            found.append((statistics.median(costs), f"command {example['type']}"))
    print("| what is asked (and its answer) | ms |\n| --- | --- |")
    for cost, what in sorted(found, reverse=True):
        print(f"| {what} | {cost:.2f} |")


def main() -> None:
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(report())


if __name__ == "__main__":
    main()
