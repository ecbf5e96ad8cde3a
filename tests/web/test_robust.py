"""Lost lines, second tabs, and what a browser must never be told."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import WebSocket, expect

from penultima.edition import shipped
from tests.web.browser import PHONE, WIDE, Browser, Serving, open_table, sign_in
from tests.web.player import Player


def test_a_game_goes_on_after_the_server_was_killed(browser: Browser, tmp_path: Path) -> None:
    with Serving(tmp_path) as server:
        token = server.person()
        table = open_table(server, token, 3, options={"target": 1, "hand_size": 4})
        context = browser.context(PHONE)
        sign_in(context, token)
        page = browser.page(context)
        page.goto(f"{server.address}/#/t/{table}/now")
        player = Player(page)
        player.play_until("play")
        server.kill()
        expect(page.get_by_role("status").filter(has_text="Reconnecting")).to_be_visible()
        server.start()
        expect(page.get_by_role("status").filter(has_text="Reconnecting")).to_have_count(0)
        player.play_match()


def test_two_tabs_of_one_seat_do_not_fight(browser: Browser, serving: Serving) -> None:
    token = serving.person()
    table = open_table(serving, token, 3, options={"target": 1, "hand_size": 5})
    context = browser.context(WIDE)
    sign_in(context, token)
    pages = [browser.page(context) for _ in range(2)]
    pages[0].goto(f"{serving.address}/#/t/{table}")
    pages[1].goto(f"{serving.address}/#/t/{table}")
    pages[0].get_by_role("button", name="Begin").click()
    players = [Player(page, seed) for seed, page in enumerate(pages)]
    pages[1].locator(".own li").first.wait_for()
    for turn in range(3000):
        player = players[turn % 2]
        player.page.bring_to_front()
        player.step()
        if player.over:
            break
    for page in pages:
        page.locator(".result").wait_for()


def test_a_watcher_sees_no_hand(browser: Browser, serving: Serving) -> None:
    token = serving.person()
    table = open_table(serving, token, 3)
    ana, watcher = browser.context(PHONE), browser.context(WIDE)
    sign_in(ana, token)
    page = browser.page(ana)
    page.goto(f"{serving.address}/#/t/{table}/now")
    page.locator(".own li").first.wait_for()
    other = browser.page(watcher)
    other.goto(f"{serving.address}/#/t/{table}")
    other.get_by_text("You are watching").wait_for()
    assert other.locator(".own").count() == 0
    assert other.locator("[data-card]").count() == 0


def cards_in(node: Any, deck: set[str], path: str = "") -> Iterator[tuple[str, str]]:
    """Every card that a frame names, with where it stands."""
    if isinstance(node, dict):
        for name, value in node.items():
            yield from cards_in(value, deck, f"{path}.{name}")
    elif isinstance(node, list):
        for value in node:
            yield from cards_in(value, deck, path)
    elif isinstance(node, str) and node.split(":")[0] in deck:
        yield path, node


PUBLIC = (".state.view.discard", ".moments.events.card")
OWN = (".state.view.hand", ".state.view.legal", ".state.view.bluffs", ".actions.action")


def test_no_byte_tells_a_card_that_the_seat_may_not_know(
    browser: Browser, serving: Serving
) -> None:
    """Reads all that the browser received in a match of three people's seats and judges it by the
    record of the match."""
    token = serving.person()
    options = {"target": 1, "hand_size": 7}
    table = open_table(serving, token, 3, edition="revenge", options=options)
    context = browser.context(PHONE)
    sign_in(context, token)
    page = browser.page(context)
    frames: list[dict[str, Any]] = []
    bodies: list[str] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: frames.append(json.loads(frame)))

    page.on("websocket", listen)
    page.on(
        "response",
        lambda answer: bodies.append(answer.url) if "/api/" in answer.url else None,
    )
    page.goto(f"{serving.address}/#/t/{table}/now")
    Player(page).play_match()
    deck = {face.text for face in shipped("revenge").sheet.faces}
    told = 0
    hands: list[list[str]] = []
    for frame in frames:
        if frame["type"] in ("welcome", "news"):
            view = frame["state"]["view"]
            if view is not None:
                hands.append(view["hand"])
                assert len(view["hand"]) == view["counts"][0]
                assert view["drawn"] is None or view["turn"] == 0
            for moment in frame["moments"]:
                for event in moment["events"]:
                    if event.get("cards"):
                        drew = event["what"] == "draw" and event["seat"] == 0
                        shown = event["what"] == "show" and event["other"] == 0
                        assert drew or shown, event
        frame.pop("settings", None)
        for path, card in cards_in(frame, deck):
            told += 1
            if path == ".state.view.drawn":
                assert card in frame["state"]["view"]["hand"]
            elif path == ".state.view.shown.cards":
                assert frame["state"]["view"]["shown"]["of"] != 0
            elif path != ".moments.events.cards":
                assert path in PUBLIC + OWN, (path, card)
    assert told > 100
    assert len(hands) > 10
    # Nothing else was fetched before the match was over but who we are.
    assert all(url.endswith(("/api/people", "/api/editions")) for url in bodies)
    # What the page shows of the others is a number of cards.
    assert page.locator("[data-seat] [data-card]").count() == 0
