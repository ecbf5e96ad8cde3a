"""How the client looks and answers where its text does not show it: layout, ground, ways on."""

from pathlib import Path

import pytest
from playwright.sync_api import FloatRect, Page, expect

from penultima.locale import LANGUAGES
from tests.support import edition_text
from tests.web.browser import PHONE, WIDE, Browser, Serving, open_table, sign_in
from tests.web.player import Player

TALL = (1280, 2400)
GOLD = ".button.main:visible"
DISABLED = "rgb(27, 58, 66)"


def test_a_corrected_edition_file_is_read_again(
    browser: Browser, serving: Serving, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    page = browser.page(browser.context(WIDE))
    page.goto(f"{serving.address}/#/new")
    page.locator("summary").click()
    for text in ('id = "broken"', edition_text("revenge")):
        file.write_text(text, "utf-8")
        with page.expect_file_chooser() as chooser:
            page.locator("label:has(input[type=file])").click()
        chooser.value.set_files(file)
        page.locator(".own", has_text="mine.toml").wait_for()
        page.get_by_role("button", name="Open the table").click()
        if text.startswith('id = "broken"'):
            page.get_by_role("alert").filter(has_text="Your edition").wait_for()
    page.get_by_role("heading", name="Table: Revenge").wait_for()
    browser.complaints()  # of the request that was refused


def test_an_edition_file_can_be_taken_back(
    browser: Browser, serving: Serving, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(edition_text("revenge"), "utf-8")
    page = browser.page(browser.context(WIDE))
    page.goto(f"{serving.address}/#/new")
    page.locator("summary").click()
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_role("combobox", name="Edition", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Remove mine.toml").click()
    expect(page.get_by_role("combobox", name="Edition", exact=True)).to_be_enabled()


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_on_the_first_page_stretches_with_the_screen(
    language: str, browser: Browser, serving: Serving
) -> None:
    page = browser.page(browser.context(TALL, language))
    page.goto(serving.address)
    chips = page.locator(".editions label")
    chips.first.wait_for()
    heights = [chip.evaluate("one => one.offsetHeight") for chip in chips.all()]
    assert heights == [heights[0]] * 5
    assert heights[0] < 48


def test_the_ground_has_no_seam(browser: Browser, serving: Serving) -> None:
    """The left edge of the screen looks the same wherever a long page has been scrolled to."""
    page = browser.page(browser.context((390, 844)))
    page.goto(f"{serving.address}/#/rules/classic")
    page.get_by_role("heading", name="Deck").wait_for()
    edge: FloatRect = {"x": 0, "y": 0, "width": 3, "height": 844}
    top = page.screenshot(clip=edge)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert page.evaluate("scrollY") > 844
    assert page.screenshot(clip=edge) == top


def test_a_button_that_is_off_looks_so_under_the_mouse(browser: Browser, serving: Serving) -> None:
    page = browser.page(browser.context(WIDE))
    page.goto(serving.address)
    button = page.locator("button.main")
    button.evaluate("one => (one.disabled = true)")
    button.hover(force=True)
    page.wait_for_timeout(300)  # a color changes slowly
    assert button.evaluate("one => getComputedStyle(one).backgroundColor") == DISABLED


def test_without_its_server_the_first_page_offers_only_what_works(
    browser: Browser, tmp_path: Path
) -> None:
    context = browser.context(PHONE)
    page = browser.page(context)
    with Serving(tmp_path) as serving:
        page.goto(serving.address)
        page.evaluate("navigator.serviceWorker.ready")
        serving.kill()
        page.goto(f"{serving.address}/?again")
        expect(page.locator(GOLD)).to_have_count(1)
        expect(page.locator(GOLD)).to_have_text("Play offline")
        expect(page.get_by_role("button", name="Play", exact=True)).to_have_count(0)
        serving.start()
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    browser.complaints()


@pytest.mark.parametrize("code", ["zzzzzz", "nonsense!", "%", "ABC"])
def test_a_bad_code_leads_on(code: str, browser: Browser, serving: Serving) -> None:
    page = browser.page(browser.context(PHONE))
    page.goto(f"{serving.address}/#/t/{code}")
    page.get_by_role("heading", name="There is no such table.").wait_for()
    expect(page.get_by_role("link", name="Home page")).to_be_visible()
    table = open_table(serving, serving.person(), 3, bots=[])
    page.get_by_label("Code of a table or a seat").fill("x")
    page.get_by_role("button", name="Join").click()
    page.get_by_role("alert").filter(has_text="six letters or digits").wait_for()
    page.get_by_label("Code of a table or a seat").fill(table)
    page.get_by_role("button", name="Join").click()
    page.get_by_role("button", name="Sit down").wait_for()
    browser.complaints()


def between_rounds(browser: Browser, serving: Serving, size: tuple[int, int]) -> Page:
    token = serving.person()
    table = open_table(serving, token, 3, name="W" * 24, options={"hand_size": 2, "target": 500})
    context = browser.context(size)
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}/now")
    Player(page, between="#nothing").play_until_there(page.locator(".result"))
    return page


def test_a_table_that_is_paused_offers_one_thing(browser: Browser, serving: Serving) -> None:
    page = between_rounds(browser, serving, PHONE)
    page.get_by_role("button", name="Pause").click()
    on = page.get_by_role("button", name="Go on")
    on.wait_for()
    expect(page.get_by_role("button", name="Next round")).to_have_count(0)
    expect(page.locator(f".result {GOLD}")).to_have_count(1)
    on.click()
    page.get_by_role("button", name="Next round").wait_for()


@pytest.mark.parametrize("size", [(390, 844), WIDE], ids=str)
def test_the_lines_of_a_result_go_through(
    size: tuple[int, int], browser: Browser, serving: Serving
) -> None:
    """The line below a row is drawn at one height: only cells of a table share their borders."""
    page = between_rounds(browser, serving, size)
    rows = page.locator(".result tbody tr").evaluate_all(
        """rows => rows.map((row) => [...row.cells].map((one) =>
            `${getComputedStyle(one).display} ${one.getBoundingClientRect().bottom}`))"""
    )
    assert len(rows) == 3
    for row in rows:
        assert len(set(row)) == 1
        assert row[0].startswith("table-cell")


@pytest.mark.parametrize("size", [PHONE, WIDE], ids=str)
def test_the_name_of_the_dealer_is_shown_whole(
    size: tuple[int, int], browser: Browser, serving: Serving
) -> None:
    token = serving.person()
    bots = [{"place": 1, "bot": "basic", "name": "W" * 40}]
    table = open_table(serving, token, 2, name="M" * 40, bots=bots)
    context = browser.context(size)
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}/now")
    told = page.locator(".draw span")
    told.wait_for()
    fits = """one => {
      const box = one.getBoundingClientRect();
      return one.scrollWidth <= one.clientWidth && box.left >= 0 && box.right <= innerWidth;
    }"""
    assert told.evaluate(fits)


def test_what_one_does_is_told_in_the_second_person(browser: Browser, serving: Serving) -> None:
    host, guest = serving.person(), serving.person()
    table = open_table(serving, host, 2, bots=[])
    pages = []
    for token, name in ((host, "Ana"), (guest, "Boris")):
        context = browser.context(WIDE)
        sign_in(context, token, name=name)
        pages.append(browser.page(context))
        pages[-1].goto(f"{serving.address}/#/t/{table}")
    pages[1].get_by_role("button", name="Sit down").click()
    pages[0].locator("li", has_text="Boris").wait_for()
    pages[0].get_by_role("button", name="Begin").click()
    told = []
    for page in pages:
        page.locator(".own li").first.wait_for()
        page.get_by_role("button", name="What happened").click()
        told.append(page.locator(".log").inner_text())
    assert "Boris sits down." in told[0]
    assert "You sit down." in told[1]
    assert "Boris sits" not in told[1]
