"""Requests, files and starts at the edge of what is possible: a clear answer, and nothing more."""

import asyncio
import contextlib
import json
import socket
import sqlite3
import subprocess
import threading
import time
from pathlib import Path

import httpx
import pytest

from penultima.client import UNANSWERED, Client
from penultima.server import commands, log
from penultima.server.app import HEADERS
from penultima.server.diagnosis import diagnosis
from penultima.server.frames import moments
from penultima.server.running import admin_token
from penultima.server.story import Happening
from penultima.server.table import REMEMBERED, Table
from tests.commands import ENVIRONMENT, PENULTIMA, ask_outside
from tests.server.harness import ServerProcess, a_server, a_token, until
from tests.server.postgres import Postgres
from tests.server.test_trouble import full_disk, metric
from tests.test_table import dealt


def test_a_number_too_long_for_python_finds_nothing(http: httpx.Client) -> None:
    headers = {"authorization": f"Bearer {a_token()}"}
    long = "9" * 5_000
    record = http.get(f"/api/tables/abcdef/matches/{long}", headers=headers)
    assert record.status_code == 404, record.text
    analysis = http.post(f"/api/analysis/{long}", content=b"[]")
    assert analysis.status_code == 404, analysis.text
    for answer in (record, analysis):
        assert answer.json()["code"].startswith("server.no_")
        assert HEADERS.keys() <= {name.lower() for name in answer.headers}


def test_a_body_that_breaks_off_is_no_trouble(server: ServerProcess) -> None:
    before = metric(server, "troubles_total")
    for path in ("/api/tables", "/api/replay", "/api/quick"):
        with socket.create_connection(("127.0.0.1", server.port)) as line:
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{{"
            line.sendall(head.encode())
            time.sleep(0.1)
    assert httpx.get(f"{server.address}/healthz").status_code == 200
    assert metric(server, "troubles_total") == before


def test_health_is_that_of_the_disk(tmp_path: Path) -> None:
    with a_server(tmp_path) as server:
        assert until_health_is(server, 200) == "ok"
        with full_disk(server):
            assert until_health_is(server, 503) == "disk error"
        assert until_health_is(server, 200) == "ok"


def test_health_is_that_of_the_database(postgres: Postgres, tmp_path: Path) -> None:
    with a_server(tmp_path, "--database", postgres.database()) as server:
        assert until_health_is(server, 200) == "ok"
        postgres.stop()
        try:
            assert until_health_is(server, 503) in ("database away", "too slow")
        finally:
            postgres.start()
        assert until_health_is(server, 200) == "ok"


def until_health_is(server: ServerProcess, status: int) -> str:
    late = time.monotonic() + 30
    while True:
        answer = httpx.get(f"{server.address}/healthz", timeout=10)
        if answer.status_code == status:
            return str(answer.json()["status"])
        assert answer.status_code in (200, 503) and time.monotonic() < late, answer.text
        time.sleep(0.2)


def test_a_full_disk_is_named_as_such(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "small.sqlite")) as database:
        database.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.OperationalError) as full:
            for number in range(4):
                database.execute(f"CREATE TABLE t{number} (a)")
    assert diagnosis(full.value) == "disk full"


def test_every_line_of_the_log_is_json_and_says_what_is_wrong(tmp_path: Path) -> None:
    with a_server(tmp_path, PENULTIMA_LOG="WARNING") as server:
        with socket.create_connection(("127.0.0.1", server.port)) as line:
            line.sendall(b"\x00\x01nonsense\r\n\r\n")
            line.recv(1_000)
        headers = {"authorization": f"Bearer {a_token()}"}
        with full_disk(server):
            made = httpx.post(f"{server.address}/api/tables", json={"name": "A"}, headers=headers)
            assert made.status_code == 500
        server.stop()
        lines = [json.loads(text) for text in server.log.read_text().splitlines()]
    assert [one["error"] for one in lines if one["message"] == "trouble"][:1] == ["disk error"]
    assert all({"time", "level", "message"} <= one.keys() for one in lines)
    assert len(lines) < 20  # what strangers send adds nothing


# Starting


def a_database(folder: Path) -> Path:
    with a_server(folder) as server:
        headers = {"authorization": f"Bearer {a_token()}"}
        for _ in range(20):
            new = {"name": "A", "seats": 4}
            httpx.post(f"{server.address}/api/tables", json=new, headers=headers)
        server.stop()
    return folder / "tables.sqlite"


