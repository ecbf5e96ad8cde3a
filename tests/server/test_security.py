"""What a server refuses, what every answer carries, and what is kept of a secret."""

import ast
import asyncio
import json
import secrets
import sqlite3
import stat
import sys
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from starlette.requests import HTTPConnection
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

import penultima
from penultima.client import Client
from penultima.record import clean_name
from penultima.server.app import HEADERS, ROUTES, same_origin
from penultima.server.limiter import Limiter
from penultima.server.running import lan_address
from penultima.server.settings import Limits, ServerSettings
from penultima.server.store import hashed
from tests.server.harness import ServerProcess, a_server, a_token, gather_people, play_on, until


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_every_answer_carries_the_headers(http: httpx.Client) -> None:
    seen = set()
    paths = [path.format_map({"table": "abcdef", "edition": "classic"}) for path in PLAIN_PATHS]
    for path in (*paths, "/", "/nothing.here", "/play/abcdef", "/api/nothing"):
        for method in ("GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT"):
            answer = http.request(method, path, content=b"{")
            seen.add(answer.status_code)
            for name, value in HEADERS.items():
                assert answer.headers.get(name) is not None, (method, path, name)
                if name != "cache-control":
                    assert answer.headers[name] == value, (method, path, name)
            assert "server" not in answer.headers
    assert {200, 400, 401, 404, 405} <= seen
    assert not any(code >= 500 for code in seen)


PLAIN_PATHS = sorted({path.replace("{number}", "1") for _, path, _ in ROUTES})


def test_what_is_told_to_one_person_is_kept_by_no_cache(http: httpx.Client) -> None:
    """The same page after a change of account shows nothing of the one before."""
    for path in ("/api/me/history", "/api/me/statistics"):
        answer = http.get(path, headers=bearer(a_token()))
        assert answer.headers["cache-control"] == "no-store"
    assert http.post("/api/people").headers["cache-control"] == "no-store"


def test_nothing_but_our_own_scripts_runs_on_a_page() -> None:
    policy = dict(rule.strip().split(" ", 1) for rule in CSP.split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert "unsafe-inline" not in CSP and "unsafe-eval'" not in CSP.replace(
        "'wasm-unsafe-eval'", ""
    )
    assert not any("http" in sources or "*" in sources for sources in policy.values())


CSP = HEADERS["content-security-policy"]

ORIGINS = [
    ("http://{host}", True),
    ("https://{host}", True),  # behind a proxy that speaks TLS
    ("http://{host}/", False),
    ("http://{host}.evil.example", False),
    ("http://evil.example/{host}", False),
    ("http://evil.example@{host}", False),
    ("http://evil.example?{host}", False),
    ("ftp://{host}", False),
    ("//{host}", False),
    ("HTTP://{host}", False),
    ("http://127.0.0.1:1", False),
    ("http://[", False),
    ("null", False),
    ("", False),
]


@pytest.mark.parametrize(("origin", "good"), ORIGINS)
def test_only_our_own_pages_may_ask(server: ServerProcess, origin: str, good: bool) -> None:
    host = server.address.removeprefix("http://")
    origin = origin.format(host=host)
    answer = httpx.post(f"{server.address}/api/people", headers={"origin": origin})
    assert answer.status_code == (200 if good else 403), answer.text
    assert answer.headers["x-frame-options"] == "DENY"
    assert asyncio.run(may_connect(server, origin)) is good


async def may_connect(server: ServerProcess, origin: str) -> bool:
    address = server.address.replace("http", "ws", 1) + "/ws"
    try:
        async with connect(address, additional_headers={"Origin": origin}) as socket:
            await socket.send('{"type": "hello", "version": 1, "table": "aaaaaa"}')
            return "no_table" in str(await socket.recv())
    except InvalidStatus as refused:
        assert refused.response.status_code == 403
        return False


def a_request(headers: dict[str, str], address: str = "192.0.2.7") -> HTTPConnection:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return HTTPConnection({"type": "http", "headers": raw, "client": (address, 1)})


def test_a_page_of_the_public_address_may_ask_and_no_host_is_no_origin() -> None:
    settings = ServerSettings("x", Path(), public_url="https://cards.example/")
    asked = {"host": "10.0.0.1:8765", "origin": "https://cards.example"}
    assert same_origin(a_request(asked), settings)
    assert not same_origin(a_request({**asked, "origin": "http://cards.example"}), settings)
    for origin in ("", "null", "http://", "//"):
        assert not same_origin(a_request({"origin": origin}), settings)
    assert same_origin(a_request({}), settings)


NUMBERS = ("0", "1", "9" * 7, "9" * 19, "9" * 25, "9" * 4000)


def test_no_number_in_an_address_stops_the_server(http: httpx.Client) -> None:
    for number in NUMBERS:
        answer = http.get(f"/api/tables/abcdef/matches/{number}", headers=bearer(a_token()))
        assert answer.status_code == 404, number
    assert http.get("/healthz").json() == {"status": "ok"}


@pytest.mark.parametrize(
    "table", ["%00", "%00bcdef", "a" * 3000, "ABCDEF", "abc%20ef", "%F0%9F%83%8F", "%ff", "'--"]
)
def test_an_address_that_names_no_table_finds_none(http: httpx.Client, table: str) -> None:
    for path in (f"/api/tables/{table}", f"/api/tables/{table}/rules"):
        assert http.get(path).status_code == 404
    assert http.post(f"/api/tables/{table}/move", headers=bearer(a_token())).status_code == 404


# Who may administer


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/admin/tables"),
        ("POST", "/admin/tables/abcdef/close"),
        ("GET", "/admin/tables/abcdef/export"),
        ("GET", "/admin/backup"),
        ("POST", "/admin/restore"),
    ],
)
def test_administering_needs_the_token(server: ServerProcess, method: str, path: str) -> None:
    assert (method, path.replace("abcdef", "{table}")) in {(m, p) for m, p, _ in ROUTES}
    token = (server.data / "admin.token").read_text()
    kept = hashed(token)  # what a thief of the settings would have
    for headers in ({}, bearer(a_token()), bearer(kept), bearer(token[:-1])):
        answer = httpx.request(method, server.address + path, headers=headers, content=b"{}")
        assert answer.status_code in (401, 403), (headers, answer.text)


