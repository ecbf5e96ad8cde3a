"""Playing without a server: fetched once, kept, and gone on with after everything is away."""

import time
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.web.browser import PHONE, PLAIN, WIDE, Browser, Serving
from tests.web.player import PATIENCE, Player
from tests.web.test_screens import assert_sound

KEPT = """async () => {
  await navigator.serviceWorker.ready;
  const pages = (await caches.keys()).find((name) => name.startsWith("pages-"));
  return (await (await caches.open(pages)).keys()).length;
}"""


def begin(page: Page, **fields: str) -> None:
    """Fill in the form of an offline match, and sit down."""
    for label, value in {"Bots": "1", "Hand size": "4", "Target score": "1", **fields}.items():
        page.get_by_label(label, exact=True).fill(value)
        page.get_by_label(label, exact=True).blur()
    page.get_by_role("button", name="Begin").click()
    page.locator(".own li").first.wait_for()


def fetch(page: Page) -> None:
    page.get_by_role("button", name="Download and play").click()
    page.get_by_role("button", name="Begin").wait_for(timeout=60_000)


def play_to_the_end(page: Page) -> None:
    player = Player(page)
    again = page.get_by_role("button", name="Play again")
    until = time.monotonic() + PATIENCE
    while not again.count():
        assert time.monotonic() < until, f"the match did not end: {sorted(player.seen)}"
        player.step()


def test_a_match_goes_on_without_a_server_and_after_a_reload(
    browser: Browser, tmp_path: Path
) -> None:
    context = browser.context(PHONE)
    page = browser.page(context)
    with Serving(tmp_path) as serving:
        page.goto(serving.address)
        page.get_by_role("link", name="Play offline").click()
        fetch(page)
        assert_sound(page)
        assert page.evaluate(KEPT) > 10
        begin(page)
        Player(page).play_until("play")
        serving.kill()
    context.set_offline(True)
    hand = page.locator(".own li").count()
    page.reload()
    page.locator(".own li").first.wait_for(timeout=60_000)
    assert abs(page.locator(".own li").count() - hand) <= 4  # the same match
    page.get_by_role("button", name="Rules").click()
    page.get_by_role("dialog").get_by_role("heading", name="Deck").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    assert_sound(page)
    play_to_the_end(page)
    page.get_by_role("button", name="Play again").click()
    page.locator(".own li").first.wait_for()


def test_an_app_that_cannot_reach_its_server_offers_to_play_offline(
    browser: Browser, tmp_path: Path
) -> None:
    page = browser.page(browser.context(PHONE))
    with Serving(tmp_path) as serving:
        page.goto(serving.address)
        page.evaluate(KEPT)
        address = serving.address
        serving.kill()
    page.goto(f"{address}/")
    expect(page.get_by_role("alert").first).to_contain_text("cannot be reached")
    page.get_by_role("link", name="Play offline").first.click()
    page.get_by_role("heading", name="Play offline").wait_for()


def test_a_plain_address_plays_on_while_its_page_is_open(
    browser: Browser, serving: Serving
) -> None:
    """There is no service worker and no cache of our own, and all the rest works."""
    context = browser.context(WIDE)
    page = browser.page(context)
    page.goto(f"{serving.address.replace('127.0.0.1', PLAIN)}/#/alone")
    assert page.evaluate("[isSecureContext, typeof caches]") == [False, "undefined"]
    page.get_by_text("At this address the browser cannot store the page itself").wait_for()
    fetch(page)
    context.set_offline(True)
    begin(page)
    play_to_the_end(page)


def test_a_match_goes_on_in_one_place(browser: Browser, serving: Serving) -> None:
    context = browser.context(PHONE)
    first, second = browser.page(context), browser.page(context)
    first.goto(f"{serving.address}/#/alone")
    fetch(first)
    first.get_by_label("Hand size").fill("20")
    first.get_by_label("Bots", exact=True).fill("9")
    first.get_by_role("button", name="Begin").click()
    expect(first.get_by_role("alert").last).to_contain_text("cards")  # more than there are
    begin(first, **{"Hand size": "7", "Target score": "100000"})
    second.goto(f"{serving.address}/#/alone/play")
    second.locator(".own li").first.wait_for(timeout=60_000)
    first.get_by_role("button", name="Continue your offline match").wait_for()
