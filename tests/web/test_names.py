"""What people are called at everybody's table."""

import pytest

from penultima.naming import STARS
from tests.web.browser import PHONE, WIDE, Browser, Serving


@pytest.mark.parametrize(("language", "sit"), [("es", "Sentarse"), ("ru", "Сесть за стол")])
def test_a_friend_who_types_no_name_is_not_called_you(
    language: str, sit: str, browser: Browser, serving: Serving
) -> None:
    ana = browser.page(browser.context(WIDE))
    ana.goto(serving.address)
    ana.get_by_role("button", name="Play with friends").click()
    link = ana.locator(".address").input_value()
    friend = browser.page(browser.context(PHONE, language))
    friend.goto(link)
    friend.get_by_role("button", name=sit).click()
    friend.locator(".invite").wait_for()
    ana.locator("ol .who").nth(1).get_by_text("here").wait_for()
    for page in (ana, friend):
        names = [who.inner_text().split("\n")[0].strip() for who in page.locator("ol .who").all()]
        assert names[:2] == list(STARS[:2])
