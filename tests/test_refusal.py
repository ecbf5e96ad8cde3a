"""A refused action says why: every reason, in every phase, from what the seat knows."""

from collections import Counter
from random import Random
from typing import Any, Final

import pytest

from penultima.cards import TAKE
from penultima.edition import shipped
from penultima.errors import Illegal, Why
from penultima.game import Match
from penultima.notation import PHASE_NAMES, action_text, is_action, move_text
from penultima.position import read_position
from penultima.refusal import explain, why_not
from penultima.rules.actions import DRAWN, PLAY
from penultima.rules.legal import kind_of
from penultima.rules.observe import observe
from penultima.rules.schema import Game, Seen
from penultima.ruleset import Sheet
from tests.lockstep import random_table
from tests.support import assert_speaks, in_all_languages, states

Given = dict[str, Any]
HANDS: Final = [["r7", "b2", "W4"], ["g1", "g2"], ["y5", "y6"]]
OVER: Final = {"hands": [[], ["r7"], ["r8"]], "phase": "over", "winner": 0, "scores": [15, 0, 0]}
W4: Final = {"discard": ["y1", "W4"], "color": "r", "phase": "challenge"}
STACK: Final = {"discard": ["y1", "y+2"], "phase": "stack"}
DEMAND: Final = {"discard": ["r1", "WT"], "color": "g", "phase": "demand"}
GIVE: Final = {"discard": ["r1", "WG"], "color": "g", "phase": "give"}
RACE: Final = {"discard": ["g1", "WC"], "color": "g", "phase": "race"}
SWAP: Final = {"discard": ["r1", "g7"], "phase": "swap"}
MINE: Final = [["g3", "b2", "W4"], ["g4", "g2"], ["b5", "b6"]]
EMPTY: Final = {"hands": 3}  # nothing left to draw: filled in below

