"""Requests of whoever runs the server (`penultima admin`), through the running server."""

import hmac
from typing import Annotated, Final

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from penultima.errors import ServerError
from penultima.server import wire
from penultima.server.http import Handler, body, json, table_of, token
from penultima.server.hub import Hub
from penultima.server.metrics import note

MOST_DUMP: Final = 1024 * 1024 * 1024


Number = Annotated[int, Meta(ge=0, le=2**63 - 1)]


class Rows(wire.Body, frozen=True):
    """What a backup holds of the store's tables (`store.SCHEMA`)."""

    log: list[tuple[str, Number, str]]
    tables: list[tuple[str, str, Number, str, Number, str]]
    matches: list[tuple[str, Number, Number, str]]
    played: list[tuple[str, str, Number, str]]


class Dump(wire.Body, frozen=True):
    penultima: int
    tables: Rows


DUMP_VERSION: Final = 1


def _hub(request: Request) -> Hub:
    """The hub, for who has the administrator's token."""
    hub: Hub = request.app.state.hub
    wanted = hub.settings.admin
    if wanted is None or not hmac.compare_digest(token(request), wanted):
        if not hub.limiter.may_guess(request):
            raise ServerError("guesses")
        hub.limiter.guess(request)
        raise ServerError("not_admin")
    return hub


async def tables(request: Request) -> Response:
    return json(wire.Lobby(await _hub(request).store.tables()))


async def close(request: Request) -> Response:
    hub = _hub(request)
    table = table_of(request)
    if not await hub.close_table(table, "administrator"):
        raise ServerError("no_table")
    return json({"closed": table})


async def export(request: Request) -> Response:
    """The records of a table's finished matches."""
    hub = _hub(request)
    table = table_of(request)
    if await hub.store.summary(table) is None:
        raise ServerError("no_table")
    return json({"records": await hub.store.records(table)})


async def backup(request: Request) -> Response:
    hub = _hub(request)
    note("backup")
    return json({"penultima": DUMP_VERSION, "tables": await hub.store.dump()})


async def restore(request: Request) -> Response:
    hub = _hub(request)
    try:
        dump = msgspec.json.decode(await body(request, MOST_DUMP), type=Dump)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ServerError("bad_body", reason=str(error)[:200]) from error
    rows = msgspec.structs.asdict(dump.tables)
    if dump.penultima != DUMP_VERSION or not await hub.store.restore(rows):
        raise ServerError("not_restored")
    note("restored")
    return json({"tables": await hub.store.count()})


ROUTES: Final[tuple[tuple[str, str, Handler], ...]] = (
    ("GET", "/admin/tables", tables),
    ("POST", "/admin/tables/{table}/close", close),
    ("GET", "/admin/tables/{table}/export", export),
    ("GET", "/admin/backup", backup),
    ("POST", "/admin/restore", restore),
)
