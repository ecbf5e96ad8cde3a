"""The full screen, by keys and clicks: every decision, every edition, small and wide."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import pytest

from penultima.edition import SHIPPED, shipped
from penultima.game import Match, key_of_seed
from penultima.locale import LANGUAGES, say
from penultima.tui.board import Choices, Story
from penultima.tui.hand import Hand
from penultima.tui.seat import Asked
from penultima.tui.table import Manners
from tests.rules.table import Table, deal_where, table
from tests.screen import AT_ONCE, SMALL, WIDE, Screen, at_screen, edition_of, seated

BOTH = pytest.mark.parametrize("size", [SMALL, WIDE], ids=["80x24", "wide"])


@dataclass(frozen=True)
class Case:
    """A table, the keys that are pressed at it, and the moves and words that come of them."""

    table: Callable[[], Table]
    keys: list[str]
    moves: list[str]
    words: str
    manners: Manners = field(default=AT_ONCE)


def attacked() -> Table:
    return table("classic", ["b2 b4 b5", "W4 r2 y1"], "r3", turn=1).play("1:W4:g")


def demanded() -> Table:
    sheet = shipped("triforce").sheet
    marked = next(face.text for face in sheet.faces if face.marked and face.text[0] == "g")
    hands = [f"{marked} b4 b5", "WT r2 t1"]
    return table("triforce", hands, "r3", turn=1, demand="may").play("1:WT:g")


def stacked() -> Table:
    hands = ["b+2 b4 b5", "r+2 r2 y1"]
    return table("classic", hands, "r3", turn=1, stacking="same").play("1:r+2")


def jumping() -> Table:
    hands = ["r5 b4 b5", "r5 r2 y1", "g1 g2 g3"]
    return table("classic", hands, "r3", turn=1, jump_in=True).play("1:r5")


def exposed() -> Table:
    hands = ["b2 b4 b5", "r7 y9", "g1 g2 r1"]
    return table("classic", hands, "r3", turn=1, catch_window="open").play("1:r7")


def challenged_by_anybody() -> Table:
    hands = ["b2 b4 b5", "W4 p2 u1 u2", "g1 g2 g3"]
    return table("violet", hands, "p3", turn=1).play("1:W4:g")


MARKED = next(f.text for f in shipped("triforce").sheet.faces if f.marked and f.text[0] == "g")
NO_SIGNAL = Manners(pace=0, moment=0, race=(99, 99))
CASES = {
    "a card": Case(
        lambda: table("classic", ["r7 b2 g4", "y1 y2 y3"], "r3"), ["enter"], ["0:r7"], "Your turn."
    ),
    "another card": Case(
        lambda: table("classic", ["r7 r9 g4", "y1 y2 y3"], "r3"),
        ["right", "enter"],
        ["0:r9"],
        "Your turn.",
    ),
    "a wild card, its color by letter": Case(
        lambda: table("classic", ["W b2 b4", "y1 y2 y3"], "r3"),
        ["enter", "g"],
        ["0:W:g"],
        "Your turn.",
    ),
    "a wild card, its color by digit": Case(
        lambda: table("classic", ["W b2 b4", "y1 y2 y3"], "r3"),
        ["enter", "2"],
        ["0:W:g"],
        "Your turn.",
    ),
    "a bluff, taken back and made again": Case(
        lambda: table("classic", ["W4 r2 b4", "y1 y2 y3"], "r3"),
        ["down", "enter", "escape", "enter", "y"],
        ["0:W4:y"],
        "Your turn.",
    ),
    "draw": Case(
        lambda: table("classic", ["b7 b2", "y1 y2 y3"], "r3", pile="g9"), ["d"], ["0:draw"], "Draw"
    ),
    "keep": Case(
        lambda: table("revenge", ["b7 b2", "y1 y2 y3"], "r3", pile="r9"),
        ["d", "k"],
        ["0:draw", "0:keep"],
        "",
    ),
    "play the card drawn": Case(
        lambda: table("revenge", ["b7 b2", "y1 y2 y3"], "r3", pile="r9"),
        ["d", "enter"],
        ["0:draw", "0:r9"],
        "",
    ),
    "challenge": Case(attacked, ["h"], ["0:challenge"], "Accept or challenge?"),
    "accept": Case(attacked, ["a"], ["0:accept"], "Boris makes you draw 4 cards."),
    "challenge out of turn": Case(
        challenged_by_anybody, ["h"], ["0:challenge"], "You can interrupt"
    ),
    "call": Case(
        lambda: table("classic", ["r7 b2", "y1 y2 y3"], "r3"), ["u"], ["0:call"], "Your turn."
    ),
    "catch out of turn": Case(exposed, ["c"], ["0:catch"], "You can interrupt"),
    "let it be": Case(exposed, ["space"], ["2:r1"], "You can interrupt"),
    "jump in": Case(jumping, ["enter"], ["0:r5"], "You can interrupt"),
    "name the first color": Case(
        lambda: deal_where(lambda t: t.phase == "name" and t.turn == 0, "classic", 3),
        ["y"],
        ["0:color:y"],
        "Name a color.",
    ),
    "give": Case(
        lambda: table("revenge", ["WG b2 b5", "r1 r2", "y1 y2"], "r3"),
        ["enter", "b", "2", "3"],
        ["0:WG:b", "0:give:1", "0:give:2"],
        "Your turn.",
    ),
    "a race": Case(
        lambda: table("chili", ["WC b2 b5", "p1 p2"], "p3"),
        ["enter", "b", "space"],
        ["0:WC:b", "0:drop"],
        "Your turn.",
    ),
    "a false start": Case(
        lambda: table("chili", ["WC b2 b5", "p1 p2"], "p3"),
        ["enter", "b", "space"],
        ["0:WC:b", "1:drop"],
        "Your turn.",
        NO_SIGNAL,
    ),
    "answer a demand": Case(demanded, ["enter"], [f"0:{MARKED}"], "Answer the demand"),
    "do not answer a demand": Case(demanded, ["d"], ["0:draw"], "or draw"),
    "pass a stack on": Case(stacked, ["enter"], ["0:b+2"], "Pass the penalty on"),
    "take a stack": Case(stacked, ["d"], ["0:draw"], "or draw 2 cards."),
    "swap hands": Case(
        lambda: table("classic", ["r7 b2 b5", "r1 r2", "y1 y2"], "r3", seven_zero=True),
        ["enter", "3"],
        ["0:r7", "0:swap:2"],
        "Your turn.",
    ),
}


@BOTH
@pytest.mark.parametrize("name", CASES)
def test_every_decision_can_be_made_by_keys(name: str, size: tuple[int, int]) -> None:
    case = CASES[name]
    match = case.table().match
    before = len(match.rounds[-1].moves)

    async def act(screen: Screen) -> None:
        assert case.words in screen.text
        for key in case.keys:
            labels = [chip.label for chip in screen.query("#choices", Choices).chips]
            assert labels
            assert all(label[:22] in screen.text for label in labels)
            assert all(len(line) <= size[0] for line in screen.lines)
            if key == "space":  # the signal of a race comes by a timer
                await screen.pilot.pause(0.15)
            await screen.press(key)
        new = screen.moves[before:]
        assert new[: len(case.moves)] == case.moves

    at_screen(seated(edition_of(match), match), act, size, manners=case.manners)


def test_a_false_start_is_told() -> None:
    match = table("chili", ["WC b2 b5", "p1 p2"], "p3").match

    async def act(screen: Screen) -> None:
        await screen.press("enter", "b")
        assert say("en", "screen.wait") in screen.text
        await screen.press("space")
        assert say("en", "screen.false_start") in "\n".join(screen.query(Story).lines)

    at_screen(seated(edition_of(match), match), act, manners=NO_SIGNAL)


def test_a_bluff_is_warned_of() -> None:
    match = table("classic", ["W4 r2 b4", "y1 y2 y3"], "r3").match

    async def act(screen: Screen) -> None:
        await screen.press("down", "enter")
        assert "That would be a bluff" in screen.text
        assert screen.moves == []

    at_screen(seated(edition_of(match), match), act)


def test_the_moment_to_interrupt_passes_by_itself() -> None:
    match = exposed().match

    async def act(screen: Screen) -> None:
        await screen.pilot.pause(0.4)
        await screen.settled()
        assert "2:r1" in screen.moves

    at_screen(seated(edition_of(match), match), act, manners=Manners(pace=0, moment=0.1))


@pytest.mark.parametrize(
    ("cards", "why"),
    [("b2 r7 r8", "blue 2 does not fit red 3."), ("W4 r7 r8", "would be a bluff")],
)
def test_a_card_that_cannot_be_played_says_why(cards: str, why: str) -> None:
    match = table("classic", [cards, "y1 y2 y3"], "r3", no_bluffing=True).match

    async def act(screen: Screen) -> None:
        hand = screen.query(Hand)
        while hand.card in ("r7", "r8"):
            await screen.press("left")
        await screen.press("enter")
        assert why in screen.text
        assert screen.moves == []

    at_screen(seated(edition_of(match), match), act)


def test_a_round_ends_and_the_next_begins() -> None:
    match = table("classic", ["r7", "y1 y2"], "r3", called=[0]).match

    async def act(screen: Screen) -> None:
        await screen.press("enter")
        assert say("en", "ask.next") in screen.text
        assert screen.table.rounds == [[3, 0]]
        await screen.press("s")
        assert "Total" in screen.text
        await screen.press("escape", "enter")
        assert len(match.rounds) == 2
        assert match.over is None

    at_screen(seated(edition_of(match), match), act)


def test_a_match_ends_and_another_may_begin() -> None:
    match = table("classic", ["r7", "y1 y2"], "r3", called=[0], target=1).match

    async def act(screen: Screen) -> None:
        await screen.press("enter")
        assert "You win the match!" in "\n".join(screen.query(Story).lines)
        await screen.press("n")

    assert at_screen(seated(edition_of(match), match), act).return_value == "again"


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_leaving(key: str) -> None:
    match = table("classic", ["r7 b2 g4", "y1 y2 y3"], "r3").match

    async def act(screen: Screen) -> None:
        await screen.press(key)

    assert at_screen(seated(edition_of(match), match), act).return_value == "quit"


# The mouse


def test_a_click_plays_a_card_draws_and_chooses() -> None:
    match = table("classic", ["W r9 g4", "y1 y2 y3", "y4 y5"], "r3").match

    async def act(screen: Screen) -> None:
        hand = screen.query(Hand)
        await screen.pilot.click(Hand, offset=(hand.cards.index("W") * 6 + 3, 1))
        await screen.settled()
        assert say("en", "ask.name") in screen.text
        await screen.pilot.click("#choices", offset=(3, 0))
        await screen.settled()
        assert screen.moves[0] == "0:W:b"

    at_screen(seated(edition_of(match), match), act)


def test_a_click_on_the_pile_draws() -> None:
    match = table("classic", ["b9 g4", "y1 y2 y3"], "r3").match

    async def act(screen: Screen) -> None:
        await screen.pilot.click("#piles", offset=(4, 3))
        await screen.settled()
        assert screen.moves[0] == "0:draw"

    at_screen(seated(edition_of(match), match), act)


def test_a_click_on_a_seat_swaps_hands() -> None:
    match = table("classic", ["r7 b2 b5", "r1 r2", "y1 y2"], "r3", seven_zero=True).match

    async def act(screen: Screen) -> None:
        await screen.press("enter")
        await screen.pilot.click("#seats", offset=(5, 3))
        await screen.settled()
        assert screen.moves[1] == "0:swap:2"

    at_screen(seated(edition_of(match), match), act)


# Pages


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_rules_scores_and_hints_in_every_language(language: str) -> None:
    match = table("classic", ["r7 b2 g4", "y1 y2 y3"], "r3").match

    async def act(screen: Screen) -> None:
        await screen.press("?")
        assert say(language, "screen.keys.play")[:30] in screen.text
        await screen.press("escape", "r")
        await screen.pilot.pause(0.2)
        name = shipped("classic").file.name.in_language(language)
        assert say(language, "rules.title", edition=name) in screen.text
        await screen.press("escape", "s")
        assert say(language, "screen.total") in screen.text
        await screen.press("escape", "i")
        while "%" not in screen.text:  # or until the test runs out of patience
            await screen.pilot.pause(0.1)
        await screen.press("escape")
        assert screen.moves == []

    at_screen(seated(edition_of(match), match), act, language=language)


def test_keys_lie_where_they_lie_on_a_russian_keyboard() -> None:
    match = table("classic", ["b9 g4", "y1 y2 y3"], "r3").match

    async def act(screen: Screen) -> None:
        await screen.press("в")
        assert screen.moves[0] == "0:draw"

    at_screen(seated(edition_of(match), match), act, language="ru")


# Several people


def test_hands_are_covered_between_people() -> None:
    match = table("classic", ["r1 b3 b8", "r2 r3 g9"], "r5").match

    async def act(screen: Screen) -> None:
        hand = screen.query(Hand)
        assert "Ana, it is your decision." in screen.text
        assert hand.cards == []
        await screen.press("enter")
        assert hand.cards == ["b3", "b8", "r1"]
        await screen.press("up", "enter")
        assert screen.moves == ["0:r1"]
        assert hand.cards == []
        assert "Boris, it is your decision." in screen.text
        await screen.press("enter")
        assert hand.cards == ["g9", "r2", "r3"]

    at_screen(seated(edition_of(match), match, people=2), act)


def test_people_say_who_interrupts() -> None:
    match = table("classic", ["r7 b2", "y1 y2 y3", "g1 g2 g3"], "r3").match

    async def act(screen: Screen) -> None:
        await screen.press("enter", "enter")
        assert "Does anybody want to interrupt?" in screen.text
        await screen.press("3")
        assert "Chen, it is your decision" in screen.text
        await screen.press("enter", "c")
        assert screen.moves == ["0:r7", "2:catch"]
        assert "Boris, it is your decision" in screen.text

    at_screen(seated(edition_of(match), match, people=3), act)


# Whole matches


async def play_on(screen: Screen, random: Random) -> None:
    """Press keys that are offered until the match is over."""
    for _ in range(4000):
        if screen.table.over == "match":
            return
        chips = [chip for chip in screen.query("#choices", Choices).chips if chip.value != "back"]
        hand = screen.query(Hand)
        if not chips:
            await screen.settled()
            continue
        plays = [chip for chip in chips if chip.value == "play"]
        if plays and random.random() < 0.9:
            if hand.chosen is None or random.random() < 0.3:
                await screen.pilot.press("down")
            await screen.press("enter")
        else:
            await screen.press(random.choice(chips).key)
    raise AssertionError("the match does not end")


@pytest.mark.parametrize(
    ("name", "seats", "size"),
    [(name, 2 + number, (SMALL, WIDE)[number % 2]) for number, name in enumerate(SHIPPED)],
    ids=SHIPPED,
)
def test_a_whole_match_of_every_edition_can_be_played(
    name: str, seats: int, size: tuple[int, int]
) -> None:
    edition = shipped(name).with_options({"target": 10, "hand_size": 4})
    match = Match(edition.sheet, ["?"] * seats, key_of_seed(4))
    bots = dict.fromkeys(range(1, seats), "basic")

    async def act(screen: Screen) -> None:
        await play_on(screen, Random(1))

    at_screen(seated(edition, match, bots=bots), act, size)
    assert match.over == "match"
    assert Match.replay(match.record()).over == "match"


def test_every_house_rule_at_once_with_ten_seats_in_a_small_terminal() -> None:
    options = {"stacking": "four_on_two", "seven_zero": True, "jump_in": True, "hand_size": 3}
    edition = shipped("classic").with_options({**options, "target": 1})
    match = Match(edition.sheet, ["?"] * 10, key_of_seed(6))

    async def act(screen: Screen) -> None:
        assert all(name in screen.text for name in match.names[1:])
        await play_on(screen, Random(2))

    at_screen(seated(edition, match, bots=dict.fromkeys(range(1, 10), "basic")), act)
    assert match.over == "match"


def test_a_hand_of_sixty_cards_fits() -> None:
    match = table("classic", ["r7", "y1 y2"], "r3", rest=0).match

    async def act(screen: Screen) -> None:
        asked = screen.table_screen().now.asked
        assert isinstance(asked, Asked)
        hand = screen.query(Hand)
        assert len(hand.cards) > 60
        for at in range(0, len(hand.cards), 9):
            hand.cursor = at
            await screen.settled()
            assert f"[{hand.card}" in screen.text
        assert all(len(line) == 80 for line in screen.lines)

    at_screen(seated(edition_of(match), match), act)