# What: edition, options, position, move, reason, what it speaks of.
CASES: Final[dict[str, tuple[str, Given, Given, str, str, Given]]] = {
    "a card of somebody else": ("classic", {}, {}, "0:g1", "not_held", {"card": "g1"}),
    "a card that does not fit": (
        "classic", {}, {}, "0:b2", "no_match", {"card": "b2", "top": "r3"}),
    "a card of another color than the named one": (
        "classic", {}, {"discard": ["r1", "W"], "color": "g"}, "0:b2", "other_color",
        {"card": "b2", "color": "g"}),
    "a bluff where there are none": (
        "classic", {"no_bluffing": True}, {}, "0:W4:b", "would_bluff",
        {"card": "W4", "color": "r"}),
    "a bluff with the card just drawn": (
        "classic", {"no_bluffing": True}, {"drawn": "W4"}, "0:W4:b", "would_bluff",
        {"card": "W4", "color": "r"}),
    "a bluff on a stack": (
        "classic", {"no_bluffing": True, "stacking": "same"},
        {"discard": ["y1", "W4"], "color": "r", "phase": "stack"}, "0:W4:b", "would_bluff",
        {"card": "W4", "color": "r"}),
    "out of turn": ("classic", {}, {}, "1:g1", "not_your_turn", {}),
    "drawing out of turn": ("classic", {}, {}, "1:draw", "not_your_turn", {}),
    "accepting out of turn": ("classic", {}, W4, "1:accept", "not_your_turn", {}),
    "another card after drawing": (
        "classic", {}, {"drawn": "b2"}, "0:r7", "only_drawn", {"card": "b2"}),
    "the drawn card, which does not fit": (
        "classic", {}, {"drawn": "b2"}, "0:b2", "no_match", {"card": "b2", "top": "r3"}),
    "drawing twice": ("classic", {}, {"drawn": "b2"}, "0:draw", "drew_already", {"card": "b2"}),
    "keeping what must be played": (
        "classic", {}, {"drawn": "r7"}, "0:keep", "must_play_drawn", {"card": "r7"}),
    "drawing under forced play": ("classic", {"forced_play": True}, {}, "0:draw", "must_play", {}),
    "drawing a stack under forced play": (
        "classic", {"forced_play": True, "stacking": "same"},
        {**STACK, "hands": [["b+2", "b2"], ["g1", "g2"], ["y5", "y6"]]}, "0:draw", "must_play", {}),
    "drawing from nothing": ("classic", {}, EMPTY, "0:draw", "must_play_empty", {}),
    "keeping without having drawn": ("classic", {}, {}, "0:keep", "not_drawn", {}),
    "a demand answered with any card": (
        "triforce", {}, {**DEMAND, "hands": MINE}, "0:b2", "demand_first",
        {"card": "b2", "color": "g", "count": 3}),
    "a demand answered with a wild card": (
        "triforce", {}, {**DEMAND, "hands": MINE}, "0:W4:g", "demand_first",
        {"card": "W4", "color": "g", "count": 3}),
    "a demand answered with a card of somebody else": (
        "triforce", {}, {**DEMAND, "hands": MINE}, "0:g9", "not_held", {"card": "g9"}),
    "drawing although a demand can be answered": (
        "triforce", {}, {**DEMAND, "hands": MINE}, "0:draw", "must_answer", {"color": "g"}),
    "any card on a stack": (
        "classic", {"stacking": "same"}, STACK, "0:r7", "stack_first",
        {"card": "r7", "top": "y+2", "count": 2}),
    "a Wild Draw Four on a Draw Two where only the same stack": (
        "classic", {"stacking": "same"}, STACK, "0:W4:b", "stack_first",
        {"card": "W4", "top": "y+2", "count": 2}),
    "playing before a challenge is settled": (
        "classic", {}, W4, "0:r7", "judge_first", {"top": "W4"}),
    "drawing before a challenge is settled": (
        "classic", {}, W4, "0:draw", "judge_first", {"top": "W4"}),
    "another's challenge": ("classic", {}, W4, "1:challenge", "only_victim", {}),
    "a challenge of the own card": ("violet", {}, {**W4, "discard": ["g9", "W4"], "color": "b",
        "hands": MINE}, "2:challenge", "own_card", {}),
    "a challenge of nothing": ("classic", {}, {}, "0:challenge", "nothing_to_challenge", {}),
    "a challenge of a Draw Two": (
        "classic", {"stacking": "same"}, STACK, "0:challenge", "nothing_to_challenge", {}),
    "a challenge where nobody bluffs": (
        "classic", {"no_bluffing": True}, {}, "0:challenge", "no_bluffing", {}),
    "accepting nothing": ("classic", {}, {}, "0:accept", "nothing_to_accept", {}),
    "playing before a color is named": ("classic", {}, {"discard": ["W"]}, "0:r7", "name_first",
        {}),
    "naming a color out of turn": (
        "classic", {}, {"discard": ["W"]}, "1:color:r", "not_your_turn", {}),
    "naming a color in between": ("classic", {}, {}, "0:color:r", "no_color", {}),
    "playing before the gifts": ("revenge", {}, GIVE, "0:r7", "give_first", {"count": 4}),
    "a gift to oneself": ("revenge", {}, GIVE, "0:give:0", "give_yourself", {}),
    "a gift to nobody": ("revenge", {}, GIVE, "0:give:7", "no_such_player", {}),
    "a gift without a Revenge": ("revenge", {}, {}, "0:give:1", "no_gifts", {}),
    "playing in a race": ("chili", {}, {**RACE, "hands": MINE}, "0:g3", "drop_first", {}),
    "dropping twice": (
        "chili", {}, {**RACE, "hands": MINE, "dropped": [1]}, "1:drop", "dropped_already", {}),
    "dropping with no cards": (
        "chili", {}, {**RACE, "hands": [[], ["g3"], ["g4"]]}, "0:drop", "race_without_cards", {}),
    "dropping without a race": ("classic", {}, {}, "0:drop", "no_race", {}),
    "playing before a swap": ("classic", {"seven_zero": True}, SWAP, "0:b2", "swap_first", {}),
    "a swap with oneself": ("classic", {"seven_zero": True}, SWAP, "0:swap:0", "swap_yourself",
        {}),
    "a swap with nobody": ("classic", {"seven_zero": True}, SWAP, "0:swap:8", "no_such_player", {}),
    "a swap without a seven": ("classic", {}, {}, "0:swap:1", "no_swap", {}),
    "a jump-in on the turned card": (
        "classic", {"jump_in": True}, {}, "1:r3", "jump_closed", {}),
    "a jump-in with another card": (
        "classic", {"jump_in": True}, {"discard": ["r1", "r3"]}, "1:g1", "jump_other",
        {"top": "r3"}),
    "a jump-in with a card that is not there": (
        "classic", {"jump_in": True}, {"discard": ["r1", "r3"]}, "1:r3", "not_held",
        {"card": "r3"}),
    "a call where it calls itself": (
        "classic", {"auto_call": True}, {}, "1:call", "calls_itself", {}),
    "a catch where it calls itself": (
        "classic", {"auto_call": True}, {}, "1:catch", "calls_itself", {}),
    "a second call": (
        "classic", {}, {"turn": 1, "called": [1]}, "1:call", "called_already", {}),
    "a call with three": ("classic", {}, {}, "0:call", "call_cards", {"count": 3}),
    "a call with two out of turn": ("classic", {}, {}, "1:call", "call_turn", {}),
    "a call with two when nothing can be played": (
        "classic", {}, {**W4, "turn": 1}, "1:call", "call_moment", {}),
    "a call that is too late": (
        "classic", {}, {"hands": [["r7", "b2"], ["g1"], ["y5"]]}, "1:call", "call_too_late", {}),
    "nobody to catch": ("classic", {}, {}, "0:catch", "nobody_to_catch", {}),
    "nobody but oneself": (
        "classic", {}, {"hands": [["r7", "b2"], ["g1", "g2"], ["y5"]], "exposed": [2]},
        "2:catch", "only_you", {}),
    "anything after the round": ("classic", {}, OVER, "1:r7", "round_over", {}),
    "anything after the match": (
        "classic", {"target": 15}, {**OVER, "over": "match"}, "1:call", "match_over", {}),
}  # fmt: skip