def test_a_backup_that_is_none_is_refused(tmp_path: Path) -> None:
    with a_server(tmp_path) as server, httpx.Client(base_url=server.address) as http:
        headers = bearer((tmp_path / "admin.token").read_text())
        whole = http.get("/admin/backup", headers=headers).json()
        assert set(whole["tables"]) == {"log", "tables", "matches", "played"}
        bad: list[Any] = [
            {"penultima": 1, "tables": {}},
            {"penultima": 1, "tables": {**whole["tables"], "sqlite_master": []}},
            {"penultima": 1, "tables": {**whole["tables"], "log": [["a", 2**70, "b"]]}},
            {"penultima": 1, "tables": {**whole["tables"], "log": [["a", 1]]}},
            {**whole, "penultima": 2},
        ]
        for dump in bad:
            answer = http.post("/admin/restore", headers=headers, json=dump)
            assert answer.status_code == 400, answer.text
        assert http.post("/admin/restore", headers=headers, json=whole).status_code == 200


@pytest.mark.skipif(sys.platform == "win32", reason="no modes there")
def test_files_with_secrets_are_for_their_owner_alone(server: ServerProcess) -> None:
    for name in ("admin.token", "tables.sqlite", "tables.sqlite-wal"):
        mode = stat.S_IMODE((server.data / name).stat().st_mode)
        assert mode == 0o600, (name, oct(mode))


# Secrets that are kept


def test_tokens_have_at_least_128_bits(http: httpx.Client) -> None:
    tokens = {http.post("/api/people").json()["token"] for _ in range(20)}
    assert len(tokens) == 20
    assert all(len(token) * 6 >= 128 for token in tokens)
    short = http.get("/api/me/history", headers=bearer("a" * 21))
    assert short.status_code == 401


