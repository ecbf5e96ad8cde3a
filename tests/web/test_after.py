"""After a match: replay, verification, history; and other ways to play."""

from pathlib import Path

from playwright.sync_api import Page, expect

from penultima.game import Match
from penultima.record import Record
from tests.web.browser import PHONE, WIDE, Browser, Serving, open_table, sign_in
from tests.web.player import Player


def finished(browser: Browser, serving: Serving, size: tuple[int, int] = PHONE) -> Page:
    token = serving.person()
    table = open_table(serving, token, 3, options={"target": 1, "hand_size": 4})
    context = browser.context(size, accept_downloads=True)
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}/now")
    Player(page).play_match()
    return page


def test_a_match_is_replayed_step_by_step_with_open_hands(
    browser: Browser, serving: Serving, tmp_path: Path
) -> None:
    page = finished(browser, serving, WIDE)
    page.get_by_role("link", name="Replay").click()
    slider = page.get_by_role("slider")
    slider.wait_for()
    assert page.locator(".hands li").count() == 3
    assert page.locator(".hands li").first.locator(".small").count() >= 4
    steps = int(slider.get_attribute("max") or 0)
    assert steps > 3
    page.get_by_role("button", name="Step forward").click()
    assert page.url.endswith("/1")
    slider.press("End")
    assert page.url.endswith(f"/{steps}")
    counts = [row.locator(".small").count() for row in page.locator(".hands li").all()]
    assert min(counts) == 0  # somebody has gone out
    page.reload()  # a link to a moment
    expect(slider).to_have_value(str(steps))
    page.get_by_role("button", name="Ask a bot").click()
    shares = page.locator("figure li b")
    expect(shares).to_have_count(3)
    assert sorted(shares.all_inner_texts()) == ["0\u00a0%", "0\u00a0%", "100\u00a0%"]
    slider.press("Home")
    assert 98 <= sum(int(share.split("\u00a0")[0]) for share in shares.all_inner_texts()) <= 102
    assert page.locator("figure .graph .line").count() == 3  # a line for every seat
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    file = tmp_path / "match.pen"
    download.value.save_as(file)
    Match.replay(Record.from_text(file.read_text("utf-8")))


# The drawing of every face in a list, by the name beside it.
FACES = """([rows, name]) => Object.fromEntries(
  [...document.querySelectorAll(rows)].map((row) => [
    row.querySelector(name).firstChild.textContent.trim(),
    row.querySelector(".face svg").innerHTML,
  ]),
)"""


def test_a_replay_shows_the_faces_of_the_table(browser: Browser, serving: Serving) -> None:
    """Also where somebody chose a picture; and bots stay bots."""
    token = serving.person()
    table = open_table(serving, token, 3, picture="whale", options={"target": 1, "hand_size": 4})
    context = browser.context(PHONE)
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}/now")
    Player(page).play_match()
    there = page.evaluate(FACES, [".result tbody tr", ".who"])
    page.get_by_role("link", name="Replay").click()
    page.get_by_role("slider").wait_for()
    assert page.evaluate(FACES, [".hands li", ".who"]) == there
    assert len(there) == 3
    (match,) = serving.ask("GET", "me/history", token=token)["matches"]
    assert match["faces"] == [
        {"bot": False, "picture": "whale"},
        {"bot": True, "picture": None},
        {"bot": True, "picture": None},
    ]


def test_the_deal_is_verified_in_the_browser(browser: Browser, serving: Serving) -> None:
    page = finished(browser, serving)
    page.get_by_role("link", name="Check the deal").click()
    page.get_by_role("heading", name="The deal was fair").wait_for()
    assert page.locator("li.fine").count() == 4  # promises, key, those kept, our own seed