def all_cards(sheet: Sheet) -> Given:
    """Nothing left to draw: all cards but one are in the hands."""
    texts = [face.text for face in sheet.faces for _ in range(face.count)]
    texts.remove("r3")
    return {"hands": [texts[0::3], texts[1::3], texts[2::3]], "discard": ["r3"]}


def at(case: str) -> tuple[Match, str]:
    edition, options, given, move, _, _ = CASES[case]
    sheet = shipped(edition).sheet.with_options(options)
    data = all_cards(sheet) if given is EMPTY else {"hands": HANDS, "discard": ["r3"], **given}
    if edition in ("chili", "violet", "triforce") and data["hands"] is HANDS:
        data["hands"] = MINE
    return Match.at(sheet, read_position(sheet, data)), move


@pytest.mark.parametrize("case", CASES)
def test_a_refusal_says_why(case: str) -> None:
    match, move = at(case)
    seat, _, action = move.partition(":")
    with pytest.raises(Illegal) as refused:
        match.play(int(seat), action)
    _, _, _, _, code, details = CASES[case]
    error = refused.value
    if code in ("round_over", "match_over"):
        assert error.code in ("round_over", "match_is_over")
        return
    why = error.details["why"]
    assert (why.code, why.details) == (code, details)
    assert_speaks(why)
    assert_speaks(error)
    for text, reason in zip(in_all_languages(error), in_all_languages(why), strict=True):
        assert move in text
        assert reason in text


def seen_by(sheet: Sheet, game: Game, seat: int) -> Seen:
    seen = Seen(sheet.rules.size)
    observe(sheet.rules, game, seat, seen)
    return seen


def is_true(sheet: Sheet, seen: Seen, why: Why) -> bool:
    """Whether the seat can see with its own eyes that what it is told is so."""
    rules, details = sheet.rules, why.details
    kind = sheet.kind(details["card"]) if "card" in details else None
    color = sheet.colors.index(details["color"]) if "color" in details else None
    if "top" in details and sheet.kind(details["top"]) != seen.top:
        return False
    if color is not None and color != seen.color:
        return False
    match why.code:
        case "not_held":
            return kind is not None and seen.hand[kind] == 0
        case "no_match" | "other_color":
            assert kind is not None
            face = sheet.faces[seen.top]
            alike = not face.wild and sheet.faces[kind].symbol == face.symbol
            return rules.color[kind] != seen.color and not alike
        case "would_bluff":
            assert color is not None
            return sheet.options.no_bluffing and seen.colors[color] > 0
        case "only_drawn" | "drew_already" | "must_play_drawn":
            return seen.phase == DRAWN and kind == seen.drawn
        case "stack_first":
            return rules.effect[seen.top] == TAKE and details["count"] == seen.due
        case "demand_first" | "give_first":
            return bool(details["count"] == seen.due > 0)
        case "call_cards":
            return bool(details["count"] == seen.counts[seen.seat] > 2)
        case "not_your_turn" | "jump_closed" | "jump_other" | "call_turn":
            return seen.seat != seen.turn
        case "must_play_empty":
            return seen.pile + seen.discards == 1
    return True


def test_every_refusal_of_every_action_has_a_reason_that_its_seat_can_check() -> None:
    met: Counter[str] = Counter()
    phases: set[tuple[str, str]] = set()
    for seed in range(60):
        random = Random(seed)
        sheet, seats, _ = random_table(random)
        actions = [n for n in range(sheet.rules.size.actions) if is_action(sheet, n)]
        for number, match in enumerate(states(sheet, seats, seed, most=60)):
            if number % 4:
                continue
            seat = random.choice([match.game.turn, random.randrange(seats)])
            seen = seen_by(sheet, match.game, seat)
            legal = set(match.legal(seat))
            for action in actions:
                if action in legal:
                    continue
                why = explain(sheet, seen, action)
                what = move_text(sheet, seat, action)
                assert is_true(sheet, seen, why), (what, why.code, why.details)
                assert same(why, why_not(sheet, match.game, seat, action))
                met[why.code] += 1
                phases.add((PHASE_NAMES[match.game.phase], why.code))
                if action >= PLAY and why.code == "not_held" and seat == match.game.turn:
                    assert sheet.texts[kind_of(sheet.rules, action)] == why.details["card"]
                    assert action_text(sheet, action).startswith(why.details["card"])
    rare = {"only_you", "race_without_cards"}
    assert {code for *_, code, _ in CASES.values()} == set(met) | rare
    assert {phase for phase, _ in phases} == set(PHASE_NAMES.values())


def same(one: Why, other: Why) -> bool:
    return (one.code, one.details) == (other.code, other.details)