def test_the_database_holds_no_token_and_a_seed_only_when_it_is_shown(tmp_path: Path) -> None:
    """Its very bytes are searched: nothing but `tables.secret` tells of a match that is on."""
    token_bytes: list[str] = []
    codes: list[str] = []

    async def play(server: ServerProcess) -> str:
        table, clients = await gather_people(server.address, 2, seats=2)
        token_bytes.extend(client.token for client in clients)
        async with clients[0].sit(table, "A") as a, clients[1].sit(table, "B"):
            await until(a, lambda s: sum(p.here for p in s.places) == 2)
            await a.begin()
            await until(a, lambda s: s.stage == "playing")
            made = await clients[0].ask("POST", f"/api/tables/{table}/move")
            codes.append(made["code"])
        return table

    with a_server(tmp_path) as server:
        table = asyncio.run(play(server))
        server.stop()
        database = sqlite3.connect(tmp_path / "tables.sqlite")
        ((secret,),) = database.execute("SELECT secret FROM tables WHERE id = ?", (table,))
        database.execute("UPDATE tables SET secret = ''")
        database.commit()
        database.execute("VACUUM")
        database.close()
    data = b"".join(file.read_bytes() for file in tmp_path.glob("tables.sqlite*"))
    assert table.encode() in data
    for token in token_bytes:
        assert token.encode() not in data
        assert hashed(token).encode() in data
    assert codes[0].encode() not in data
    from penultima.server.store import Seeds

    for attempt in range(5):
        seed = Seeds(secret)[attempt]
        assert seed.encode() not in data and bytes.fromhex(seed) not in data
    assert secret.encode() not in data


def test_a_token_that_is_another_s_hash_is_nobody(server: ServerProcess) -> None:
    """Who has read the database is not thereby anybody."""

    async def ask() -> None:
        table, clients = await gather_people(server.address, 1, seats=2)
        thief = Client(server.address, hashed(clients[0].token))
        async with clients[0].sit(table, "A") as a, thief.watch(table) as watcher:
            await until(a, lambda s: s.places[0].here)
            await until(watcher, lambda s: True)
            assert watcher.seat is None
        assert (await thief.ask("GET", "/api/me/history"))["matches"] == []

    asyncio.run(ask())


# Names

NAMES = [
    ("Ana", "Ana"),
    ("  Ana \t María\n", "Ana María"),
    ("\u202eevil", "evil"),  # right-to-left override
    ("a\u2066b\u2069c\u200f", "abc"),
    ("A\u200bn\u200da\ufeff", "Ana"),  # zero width
    ("\x1b[31mred\x07\x00", "[31mred"),
    ("\u3164", "?"),  # letters that show nothing
    ("\u115f\u1160\uffa0\u2800", "?"),
    ("a" + "\u0301" * 30, "a\u0301\u0301"),  # marks that pile up over other people's lines
    ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),  # text, and stays text
    ("Ж" * 200, "Ж" * 40),
    ("🂡🂢", "🂡🂢"),
    ("\ue000\U000e0041", "?"),  # private, tags
]


@pytest.mark.parametrize(("given", "kept"), NAMES)
def test_names_are_cleaned_and_bounded(given: str, kept: str) -> None:
    assert clean_name(given) == kept
    assert clean_name(kept) == kept


def test_everybody_is_told_the_clean_name(server: ServerProcess) -> None:
    async def ask() -> None:
        table, clients = await gather_people(server.address, 2, seats=3, name="\u202eA\u200b")
        told: list[str] = []
        async with clients[0].sit(table, "x") as a:
            await until(a, lambda s: s.places[0].here)
            async with clients[1].sit(table, "\u2066<b>B\u200f</b>") as b:
                await until(b, lambda s: b.seat == 1)
                from penultima.server import commands

                add = commands.AddBot(id="b", place=2, bot="basic", name="\u202dC")
                assert await a.send(add) is None
                await until(b, lambda s: s.places[2].kind == "bot")
                async for frame in a.frames():
                    told.append(repr(frame))
                    if "bot='basic'" in told[-1]:
                        break
        said = "".join(told)
        for mark in ("\\u202e", "\\u2066", "\\u200f", "\\u200b", "\\u202d"):
            assert mark not in said
        assert "<b>B</b>" in said

    asyncio.run(ask())


# Limits


def test_an_address_is_counted_as_who_has_it() -> None:
    limiter = Limiter(Limits())
    one = limiter.address(a_request({}, "2001:db8:1:2:3:4:5:6"))
    assert one == limiter.address(a_request({}, "2001:db8:1:2::ffff"))
    assert one != limiter.address(a_request({}, "2001:db8:1:3::1"))
    assert limiter.address(a_request({}, "::ffff:192.0.2.7")) == "192.0.2.7"
    forged = a_request({"x-forwarded-for": "198.51.100.1"})
    assert limiter.address(forged) == "192.0.2.7"
    behind = Limiter(Limits(), proxies=1)
    assert behind.address(a_request({"x-forwarded-for": "forged, 198.51.100.1"})) == "198.51.100.1"
    assert len(behind.address(a_request({"x-forwarded-for": "x" * 9000}))) <= 64


