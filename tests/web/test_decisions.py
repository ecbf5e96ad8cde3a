"""Every decision that a table can ask for, pressed in a real browser."""

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.web.browser import PHONE, Browser, Serving, open_table, sign_in
from tests.web.decks import COLORS, deck
from tests.web.player import Player


def seated(browser: Browser, serving: Serving, seats: int = 3, **settings: Any) -> Page:
    token = serving.person()
    settings.setdefault("options", {"target": 100_000})
    table = open_table(serving, token, seats, **settings)
    context = browser.context(PHONE)
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}/now")
    return page


def wait_for_turn(page: Page) -> None:
    """Wait until cards are asked for; a color or a verdict may be asked for before."""
    cards = page.locator(".own li.can, .actions .main[aria-disabled=false]")
    Player(page, play=".nothing", draw=".nothing").play_until_there(cards)


def told(page: Page, text: str) -> bool:
    """Whether the log of the table tells something like that."""
    button = page.get_by_role("button", name="What happened")
    button.click()
    found = page.locator(".log li", has_text=text).count() > 0
    button.click()
    return found


def play_until_told(player: Player, text: str) -> None:
    """Play on until the log tells something like that."""
    for _ in range(60):
        if told(player.page, text):
            return
        for _ in range(12):
            player.step()
    raise AssertionError(f"nothing like {text!r} was told")


def assert_uncovered(page: Page, selector: str) -> None:
    """Whether a press on the middle of that button reaches it."""
    reached = page.evaluate(
        """selector => {
          const one = document.querySelector(selector), box = one.getBoundingClientRect();
          const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
          return one.contains(hit);
        }""",
        selector,
    )
    assert reached, selector


def test_a_wild_card_asks_for_its_color_and_can_be_taken_back(
    browser: Browser, serving: Serving
) -> None:
    page = seated(browser, serving, own=deck("none", 60))
    wild = page.locator(".own li.can button[data-card^='WX']").first
    Player(page, play=".nothing").play_until_there(wild)
    wild.focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("group", name="which color?")
    expect(panel.get_by_role("button", name="blue")).to_be_focused()
    assert_uncovered(page, ".uno")
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(wild).to_be_focused()
    wild.press("Enter")
    count = page.locator(".own li").count()
    panel.get_by_role("button", name="red").click()
    expect(page.locator(".own li")).to_have_count(count - 1)


def test_bluff_challenge_and_the_hand_shown_to_the_challenger_alone(
    browser: Browser, serving: Serving
) -> None:
    own = deck("draw", 30, amount=4, challengeable=True)
    page = seated(browser, serving, bot="random", own=own)  # who bluffs, and leaves us turns
    challenge = ".ask .choices .button:not(.main)"
    player = Player(page, judge=challenge, shown=".nothing")
    player.play_until_there(page.locator(".ask .warning", has_text="This is a bluff"))
    assert_uncovered(page, ".uno")
    hand = page.locator(".ask", has_text="shows this hand to you")
    player.play_until_there(hand.locator("ul li"))
    assert_uncovered(page, ".uno")
    # Another card may have to be answered for before the panel can be closed.
    Player(page, judge=".ask .choices .main").play_until("shown")
    expect(hand).to_have_count(0)


def test_accepting_draws_the_cards(browser: Browser, serving: Serving) -> None:
    page = seated(browser, serving, own=deck("draw", 40, amount=4, challengeable=True))
    player = Player(page, judge=".ask .choices .main")
    player.play_until("judge")
    play_until_told(player, "You draw")


def test_calling(browser: Browser, serving: Serving) -> None:
    """The button is there before it is needed, and works when it is."""
    page = seated(browser, serving, 2, own=COLORS, options={"target": 100_000, "hand_size": 3})
    player = Player(page)
    player.play_until("call")
    play_until_told(player, "You call")


def test_a_bot_that_forgets_is_caught(browser: Browser, serving: Serving) -> None:
    token = serving.person()
    options = {"target": 100_000, "hand_size": 2, "catch_window": "open", "call_duty": "holding"}
    table = open_table(serving, token, 4, own=COLORS, bot="easy", options=options)
    context = browser.context(PHONE)
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}/now")
    play_until_told(Player(page), "You catch")


def test_given_cards_are_split_as_one_likes(browser: Browser, serving: Serving) -> None:
    page = seated(browser, serving, own=deck("give", amount=3))
    player = Player(page)
    player.play_until("judge")  # the same kind of panel: choose somebody
    play_until_told(player, "You give")


def test_the_race_is_run_with_the_space_bar(browser: Browser, serving: Serving) -> None:
    page = seated(browser, serving, own=deck("race", amount=2))
    player = Player(page)
    player.play_until("race")
    play_until_told(player, "drop")


