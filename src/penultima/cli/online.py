"""Sitting down at a server's table, looking on, and bringing a server along."""

import argparse
import asyncio
import contextlib
import getpass
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final
from urllib.parse import urlsplit

from penultima.cli.arguments import USUAL, read_options, with_scheme
from penultima.cli.files import read_text
from penultima.cli.serving import PORT, is_up
from penultima.cli.showing import answers, is_plain, prepare, write
from penultima.cli.typed import typed
from penultima.client import Client
from penultima.edition import SHIPPED, load
from penultima.errors import ServerError, Unreadable, short
from penultima.folder import data_folder
from penultima.graphemes import cut
from penultima.locale import say
from penultima.record import NAME_LENGTH
from penultima.tui import tokens
from penultima.tui.lines import Lines
from penultima.tui.lobby_plain import PlainLobby
from penultima.tui.plain import PlainTable, Stopped
from penultima.tui.remote import RemoteSeat

_CODE: Final = re.compile("[a-z2-9]{6}")


def join(options: argparse.Namespace) -> bool:
    """Sit down at a table; says whether there was a seat."""
    server, table = find_table(options.table, options.server)
    name = name_of(options)
    _read_answers(options)
    client = asyncio.run(_known(server, name))
    asyncio.run(client.ask("GET", f"/api/tables/{table}"))
    seat = RemoteSeat(client, table, name, options.seat)
    _show(seat, options)
    return seat.sat


def watch(options: argparse.Namespace) -> None:
    server, table = find_table(options.table, options.server)
    client = Client(server, "")
    asyncio.run(client.ask("GET", f"/api/tables/{table}"))
    options.answers = None
    _show(RemoteSeat(client, table, None, None), options)


def host(options: argparse.Namespace) -> None:
    if options.seed is not None:
        raise ServerError("no_seed")
    edition = load(options.edition or USUAL)
    name = name_of(options)
    _read_answers(options)
    settings: dict[str, Any] = {
        "options": read_options(options.options),
        "seats": options.players,
        "name": name,
        "clock": options.clock,
        "public": options.public,
    }
    if edition.source in SHIPPED:
        settings["edition"] = edition.id
    else:
        settings["own"] = Path(edition.source).read_text("utf-8-sig")
    with _server(options) as (server, public):
        client = asyncio.run(_known(server, name))
        table = asyncio.run(client.open(**settings))
        _show(RemoteSeat(client, table, name, None), options, f"{public}/#/t/{table}")


def _read_answers(options: argparse.Namespace) -> None:
    """Refuse a file that cannot be read before anybody is bothered."""
    if options.answers is not None:
        read_text(options.answers)


def name_of(options: argparse.Namespace) -> str:
    if options.name:
        return cut(str(options.name), NAME_LENGTH)
    try:
        return cut(getpass.getuser(), NAME_LENGTH).capitalize()
    except (KeyError, OSError):
        return ""  # the server finds one that everybody can read


def find_table(text: str, server: str | None) -> tuple[str, str]:
    """The address of a server and the code of a table, from a link or a code.

    >>> find_table("https://cards.example/#/t/abc234", None)
    ('https://cards.example', 'abc234')
    >>> find_table("ABC234", "http://10.0.0.2:8765/")
    ('http://10.0.0.2:8765', 'abc234')
    """
    code = re.split("[/=]", text.rstrip("/"))[-1].lower()
    if not _CODE.fullmatch(code):
        raise Unreadable("table", text=short(text))
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise Unreadable("table", text=short(text)) from error
    if parts.scheme in ("http", "https") and parts.netloc:
        return f"{parts.scheme}://{parts.netloc}", code
    return with_scheme(server) if server else _here(), code


def _here() -> str:
    """The server that runs on this machine, or would."""

    from penultima.server.running import known_address

    return (known_address(data_folder()) or f"http://127.0.0.1:{PORT}").rstrip("/")


async def _known(server: str, name: str) -> Client:
    """This user at a server, as the person they were there before."""
    client = await Client.connect(server, tokens.token(server, name))
    tokens.remember(server, name, client.token)
    return client


@contextlib.contextmanager
def _server(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """A server to open a table at, and the address by which others reach it."""
    here = _here()
    if options.server:
        address = with_scheme(options.server)
        if (option := _listening(options)) is not None:
            raise ServerError("host_elsewhere", option=option, address=address)
        yield address, _public(address)
    elif is_up(f"{here}/"):
        public = _public(here)
        if options.port == urlsplit(here).port:
            options.port = None
        if public != here:
            options.lan = False  # it lets the network in already
        if (option := _listening(options)) is not None:
            raise ServerError("host_running", option=option, address=here)
        yield here, public
    else:
        with _own_server(options) as addresses:
            yield addresses


def _listening(options: argparse.Namespace) -> str | None:
    """The option that chooses how a server listens, which only one that is started can follow."""
    return "--lan" if options.lan else None if options.port is None else "--port"


def _public(server: str) -> str:
    """The address by which others reach a server, as far as it knows."""
    found = asyncio.run(Client(server, "").ask("GET", "/api/address"))
    return str(found["address"] or server).rstrip("/")


@contextlib.contextmanager
def _own_server(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    port = PORT if options.port is None else options.port
    command = [sys.executable, "-m", "penultima", "serve", "--port", str(port), "--lang", "en"]
    command += ["--while-read", *(["--lan"] if options.lan else [])]
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as complaints,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # falls shut when this process ends, however it does
            stdout=subprocess.PIPE,
            stderr=complaints,  # a pipe that nobody reads would fill up and hold the server
            text=True,
            start_new_session=True,  # Ctrl-C at the table is not for the server
        ) as process,
    ):
        try:
            yield _addresses(process, complaints)
        finally:
            process.terminate()
            try:
                process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
            print(say(options.lang, "online.stopped"))


def _addresses(process: "subprocess.Popen[str]", complaints: IO[str]) -> tuple[str, str]:
    """Where a server that has just been started can be reached, here and from elsewhere."""
    assert process.stdout is not None
    found: list[str] = []
    for line in process.stdout:
        found += re.findall(r"http://[^\s/]+:\d+", line)
        if "Ctrl-C" in line:
            return found[0], found[-1]
    process.wait()
    complaints.seek(0)
    reason = complaints.read().strip().removeprefix("Error: ")
    raise ServerError("not_started", reason=short(reason, 300))


def _show(seat: RemoteSeat, options: argparse.Namespace, link: str = "") -> None:
    """Play, or look on, at a server's table."""
    link = link or f"{seat.client.address}/#/t/{seat.code}"
    if not is_plain(options):
        _full_screen(seat, options, link)
        return
    with answers(options.answers) as stream:
        asyncio.run(_plain(seat, options.lang, Lines(stream), link))


async def _plain(seat: RemoteSeat, language: str, lines: Lines, link: str) -> None:
    try:
        first = await PlainLobby(seat, language, lines, write).run(link)
        await PlainTable(seat, language, lines, write).run(first)
    except Stopped:
        write(f"{say(language, 'online.left', command=typed('join', link))}\n")
    finally:
        await seat.close()


def _full_screen(seat: RemoteSeat, options: argparse.Namespace, link: str) -> None:
    prepare(options)
    from penultima.tui.app import TableApp
    from penultima.tui.lobby import LobbyScreen

    class RemoteApp(TableApp):
        async def on_unmount(self) -> None:
            await seat.close()

    RemoteApp(LobbyScreen(seat, options.lang, link)).run()
    print(say(options.lang, "online.left", command=typed("join", link)))
