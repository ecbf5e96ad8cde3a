"""Writes docs/screens/web/: every screen of the browser client as it really looks, on a phone and
wide, in every language; and the table in every edition.

python -m benchmarks.screens

Each state is reached once, by playing; three pages, one in each language, look at the same seat.
"""

import tempfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.sync_api import Page

from benchmarks.sheet import grid, masonry
from penultima.edition import SHIPPED
from penultima.locale import LANGUAGES
from tests.web.browser import PHONE, SIZES, Browser, Serving, open_table, sign_in
from tests.web.player import Player

FOLDER: Final = Path(__file__).parents[1] / "docs" / "screens" / "web"
COLORS: Final = 128  # of a single picture, which makes it a quarter as large
WIDEST: Final = 800
LONGEST: Final = {"phone": 1280, "wide": 1200}  # of a long page: its beginning
BOTS: Final = ("Bruno", "Clara", "Dario", "Elena", "Felix", "Greta", "Hugo", "Iris", "Jonas")
SEATS: Final = {"classic": 10, "revenge": 5, "chili": 6, "triforce": 3, "violet": 8}
# Single pictures for the documents: a screen, its language and its size.
ALONE: Final = {
    "home": ("home", "en", "phone"),
    "replay": ("replay", "en", "wide"),
    "table-chili-phone": ("table-chili", "en", "phone"),
    "table-classic-wide": ("table-classic", "en", "wide"),
}
PLAIN: Final = {
    "home": "",
    "new": "new",
    "lobby": "lobby",
    "rules": "rules/triforce",
    "help": "help",
    "pass": "pass",
    "verify": "verify",
    "alone": "alone",
}
# What a decision looks like, and the edition in which it comes up.
DECISIONS: Final = {
    "bluff": ("classic", ".ask .warning"),
    "challenge": ("violet", ".ask .choices .main"),
    "give": ("revenge", ".ask .choices .button .face"),
    "race": ("chili", ".race"),
}
Pages = Mapping[str, Page]
Shots = dict[tuple[str, str], dict[str, Image.Image]]  # by language and size, by name


class Camera:
    def __init__(self, browser: Browser, serving: Serving) -> None:
        self.serving = serving
        self._browser = browser
        self.shots: Shots = {(language, size): {} for language in LANGUAGES for size in SIZES}

    def pages(self, token: str, path: str, name: str = "Ana", avatar: str = "fox") -> Pages:
        """One page in each language, all of the same person."""
        found = {}
        for language in LANGUAGES:
            context = self._browser.context(PHONE, language)
            sign_in(context, token, language=language, name=name, avatar=avatar)
            found[language] = self._browser.page(context)
            found[language].goto(f"{self.serving.address}/#/{path}")
            found[language].wait_for_load_state("networkidle")
        return found

    def shoot(self, name: str, pages: Pages, long: bool = False) -> None:
        for language, page in pages.items():
            for size, (width, height) in SIZES.items():
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_timeout(120)
                shot = Image.open(BytesIO(page.screenshot(scale="css", full_page=long)))
                tallest = min(shot.height, LONGEST[size])
                self.shots[language, size][name] = shot.convert("RGB").crop(
                    (0, 0, shot.width, tallest)
                )
        print(name, flush=True)

    def table(self, seats: int, **settings: Any) -> tuple[Pages, Player]:
        """A match that has begun; who plays on does it on the first page."""
        token = self.serving.person()
        bots = [{"place": n + 1, "bot": "basic", "name": BOTS[n]} for n in range(seats - 1)]
        table = open_table(self.serving, token, seats, bots=bots, picture="fox", **settings)
        begun = self.pages(token, f"t/{table}/now")
        for page in begun.values():
            page.locator(".own li").first.wait_for()
        return begun, Player(begun["en"])


def press(pages: Pages, selector: str) -> None:
    for page in pages.values():
        page.locator(selector).first.click()


def close(pages: Pages) -> None:
    for page in pages.values():
        page.close()


def play_to_a_turn(page: Page, player: Player) -> None:
    """Until a card can be played and nothing lies over the table."""
    while not page.locator(".own li.can").count() or page.locator(".ask").count():
        player.step()


def plain(camera: Camera) -> None:
    for place in (1, 2):
        other = camera.serving.person()
        open_table(camera.serving, other, 4, bots=[], edition=SHIPPED[place], public=True)
    for name, path in PLAIN.items():
        pages = camera.pages(camera.serving.person(), path)
        camera.shoot(name, pages, long=True)
        if name == "home":
            press(pages, ".gear")
            camera.shoot("settings", pages, long=True)
        elif name == "pass":
            press(pages, "form .main")
            for page in pages.values():
                page.locator(".cover").wait_for()
            camera.shoot("pass on", pages)
        close(pages)
    pages = camera.pages(camera.serving.person(), "learn")
    for page in pages.values():
        page.locator(".coach").wait_for()
        play_to_a_turn(page, Player(page))
    camera.shoot("learn", pages)
    close(pages)