def test_the_race_is_run_with_a_pointer_and_a_false_start_is_sent(
    browser: Browser, serving: Serving
) -> None:
    page = seated(browser, serving, own=deck("race", amount=2))
    player = Player(page, race=".nothing", wait=".nothing", start=".race button")
    player.play_until("start")
    expect(page.get_by_role("group", name="The race").get_by_role("heading")).to_have_text(
        "Pressed. Waiting for the others…"
    )


def test_a_demand_is_answered_or_paid_for(browser: Browser, serving: Serving) -> None:
    page = seated(browser, serving, own=deck("demand", 30, amount=3))
    player = Player(page)
    play_until_told(player, "You must play a marked")


def test_hands_are_swapped_with_whom_one_likes(browser: Browser, serving: Serving) -> None:
    options = {"target": 100_000, "seven_zero": True}
    own = COLORS.replace("[1, 2, 3]", "[1]").replace("copies = 2", "copies = 30")
    page = seated(browser, serving, own=own, options=options)
    page.locator(".own li").first.wait_for()
    player = Player(page)
    player.play_until("judge")
    play_until_told(player, "You swap")


def test_a_stack_is_passed_on_or_taken(browser: Browser, serving: Serving) -> None:
    options = {"target": 100_000, "stacking": "same", "no_bluffing": True}
    own = deck("draw", 30, amount=4, challengeable=True)
    page = seated(browser, serving, own=own, options=options)
    player = Player(page)
    play_until_told(player, "or pass the penalty on")


def test_jumping_in_out_of_turn(browser: Browser, serving: Serving) -> None:
    options = {"target": 100_000, "jump_in": True, "hand_size": 12}
    own = COLORS.replace("numbers = [1, 2, 3]\ncopies = 8", "numbers = [1]\ncopies = 40")
    page = seated(browser, serving, own=own, options=options)
    impatient = Player(page, play=".own:not(:has(.asked)) li.can button", draw=".nothing")
    usual = Player(page)
    for _ in range(40):
        for _ in range(15):
            impatient.step()
            usual.step()
        if told(page, "You jump in!"):
            return
    raise AssertionError("nobody jumped in")


def test_the_dealer_draw_is_shown(browser: Browser, serving: Serving) -> None:
    """The card that each has drawn, at their seat; ours beside the words."""
    page = seated(browser, serving, 4, own=COLORS)
    page.locator(".draw", has_text="The highest card deals: ").wait_for()
    shown = page.locator(".cut, .draw .card")
    assert shown.count() == 4
    assert page.locator(".cut.best, .draw .best").count() == 1


def test_both_scorings_have_their_sheet(browser: Browser, serving: Serving) -> None:
    for scoring, text in {"winner": "The first to reach", "tally": "the lowest total wins"}.items():
        options = {"target": 1, "scoring": scoring, "hand_size": 3}
        page = seated(browser, serving, options=options)
        Player(page).play_match()
        expect(page.get_by_role("caption")).to_contain_text(text)
        assert page.get_by_role("row").count() == 4


def test_rounds_follow_each_other_and_a_match_can_be_played_again(
    browser: Browser, serving: Serving
) -> None:
    page = seated(browser, serving, options={"target": 60, "hand_size": 3})
    player = Player(page)
    player.play_match()
    page.get_by_role("button", name="Play again").click()
    player.seen.clear()
    player.play_until("play")


def test_a_hint_is_given_where_the_table_allows_it(browser: Browser, serving: Serving) -> None:
    page = seated(browser, serving, 2)
    wait_for_turn(page)
    page.get_by_role("button", name="Hint").click()
    page.locator(".latest", has_text="Best:").wait_for()


def test_a_card_that_cannot_be_played_says_why(browser: Browser, serving: Serving) -> None:
    page = seated(browser, serving, 2, options={"target": 100_000, "no_bluffing": True})
    cards = page.locator(".own li:not(.can) button")
    player = Player(page)
    for _ in range(60):
        wait_for_turn(page)
        if cards.count():
            break
        player.step()
    before = page.locator(".own li").count()
    cards.first.focus()
    page.keyboard.press("Enter")
    reason = "does not fit|would be a bluff|only that card"
    expect(page.locator(".latest")).to_contain_text(re.compile(reason))
    expect(page.locator(".own li")).to_have_count(before)


def test_a_refused_move_snaps_back_with_the_reason(browser: Browser, serving: Serving) -> None:
    page = seated(browser, serving, 2)
    wait_for_turn(page)
    # Another tab of the same seat plays first; this one does not hear of it in time.
    page.evaluate(
        """() => {
          const send = WebSocket.prototype.send;
          WebSocket.prototype.send = function (text) {
            const frame = JSON.parse(text);
            if (frame.type === "act") frame.decision -= 1;
            send.call(this, JSON.stringify(frame));
          };
        }"""
    )
    before = page.locator(".own li").count()
    player = Player(page)
    for _ in range(50):
        player.step()
        if page.get_by_text("Too late").count():
            break
    expect(page.locator(".latest")).to_contain_text("Too late")
    expect(page.locator(".own li")).to_have_count(before)
