"""What one stranger does keeps nobody else out: connections, guesses, names."""

import asyncio
import contextlib
import json
import resource
import socket
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.requests import HTTPConnection
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from penultima.client import Client
from penultima.server.limiter import Limiter, Pace
from penultima.server.settings import Limits
from tests.commands import ask_outside
from tests.server.harness import ServerProcess, a_server, a_token, until


@contextlib.contextmanager
def silent(server: ServerProcess, number: int, addresses: int = 1) -> Iterator[list[socket.socket]]:
    """So many connections that say nothing, from some addresses of this machine."""
    with contextlib.ExitStack() as stack:
        lines = []
        for n in range(number):
            line = stack.enter_context(socket.socket())
            line.settimeout(5)
            line.bind((f"127.0.0.{2 + n % addresses}", 0))
            with contextlib.suppress(OSError):
                line.connect(("127.0.0.1", server.port))
                lines.append(line)
        yield lines


def is_well(server: ServerProcess) -> bool:
    try:
        return httpx.get(f"{server.address}/healthz", timeout=10).status_code == 200
    except httpx.HTTPError:
        return False


def test_silent_connections_keep_nobody_out(tmp_path: Path) -> None:
    """Neither those of one address nor those of many, which are more than the server holds."""
    with a_server(tmp_path, "--limits=connections=20,connections_per_address=400") as server:
        with silent(server, 1_300):
            assert is_well(server)
        with silent(server, 1_300, addresses=5):
            assert is_well(server)


def test_who_has_all_connections_of_an_address_busy_gets_no_more(tmp_path: Path) -> None:
    async def run(server: ServerProcess) -> None:
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(10):
                await stack.enter_async_context(connect(f"ws{server.address[4:]}/ws"))
            with pytest.raises(InvalidStatus):
                await connect(f"ws{server.address[4:]}/ws")
            with silent(server, 1, addresses=1):  # it comes from elsewhere
                pass

    with a_server(tmp_path, "--limits=connections_per_address=10") as server:
        asyncio.run(run(server))
        assert is_well(server)


def rest(line: socket.socket, seconds: float) -> int | None:
    """How many bytes come until the server ends a connection; None where it does not in time."""
    late, got = time.monotonic() + seconds, 0
    try:
        while True:
            line.settimeout(max(late - time.monotonic(), 0.01))
            part = line.recv(65_536)
            if not part:
                return got
            got += len(part)
    except TimeoutError:
        return None
    except ConnectionError:
        return got


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET",
        b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{",
    ],
    ids=["nothing", "half a line", "half a head", "half a second one", "half a body"],
)
def test_nobody_holds_a_connection_by_waiting(server: ServerProcess, sent: bytes) -> None:
    with socket.socket() as line:
        line.connect(("127.0.0.1", server.port))
        line.sendall(sent)
        assert rest(line, 28) is not None


