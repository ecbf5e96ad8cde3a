"""The browser client: files that were built into the package, and one page for every address."""

import mimetypes
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from penultima.errors import ServerError
from penultima.server.http import fault

FOLDER: Final = Path(__file__).parents[1] / "web"
FOREVER: Final = "public, max-age=31536000, immutable"  # their names hold a hash of what they are
ANEW: Final = "no-cache"

mimetypes.add_type("application/manifest+json", ".webmanifest")
mimetypes.add_type("application/wasm", ".wasm")


class Pages:
    """Only files that are listed at the start are served: no path from outside opens any."""

    def __init__(self, folder: Path = FOLDER) -> None:
        files = sorted(folder.rglob("*")) if folder.is_dir() else []
        self._packed = {f for f in files if f.suffix == ".gz"}  # beside what they are packed from
        self._files = {
            f"/{f.relative_to(folder).as_posix()}": f
            for f in files
            if f.is_file() and f not in self._packed
        }

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
        if (file := self._find(path)) is None:
            return PlainTextResponse("There is no such page.", 404)
        hashed = path.startswith("/assets/")
        headers = {"cache-control": FOREVER if hashed else ANEW, "vary": "accept-encoding"}
        kind = mimetypes.guess_type(file)[0]
        packed = file.with_name(file.name + ".gz")
        accepted = dict(scope["headers"]).get(b"accept-encoding", b"")
        if packed in self._packed and b"gzip" in accepted:
            file, headers["content-encoding"] = packed, "gzip"
        return FileResponse(file, headers=headers, media_type=kind)

    def _find(self, path: str) -> Path | None:
        """A file by its name; any other address shows the one page, which knows what to show."""
        if path in self._files:
            return self._files[path]
        return None if "." in path else self._files.get("/index.html")