def test_a_forged_record_is_found_out(browser: Browser, serving: Serving, tmp_path: Path) -> None:
    page = finished(browser, serving)
    page.get_by_role("link", name="Check the deal").click()
    page.get_by_role("heading", name="The deal was fair").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    text = Path(download.value.path()).read_text("utf-8")
    line = next(line for line in text.split("\n") if line.startswith("reveal 0"))
    flipped = line[:-1] + ("0" if line[-1] != "0" else "1")
    forged = tmp_path / "forged.pen"
    forged.write_text(text.replace(line, flipped), "utf-8")
    page.goto(f"{serving.address}/#/verify")
    page.get_by_label("A record").set_input_files(forged)
    page.get_by_role("heading", name="Something does not agree").wait_for()


def test_own_matches_are_listed_and_can_be_forgotten(browser: Browser, serving: Serving) -> None:
    page = finished(browser, serving)
    page.goto(f"{serving.address}/#/history")
    page.get_by_role("link", name="Replay").wait_for()
    assert page.get_by_role("row", name="All").get_by_role("cell").first.inner_text() == "1"
    page.get_by_role("button", name="Forget my matches").click()
    page.get_by_role("button", name="Really forget?").click()
    page.get_by_text("No finished matches yet").wait_for()


def test_one_device_for_all(browser: Browser, serving: Serving) -> None:
    """Hands are covered until the one whose turn it is asks for them."""
    page = browser.page(browser.context(PHONE))
    page.goto(f"{serving.address}/#/pass")
    page.get_by_label("Player 1").fill("Ana")
    page.get_by_label("Player 2").fill("Boris")
    page.get_by_role("button", name="Begin").click()
    shown: set[str] = set()
    player = Player(page)
    for _ in range(4000):
        cover = page.locator(".cover h1")
        if cover.count():
            assert page.locator("[data-card]").count() == 0
            who = cover.inner_text().removeprefix("Pass the device to ")
            page.get_by_role("button", name=f"I am {who}").click()
            page.locator(".own li").first.wait_for()
            shown.add(who)
        player.step()
        if shown == {"Ana", "Boris"} and "between" in player.seen:
            break
    assert shown == {"Ana", "Boris"}


def test_the_first_game_teaches(browser: Browser, serving: Serving) -> None:
    page = browser.page(browser.context(PHONE))
    page.goto(f"{serving.address}/#/learn")
    page.locator(".coach").wait_for()
    Player(page, judge=".ask .choices .button").play_match()


def test_a_match_by_keyboard_alone(browser: Browser, serving: Serving) -> None:
    token = serving.person()
    table = open_table(serving, token, 2, options={"target": 1, "hand_size": 4})
    context = browser.context(PHONE)
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}")
    tab_to(page, "Begin")
    page.keyboard.press("Enter")
    page.locator(".own li").first.wait_for()
    lost = 0
    for _ in range(600):
        if page.locator(".result a[href^='#/replay']").count():
            break
        if page.locator(".own li.can").count():
            if (
                page.locator(".own li button:focus").count() == 0
                and not page.locator(".ask").count()
            ):
                tab_to(page, None)
            if page.locator(".ask button:focus").count():
                page.keyboard.press("Enter")
                continue
            page.keyboard.press("Home")
            for _ in range(page.locator(".own li").count()):
                if page.locator(".own li.can button:focus").count():
                    page.keyboard.press("Enter")
                    page.wait_for_timeout(60)
                    lost += page.evaluate("document.activeElement === document.body")
                    break
                page.keyboard.press("ArrowRight")
        elif page.locator(".ask button:focus").count():
            page.keyboard.press("Enter")
        elif page.locator(".actions .main[aria-disabled=false]").count():
            tab_to(page, page.locator(".actions .main").inner_text())
            page.keyboard.press("Enter")
        page.wait_for_timeout(40)
    page.locator(".result").wait_for()
    assert lost == 0  # the focus is kept after every move


def tab_to(page: Page, name: str | None) -> None:
    """Press Tab until the focus is on a button of that name, or on a card."""
    for _ in range(60):
        page.keyboard.press("Tab")
        text = page.evaluate("document.activeElement.innerText ?? ''")
        on_card = page.locator("[data-card]:focus").count() > 0
        if on_card if name is None else text.strip() == name:
            return
    raise AssertionError(f"{name} cannot be reached by Tab")