def test_nobody_holds_a_connection_by_not_reading(server: ServerProcess) -> None:
    asked = 40
    size = len(httpx.get(f"{server.address}/core.json", headers={"accept-encoding": "x"}).content)
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        line.connect(("127.0.0.1", server.port))
        line.sendall(b"GET /core.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * asked)
        time.sleep(16)
        got = rest(line, 20)
    assert got is not None and got < asked * size // 2


def files_of(server: ServerProcess) -> int:
    assert server.process is not None
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


@pytest.mark.parametrize("spare", [140, 3])
def test_too_few_files_end_nothing_and_are_logged_once(tmp_path: Path, spare: int) -> None:
    """Whether connections take them all, or something else has."""
    with a_server(tmp_path, PENULTIMA_LOG="WARNING") as server:
        assert server.process is not None and is_well(server)
        number = server.process.pid
        usual = resource.prlimit(number, resource.RLIMIT_NOFILE)
        resource.prlimit(number, resource.RLIMIT_NOFILE, (files_of(server) + spare, usual[1]))
        with silent(server, 300, addresses=3):
            time.sleep(1)
            assert server.running
            if spare > 100:
                assert is_well(server)
        resource.prlimit(number, resource.RLIMIT_NOFILE, usual)
        late = time.monotonic() + 20
        while not is_well(server):
            assert time.monotonic() < late
        lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert len(lines) <= 1 and all("ulimit -n" in line["message"] for line in lines)


def test_many_requests_at_once_are_taken_one_after_another() -> None:
    pace = Pace(1_200)
    waits = [pace("eve") for _ in range(300)]
    assert waits[199] == 0 and 4 < waits[299] < 6
    assert waits[200:] == sorted(waits[200:])
    assert pace("ana") == 0


def test_few_long_answers_go_to_one_address_at_a_time(server: ServerProcess) -> None:
    """The others wait for their turn, and all of them come."""
    limiter = Limiter(Limits())
    assert limiter.download(a_request()) is limiter.download(a_request())

    async def ask() -> list[int]:
        async with httpx.AsyncClient(timeout=60) as http:
            path = f"{server.address}/core.json"
            answers = await asyncio.gather(*(http.get(path) for _ in range(20)))
            return [answer.status_code for answer in answers]

    assert asyncio.run(ask()) == [200] * 20


# Guesses


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_guesses_limit_guesses_only(tmp_path: Path) -> None:
    async def ask(server: ServerProcess) -> None:
        client = await Client.connect(server.address)
        private = await client.open(seats=2, name="A")
        public = await client.open(seats=2, name="A", public=True)
        with httpx.Client(base_url=server.address, headers=bearer(client.token)) as http:
            wrong = [http.get(f"/api/tables/aaaa{a}{b}") for a in "abcde" for b in "abcde"]
            assert {answer.status_code for answer in wrong[:20]} == {404}
            assert {answer.status_code for answer in wrong[20:]} == {429}
            for path in ("/", "/api/tables", "/api/editions", f"/api/tables/{public}"):
                assert http.get(path).status_code == 200, path
            assert http.get(f"/api/tables/{private}").status_code == 200  # has a seat there
            assert http.get(f"/api/tables/{private}/rules").status_code == 200
            assert http.post("/api/tables", json={}).status_code == 201
        async with client.sit(private, "A") as seat:
            await until(seat, lambda s: s.places[0].here)
        stranger = bearer(a_token())
        with httpx.Client(base_url=server.address, headers=stranger) as http:
            for path in (f"/api/tables/{private}", f"/api/tables/{private}/rules"):
                answer = http.get(path)
                assert answer.status_code == 429
                assert answer.json()["code"] == "server.guesses"
        assert await greeted(server, private) == "too_often"
        assert await greeted(server, public) == "welcome"

    with a_server(tmp_path, "--limits=guesses_per_address=20") as server:
        asyncio.run(ask(server))


async def greeted(server: ServerProcess, table: str) -> str:
    async with connect(f"ws{server.address[4:]}/ws") as line:
        await line.send(json.dumps({"type": "hello", "version": 1, "table": table}))
        frame = json.loads(await line.recv())
        return str(frame.get("reason", frame["type"]))


def test_connections_made_beforehand_allow_no_more_guesses(tmp_path: Path) -> None:
    async def ask(server: ServerProcess) -> Counter[str]:
        async with contextlib.AsyncExitStack() as stack:
            address = f"ws{server.address[4:]}/ws"
            lines = [await stack.enter_async_context(connect(address)) for _ in range(60)]
            for number, line in enumerate(lines):
                table = f"aaaa{chr(97 + number // 20)}{chr(97 + number % 20)}"
                await line.send(json.dumps({"type": "hello", "version": 1, "table": table}))
            return Counter([json.loads(await line.recv())["reason"] for line in lines])

    with a_server(tmp_path, "--limits=guesses_per_address=20") as server:
        assert asyncio.run(ask(server)) == {"no_table": 20, "too_often": 40}


# Whose address it is


def a_request(*forwarded: str) -> HTTPConnection:
    raw = [(b"x-forwarded-for", line.encode()) for line in forwarded]
    return HTTPConnection({"type": "http", "headers": raw, "client": ("192.0.2.7", 1)})


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, ("198.51.100.1",), "192.0.2.7"),
        (1, ("198.51.100.1",), "198.51.100.1"),
        (1, ("203.0.113.9, 198.51.100.1",), "198.51.100.1"),
        (1, ("203.0.113.9", "198.51.100.1"), "198.51.100.1"),  # a line of the proxy's own
        (1, ("198.51.100.1:4711",), "198.51.100.1"),
        (1, ("[2001:db8::1]:4711",), "2001:db8::/64"),
        (1, ("203.0.113.9, unknown",), "192.0.2.7"),
        (1, (), "192.0.2.7"),
        (2, ("203.0.113.9, 198.51.100.1, 10.0.0.1",), "198.51.100.1"),
        (2, ("203.0.113.9", "198.51.100.1", "10.0.0.1"), "198.51.100.1"),
        (2, ("10.0.0.1",), "192.0.2.7"),
    ],
)
def test_a_client_is_whom_our_own_proxies_saw(
    proxies: int, forwarded: tuple[str, ...], address: str
) -> None:
    assert Limiter(Limits(), proxies).address(a_request(*forwarded)) == address


