"""The files of the browser client: only what is there, packed or not, and given once."""

import asyncio
import gzip
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
