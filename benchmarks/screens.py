"""Writes docs/screens/web/: every screen of the browser client, as it really looks.

python -m benchmarks.screens
"""

import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.sync_api import Page

from penultima.edition import SHIPPED
from penultima.locale import LANGUAGES
from tests.web.browser import PHONE, WIDE, Browser, Serving, open_table, sign_in
from tests.web.player import Player

FOLDER: Final = Path(__file__).parents[1] / "docs" / "screens" / "web"
COLORS: Final = 128  # of a picture, which makes it a quarter as large
WIDEST: Final = 800
PLAIN: Final = {
    "home": ("", "en"),
    "new": ("new", "es"),
    "lobby": ("lobby", "ru"),
    "rules": ("rules/triforce", "en"),
    "help": ("help", "es"),
    "pass": ("pass", "ru"),
    "alone": ("alone", "es"),
}


class Camera:
    def __init__(self, browser: Browser, serving: Serving) -> None:
        self._browser, self._serving = browser, serving

    def page(self, size: tuple[int, int], language: str, token: str, path: str) -> Page:
        context = self._browser.context(size, language)
        sign_in(context, token)
        page = self._browser.page(context)
        page.goto(f"{self._serving.address}/#/{path}")
        page.wait_for_load_state("networkidle")
        return page

    def shoot(self, page: Page, name: str) -> None:
        page.wait_for_timeout(400)
        FOLDER.mkdir(parents=True, exist_ok=True)
        picture = Image.open(BytesIO(page.screenshot(scale="css"))).convert("RGB")
        picture.thumbnail((WIDEST, WIDEST))
        small = picture.quantize(COLORS, dither=Image.Dither.NONE)
        small.save(FOLDER / f"{name}.png", optimize=True)
        print(name, flush=True)

    def table(
        self, size: tuple[int, int], language: str, seats: int, **settings: Any
    ) -> tuple[Page, Player]:
        token = self._serving.person()
        table = open_table(self._serving, token, seats, **settings)
        page = self.page(size, language, token, f"t/{table}/now")
        page.locator(".own li").first.wait_for()
        return page, Player(page)


def plain(camera: Camera, serving: Serving) -> None:
    for name, (path, language) in PLAIN.items():
        page = camera.page(PHONE, language, serving.person(), path)
        camera.shoot(page, name)
    token = serving.person()
    table = open_table(serving, token, 2)
    camera.shoot(camera.page(PHONE, "es", token, f"t/{table}"), "gather")
    learn = camera.page(PHONE, "ru", serving.person(), "learn")
    learn.locator(".coach").wait_for()
    camera.shoot(learn, "learn")


def editions(camera: Camera) -> None:
    """A table of each edition, on a phone and on a wide screen."""
    for n, edition in enumerate(SHIPPED):
        for size, seats, word in ((PHONE, 3 + n, "phone"), (WIDE, 10 - 2 * n, "wide")):
            page, player = camera.table(
                size, LANGUAGES[(n + (word == "wide")) % 3], seats, edition=edition
            )
            player.play_until("play")
            for _ in range(200):
                if page.locator(".own li.can").count() and not page.locator(".ask").count():
                    break
                if page.locator(".ask, .result").count():
                    player.step()
                page.wait_for_timeout(30)
            camera.shoot(page, f"table-{edition}-{word}")
            page.close()


def after(camera: Camera, serving: Serving) -> None:
    page, player = camera.table(
        PHONE, "en", 4, edition="classic", options={"target": 1, "hand_size": 5}
    )
    player.play_match()
    camera.shoot(page, "result")
    page.locator(".result a[href^='#/verify']").click()
    page.locator("h2.good").wait_for()
    camera.shoot(page, "verify")
    page.goto(f"{serving.address}/#/history")
    replay = page.locator("a[href^='#/replay']")
    replay.wait_for()
    camera.shoot(page, "history")
    replay.click()
    page.get_by_role("slider").press("PageUp")
    page.get_by_role("button", name="Ask a bot").click()
    page.locator("figure").wait_for()
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    camera.shoot(page, "replay")


def decisions(camera: Camera) -> None:
    """A wild card's color with the warning of a bluff, a challenge, a race."""
    wanted = {
        "bluff": ("ru", "classic", ".ask .warning"),
        "challenge": ("es", "violet", ".ask .choices .main"),
        "race": ("en", "chili", ".race button.go"),
        "give": ("ru", "revenge", ".ask .choices .button .face"),
    }
    for name, (language, edition, selector) in wanted.items():
        page, player = camera.table(PHONE, language, 4, edition=edition)
        for _ in range(4000):
            if page.locator(selector).count():
                break
            player.step()
        camera.shoot(page, name)
        page.close()


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Serving(Path(folder)) as serving,
        Browser() as browser,
    ):
        camera = Camera(browser, serving)
        plain(camera, serving)
        editions(camera)
        after(camera, serving)
        decisions(camera)


if __name__ == "__main__":
    main()
