"""Requests over HTTP: everything but play."""

import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any, Final, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from penultima.edition import SHIPPED, Edition, EditionFile, named, shipped
from penultima.errors import PenultimaError, ServerError
from penultima.locale import LANGUAGES, say
from penultima.rulebook import edition_page
from penultima.ruleset import Sheet
from penultima.server import frames, schema, wire
from penultima.server.documents import Document, in_parts
from penultima.server.hub import Hub
from penultima.server.metrics import note
from penultima.server.past import statistics
from penultima.server.store import hashed

LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
MOST_BODY: Final = 80 * 1024
MOST_RECORD: Final = 1024 * 1024
JSON: Final = "application/json"
MARKDOWN: Final = "text/markdown; charset=utf-8"
B = TypeVar("B")
Handler = Callable[[Request], Awaitable[Response]]

# What a problem is to HTTP; everything else is a bad request.
_STATUS: Final[Mapping[str, int]] = {
    "no_table": 404,
    "no_record": 404,
    "no_round": 404,
    "no_page": 404,
    "no_code": 404,
    "no_token": 401,
    "not_admin": 403,
    "origin": 403,
    "too_often": 429,
    "guesses": 429,
    "too_much_work": 429,
    "host": 421,
    "too_long": 413,
    "full": 503,
    "busy": 503,
    "trouble": 500,
}


def json(value: Any, status: int = 200) -> Response:
    return Response(wire.encode(value), status, media_type=JSON)


def language(request: Request) -> str:
    """The first of ours that is asked for: `?lang=`, or what the browser prefers."""
    asked = request.query_params.get("lang", "")
    wanted = [asked, *request.headers.get("accept-language", "").split(",")]
    for one in wanted:
        if (tag := one.strip()[:2].lower()) in LANGUAGES:
            return tag
    return "en"


def fault(request: Request, error: PenultimaError) -> Response:
    """What is wrong, in the language of who asks."""
    message = say(language(request), f"{error.area}.{error.code}", **error.details)
    status = _STATUS.get(error.code, 400) if isinstance(error, ServerError) else 400
    return json(wire.Fault(f"{error.area}.{error.code}", message), status)


async def answered(request: Request, handle: Handler) -> Response:
    """The answer to a request, or what is wrong with it."""
    try:
        return await handle(request)
    except PenultimaError as error:
        return fault(request, error)
    except ClientDisconnect:  # nobody hears the answer
        return Response(status_code=400)
    except Exception as error:
        _hub(request).metrics.trouble("request", error)
        return fault(request, ServerError("trouble"))


def _hub(request: Request) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


async def body(request: Request, most: int = MOST_BODY) -> bytes:
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > most:
            raise ServerError("too_long", bytes=most)
    return bytes(data)


