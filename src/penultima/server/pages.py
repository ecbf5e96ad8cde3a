"""The browser client: files that were built into the package, and one page for every address."""

import asyncio
import gzip
import mimetypes
from collections.abc import Callable
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from penultima.errors import ServerError
from penultima.locale import say
from penultima.server import core
from penultima.server.documents import ANEW, Document
from penultima.server.http import fault

FOLDER: Final = Path(__file__).parents[1] / "web"
FOREVER: Final = "public, max-age=31536000, immutable"  # their names hold a hash of what they are
CORE: Final = "/core.json"


mimetypes.add_type("application/manifest+json", ".webmanifest")
mimetypes.add_type("application/wasm", ".wasm")


def is_built(folder: Path = FOLDER) -> bool:
    """Whether the browser client was built into this installation."""
    return (folder / "index.html").is_file() or (folder / "index.html.gz").is_file()


class Pages:
    """Only files that are listed at the start are served: no path from outside opens any. Each is
    read when it is first wanted, and then kept."""

    def __init__(self, folder: Path = FOLDER) -> None:
        files = sorted(folder.rglob("*")) if folder.is_dir() else []
        # Beside what they are packed from, or in its stead.
        self._packed = {f for f in files if f.suffix == ".gz"}
        named = [f.with_suffix("") if f in self._packed else f for f in files if f.is_file()]
        self._files = {f"/{f.relative_to(folder).as_posix()}": f for f in named}
        self._documents: dict[str, Document] = {}
        self._reading = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            answer = await self._answer(Request(scope))
            await answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4404})

    async def _answer(self, request: Request) -> Response:
        path = request.scope["path"]
        if path.startswith(("/api", "/admin")):
            return fault(request, ServerError("no_page"))
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("Only GET is possible here.", 405, {"allow": "GET, HEAD"})
        if path == CORE:
            return (await self._document(CORE, _core)).answer(request)
        if "/index.html" not in self._files and "." not in path:
            return PlainTextResponse(say("en", "serve.no_client"), 404)
        if (file := self._find(path)) is None:
            return PlainTextResponse("There is no such page.", 404)
        document = await self._document(str(file), lambda: self._read(file))
        return document.answer(request, FOREVER if path.startswith("/assets/") else ANEW)

    async def _document(self, name: str, make: Callable[[], Document]) -> Document:
        if name not in self._documents:
            async with self._reading:  # once, however many ask meanwhile
                if name not in self._documents:
                    self._documents[name] = await asyncio.to_thread(make)
        return self._documents[name]

    def _read(self, file: Path) -> Document:
        beside = file.with_name(file.name + ".gz")
        packed = beside.read_bytes() if beside in self._packed else None
        data = file.read_bytes() if file.exists() else gzip.decompress(packed or b"")
        return Document(data, mimetypes.guess_type(file)[0], packed)

    def _find(self, path: str) -> Path | None:
        """A file by its name; any other address shows the one page, which knows what to show."""
        if path in self._files:
            return self._files[path]
        return None if "." in path else self._files.get("/index.html")


def _core() -> Document:
    """The core for playing offline."""
    data = core.packed()
    return Document(data, "application/json", gzip.compress(data, mtime=0))
