"""Whole matches in a real browser."""

import pytest

from penultima.edition import SHIPPED
from tests.web.browser import PHONE, SIZES, WIDE, Browser, Serving, open_table, sign_in
from tests.web.player import Player


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("edition", SHIPPED)
def test_a_match_in_every_edition(
    edition: str, size: str, browser: Browser, serving: Serving
) -> None:
    token = serving.person()
    seats = 3 if size == "phone" else 5
    table = open_table(serving, token, seats, edition=edition, options={"target": 1})
    context = browser.context(SIZES[size])
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}/now")
    player = Player(page)
    player.play_match()
    assert "play" in player.seen
    page.get_by_role("heading", name="match").wait_for()


def test_one_press_from_the_first_page_to_a_game(browser: Browser, serving: Serving) -> None:
    page = browser.page(browser.context(PHONE))
    page.goto(serving.address)
    page.get_by_role("button", name="Play", exact=True).click()
    page.locator(".own li").first.wait_for()
    assert page.locator(".own li").count() >= 7


def test_two_people_in_two_browsers(browser: Browser, serving: Serving) -> None:
    """One opens a table, the other comes by its link; bots take the empty seats."""
    ana = browser.page(browser.context(WIDE))
    ana.goto(serving.address)
    ana.get_by_label("Your name").fill("Ana")
    ana.get_by_role("button", name="Play with friends").click()
    link = ana.locator(".address").input_value()
    boris = browser.page(browser.context(PHONE, "ru"))
    boris.goto(link)
    boris.get_by_label("Ваше имя").fill("Борис")
    boris.get_by_role("button", name="Сесть за стол").click()
    ana.get_by_text("Борис").wait_for()
    ana.get_by_role("button", name="Begin").click()
    players = [Player(ana, 1), Player(boris, 2)]
    for _ in range(600):
        for player in players:
            player.step()
        if all({"play", "between"} <= player.seen for player in players):
            break
    assert all("play" in player.seen for player in players)
    assert ana.locator("[data-seat]").count() == 3
    names = {name.strip() for name in ana.locator("[data-seat] .name").all_inner_texts()}
    assert "Борис" in names