async def read_body(request: Request, kind: type[B]) -> B:
    try:
        return msgspec.json.decode(await body(request), type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ServerError("bad_body", reason=str(error)[:200]) from error


def token(request: Request) -> str:
    """The hash of the token that a request brings."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not given:
        raise ServerError("no_token")
    try:
        return hashed(msgspec.convert(given, wire.Token))
    except msgspec.ValidationError as error:
        raise ServerError("no_token") from error


def table_of(request: Request) -> str:
    """The table that an address names."""
    try:
        return msgspec.convert(request.path_params["table"], wire.TableId)
    except msgspec.ValidationError as error:
        raise ServerError("no_table") from error


def number_of(request: Request) -> int:
    """The number of a match or a round that an address names."""
    text = request.path_params["number"]
    if re.fullmatch("[0-9]{1,9}", text) is None:
        raise ServerError("no_page")
    return int(text)


def _edition(name: str) -> Edition:
    known = named(name[:80])
    if known is None:
        raise ServerError("no_edition", edition=name[:40], allowed=list(SHIPPED))
    return shipped(known)


async def new_person(request: Request) -> Response:
    return json(wire.Person(secrets.token_urlsafe(24)))


async def editions(request: Request) -> Response:
    return _offered().answer(request)


async def address(request: Request) -> Response:
    """Where others find the server. The address in the local network is told on this machine only:
    whoever comes from there knows it."""
    settings = _hub(request).settings
    here = request.url.hostname in LOOPBACK
    return json(wire.Address(settings.public_url or (settings.network if here else None)))


async def new_table(request: Request) -> Response:
    hub = _hub(request)
    new = await read_body(request, wire.NewTable)
    who = token(request) if new.name is not None else None
    if not hub.limiter.may_open(request):
        raise ServerError("too_often")
    if new.own is None:
        edition = _edition(new.edition or "classic").with_options(new.options)
    else:
        edition = await _own(request, new.own, new.options)
    return json(await hub.open(edition, new, who), 201)


async def _own(request: Request, text: str, options: Mapping[str, Any]) -> Edition:
    """An edition that somebody has written."""
    made = await _work(request, "edition", text, options)
    file, ruleset = msgspec.json.decode(made, type=tuple[EditionFile, dict[str, Any]])
    return Edition(file, Sheet.from_json(ruleset), file.id)


async def lobby(request: Request) -> Response:
    return json(wire.Lobby(await _hub(request).store.lobby()))


async def one_table(request: Request) -> Response:
    hub = _hub(request)
    table = table_of(request)
    found = await hub.store.summary(table)
    if found is None or not found.public:
        await _may_know(request, table)
    if found is None:
        hub.limiter.guess(request)
        raise ServerError("no_table")
    return json(found)


async def _may_know(request: Request, table: str) -> None:
    """Refuse who has tried too many codes to be told of another, unless they have a seat there."""
    if _hub(request).limiter.may_guess(request):
        return
    if "authorization" in request.headers:
        who, room = token(request), await _hub(request).room(table)
        if room is not None and room.is_open_to(who):
            return
    raise ServerError("guesses")


async def table_rules(request: Request) -> Response:
    table = table_of(request)
    room = await _hub(request).room(table)
    if room is None or not room.table.public:
        await _may_know(request, table)
    if room is None:
        _hub(request).limiter.guess(request)
        raise ServerError("no_table")
    lang = language(request)
    if lang not in room.pages:
        edition = Edition(room.table.edition, room.table.sheet, "")
        room.pages[lang] = edition_page(edition, lang)
    return PlainTextResponse(room.pages[lang], media_type="text/markdown")


async def edition_rules(request: Request) -> Response:
    edition = _edition(request.path_params["edition"])
    return _rules(edition.id, language(request)).answer(request)


async def quick(request: Request) -> Response:
    hub = _hub(request)
    wanted = await read_body(request, wire.QuickMatch)
    edition = _edition(wanted.edition or "classic")
    who = token(request)
    if not hub.limiter.may_open(request):
        raise ServerError("too_often")
    return json(await hub.quick(edition, wanted, who))


async def move_code(request: Request) -> Response:
    made = await _hub(request).move_code(table_of(request), token(request))
    if made is None:
        raise ServerError("no_table")
    return json(made)


async def move(request: Request) -> Response:
    hub = _hub(request)
    given = await read_body(request, wire.MoveSeat)
    if not hub.limiter.may_guess(request):
        raise ServerError("guesses")
    seated = await hub.move(given.code, token(request))
    if seated is None or seated.seat is None:
        hub.limiter.guess(request)
        raise ServerError("no_code")
    return json(seated)


async def match_record(request: Request) -> Response:
    who = token(request)
    table, number = table_of(request), number_of(request)
    text = await _hub(request).store.record(table, number, who)
    if text is None:
        raise ServerError("no_record")
    return PlainTextResponse(text)


async def history(request: Request) -> Response:
    return json(wire.History(await _hub(request).store.history(token(request))))


async def forget(request: Request) -> Response:
    await _hub(request).store.forget(token(request))
    note("history forgotten")
    return json(wire.History([]))


async def own_statistics(request: Request) -> Response:
    return json(statistics(await _hub(request).store.history(token(request))))


async def replay(request: Request) -> Response:
    text = (await body(request, MOST_RECORD)).decode("utf-8", "replace")
    return in_parts(request, await _work(request, "replay", text), JSON)


async def analysis(request: Request) -> Response:
    number = number_of(request)
    text = (await body(request, MOST_RECORD)).decode("utf-8", "replace")
    thinker = _hub(request).thinker
    ready = sorted(thinker.thinking), sorted(thinker.foreseeing)
    return in_parts(request, await _work(request, "analysis", text, number, *ready), JSON)


async def _work(request: Request, name: str, *arguments: Any) -> bytes:
    """Have something worked out of what was sent, outside this process."""
    hub = _hub(request)
    who = hub.limiter.address(request)
    if not hub.limiter.may_work(who):
        raise ServerError("too_much_work")
    return await hub.workshop.do(who, name, *arguments)


async def health(request: Request) -> Response:
    """Whether something can be written."""
    wrong = await _hub(request).pulse.wrong()
    return json(wire.Health(wrong or "ok"), 503 if wrong else 200)


async def metrics(request: Request) -> Response:
    return PlainTextResponse(_hub(request).metrics.text(), media_type="text/plain; version=0.0.4")


async def document(request: Request) -> Response:
    return _openapi().answer(request)


async def documentation(request: Request) -> Response:
    return _readable().answer(request)


@cache
def _openapi() -> Document:
    return Document(wire.encode(schema.openapi()), JSON)


@cache
def _readable() -> Document:
    return Document(schema.page().encode(), "text/html; charset=utf-8")


@cache
def _offered() -> Document:
    return Document(wire.encode(frames.offered()), JSON)


@cache
def _rules(edition: str, language: str) -> Document:
    return Document(edition_page(shipped(edition), language).encode(), MARKDOWN)


ROUTES: Final[tuple[tuple[str, str, Handler], ...]] = (
    ("POST", "/api/people", new_person),
    ("GET", "/api/editions", editions),
    ("GET", "/api/address", address),
    ("POST", "/api/tables", new_table),
    ("GET", "/api/tables", lobby),
    ("GET", "/api/tables/{table}", one_table),
    ("GET", "/api/tables/{table}/rules", table_rules),
    ("POST", "/api/tables/{table}/move", move_code),
    ("GET", "/api/tables/{table}/matches/{number}", match_record),
    ("GET", "/api/rules/{edition}", edition_rules),
    ("POST", "/api/quick", quick),
    ("POST", "/api/move", move),
    ("GET", "/api/me/history", history),
    ("DELETE", "/api/me/history", forget),
    ("GET", "/api/me/statistics", own_statistics),
    ("POST", "/api/replay", replay),
    ("POST", "/api/analysis/{number}", analysis),
    ("GET", "/api/openapi.json", document),
    ("GET", "/api/docs", documentation),
    ("GET", "/healthz", health),
    ("GET", "/metrics", metrics),
)
