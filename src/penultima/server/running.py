"""Running a server: its process or processes, its folder, and how others find it."""

import asyncio
import contextlib
import gc
import json
import logging
import multiprocessing
import os
import secrets
import signal
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Final

import msgspec
import uvicorn
from starlette.applications import Starlette

from penultima.errors import ServerError
from penultima.server import wire
from penultima.server.app import connect, make
from penultima.server.files import raise_limit
from penultima.server.hub import Hub
from penultima.server.metrics import JsonLines
from penultima.server.settings import ServerSettings
from penultima.server.sqlite import open_file
from penultima.server.store import hashed
from penultima.system import reason

UNREAD: Final = 30_000  # milliseconds for which sent bytes may stay unread
GOODBYE: Final = 2  # seconds for everybody to be told
_VARIABLE: Final = "PENULTIMA_SERVER"  # how settings reach the processes of a server
SWITCH: Final = 0.0005  # seconds until a busy event loop lets the store's thread go on


def admin_token(data: Path) -> str:
    """The administrator's token, made when it is first needed; only this user may read it."""
    file = data / "admin.token"
    try:
        data.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            _write_first(file, secrets.token_urlsafe(32))
        return file.read_text("utf-8").strip()
    except OSError as error:
        raise ServerError("no_folder", folder=str(data), reason=reason(error)) from error


def _write_first(file: Path, text: str) -> None:
    """Write a file as a whole, unless somebody else has just done so."""
    draft = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        out.write(text)
    try:
        draft.rename(file) if sys.platform == "win32" else os.link(draft, file)
    except FileExistsError:
        pass
    finally:
        draft.unlink(missing_ok=True)


def with_admin(data: Path) -> str:
    return hashed(admin_token(data))


def lan_address() -> str | None:
    """This machine's address in the local network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent; it only finds the way out
        except OSError:
            return None
        return str(probe.getsockname()[0])


def known_address(data: Path) -> str | None:
    """The address of a server that runs on this folder, or did."""
    try:
        found = json.loads((data / "server.json").read_text("utf-8"))
        return str(found["address"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextlib.contextmanager
def known_at(data: Path, address: str) -> Iterator[None]:
    """Meanwhile others find the server of this folder."""
    note = data / "server.json"
    written = json.dumps({"address": address, "process": os.getpid()})
    note.write_text(written, "utf-8")
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if note.read_text("utf-8") == written:  # and not that of a later one
                note.unlink()


class Server(uvicorn.Server):
    """Says goodbye to everybody before it stops."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app: Any = self.config.loaded_app
        while not isinstance(app, Starlette):
            app = app.app
        for server in self.servers:  # who comes back comes to the next process
            server.close()
        hub: Hub = app.state.hub
        hub.say_goodbye()
        until = time.monotonic() + GOODBYE
        while hub.occupied and time.monotonic() < until:  # or sockets close before it is said
            await asyncio.sleep(0.01)
        await super().shutdown(sockets)


def application() -> Starlette:
    """The application of one of several processes, by the settings that their parent has left."""
    settings = msgspec.json.decode(
        os.environ[_VARIABLE], type=ServerSettings, dec_hook=lambda kind, text: kind(text)
    )
    return _application(settings, None)


def _application(settings: ServerSettings, file: sqlite3.Connection | None) -> Starlette:
    _log_as_json()
    raise_limit()
    _calm_collector()
    sys.setswitchinterval(SWITCH)
    return make(settings, file)


def _log_as_json() -> None:
    """Whoever logs anything here, libraries included."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    level = os.environ.get("PENULTIMA_LOG", "WARNING").upper()
    everything = logging.getLogger()
    everything.handlers = [handler]
    everything.setLevel(max(logging.WARNING, logging.getLevelName(level)))
    logging.getLogger("penultima").setLevel(level)
    # Its warnings are of what strangers send: a line for each would fill the disk.
    logging.getLogger("uvicorn").setLevel(max(logging.ERROR, logging.getLevelName(level)))
    logging.captureWarnings(True)


def _calm_collector() -> None:
    """Tables live long, and what they hold goes away without the collector of cycles: at its usual
    pace it would look through all of them again and again, with everybody waiting."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def listen(settings: ServerSettings) -> socket.socket:
    """The socket of a server; port 0 takes any that is free."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if sys.platform == "linux":  # who takes nothing for so long is cut off, buffers and all
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD)
        listener.bind((settings.host, settings.port))
        listener.listen(1024)
    except (OSError, TypeError) as error:  # a name that no system could look up
        listener.close()
        raise ServerError(
            "no_address", host=settings.host, port=settings.port, reason=reason(error)
        ) from error
    listener.set_inheritable(True)
    return listener


def check(settings: ServerSettings) -> sqlite3.Connection | None:
    """Refuse a database that cannot be used, before anybody is told that the server is up. Gives
    the file if it is one, which is from now on this process's own."""
    if not settings.shared:
        return open_file(Path(settings.database))

    async def look() -> None:
        await (await connect(settings, lambda *_news: None)).close()

    asyncio.run(look())
    return None


def run(settings: ServerSettings, listener: socket.socket, file: sqlite3.Connection | None) -> None:
    """Serve until told to stop."""
    several = settings.workers > 1
    if several:
        os.environ[_VARIABLE] = json.dumps(asdict(settings), default=str)
    config = uvicorn.Config(
        f"{__name__}:application" if several else partial(_application, settings, file),
        factory=True,
        http="penultima.server.door:GuardedHttp",
        ws="penultima.server.tcp:TableWebSockets",
        ws_max_size=2 * wire.MOST_BYTES,  # up to here there is an answer that says what is wrong
        ws_per_message_deflate=False,  # the length of a frame must not depend on another's
        ws_ping_interval=None,
        workers=settings.workers,
        proxy_headers=False,
        server_header=False,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=5,
    )
    if several:
        _supervise(config, listener)
    else:
        Server(config).run([listener])


def _supervise(config: uvicorn.Config, listener: socket.socket) -> None:
    """Keep several processes running: one that dies is replaced."""
    context = multiprocessing.get_context("spawn")
    stopping = False

    def stop(*_signal: object) -> None:
        nonlocal stopping
        stopping = True
        for process in processes:
            process.terminate()

    def start() -> Any:
        process = context.Process(target=_serve, args=(config, listener))
        process.start()
        return process

    processes = [start() for _ in range(config.workers)]
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    while not stopping:
        wait([process.sentinel for process in processes], timeout=1)
        if not stopping:
            processes[:] = [p if p.is_alive() else start() for p in processes]
    for process in processes:
        process.join()


def _serve(config: uvicorn.Config, listener: socket.socket) -> None:
    threading.Thread(target=_outlive_nobody, daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C reaches every process
        Server(config).run([listener])


def _outlive_nobody() -> None:
    """Stop when who started this process is dead, or its port would never be free again."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
