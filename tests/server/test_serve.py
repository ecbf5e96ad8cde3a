"""`penultima serve`, `penultima admin` and `penultima` alone, as a person runs them."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import asdict
from pathlib import Path
from random import Random

import pytest

import penultima
from penultima.client import Client
from penultima.locale import LANGUAGES, say
from penultima.record import Record
from penultima.server.settings import Limits
from tests.commands import ENVIRONMENT, PENULTIMA, Ask, ask_outside
from tests.server.harness import ServerProcess, a_server, play_match, sensible, until
from tests.terminal import PtyTerminal, wait_for

EXAMPLE = Path(__file__).parents[2] / "examples" / "ten_line_bot.py"
QUICK = {"target": 1, "hand_size": 1}


def test_help_has_examples(ask: Ask) -> None:
    for command in ("serve", "admin"):
        done = ask(command, "--help")
        assert done.code == 0
        assert f"penultima {command}" in done.out.partition("examples:")[2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--pace", "bot=x"), "bot, moment, grace, gone, idle"),
        (("--limits", "chairs=4"), "connections_per_address"),
        (("--workers", "2"), "postgresql://"),
        (("--public-url", "cards.example"), "https://cards.example"),
        (("--data", f"{__file__}/folder"), "--data"),
        (("--database", "/"), "cannot be opened"),
        (("--host", "192.0.2.1"), "cannot listen on"),
    ],
)
def test_wrong_settings_are_refused_with_the_remedy(
    ask: Ask, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = ask("serve", "--port", "0", "--data", str(tmp_path), *arguments)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: ")
    assert said in done.err


@pytest.mark.parametrize(("lang", "said"), [("es", "Error: "), ("ru", "Ошибка: ")])
def test_refusals_are_translated(ask: Ask, tmp_path: Path, lang: str, said: str) -> None:
    done = ask("serve", "--data", str(tmp_path), "--workers", "2", "--lang", lang)
    assert done.err.startswith(said)
    assert "postgresql://" in done.err


def test_a_port_or_a_database_in_use(server: ServerProcess, tmp_path: Path) -> None:
    taken = ask_outside("serve", "--port", str(server.port), "--data", str(tmp_path))
    assert taken.code == 1
    assert "--port 0" in taken.err
    locked = ask_outside("serve", "--port", "0", "--data", str(server.data))
    assert (locked.code, locked.out) == (1, "")
    assert "in use by another server" in locked.err
    known = json.loads((server.data / "server.json").read_text("utf-8"))
    assert known["address"] == f"{server.address}/"  # still that of the first


def test_penultima_alone_opens_the_running_server(server: ServerProcess, tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n', "utf-8")
    browser.chmod(0o755)
    done = ask_outside(PENULTIMA_DATA=str(server.data), BROWSER=str(browser), DISPLAY="")
    assert done.code == 0
    assert server.address in done.out
    assert opened.read_text("utf-8").strip() == f"{server.address}/"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_stops_when_told_to(tmp_path: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        [*PENULTIMA, "serve", "--port", "0", "--data", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "Ctrl-C" in line:
                break
        address = json.loads((tmp_path / "server.json").read_text("utf-8"))["address"]
        urllib.request.urlopen(f"{address}healthz", timeout=30).close()
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert (out.strip(), err) == ("Stopped; tables are saved.", "")
    assert not (tmp_path / "server.json").exists()


def test_the_local_network_gets_a_code_for_cameras(tmp_path: Path) -> None:
    options = ("serve", "--lan", "--port", "0", "--data", str(tmp_path), "--lang", "es")
    with PtyTerminal(*options, size=(100, 50)) as terminal:
        text = wait_for(terminal, lambda text: "Ctrl-C" in text, "the announcement")
        if "http://" in text.partition("127.0.0.1")[2]:  # there is a network
            assert "▀" in text or "█" in text
        terminal.press("\x03")
        assert terminal.ended() == 0
        assert "Detenido" in terminal.text


def test_a_table_is_listed_exported_backed_up_and_restored(ask: Ask, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    backup = tmp_path / "backup.json"
    with a_server(first) as server:
        asyncio.run(play_match(server.address, 2, options=QUICK))
        data = ("--data", str(first))
        listed = ask("admin", "list", "--json", *data).json
        (table,) = [one["table"] for one in listed["tables"]]
        assert table in ask("admin", "list", *data).out
        done = ask("admin", "export", table, "--to", str(tmp_path), *data)
        assert done.code == 0
        assert Record.from_text((tmp_path / f"{table}-1.pen").read_text("utf-8")).fair is not None
        saved = ask("admin", "backup", "--to", str(backup), "--json", *data).json
        assert saved == {"tables": 1}
        refused = ask("admin", "restore", "--from", str(backup), *data)
        assert (refused.code, "cannot be restored" in refused.err) == (1, True)
        assert ask("admin", "close", table, "--json", *data).json == {"closed": table}
        again = ask("admin", "close", table, "--json", *data).json
        assert again["code"] == "server.refused"
    with a_server(second):
        data = ("--data", str(second))
        answer = ask("admin", "restore", "--from", str(backup), "--json", *data).json
        assert answer == {"tables": 1}
        listed = ask("admin", "list", "--json", *data).json
        assert [one["table"] for one in listed["tables"]] == [table]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("close",), "penultima admin list"),
        (("export", "zzzzzz"), "no such table"),
        (("backup",), "--to"),
        (("restore",), "--from"),
        (("restore", "--from", "/nowhere/backup.json"), "cannot be read"),
        (("restore", "--from", __file__), "cannot be read"),
        (("backup", "--to", f"{__file__}/backup.json"), "cannot be written"),
        (("list", "--address", "http://127.0.0.1:9"), "does not answer"),
        (("list", "--data", "/nowhere"), "penultima serve"),
    ],
)
def test_what_admin_refuses(
    ask: Ask,
    server: ServerProcess,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.setenv("PENULTIMA_DATA", str(server.data))
    done = ask("admin", *arguments)
    assert (done.code, done.out) == (1, "")
    assert said in done.err


def test_the_ten_line_bot_plays_a_match(server: ServerProcess) -> None:
    async def play() -> int:
        random = Random(1)
        client = await Client.connect(server.address)
        table = await client.open(seats=2, name="A", options={**QUICK, "auto_call": True})
        async with client.sit(table, "A") as seat:
            bot = await asyncio.create_subprocess_exec(
                sys.executable, str(EXAMPLE), server.address, table, env=os.environ
            )
            await until(seat, lambda s: s.places[1].here)
            await seat.begin()
            async for view in seat.decisions():
                await seat.act(sensible(random, view))
            return await asyncio.wait_for(bot.wait(), 30)

    assert asyncio.run(play()) == 0


def test_the_limits_are_described_as_they_are() -> None:
    text = (Path(__file__).parents[2] / "docs" / "deploy.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", text, re.MULTILINE)
    assert {name: int(number.replace(",", "")) for name, number in rows} == asdict(Limits())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_build_without_the_browser_client_says_so(tmp_path: Path, language: str) -> None:
    package = Path(penultima.__file__).parent
    left_out = shutil.ignore_patterns("web", "__pycache__")
    shutil.copytree(package, tmp_path / "penultima", ignore=left_out)
    command = [*PENULTIMA, "serve", "--port", "0", "--lang", language, "--open"]
    environment = {
        **ENVIRONMENT,
        "PYTHONPATH": str(tmp_path),
        "PENULTIMA_DATA": str(tmp_path / "data"),
        "PENULTIMA_COMPILE": "0",
        "BROWSER": "false",
    }
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        lines = [process.stdout.readline().strip() for _ in range(4)]
        assert say(language, "serve.no_client") in lines
        (address,) = re.findall(r"http://\S+", lines[0])
        late = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(address, timeout=10)
            except urllib.error.HTTPError as error:
                assert error.code == 404
                assert error.read().decode() == say("en", "serve.no_client")
                break
            except OSError:
                assert time.monotonic() < late
    finally:
        process.terminate()
        process.wait(timeout=60)
