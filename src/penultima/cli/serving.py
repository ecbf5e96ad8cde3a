"""`penultima serve`: tables for people in browsers and terminals."""

import argparse
import contextlib
import http.client
import os
import re
import signal
import sys
import threading
import time
import urllib.request
import webbrowser
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from penultima.cli.arguments import refuse_ignored, whole
from penultima.errors import ServerError
from penultima.folder import data_folder
from penultima.locale import say

if TYPE_CHECKING:
    from penultima.server.settings import ServerSettings

PORT: Final = 8765
EVERYWHERE: Final = ("0.0.0.0", "::")
_NAME: Final = r"[\w.-]{1,253}"
LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


class Serve:
    name = "serve"
    examples = """  penultima serve
  penultima serve --lan
  penultima serve --host 0.0.0.0 --port 80 --public-url https://cards.example
  penultima serve --database postgresql://user@host/penultima --workers 4"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--host", metavar="ADDRESS", help="cli.option.listen")
        parser.add_argument("--lan", action="store_true", help="cli.option.lan")
        parser.add_argument(
            "--port", type=whole(0, 65535), default=PORT, metavar="NUMBER", help="cli.option.port"
        )
        parser.add_argument("--public-url", metavar="URL", help="cli.option.public_url")
        parser.add_argument(
            "--database",
            metavar="URL",
            help="cli.option.database",
        )
        parser.add_argument("--data", type=Path, metavar="FOLDER", help="cli.option.data")
        parser.add_argument(
            "--workers", type=whole(1, 256), default=1, metavar="NUMBER", help="cli.option.workers"
        )
        parser.add_argument("--open", action="store_true", help="cli.option.open")
        parser.add_argument(
            "--keep-days",
            type=whole(1, 36500),
            default=90,
            metavar="DAYS",
            help="cli.option.keep_days",
        )
        parser.add_argument(
            "--thinking",
            type=whole(1, 10_000),
            default=200,
            metavar="NUMBER",
            help="cli.option.thinking",
        )
        parser.add_argument(
            "--trust-proxy",
            type=whole(1, 10),
            nargs="?",
            const=1,
            default=0,
            metavar="NUMBER",
            help="cli.option.trust_proxy",
        )
        parser.add_argument(
            "--allow-host",
            action="append",
            default=[],
            metavar="NAME",
            help="cli.option.allow_host",
        )
        parser.add_argument("--while-read", action="store_true", help=argparse.SUPPRESS)
        parser.add_argument(
            "--pace",
            metavar="NAME=NUMBER,…",
            default="",
            help="cli.option.serve_pace",
        )
        parser.add_argument(
            "--limits",
            metavar="NAME=NUMBER,…",
            default="",
            help="cli.option.limits",
        )

    def run(self, options: argparse.Namespace) -> int:
        from penultima.server import running  # takes a moment to load
        from penultima.server.pages import is_built
        from penultima.server.settings import Limits, Pace, ServerSettings

        if options.host:
            refuse_ignored(options, "--host", "--lan")
        data = options.data or data_folder()
        database = options.database or str(data / "tables.sqlite")
        settings = ServerSettings(
            database=database,
            data=data,
            host=options.host or ("0.0.0.0" if options.lan else "127.0.0.1"),
            port=options.port,
            public_url=_public(options.public_url),
            workers=options.workers,
            keep_days=options.keep_days,
            thinking=options.thinking,
            admin=running.with_admin(data),
            proxies=options.trust_proxy,
            hosts=tuple(_host(name) for name in options.allow_host),
            limits=_changed(Limits(), options.limits, "--limits"),
            pace=_changed(Pace(), options.pace, "--pace"),
        )
        if settings.workers > 1 and not settings.shared:
            raise ServerError("workers")
        listener = running.listen(settings)
        port = listener.getsockname()[1]
        settings = replace(settings, port=port, network=_network(settings.host, port))
        local = _local(settings.host, settings.port)
        with contextlib.closing(listener):
            file = running.check(settings)
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # as good as Ctrl-C
            if options.while_read:
                threading.Thread(target=_end_with_input, daemon=True).start()
            with running.known_at(data, local), contextlib.suppress(KeyboardInterrupt):
                _announce(settings, local, options.lang)
                if options.open and is_built():
                    threading.Thread(target=_open_when_up, args=(local,), daemon=True).start()
                running.run(settings, listener, file)
        print(f"\n{say(options.lang, 'serve.stopped')}")
        return 0


def _end_with_input() -> None:
    """Stop when whoever started this server is gone: then nobody holds the other end."""
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    os.kill(os.getpid(), signal.SIGTERM)


def start_or_open(options: argparse.Namespace) -> int:
    """`penultima` alone: open the server that is running, or start one."""
    from penultima.server import running

    known = running.known_address(data_folder())
    if known is not None and is_up(known):
        print(say(options.lang, "serve.already", address=known))
        webbrowser.open(known)
        return 0
    try:
        return Serve().run(options)
    except ServerError as error:
        if error.code != "no_address":
            raise
        return Serve().run(argparse.Namespace(**{**vars(options), "port": 0}))


def is_up(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (OSError, ValueError, http.client.HTTPException):
        return False


def _open_when_up(address: str) -> None:
    for _ in range(100):
        if is_up(address):
            webbrowser.open(address)
            return
        time.sleep(0.1)


def _public(text: str | None) -> str | None:
    """The address that people use: a scheme, a host and perhaps a port."""
    if text is None or re.fullmatch(rf"https?://(\[[\da-fA-F:.]+\]|{_NAME})(:\d{{1,5}})?/?", text):
        return text
    raise ServerError("public_url", text=text)


def _host(text: str) -> str:
    """A name that the server answers to, without scheme or port."""
    if re.fullmatch(rf"{_NAME}|\*", text):
        return text.lower()
    raise ServerError("allow_host", text=text)


def _local(host: str, port: int) -> str:
    """The address on this machine."""
    if host in EVERYWHERE:
        host = "127.0.0.1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _network(host: str, port: int) -> str | None:
    """The address in the local network, if that is let in."""
    from penultima.server.running import lan_address

    found = lan_address() if host in EVERYWHERE else None
    return None if found is None else f"http://{found}:{port}/"


def _announce(settings: "ServerSettings", local: str, language: str) -> None:
    """Where the server is; for the local network as a code for a telephone's camera too."""
    from penultima.server.pages import is_built

    print(say(language, "serve.local", address=local))
    address = settings.public_url or settings.network
    if address is not None:
        print(say(language, "serve.network", address=address))
        if sys.stdout.isatty():
            import segno

            with contextlib.suppress(UnicodeEncodeError):
                segno.make(address, error="l").terminal(compact=True)
    elif settings.host in LOOPBACK:
        print(say(language, "serve.only_here"))
    if not is_built():
        print(say(language, "serve.no_client"))
    print(say(language, "serve.stop"))
    sys.stdout.flush()


def _changed(default: Any, text: str, option: str) -> Any:
    """Settings with some given as `name=number,…`."""
    names = [field.name for field in fields(default)]
    changes = {}
    for part in filter(None, text.split(",")):
        name, _, number = part.partition("=")
        if name not in names or not number.isdigit() or len(number) > 12:
            raise ServerError("setting", option=option, text=part, allowed=names)
        changes[name] = int(number)
    return replace(default, **changes)
