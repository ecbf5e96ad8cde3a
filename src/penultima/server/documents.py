"""Bytes that many ask for: made once, told apart by a tag, and sent in parts, so that no answer
keeps much in memory, or others waiting, however slowly it is read."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from penultima.server.hub import Hub

ANEW: Final = "no-cache"  # kept, and asked for with its tag
PART: Final = 64 * 1024


def in_parts(
    request: Request, data: bytes, kind: str | None, headers: dict[str, str] | None = None
) -> Response:
    """An answer, in parts where it is long."""
    if len(data) <= PART:
        return Response(data, headers=headers, media_type=kind)
    hub: Hub = request.app.state.hub

    async def parts() -> AsyncIterator[memoryview]:
        async with hub.limiter.download(request):
            for start in range(0, len(data), PART):
                yield memoryview(data)[start : start + PART]
                await asyncio.sleep(0)  # for those who play

    length = {"content-length": str(len(data))}
    return StreamingResponse(parts(), headers={**(headers or {}), **length}, media_type=kind)


class Document:
    """What is the same for everybody; `packed` is the same for who takes gzip."""

    def __init__(self, data: bytes, kind: str | None, packed: bytes | None = None) -> None:
        self._data = data
        self._kind = kind
        self._packed = packed
        self._tag = f'"{hashlib.sha256(data).hexdigest()[:32]}"'

    def answer(self, request: Request, cache: str = ANEW) -> Response:
        """It, or that it has not changed since it was asked for before."""
        headers = {"cache-control": cache, "etag": self._tag, "vary": "accept-encoding"}
        known = request.headers.get("if-none-match", "").split(",")
        if self._tag in (tag.strip().removeprefix("W/") for tag in known):
            return Response(None, 304, headers)
        if self._packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return in_parts(
                request, self._packed, self._kind, {**headers, "content-encoding": "gzip"}
            )
        return in_parts(request, self._data, self._kind, headers)
