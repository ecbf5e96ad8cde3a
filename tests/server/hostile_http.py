"""Requests that nobody should send: routes with odd parts, heads and bodies that are none."""

import asyncio
import contextlib
import json
from collections import Counter
from random import Random
from typing import Any

from penultima.server.app import ROUTES
from tests.server.harness import ServerProcess, a_token

ODD: tuple[str, ...] = (
    *("", "-1", "0", "9" * 25, "9" * 5_000, "%00", "%ff", "..", "..%2f..", "a" * 3_000, "%", "*"),
    *("NaN", "null", "' OR 1=1 --", "%F0%9F%83%8F", "classic", "abcdef", "zzzzzz"),
)
BODIES: tuple[dict[str, Any], ...] = (
    {"name": "Eve", "edition": "classic", "seats": 4, "public": False, "options": {"target": 300}},
    {"own": 'id = "x"\nname = {en = "X", es = "X", ru = "X"}', "name": "Eve", "seats": 2},
    {"name": "Eve", "edition": "chili"},
    {"code": "abcdefgh"},
)
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 2**63, 10**40, 1e308, "", "x" * 100, "\u202e", "\x00", [], {}, [[]]),
    *({"a": 1}, "classic", "\x1b[2J", "a.b.c = 1", [{"place": 0, "bot": "basic"}] * 20),
)
HEADERS: tuple[str, ...] = (
    "Authorization: Bearer x",
    "Authorization: Bearer " + "é" * 30,
    "Authorization: Basic eDp5",
    "Origin: null",
    "Origin: http://evil.example",
    "Accept-Language: " + "xx," * 500,
    'If-None-Match: "' + "a" * 1_000 + '", W/*',
    "Range: bytes=0-,1-,2-,3-,4-",
    "X-Forwarded-For: 1.2.3.4, x",
    "Expect: 100-continue",
    "Accept-Encoding: gzip;q=0, identity;q=0",
    "Upgrade: websocket\r\nConnection: Upgrade",
    "Upgrade: h2c\r\nConnection: Upgrade",
    "Transfer-Encoding: chunked",
    "Content-Length: 5",
    "Host: evil.example",
    "X: " + "y" * 70_000,
)


def a_request(random: Random, table: str) -> bytes:
    """A request, whole or not."""
    return random.choice(KINDS)(random, table)


def _address(random: Random, table: str) -> tuple[str, str]:
    method, path, _ = random.choice(ROUTES)
    if random.random() < 0.1:
        method = random.choice(("GET", "PUT", "PATCH", "OPTIONS", "HEAD", "TRACE", "X" * 40))
    for name in ("table", "number", "edition"):
        value = table if name == "table" and random.random() < 0.5 else random.choice(ODD)
        path = path.replace("{" + name + "}", value.replace(" ", "+"))
    if random.random() < 0.2:
        path += "?lang=" + random.choice(ODD).replace(" ", "+")
    return method, path


def _body(random: Random) -> bytes:
    body = dict(random.choice(BODIES))
    body[random.choice((*body, "token", "__class__"))] = random.choice(VALUES)
    data = json.dumps(body).encode()
    kind = random.random()
    if kind < 0.2:
        return data[: random.randrange(len(data))]
    if kind < 0.3:
        return b"[" * random.randint(1, 50_000)
    return random.randbytes(random.randint(0, 2_000)) if kind < 0.4 else data


def _written(method: str, path: str, body: bytes, *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers, "", ""]
    return "\r\n".join(lines).encode("utf-8") + body


def fine(random: Random, table: str) -> bytes:
    """Well formed, with odd parts."""
    method, path = _address(random, table)
    body = _body(random)
    headers = [f"Content-Length: {len(body)}", f"Authorization: Bearer {a_token()}"]
    return _written(method, path, body, *headers)


def odd_headers(random: Random, table: str) -> bytes:
    body = _body(random)
    some = random.sample(HEADERS, random.randint(1, 4))
    return _written(*_address(random, table), body, f"Content-Length: {len(body)}", *some)


def wrong_length(random: Random, table: str) -> bytes:
    length = random.choice(("-1", "5", "999999", "9" * 40, "1e3", "0x10", "5, 6", ""))
    return _written("POST", "/api/tables", _body(random), f"Content-Length: {length}")


def chunks(random: Random, table: str) -> bytes:
    parts = (b"5\r\nhello\r\n0\r\n\r\n", b"-1\r\n", b"FFFFFFFFFFFFFFFF\r\nx", b"5;" + b"x" * 9_000)
    body = random.choice(parts)
    return _written("POST", "/api/replay", body, "Transfer-Encoding: chunked")


def no_request(random: Random, table: str) -> bytes:
    return random.choice(
        (
            random.randbytes(random.randint(1, 400)),
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"\r\n" * 400,
            b"GET / HTTP/1.1\r\nHost: localhost\r\n bad: x\r\n\r\n",
            b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        )
    )


def cut(random: Random, table: str) -> bytes:
    whole = fine(random, table)
    return whole[: random.randrange(len(whole))]


KINDS = (fine, fine, fine, odd_headers, wrong_length, chunks, no_request, cut)
LAST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


async def pester(server: ServerProcess, table: str, number: int, seed: int) -> Counter[str]:
    """Send so many, on new connections; counts what was answered, by its status."""
    random, got = Random(seed), Counter[str]()
    for _ in range(number):
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(a_request(random, table) + LAST)
            data = b""
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.3):  # some of them would be waited for
                    while part := await reader.read(65_536):
                        data += part
            writer.transport.abort()
            for line in data.split(b"HTTP/1.1 ")[1:]:
                got[f"http {line[:3].decode('ascii', 'replace')}"] += 1
    return got
