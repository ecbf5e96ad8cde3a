"""What a table answers, and what it does not understand: nobody waits for nothing."""

import json

from playwright.sync_api import WebSocketRoute, expect

from tests.web.browser import PHONE, Browser, Serving, open_table, sign_in
from tests.web.player import Player


def test_a_hand_can_be_played_on_after_a_move_was_not_understood(
    browser: Browser, serving: Serving
) -> None:
    """A move is spoiled on its way, so that the server answers with a problem."""
    token = serving.person()
    table = open_table(serving, token, 2, options={"target": 100_000})
    context = browser.context(PHONE)
    sign_in(context, token)
    page = browser.page(context)
    spoiled: list[str] = []

    def spoil(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def pass_on(text: str | bytes) -> None:
            frame = json.loads(text)
            if frame["type"] == "act" and not spoiled:
                spoiled.append(frame["id"])
                frame["unknown"] = True
            server.send(json.dumps(frame))

        socket.on_message(pass_on)

    page.route_web_socket("**/ws", spoil)
    page.goto(f"{serving.address}/#/t/{table}/now")
    player = Player(page)
    while not spoiled:
        player.step()
    expect(page.locator(".news .latest")).to_contain_text("did not understand")
    player.play_until_there(page.locator(".result"))
    complaints = browser.complaints()
    assert len(complaints) == 1, complaints
    assert "not_understood" in complaints[0]
