"""A host and their guests: removing somebody, and playing on where somebody does not."""

from playwright.sync_api import Page, expect

from tests.web.browser import PHONE, WIDE, Browser, Serving, open_table, sign_in
from tests.web.player import Player
from tests.web.test_screens import assert_sound


def two_people(browser: Browser, serving: Serving) -> tuple[Page, Page]:
    """Ana, who hosts a table, and Boris, in two browsers."""
    pages = []
    host = serving.person()
    table = open_table(serving, host, 2, bots=[])
    for token, size in ((host, WIDE), (serving.person(), PHONE)):
        context = browser.context(size)
        sign_in(context, token, name="Boris")
        page = browser.page(context)
        page.goto(f"{serving.address}/#/t/{table}")
        pages.append(page)
    ana, boris = pages
    boris.get_by_role("button", name="Sit down").click()
    ana.locator("ol .who").nth(1).get_by_text("Boris").wait_for()
    return ana, boris


def test_a_removal_is_confirmed_and_told(browser: Browser, serving: Serving) -> None:
    ana, boris = two_people(browser, serving)
    remove = ana.get_by_role("button", name="Remove Boris")
    remove.click()
    assert_sound(ana)
    ana.get_by_role("button", name="Keep").click()
    expect(ana.get_by_role("dialog")).to_have_count(0)
    assert boris.locator(".invite").count() == 1
    remove.click()
    ana.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
    told = boris.get_by_role("dialog", name="The host has removed you")
    told.wait_for()
    assert_sound(boris)
    told.get_by_role("button", name="Got it").click()
    boris.get_by_role("button", name="Sit down").click()
    boris.locator(".invite").wait_for()
    boris.get_by_role("button", name="Leave the table").click()  # nobody tells us what we did
    boris.get_by_role("button", name="Sit down").wait_for()
    assert boris.get_by_role("dialog").count() == 0


def test_a_bot_is_removed_at_once(browser: Browser, serving: Serving) -> None:
    token = serving.person()
    table = open_table(serving, token, 2)
    context = browser.context(PHONE)
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}")
    page.get_by_role("button", name="Remove Bot 1").click()
    page.get_by_label("Add a bot").wait_for()


def test_the_host_lets_a_bot_play_for_a_friend_who_does_not(
    browser: Browser, serving: Serving
) -> None:
    ana, boris = two_people(browser, serving)
    ana.get_by_role("button", name="Begin").click()
    player = Player(ana)
    let = ana.get_by_role("button", name="Let a bot play")
    player.play_until_there(let)  # Boris sits there and does nothing
    assert_sound(ana)
    assert boris.get_by_role("button", name="Let a bot play").count() == 0
    let.click()
    boris.get_by_text("A bot is playing for you").wait_for()
    expect(let).to_have_count(0)
    told = {ana: "You let a bot play for Boris.", boris: "Ana lets a bot play for you."}
    for page, text in told.items():
        page.get_by_role("button", name="What happened").click()
        expect(page.locator(".log")).to_contain_text(text)
        page.keyboard.press("Escape")
    boris.get_by_role("button", name="Take over again").click()
    expect(boris.get_by_text("A bot is playing for you")).to_have_count(0)
