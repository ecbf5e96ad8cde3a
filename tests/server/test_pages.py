"""The files of the browser client: only what is there, packed or not, and given once."""

import asyncio
import gzip
import json
import socket
import time
from pathlib import Path

import httpx
import pytest

from penultima.server.pages import Pages
from tests.server.harness import ServerProcess


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/..%2f..%2fpyproject.toml",
        "/%2e%2e/%2e%2e/pyproject.toml",
        "//etc/passwd",
        "/assets/../../__init__.py",
        "/assets/..%5c..%5c__init__.py",
        "/index.html%00.png",
        "/.git/config",
    ],
)
def test_no_path_leads_out_of_the_folder_of_pages(server: ServerProcess, path: str) -> None:
    status, body = asyncio.run(raw_get(server, path))
    page = asyncio.run(raw_get(server, "/"))  # the one page, which any address may show
    assert status == 404 or (status, body) == page


async def raw_get(server: ServerProcess, path: str) -> tuple[int, bytes]:
    """A request whose path no library has tidied."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return int(answer.split()[1]), answer.partition(b"\r\n\r\n")[2]


def test_only_files_that_were_there_at_the_start_are_pages(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    folder.mkdir()
    (folder / "index.html").write_text("page")
    (tmp_path / "secret").write_text("secret")
    pages = Pages(folder)
    (folder / "later.js").write_text("later")
    for path in ("/../secret", "/later.js", "/./index.html", f"/{tmp_path}/secret.txt"):
        assert pages._find(path) is None, path
    assert pages._find("/table/abcdef") == folder / "index.html"


def test_a_page_that_is_kept_packed_is_given_to_everybody(tmp_path: Path) -> None:
    (tmp_path / "large.js.gz").write_bytes(gzip.compress(b"large"))

    async def get(path: str, accepted: str) -> httpx.Response:
        transport = httpx.ASGITransport(Pages(tmp_path))
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
            return await client.get(path, headers={"accept-encoding": accepted})

    for accepted in ("gzip", "identity"):
        got = asyncio.run(get("/large.js", accepted))
        assert (got.text, got.headers["content-type"][:15]) == ("large", "text/javascript")
    assert asyncio.run(get("/large.js.gz", "gzip")).status_code == 404


def test_the_core_is_given_once_and_then_only_if_it_has_changed(http: httpx.Client) -> None:
    first = http.get("/core.json")
    assert "penultima/rules/step.py" in first.json()
    assert first.headers["content-encoding"] == "gzip"
    again = http.get("/core.json", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    plain = http.get("/core.json", headers={"accept-encoding": "identity"})
    assert plain.json() == first.json()


@pytest.mark.parametrize(
    "path",
    ["/", "/icon.svg", "/api/openapi.json", "/api/docs", "/api/editions", "/api/rules/chili"],
)
def test_what_is_the_same_for_all_is_sent_once(http: httpx.Client, path: str) -> None:
    first = http.get(path)
    assert first.status_code == 200 and first.headers["cache-control"] == "no-cache"
    tag = first.headers["etag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = http.get(path, headers={"if-none-match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["x-frame-options"] == "DENY"
    assert http.get(path, headers={"if-none-match": '"other"'}).content == first.content


def test_documents_are_made_once() -> None:
    """Whoever asks again and again takes no time from others."""
    from penultima.server import http as requests

    assert requests._openapi() is requests._openapi()
    assert requests._rules("classic", "en") is requests._rules("classic", "en")


def test_who_reads_slowly_gets_all_of_a_long_answer(server: ServerProcess) -> None:
    """And is not taken for one who does not read at all."""
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8_192)
        line.settimeout(20)
        line.connect(("127.0.0.1", server.port))
        line.sendall(b"GET /core.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        got, started = b"", time.monotonic()
        while part := line.recv(4_096):
            got += part
            slow = time.monotonic() - started < 12  # so much more than two looks at the connection
            time.sleep(0.1 if slow else 0)
    head, _, body = got.partition(b"\r\n\r\n")
    assert b"content-length: %d\r\n" % len(body) in head + b"\r\n"
    assert json.loads(body)
