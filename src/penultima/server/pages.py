"""The browser client: files that were built into the package, and one page for every address."""

import gzip
import hashlib
import mimetypes
from functools import cached_property
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from penultima.errors import ServerError
from penultima.server import core
from penultima.server.http import fault

FOLDER: Final = Path(__file__).parents[1] / "web"
FOREVER: Final = "public, max-age=31536000, immutable"  # their names hold a hash of what they are
ANEW: Final = "no-cache"
CORE: Final = "/core.json"

mimetypes.add_type("application/manifest+json", ".webmanifest")
mimetypes.add_type("application/wasm", ".wasm")


class Pages:
    """Only files that are listed at the start are served: no path from outside opens any."""

    def __init__(self, folder: Path = FOLDER) -> None:
        files = sorted(folder.rglob("*")) if folder.is_dir() else []
        # Beside what they are packed from, or in its stead.
        self._packed = {f for f in files if f.suffix == ".gz"}
        named = [f.with_suffix("") if f in self._packed else f for f in files if f.is_file()]
        self._files = {f"/{f.relative_to(folder).as_posix()}": f for f in named}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._answer(scope)(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4404})

    def _answer(self, scope: Scope) -> Response:
        path = scope["path"]
        if path.startswith(("/api", "/admin")):
            return fault(Request(scope), ServerError("no_page"))
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("Only GET is possible here.", 405, {"allow": "GET, HEAD"})
        if path == CORE:
            return self._core_answer(Request(scope))
        if (file := self._find(path)) is None:
            return PlainTextResponse("There is no such page.", 404)
        hashed = path.startswith("/assets/")
        headers = {"cache-control": FOREVER if hashed else ANEW, "vary": "accept-encoding"}
        kind = mimetypes.guess_type(file)[0]
        packed = file.with_name(file.name + ".gz")
        accepted = dict(scope["headers"]).get(b"accept-encoding", b"")
        if packed in self._packed and b"gzip" in accepted:
            file, headers["content-encoding"] = packed, "gzip"
        elif not file.exists():
            return Response(gzip.decompress(packed.read_bytes()), headers=headers, media_type=kind)
        return FileResponse(file, headers=headers, media_type=kind)

    @cached_property
    def _core(self) -> tuple[bytes, str]:
        """The core for playing offline, packed when it is first wanted, and its tag."""
        data = core.packed()
        return gzip.compress(data, mtime=0), f'"{hashlib.sha256(data).hexdigest()[:32]}"'

    def _core_answer(self, request: Request) -> Response:
        data, tag = self._core
        headers = {"cache-control": ANEW, "etag": tag, "vary": "accept-encoding"}
        if request.headers.get("if-none-match", "").removeprefix("W/") == tag:
            return Response(None, 304, headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["content-encoding"] = "gzip"
        else:
            data = gzip.decompress(data)
        return Response(data, headers=headers, media_type="application/json")

    def _find(self, path: str) -> Path | None:
        """A file by its name; any other address shows the one page, which knows what to show."""
        if path in self._files:
            return self._files[path]
        return None if "." in path else self._files.get("/index.html")