def test_who_is_behind_a_proxy_is_counted_by_their_own_address(tmp_path: Path) -> None:
    async def ask(server: ServerProcess) -> None:
        address = f"ws{server.address[4:]}/ws"
        eve = {"X-Forwarded-For": "198.51.100.1"}
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(10):
                await stack.enter_async_context(connect(address, additional_headers=eve))
            with pytest.raises(InvalidStatus):
                await connect(address, additional_headers=eve)
            async with connect(address, additional_headers={"X-Forwarded-For": "198.51.100.2"}):
                pass

    with a_server(tmp_path, "--trust-proxy", "--limits=connections_per_address=10") as server:
        asyncio.run(ask(server))


# Names

HOSTS = [
    ("localhost", 200),
    ("LOCALHOST:8765", 200),
    ("penultima.localhost", 200),
    ("127.0.0.1", 200),
    ("[::1]:8765", 200),
    ("192.168.1.20:8765", 200),
    ("cards.example", 200),
    ("cards.example.:443", 200),
    ("other.example", 200),
    ("evil.example", 421),
    ("cards.example.evil.example", 421),
    ("127.0.0.1.evil.example", 421),
    ("evil.example:8765", 421),
]


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    names = ("--public-url", "https://cards.example", "--allow-host", "other.example")
    with a_server(tmp_path_factory.mktemp("named"), *names) as server:
        yield server


@pytest.mark.parametrize(("host", "status"), HOSTS)
def test_a_server_answers_to_names_it_knows(named: ServerProcess, host: str, status: int) -> None:
    """Or a page whose name is pointed here would be of one origin with it."""
    for path in ("/api/editions", "/healthz", "/core.json"):
        answer = httpx.get(named.address + path, headers={"host": host})
        assert answer.status_code == status, answer.text[:200]
        assert answer.headers["x-frame-options"] == "DENY"
    if status == 421:
        assert "--allow-host" in answer.json()["message"]


def test_a_name_that_is_pointed_here_opens_no_table(named: ServerProcess) -> None:
    async def ask(host: str) -> bool:
        own = {"Host": host, "Origin": f"http://{host}"}
        with socket.create_connection(("127.0.0.1", named.port)) as line:
            head = "".join(f"{name}: {value}\r\n" for name, value in own.items())
            key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
            line.sendall(f"GET /ws HTTP/1.1\r\n{head}{upgrade}{key}\r\n".encode())
            return b" 101 " in line.recv(100)

    assert asyncio.run(ask("cards.example"))
    assert not asyncio.run(ask("evil.example"))


def test_a_name_to_allow_is_a_name() -> None:
    done = ask_outside("serve", "--port", "0", "--allow-host", "https://cards.example")
    assert (done.code, done.out) == (1, "")
    assert "--allow-host cards.example" in done.err
