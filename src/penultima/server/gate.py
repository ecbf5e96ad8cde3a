"""What every request passes before anything is done for it: the name it was sent to, how many
requests its address has under way, and how many it has sent.

A page of somebody else can have its own name point to this server (DNS rebinding) and is then, to a
browser, of one origin with it. So a server answers to names that it knows, and to addresses, which
no page can have point elsewhere.
"""

import asyncio
import ipaddress
import socket
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from penultima.errors import ServerError, short
from penultima.server import http
from penultima.server.hub import Hub
from penultima.server.settings import ServerSettings

ANY: Final = "*"
HELD: Final = 1.0  # seconds after which one request too many is answered
FORBIDDEN: Final = 4403


class Gate:
    """Lets a request through to the application, or answers why not."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._names = known_names(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        asked = HTTPConnection(scope)
        hub: Hub = scope["app"].state.hub
        with hub.limiter.engaged(asked) as room:
            if room and hub.limiter.may_ask(asked):
                await asyncio.sleep(hub.limiter.wait(asked))
                await self._answer(scope, receive, send)
                return
            hub.metrics.count("limited")
            # Who asks on and on gets no further by asking faster.
            await asyncio.sleep(HELD)
            await _refuse(scope, receive, send, ServerError("too_often"))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = HTTPConnection(scope).headers.get("host")
        if host is None or self._knows(host):
            await self._app(scope, receive, send)
        else:
            await _refuse(scope, receive, send, ServerError("host", host=short(_name(host), 80)))

    def _knows(self, host: str) -> bool:
        name = _name(host)
        if ANY in self._names or name in self._names or name.endswith(".localhost"):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def known_names(settings: ServerSettings) -> frozenset[str]:
    """The names by which people may reach a server, besides addresses."""
    own = socket.gethostname().lower()
    public = urlsplit(settings.public_url or "").hostname or ""
    given = {"localhost", own, f"{own}.local", settings.host, public, *settings.hosts}
    return frozenset(name.lower().rstrip(".") for name in given if name)


def _name(host: str) -> str:
    """The name in a `Host` header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    name = host.partition(":")[0] if host.count(":") == 1 else host
    return name.lower().rstrip(".")


async def _refuse(scope: Scope, receive: Receive, send: Send, error: ServerError) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": FORBIDDEN})
        return
    await http.fault(Request(scope), error)(scope, receive, send)