def gathering(camera: Camera) -> None:
    """A table where two people meet; one of them is gone when the cards are to be shuffled."""
    token, other = camera.serving.person(), camera.serving.person()
    bots = [{"place": 2, "bot": "basic"}]
    table = open_table(camera.serving, token, 3, bots=bots, picture="fox")
    pages = camera.pages(token, f"t/{table}")
    guests = camera.pages(other, f"t/{table}", "Mila", "owl")
    camera.shoot("come in", guests, long=True)
    guests["en"].locator("form .main").click()
    guests["en"].get_by_role("button", name="Leave the table").wait_for()
    camera.shoot("gather", pages, long=True)
    close(guests)
    pages["en"].locator(".go .main").click()
    for page in pages.values():
        page.locator("main p.who").filter(has_text="Mila").wait_for()
    camera.shoot("shuffle", pages)
    close(pages)


def leaving(camera: Camera) -> None:
    """What can be opened over a table, and what is seen after a seat has moved."""
    pages, player = camera.table(4, edition="classic")
    for _ in range(4):  # so that there is something to tell
        player.seen.clear()
        player.play_until("play")
    play_to_a_turn(pages["en"], player)
    opened = {
        "say": ("header .tool >> nth=2",),
        "log": ("header .tool >> nth=3",),
        "rules over it": ("header .tool >> nth=1",),
        "leave": ("header .tool",),
        "give up": ("header .tool", ".way >> nth=2"),
        "move": ("header .tool", ".way >> nth=1"),
    }
    for name, ways in opened.items():
        for way in ways:
            press(pages, way)
        camera.shoot(name, pages)
        for page in pages.values():
            page.keyboard.press("Escape")
    path = pages["en"].url.removesuffix("/now").split("#/")[1]
    watchers = camera.pages(camera.serving.person(), path)
    camera.shoot("watch", watchers)
    close(watchers)
    for way in opened["move"]:
        press(pages, way)
    link = pages["en"].locator("dialog .address").input_value()
    taken = camera.pages(camera.serving.person(), link.split("#/")[1])
    for page in pages.values():
        page.locator("main.wait").wait_for()
    camera.shoot("moved", pages)
    close(taken)
    close(pages)


def editions(camera: Camera) -> None:
    for edition in SHIPPED:
        pages, player = camera.table(SEATS[edition], edition=edition)
        player.play_until("play")
        play_to_a_turn(pages["en"], player)
        camera.shoot(f"table-{edition}", pages)
        close(pages)


def decisions(camera: Camera) -> None:
    """A wild card's color with the warning of a bluff, a challenge, a gift, a race."""
    for name, (edition, selector) in DECISIONS.items():
        pages, player = camera.table(4, edition=edition)
        for _ in range(8000):
            if pages["en"].locator(selector).count():
                break
            player.step()
        if name == "bluff":
            press({one: page for one, page in pages.items() if one != "en"}, "[data-card^=W4]")
        camera.shoot(name, pages)
        close(pages)


def after(camera: Camera) -> None:
    pages, player = camera.table(4, edition="classic")
    player.play_until_there(pages["en"].locator(".result"))
    camera.shoot("round", pages)
    close(pages)
    pages, player = camera.table(4, edition="classic", options={"target": 60, "hand_size": 5})
    player.play_match()
    camera.shoot("result", pages)
    press(pages, ".result a[href^='#/verify']")
    for page in pages.values():
        page.locator("h2.good").wait_for()
    camera.shoot("verified", pages, long=True)
    for page in pages.values():
        page.goto(f"{camera.serving.address}/#/history")
        page.locator("a[href^='#/replay']").wait_for()
    camera.shoot("history", pages, long=True)
    press(pages, "a[href^='#/replay']")
    for page in pages.values():
        page.get_by_role("slider").press("PageUp")
        page.locator(".links button").click()
        page.locator("figure").wait_for(timeout=60_000)
        page.locator(".thinking").wait_for(state="detached", timeout=60_000)
    camera.shoot("replay", pages, long=True)
    close(pages)


def write(shots: Shots) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    for (language, size), found in shots.items():
        screens = {name: shot for name, shot in found.items() if not name.startswith("table-")}
        masonry(screens, size == "phone").save(
            FOLDER / f"screens-{language}-{size}.webp", quality=72, method=6
        )
    for size in SIZES:
        rows = [
            [shots[language, size][f"table-{edition}"] for edition in SHIPPED]
            for language in LANGUAGES
        ]
        grid(rows, size == "phone").save(FOLDER / f"editions-{size}.webp", quality=72, method=6)
    for name, (screen, language, size) in ALONE.items():
        picture = shots[language, size][screen]
        picture.thumbnail((WIDEST, WIDEST))
        small = picture.quantize(COLORS, dither=Image.Dither.NONE)
        small.save(FOLDER / f"{name}.png", optimize=True)


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Serving(Path(folder)) as serving,
        Browser() as browser,
    ):
        camera = Camera(browser, serving)
        for part in (plain, gathering, leaving, decisions, after, editions):
            part(camera)
        write(camera.shots)


if __name__ == "__main__":
    main()
