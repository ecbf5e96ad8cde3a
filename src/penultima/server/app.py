"""The application: routes, headers, and what is refused before it gets any further."""

import asyncio
import contextlib
import errno
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from h11 import LocalProtocolError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from penultima.errors import ServerError
from penultima.server import admin, http
from penultima.server.door import STATE, Door
from penultima.server.gate import FORBIDDEN, Gate
from penultima.server.hub import Hub
from penultima.server.metrics import Metrics
from penultima.server.pages import Pages
from penultima.server.postgres import PostgresDatabase
from penultima.server.settings import ServerSettings
from penultima.server.socket import Connection
from penultima.server.sqlite import SqliteDatabase
from penultima.server.store import Database, Store

HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';"
        " img-src 'self' data:; connect-src 'self'; manifest-src 'self'; worker-src 'self';"
        " font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",  # an answer is for who asked, not for who asks next
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def make(settings: ServerSettings, file: sqlite3.Connection | None = None) -> Starlette:
    """The server as an ASGI application; `file` is its database, where that was opened before."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Door]]:
        hubs: list[Hub] = []

        def heard(table: str, what: str) -> None:
            if hubs:
                hubs[0].heard(table, what)

        database = await connect(settings, heard, file)
        hub = Hub(Store(database), settings)
        hubs.append(hub)
        app.state.hub = hub
        hub.start()
        door = Door(settings.limits, settings.proxies > 0, hub.metrics.crowded)
        _calm_accepting(hub.metrics)
        try:
            yield {STATE: door}
        finally:
            await hub.close()

    async def table_socket(socket: WebSocket) -> None:
        hub: Hub = socket.app.state.hub
        if not (same_origin(socket, settings) and hub.limiter.may_connect()):
            hub.metrics.count("limited")
            await socket.close(FORBIDDEN)
            return
        hub.limiter.sockets += 1
        try:
            await Connection(socket, hub).run()
        finally:
            hub.limiter.sockets -= 1

    app = Starlette(
        routes=[
            WebSocketRoute("/ws", table_socket),
            *(Route(path, _guarded(handle), methods=[method]) for method, path, handle in ROUTES),
            Mount("/", Pages()),
        ],
        middleware=[Middleware(Shield), Middleware(Gate, settings)],
        lifespan=lifespan,
    )
    app.state.settings = settings
    return app


def _calm_accepting(metrics: Metrics) -> None:
    """Too few files for a new connection is no error to be written down again and again."""
    loop = asyncio.get_running_loop()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
            metrics.crowded()
        else:
            loop.default_exception_handler(context)

    loop.set_exception_handler(handle)


ROUTES: Final = (*http.ROUTES, *admin.ROUTES)


async def connect(
    settings: ServerSettings,
    heard: Callable[[str, str], None],
    file: sqlite3.Connection | None = None,
) -> Database:
    """The store of a server; `heard` is told of tables that other processes append to."""
    if settings.shared:
        return await PostgresDatabase.connect(settings.database, heard)
    return SqliteDatabase(Path(settings.database), file)


def same_origin(request: HTTPConnection, settings: ServerSettings) -> bool:
    """Whether a page of ours asks, or no page at all."""
    origin = request.headers.get("origin")
    if origin is None:
        return True
    if settings.public_url is not None and origin == settings.public_url.rstrip("/"):
        return True
    host = request.headers.get("host")
    return host is not None and origin in (f"http://{host}", f"https://{host}")


def _guarded(
    handle: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    async def guarded(request: Request) -> Response:
        hub: Hub = request.app.state.hub
        if not same_origin(request, hub.settings):
            return http.fault(request, ServerError("origin"))
        return await http.answered(request, handle)

    return guarded


class Shield:
    """The headers that every answer has, one to what nobody expected included."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = scope["type"] != "http"

        async def shielded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                present = {name for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (name.encode(), value.encode())
                        for name, value in HEADERS.items()
                        if name.encode() not in present
                    ),
                ]
            await send(message)

        try:
            await self._app(scope, receive, shielded)
        except LocalProtocolError:  # what was sent meanwhile was no HTTP: it has its answer
            pass
        except Exception as error:
            hub: Hub = scope["app"].state.hub
            hub.metrics.trouble("application", error)
            if not started:
                answer = http.fault(Request(scope), ServerError("trouble"))
                await answer(scope, receive, shielded)
