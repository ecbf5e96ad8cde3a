"""What a table tells, when, and for how long."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.web.browser import ON_ITS_SIDE, PHONE, WIDE, Browser, Serving, open_table, sign_in
from tests.web.decks import deck
from tests.web.player import Player
from tests.web.test_screens import overlap

LEAST_TOLD = 64  # lines of the 128 happenings that a table remembers, in a long round

# Whether a lesson is there, and something else in its place.
HIDDEN = """() => {
  const lesson = document.querySelector(".coach p");
  if (!lesson) return false;
  const box = lesson.getBoundingClientRect();
  return [0.1, 0.5, 0.9].some((down) => {
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + down * box.height);
    return !lesson.contains(hit);
  });
}"""


def opened(browser: Browser, serving: Serving, size: tuple[int, int] = PHONE, **more: Any) -> Page:
    token = serving.person()
    settings = {"options": {"target": 100_000}, **more}
    table = open_table(serving, token, 3, **settings)
    context = browser.context(size)
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}/now")
    return page


def test_a_shown_hand_that_was_closed_stays_closed(browser: Browser, serving: Serving) -> None:
    """Also when its cards are played, which changes what is left of it."""
    own = deck("draw", 30, amount=4, challengeable=True)
    page = opened(browser, serving, bot="random", own=own)
    hand = page.locator(".ask", has_text="shows this hand to you")
    player = Player(page, judge=".ask .choices .button:not(.main)", shown=".nothing")
    player.play_until_there(hand.locator("ul li"))
    # Nobody is challenged from now on, so that no other hand is shown.
    Player(page, judge=".ask .choices .main").play_until("shown")
    expect(hand).to_have_count(0)
    player = Player(page, judge=".ask .choices .main", shown=".nothing")
    for _ in range(400):
        player.step()
        assert hand.count() == 0
        if page.locator(".result").count():
            break


def test_the_dealer_draw_covers_neither_piles_nor_lesson(
    browser: Browser, serving: Serving
) -> None:
    for size in (PHONE, WIDE, ON_ITS_SIDE):
        page = browser.page(browser.context(size))
        page.goto(f"{serving.address}/#/learn")
        page.locator(".coach").wait_for()
        expect(page.locator(".cut, .draw").first).to_be_visible()
        drawn = [one.bounding_box() for one in page.locator(".cut, .draw").all()]
        for spot in ("[data-pile]", "[data-discard]"):
            box = page.locator(spot).bounding_box()
            assert box is not None
            assert not any(overlap(box, one) for one in drawn), (size, spot)
        assert not page.evaluate(HIDDEN)


def test_no_lesson_is_hidden_by_what_it_is_about(browser: Browser, serving: Serving) -> None:
    page = browser.page(browser.context(PHONE))
    page.goto(f"{serving.address}/#/learn")
    player = Player(page)
    both = 0
    for _ in range(20):
        page.locator(".coach").wait_for()
        while not player.over and not both:
            player.step()
            assert not page.evaluate(HIDDEN)
            both += page.evaluate(
                "!!document.querySelector('.coach') && !!document.querySelector('.ask')"
            )
        if both:
            return
        page.reload()  # another first game
    raise AssertionError("nothing was asked while there was a lesson")


def test_every_page_has_a_title_of_its_own(browser: Browser, serving: Serving) -> None:
    page = browser.page(browser.context(PHONE))
    page.goto(f"{serving.address}/#/help")
    page.locator("h1").wait_for()
    before = page.title()
    page.goto(f"{serving.address}/#/learn")
    page.locator(".own li").first.wait_for()
    assert page.title() == "First game · Penultima" != before
    page.goto(f"{serving.address}/#/pass")
    page.get_by_label("Player 1").fill("Ana")
    page.get_by_label("Player 2").fill("Boris")
    page.get_by_role("button", name="Begin").click()
    page.locator(".cover, .own li").first.wait_for()
    assert page.title() == "One device for all · Penultima"


def test_a_reload_loses_neither_what_happened_nor_the_columns(
    browser: Browser, serving: Serving
) -> None:
    page = opened(browser, serving, options={"target": 100_000, "hand_size": 2})
    player = Player(page, between=".nothing")
    result = page.locator(".result")
    columns = result.locator("thead th")
    for rounds in (1, 2):
        player.play_until_there(result)
        expect(columns).to_have_count(rounds + 2)
        if rounds == 1:
            result.locator(".ready").click()
            expect(result).to_have_count(0)
    table = result.locator("table").inner_text()
    before = told(page)
    assert len(before) > 5
    page.reload()
    result.wait_for()
    assert result.locator("table").inner_text() == table
    after = told(page)
    both = min(len(before), len(after))
    assert both >= min(len(before), LEAST_TOLD)
    assert after[-both:] == before[-both:]


def told(page: Page) -> list[str]:
    """The log of the table, which lies under the score sheet."""
    button = page.get_by_role("button", name="What happened")
    button.click()
    lines = page.locator(".log li").all_inner_texts()
    button.click()
    return lines
