"""A seat changes devices, or is given up; and every way out of a match asks first."""

import time
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from penultima.locale import LANGUAGES
from tests.web.browser import PHONE, WIDE, Browser, Serving, open_table, sign_in
from tests.web.player import Player
from tests.web.test_screens import assert_sound


def at_table(
    browser: Browser, serving: Serving, language: str = "en", path: str = "/now", **settings: Any
) -> Page:
    """Somebody at a table with bots; without a path they gather still."""
    token = serving.person()
    table = open_table(serving, token, 3, options={"target": 1, "hand_size": 5}, **settings)
    context = browser.context(PHONE, language)
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}{path}")
    page.locator(".own li, .invite").first.wait_for()
    return page


def hand(page: Page) -> list[str]:
    page.locator(".own li").first.wait_for()
    return [card.get_attribute("data-card") or "" for card in page.locator("[data-card]").all()]


def code_shown(page: Page) -> tuple[str, str]:
    """The code for another device, and the link that carries it."""
    page.get_by_role("button", name="To the home page").click()
    page.get_by_role("button", name="Play on another device").click()
    code = page.get_by_label("Code for your seat", exact=True).inner_text()
    link = page.get_by_label("Link to your seat").input_value()
    assert link.endswith(f"/#/move/{code}")
    return code, link


def test_a_seat_moves_to_another_device_by_a_link(browser: Browser, serving: Serving) -> None:
    old = at_table(browser, serving)
    _, link = code_shown(old)
    expect(old.get_by_role("img", name="QR code for your seat")).to_be_visible()
    new = browser.page(browser.context(WIDE))
    new.goto(link)
    assert len(hand(new)) >= 1
    old.get_by_role("heading", name="You now play this seat on another device.").wait_for()
    old.get_by_role("button", name="Watch here").click()
    old.get_by_text("You are watching").wait_for()
    assert old.locator("[data-card]").count() == 0
    Player(new).play_match()
    new.get_by_role("link", name="Replay").click()  # the match is the new device's
    new.get_by_role("slider").wait_for()


def test_a_seat_moves_by_typing_its_code_and_only_once(browser: Browser, serving: Serving) -> None:
    old = at_table(browser, serving)
    code, link = code_shown(old)
    new = browser.page(browser.context(PHONE))
    new.goto(serving.address)
    new.get_by_label("Code of a table or a seat").fill(code.upper())
    new.get_by_role("button", name="Join").click()
    assert len(hand(new)) >= 1
    old.get_by_role("link", name="Home page").click()
    old.get_by_role("button", name="Play", exact=True).wait_for()
    assert old.get_by_role("link", name="Back to your table").count() == 0
    late = browser.page(browser.context(PHONE))
    late.goto(link)
    late.get_by_text("This code is no longer valid").wait_for()
    # A browser says itself that it was told 404; nothing else has gone wrong.
    complaints = browser.complaints()
    assert all("404" in complaint for complaint in complaints), complaints


def test_a_seat_moves_before_the_match(browser: Browser, serving: Serving) -> None:
    old = at_table(browser, serving, path="")
    old.get_by_role("button", name="Play on another device").click()
    link = old.get_by_label("Link to your seat").input_value()
    new = browser.page(browser.context(PHONE))
    new.goto(link)
    new.get_by_role("button", name="Begin").click()
    assert len(hand(new)) >= 5
    old.get_by_role("heading", name="You now play this seat on another device.").wait_for()


def test_going_home_keeps_the_seat(browser: Browser, serving: Serving) -> None:
    page = at_table(browser, serving)
    leave = page.get_by_role("button", name="To the home page")
    leave.click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    leave.click()
    page.keyboard.press("Enter")  # the first thing offered is to stay
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.locator(".own").count() == 1
    leave.click()
    page.get_by_role("dialog").get_by_role("button", name="To the home page").click()
    page.get_by_role("link", name="Back to your table").click()
    assert len(hand(page)) >= 1


@pytest.mark.parametrize("watchers", [True, False])
def test_a_seat_given_up_is_played_on_by_a_bot(
    watchers: bool, browser: Browser, serving: Serving
) -> None:
    """Also at a table where nobody may watch, which ends the line at once."""
    page = at_table(browser, serving, watchers=watchers)
    table = page.url.split("/t/")[1][:6]
    page.get_by_role("button", name="To the home page").click()
    page.get_by_role("button", name="Give up the seat").click()
    page.get_by_role("button", name="Stay").click()
    assert page.locator(".own").count() == 1
    page.get_by_role("button", name="To the home page").click()
    page.get_by_role("button", name="Give up the seat").click()
    page.get_by_role("button", name="Give it up").click()
    page.get_by_role("button", name="Play", exact=True).wait_for()
    assert page.get_by_role("link", name="Back to your table").count() == 0
    if watchers:
        page.goto(f"{serving.address}/#/t/{table}")
        page.get_by_text("You are watching").wait_for()
    until = time.monotonic() + 15
    while serving.ask("GET", f"tables/{table}")["people"]:  # described now and then in a match
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_ways_out_are_complete_and_accessible(
    language: str, browser: Browser, serving: Serving
) -> None:
    page = at_table(browser, serving, language)
    page.locator("header .tool").first.click()
    assert_sound(page)
    page.locator("dialog .way").nth(2).click()
    assert_sound(page)
    page.locator("dialog .main").click()
    page.locator("header .tool").first.click()
    page.locator("dialog .way").nth(1).click()
    page.locator("dialog .address").wait_for()
    assert_sound(page)
