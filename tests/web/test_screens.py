"""Every screen: in three languages, without a gap or an overflow, and for everybody."""

import re
from pathlib import Path
from typing import Any, Final

import pytest
import qrcode.util
from playwright.sync_api import Page, expect
from qrcode.constants import ERROR_CORRECT_M

import hatch_build
from penultima.locale import LANGUAGES
from tests.web.browser import ON_ITS_SIDE, PHONE, WIDE, Browser, Serving, open_table, sign_in
from tests.web.player import Player

AXE: Final = Path(hatch_build.WEB) / "node_modules" / "axe-core" / "axe.min.js"
SCREENS: Final = {
    "home": "",
    "new": "new",
    "lobby": "lobby",
    "rules": "rules/triforce",
    "help": "help",
    "history": "history",
    "pass": "pass",
    "alone": "alone",
    "verify": "verify",
}
# Text that runs out of its box to the right, unless an ellipsis says so.
OVERFLOWING: Final = """() => {
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push("page");
  for (const one of document.querySelectorAll("button, a, h1, h2, p, label, th, td, span")) {
    const style = getComputedStyle(one);
    if (style.textOverflow === "ellipsis" || one.classList.contains("hidden")) continue;
    if (one.clientWidth && one.scrollWidth > one.clientWidth + 1 && style.overflowX !== "auto")
      found.push(`${one.className} ${one.textContent.trim().slice(0, 40)}`);
  }
  return found;
}"""


def assert_sound(page: Page) -> None:
    """No message is missing and nothing overflows; axe finds nothing either."""
    text = page.locator("body").inner_text()
    assert re.findall(r"\b(?:web|event|ask|card)\.[a-z_]+", text) == []
    assert "{" not in text
    assert page.evaluate(OVERFLOWING) == []
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE.read_text("utf-8"))
    result = page.evaluate("axe.run()")
    faults = [f"{v['id']}: {n['html'][:200]}" for v in result["violations"] for n in v["nodes"]]
    assert faults == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_is_complete_and_accessible(
    name: str, language: str, browser: Browser, serving: Serving
) -> None:
    page = browser.page(browser.context(PHONE, language))
    page.goto(f"{serving.address}/#/{SCREENS[name]}")
    page.locator("h1").wait_for()
    page.wait_for_load_state("networkidle")
    assert page.locator("html").get_attribute("lang") == language
    assert_sound(page)
    page.get_by_role("button", expanded=False).first.click()  # the settings
    assert_sound(page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_is_complete_and_accessible(
    language: str, browser: Browser, serving: Serving
) -> None:
    """From gathering to the score sheet, with ten seats on a phone."""
    token = serving.person()
    table = open_table(serving, token, 10, edition="violet", options={"target": 1, "hand_size": 5})
    context = browser.context(PHONE, language)
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}")
    page.locator(".invite").wait_for()
    assert_sound(page)
    page.locator(".go .main").click()
    page.locator(".own li").first.wait_for()
    assert_sound(page)
    player = Player(page)
    looked: set[str] = set()
    while not player.over:
        player.step()
        if player.seen - looked:
            looked |= player.seen
            assert_sound(page)
    assert_sound(page)


def overlap(one: Any, other: Any) -> bool:
    """Whether two boxes share a spot."""
    across = one["x"] < other["x"] + other["width"] and other["x"] < one["x"] + one["width"]
    down = one["y"] < other["y"] + other["height"] and other["y"] < one["y"] + one["height"]
    return bool(across and down)


def test_all_ten_seats_are_on_the_screen(browser: Browser, serving: Serving) -> None:
    for size in (PHONE, WIDE, ON_ITS_SIDE):
        token = serving.person()
        table = open_table(serving, token, 10)
        context = browser.context(size)
        sign_in(context, token)
        page = browser.page(context)
        page.goto(f"{serving.address}/#/t/{table}/now")
        page.locator(".own li").first.wait_for()
        boxes = page.evaluate(
            "[...document.querySelectorAll('[data-seat], .pile, .discard, .own li, .actions *')]"
            ".map(one => { const b = one.getBoundingClientRect();"
            " return [b.left, b.top, b.right, b.bottom] })"
        )
        assert len([*page.locator("[data-seat]").all()]) == 9
        for left, top, right, bottom in boxes:
            assert left >= -12 and top >= 0 and right <= size[0] + 12 and bottom <= size[1] + 4
        hand, pile, seats = (
            [one.bounding_box() for one in page.locator(what).all()]
            for what in (".own ul", ".pile", "[data-seat]")
        )
        assert not any(overlap(one, other) for one in hand + pile for other in seats)
        assert not overlap(hand[0], pile[0])


def test_the_code_of_a_table_is_its_link(browser: Browser, serving: Serving) -> None:
    """The drawn QR code is the one that an independent program makes, up to the choice of mask."""
    page = browser.page(browser.context(PHONE))
    page.goto(serving.address)
    page.get_by_role("button", name="Play with friends").click()
    link = page.locator(".address").input_value()
    path = page.locator(".invite > svg path").get_attribute("d") or ""
    drawn = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", path)}
    data = qrcode.util.QRData(link.encode(), mode=qrcode.util.MODE_8BIT_BYTE)
    codes = []
    for mask in range(8):
        code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, mask_pattern=mask, border=0)
        code.add_data(data)
        rows = code.get_matrix()
        codes.append({(x, y) for y, row in enumerate(rows) for x, dark in enumerate(row) if dark})
    assert drawn in codes
    expect(page.get_by_label("Code of this table", exact=True)).to_have_text(link[-6:])


def test_a_language_is_chosen_and_remembered(browser: Browser, serving: Serving) -> None:
    page = browser.page(browser.context(PHONE))
    page.goto(serving.address)
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("button", name="Русский").click()
    page.get_by_role("button", name="Играть", exact=True).wait_for()
    page.reload()
    page.get_by_role("button", name="Играть", exact=True).wait_for()


def test_large_text_overflows_nowhere(browser: Browser, serving: Serving) -> None:
    token = serving.person()
    table = open_table(serving, token, 4)
    context = browser.context(PHONE, "ru")
    sign_in(context, token, large=True, language="ru")
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}/now")
    page.locator(".own li").first.wait_for()
    assert page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)") == 20
    assert_sound(page)


CONTRASTS: Final = """() => {
  const light = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const probe = document.body.appendChild(document.createElement("i"));
  return [...document.querySelectorAll("svg[viewBox='0 0 100 150'] text")].map((one) => {
    probe.style.color = one.dataset.on;
    const [a, b] = [light(getComputedStyle(one).fill), light(getComputedStyle(probe).color)];
    return Math.max(a, b) / Math.min(a, b);
  });
}"""


@pytest.mark.parametrize("edition", ["classic", "revenge", "chili", "triforce", "violet"])
def test_what_stands_on_a_card_can_be_read(
    edition: str, browser: Browser, serving: Serving
) -> None:
    """AA, measured on the cards as they are drawn."""
    page = browser.page(browser.context(WIDE))
    page.goto(f"{serving.address}/#/rules/{edition}")
    page.locator("article table svg").first.wait_for()
    found = page.evaluate(CONTRASTS)
    assert len(found) > 20
    assert min(found) >= 4.5