@pytest.mark.parametrize("harm", ["cut", "page", "text"])
def test_a_file_that_is_not_whole_is_refused_with_the_remedy(tmp_path: Path, harm: str) -> None:
    file = a_database(tmp_path)
    whole = file.read_bytes()
    assert len(whole) > 20 * 4096
    if harm == "cut":
        file.write_bytes(whole[: len(whole) // 8192 * 4096])
    elif harm == "page":
        file.write_bytes(whole[: 3 * 4096] + b"\xff" * 4096 + whole[4 * 4096 :])
    else:
        file.write_text("this is not a database\n" * 1_000)
    for left in tmp_path.glob("tables.sqlite-*"):
        left.unlink()
    done = ask_outside("serve", "--port", "0", "--data", str(tmp_path))
    assert (done.code, done.out) == (1, "")
    assert done.err.count("\n") == 1, done.err
    assert "penultima admin restore" in done.err and str(file) in done.err


def test_of_servers_started_at_once_one_runs_and_the_others_say_why(tmp_path: Path) -> None:
    for turn in range(3):
        data = tmp_path / str(turn)
        command = [*PENULTIMA, "serve", "--port", "0", "--data", str(data), "--lang", "en"]
        started = [
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env={**ENVIRONMENT, "PENULTIMA_COMPILE": "0"},
            )
            for _ in range(3)
        ]
        try:
            until_one_is_left(started)
        finally:
            for process in started:
                process.terminate()
        told = [process.communicate(timeout=30) for process in started]
        assert sorted(process.returncode for process in started) == [0, 1, 1], told
        for process, (_, said) in zip(started, told, strict=True):
            assert said.count("\n") == process.returncode, said
            assert "Traceback" not in said
            if process.returncode:
                assert "in use by another server" in said


def until_one_is_left(started: list["subprocess.Popen[str]"]) -> None:
    late = time.monotonic() + 60
    while sum(process.poll() is None for process in started) > 1:
        assert time.monotonic() < late, "more than one server runs on a folder"
        time.sleep(0.05)


# Commands and their ids


def test_no_id_of_a_command_is_taken_from_the_start(server: ServerProcess) -> None:
    async def ask() -> None:
        client = await Client.connect(server.address)
        table = await client.open(seats=2, name="A")
        async with client.sit(table, "A") as seat:
            await until(seat, lambda s: s.places[0].here)
            assert await seat.send(commands.Begin(id="open")) is None
            await until(seat, lambda s: s.stage != "gathering")

    asyncio.run(ask())


def test_a_client_has_no_more_commands_unanswered_than_the_server_knows(tmp_path: Path) -> None:
    """What is sent again after a lost connection must not be done again."""

    async def ask(server: ServerProcess) -> None:
        client = await Client.connect(server.address)
        table = await client.open(seats=2, name="A")
        async with client.sit(table, "A") as seat:
            await until(seat, lambda s: s.places[0].here)
            server.kill()
            asked = [asyncio.create_task(seat.ready()) for _ in range(100)]
            await asyncio.sleep(0.1)
            assert len(seat._unanswered) == UNANSWERED == REMEMBERED
            server.start()
            assert {await one for one in asked} <= {"not_now", "too_often"}

    with a_server(tmp_path) as server:
        asyncio.run(ask(server))


def test_nothing_tells_during_a_race_how_many_have_pressed() -> None:
    """What is numbered for clients goes on as if nobody had pressed."""
    table = dealt()
    before = table.told
    table.apply(log.Armed(at=1, race=1, delay=5_000))
    armed = table.told
    assert armed == before + 1
    for place in (0, 1):
        table.apply(log.Raced(at=2, place=place, race=1, measured=300, reported=300))
        assert table.told == armed
    events = table.apply(log.Said(at=3, seat=0, command="x", phrase="hello"))
    said = moments([Happening(table.told, log.Said(at=3, seat=0, phrase="hello"), events)], None)
    assert said[0].seq == armed + 1
    assert table.seq == table.told + 2  # the log has them all


def test_a_newly_made_token_is_whole_for_all_who_start_at_once(tmp_path: Path) -> None:
    """Who comes second to a new folder never reads half of the administrator's token."""
    for turn in range(20):
        told: list[str] = []
        together = threading.Barrier(8)

        def start(data: Path, together: threading.Barrier, told: list[str]) -> None:
            together.wait()
            told.append(admin_token(data))

        data = tmp_path / str(turn)
        threads = [threading.Thread(target=start, args=(data, together, told)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(told) == 8 and len(set(told)) == 1 and len(told[0]) > 40
        assert [file.name for file in data.iterdir()] == ["admin.token"]


def test_a_table_of_measured_races_has_the_same_number_from_its_snapshot() -> None:
    from penultima.server import snapshot

    table = dealt()
    for entry in (
        log.Armed(at=1, race=1, delay=5_000),
        last := log.Raced(at=2, place=0, race=1, measured=300, reported=300),
    ):
        table.apply(entry)
    kept = snapshot.freeze(table, last)
    again = Table(table.seeds)
    again.apply(opened_of(table))
    assert snapshot.thaw(kept, again, last)
    assert (again.told, again.seq) == (table.told, table.seq)


def opened_of(table: Table) -> log.Entry:
    return log.Opened(
        at=table.opened,
        table=table.id,
        edition=table.edition,
        ruleset=table.sheet.to_json(),
        seats=len(table.places),
        rules=table.rules,
    )
