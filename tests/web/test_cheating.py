"""A server that cheats at the deal, in the browser: every cheat is caught, also after a reload."""

import asyncio
import contextlib
import json
import tempfile
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Page

from penultima.client import Client, TableClient
from penultima.receipt import Receipts, read
from penultima.record import Record
from tests.server.cheating import CAUGHT, CheatingServer
from tests.server.harness import a_server, gather_people, play_on, until
from tests.web.browser import Browser, sign_in
from tests.web.player import Player

SHORT = {"seats": 3, "options": {"target": 1, "hand_size": 3}}
PATIENCE = 60
T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """In a thread of its own: the loop of the browser runs in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@contextlib.contextmanager
def cheating(folder: Path, name: str, victim: int = 0) -> Iterator[CheatingServer]:
    server = CheatingServer(folder, name, victim)
    try:
        yield server
    finally:
        if server.running:
            server.kill()


def at_table(browser: Browser, address: str, table: str, token: str, now: bool = True) -> Page:
    context = browser.context(accept_downloads=True)
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{address}/#/t/{table}{'/now' if now else ''}")
    return page


@pytest.mark.parametrize("name", CAUGHT)
def test_the_browser_catches_it(name: str, browser: Browser, tmp_path: Path) -> None:
    with cheating(tmp_path, name) as server:
        table, (client,) = run(gather_people(server.address, 1, **SHORT))
        page = at_table(browser, server.address, table, client.token)
        caught = page.get_by_role("heading", name="This server does not deal fairly")
        player, end = Player(page), time.monotonic() + PATIENCE
        while not caught.count():
            assert time.monotonic() < end, "nothing was caught"
            player.step()
        page.get_by_role("alert").get_by_text("does not play on").wait_for()
        with page.expect_download() as download:
            page.get_by_role("link", name="Save the receipt").click()
        receipt = read(Path(download.value.path()).read_bytes(), "download")
        assert (receipt.table, receipt.seat) == (table, 0)
        assert receipt.attempts
        page.close()


def code_of(page: Page) -> str:
    said = page.get_by_text("Code of this deal").first
    said.wait_for()
    return said.inner_text().split(": ")[1].split(".")[0]


def kept_in(page: Page, table: str, seat: int) -> bytes:
    kept = page.evaluate(f"localStorage.getItem('penultima.receipt.{table}.{seat}')")
    return str(kept).encode()


def test_different_promises_for_different_players(browser: Browser, tmp_path: Path) -> None:
    """Two pages: their codes differ, and the page that was cheated finds it in the record."""
    with cheating(tmp_path, "split", victim=1) as server:
        settings = {"seats": 2, "options": {"target": 1, "hand_size": 3}}
        table, clients = run(gather_people(server.address, 2, **settings))
        first = at_table(browser, server.address, table, clients[0].token, now=False)
        first.get_by_role("button", name="Begin").wait_for()
        second = at_table(browser, server.address, table, clients[1].token, now=False)
        second.get_by_role("button", name="Sit down").first.click()
        first.get_by_text("You").first.wait_for()
        first.wait_for_timeout(300)
        first.get_by_role("button", name="Begin").click()
        assert code_of(first) != code_of(second)
        players, end = (Player(first), Player(second)), time.monotonic() + PATIENCE
        while not all(player.over for player in players):
            assert time.monotonic() < end
            for player in players:
                player.step()
        first.goto(f"{server.address}/#/verify/{table}/1")
        first.get_by_role("heading", name="The deal was fair").wait_for()
        second.goto(f"{server.address}/#/verify/{table}/1")
        second.get_by_role("heading", name="Something does not agree").wait_for()
        wrong = second.locator("li:not(.fine):not(.soft)").all_inner_texts()
        assert any("shown before the deal" in text for text in wrong)
        for page in (first, second):
            page.close()


class Late(TableClient):
    """Promises only when it is let."""

    let = False

    def _deal(self) -> None:
        if self.let:
            super()._deal()


def with_a_late_promise(
    browser: Browser, address: str, table: str, host: Client, guest: Client
) -> tuple[Page, Receipts]:
    """A page that has promised is loaded again, and only then the other promise comes."""
    page = at_table(browser, address, table, host.token, now=False)
    kept = Receipts()
    guest.receipts = kept

    async def promise(when: str) -> None:
        async with Late(guest, table, "Robin", None) as seat:
            await until(seat, lambda s: s.places[1].here)
            (Path(when) / "sits").touch()
            await until(seat, lambda s: "0" in s.promises)
            (Path(when) / "promised").touch()
            while not (Path(when) / "gone").exists():
                await asyncio.sleep(0.02)
            seat.let = True
            seat._deal()
            with contextlib.suppress(Exception):
                await until(seat, lambda s: s.stage == "playing", 15)
                await play_on(seat, Random(1))

    with tempfile.TemporaryDirectory() as folder:
        thread = threading.Thread(target=lambda: asyncio.run(promise(folder)))
        thread.start()

        def wait(name: str) -> None:
            end = time.monotonic() + PATIENCE
            while not (Path(folder) / name).exists():
                assert time.monotonic() < end, name
                page.wait_for_timeout(20)

        wait("sits")
        page.get_by_role("button", name="Begin").click()
        wait("promised")
        page.goto(f"{address}/#/help")
        page.reload()
        (Path(folder) / "gone").touch()
        page.wait_for_timeout(500)
        page.goto(f"{address}/#/t/{table}")
        player, end = Player(page), time.monotonic() + 20
        while not player.over and not page.get_by_role("heading", name="does not deal").count():
            if time.monotonic() > end:
                break
            player.step()
        thread.join(PATIENCE)
    return page, kept


@pytest.mark.parametrize("honest", [True, False])
def test_a_page_that_is_loaded_again_has_not_forgotten(
    honest: bool, browser: Browser, tmp_path: Path
) -> None:
    settings = {"seats": 2, "options": {"target": 1, "hand_size": 3}}
    serving = a_server(tmp_path) if honest else cheating(tmp_path, "promise")
    with serving as server:
        table, (host, guest) = run(gather_people(server.address, 2, **settings))
        page, kept = with_a_late_promise(browser, server.address, table, host, guest)
        receipt = read(kept_in(page, table, 0), "page")
        if honest:
            assert receipt.last.attempt == 1
            assert receipt.own_is_in
            assert receipt.code == kept.find(server.address, table, 1).code
        else:
            page.get_by_role("heading", name="This server does not deal fairly").wait_for()
        page.close()


def test_a_player_whose_seed_is_not_in_the_deal_is_warned(browser: Browser, tmp_path: Path) -> None:
    with cheating(tmp_path, "deaf") as server:
        table, (client,) = run(gather_people(server.address, 1, **SHORT))
        page = at_table(browser, server.address, table, client.token)
        page.get_by_role("alert").get_by_text("the server alone decided it").wait_for()
        page.get_by_role("button", name="Close").first.click()
        Player(page).play_match()
        page.get_by_role("link", name="Check the deal").click()
        page.get_by_text("the server alone decided this deal").wait_for()
        page.close()


def test_the_receipt_of_the_browser_holds_for_the_verifier_too(
    browser: Browser, tmp_path: Path
) -> None:
    with a_server(tmp_path) as server:
        table, (client,) = run(gather_people(server.address, 1, **SHORT))
        page = at_table(browser, server.address, table, client.token)
        Player(page).play_match()
        receipt = read(kept_in(page, table, 0), "page")
        text = run(client.ask("GET", f"/api/tables/{table}/matches/1"))
        receipt.check(Record.from_text(text))
        assert receipt.last.hands.keys() == {"1"}
        assert json.loads(kept_in(page, table, 0))["format"] == receipt.format
        page.close()