def test_a_flood_of_requests_is_refused_and_not_remembered() -> None:
    limiter = Limiter(Limits(requests_per_address=100))
    allowed = sum(limiter.may_ask(a_request({})) for _ in range(10_000))
    assert allowed == 100
    assert len(limiter._requests._log) == 100
    assert limiter.may_ask(a_request({}, "192.0.2.8"))


@pytest.mark.parametrize("what", ["table", "seat", "admin"])
def test_guesses_of_codes_are_limited(tmp_path: Path, what: str) -> None:
    def guess(http: httpx.Client) -> int:
        headers = bearer(a_token())
        if what == "table":
            return http.get(f"/api/tables/{code(6)}").status_code
        if what == "seat":
            return http.post("/api/move", headers=headers, json={"code": code(8)}).status_code
        return http.get("/admin/tables", headers=headers).status_code

    with (
        a_server(tmp_path, "--limits=guesses_per_address=25") as server,
        httpx.Client(base_url=server.address) as http,
    ):
        answers = [guess(http) for _ in range(40)]
        assert set(answers[:25]) <= {403, 404}
        assert set(answers[25:]) == {429}
        assert asyncio.run(may_connect_at_all(server)) is True  # guesses limit guesses only


def code(length: int) -> str:
    return "".join(secrets.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(length))


async def may_connect_at_all(server: ServerProcess) -> bool:
    try:
        async with connect(server.address.replace("http", "ws", 1) + "/ws"):
            return True
    except InvalidStatus:
        return False


def test_limits_of_tables_are_per_address(tmp_path: Path) -> None:
    with a_server(tmp_path, "--limits=tables_per_address=5") as server:
        codes = [httpx.post(f"{server.address}/api/tables", json={}).status_code for _ in range(8)]
        assert codes == [201] * 5 + [429] * 3


# The code itself


def test_the_code_runs_nothing_that_comes_from_outside() -> None:
    """No pickle, no eval, no shell anywhere in the package."""
    forbidden = {"pickle", "marshal", "shelve", "dill", "cloudpickle"}
    folder = Path(penultima.__file__).parent
    looked = 0
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            looked += 1
            if isinstance(node, ast.Import):
                assert not {name.name.split(".")[0] for name in node.names} & forbidden, file
            elif isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] not in forbidden, file
            elif isinstance(node, ast.Call):
                name = getattr(node.func, "id", "")
                assert name not in ("eval", "exec", "__import__"), file
                assert getattr(node.func, "attr", "") != "system", file
                assert not any(
                    word.arg == "shell" and getattr(word.value, "value", True)
                    for word in node.keywords
                ), file
    assert looked > 10_000


def test_a_finished_match_is_for_its_players_alone(server: ServerProcess) -> None:
    async def ask() -> None:
        client = await Client.connect(server.address)
        table = await client.open(seats=2, name="A", options={"target": 1, "hand_size": 1})
        async with client.sit(table, "A") as seat:
            await until(seat, lambda s: s.places[0].here)
            await seat.begin()
            await play_on(seat, Random(1))
            await until(seat, lambda s: s.matches == 1)
        path = f"{server.address}/api/tables/{table}/matches/1"
        assert httpx.get(path, headers=bearer(client.token)).status_code == 200
        answers = [
            httpx.get(path, headers=headers) for headers in ({}, bearer(a_token()), bearer("x"))
        ]
        assert [answer.status_code for answer in answers] == [401, 404, 401]
        assert all("seed" not in answer.text for answer in answers)
        assert json.loads(answers[1].text)["code"] == "server.no_record"

    asyncio.run(ask())


def test_the_local_network_is_told_of_on_this_machine_only(tmp_path: Path) -> None:
    found = lan_address()
    with a_server(tmp_path / "lan", "--lan") as server:
        network = found and f"http://{found}:{server.port}/"
        assert address_told(server) == network
        assert address_told(server, "penultima.localhost") is None
    with a_server(tmp_path / "here") as server:
        assert address_told(server) is None
    with a_server(tmp_path / "public", "--public-url", "https://cards.example") as server:
        assert address_told(server) == "https://cards.example"


def address_told(server: ServerProcess, host: str | None = None) -> Any:
    headers = {"host": host} if host else {}
    return httpx.get(f"{server.address}/api/address", headers=headers).json()["address"]
