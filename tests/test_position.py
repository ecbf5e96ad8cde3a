"""Positions: what play comes to is accepted and kept to the byte; what cannot occur is refused."""

import copy
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any, Final

import pytest

from penultima.edition import shipped
from penultima.errors import PenultimaError
from penultima.game import Match
from penultima.notation import PHASE_NAMES
from penultima.position import read_position, write_position
from penultima.position_reader import FAULTS
from penultima.rules.pile import in_discard, top
from penultima.rules.schema import Game
from penultima.ruleset import Sheet
from tests.commands import Ask
from tests.lockstep import random_table
from tests.support import assert_speaks, states

JSON = dict[str, Any]


# What play comes to


def met(seeds: range, most: int) -> Iterator[tuple[Sheet, Match]]:
    """Random tables of all editions and decks, under random options, and how they go on."""
    for seed in seeds:
        sheet, seats, _ = random_table(Random(seed))
        for match in states(sheet, seats, seed, most):
            yield sheet, match


def test_every_position_that_is_played_to_is_accepted_and_kept_to_the_byte() -> None:
    phases: Counter[str] = Counter()
    for number, (sheet, match) in enumerate(met(range(70), most=150)):
        if number % 3 == 0 or match.over:
            written = write_position(sheet, match.game)
            again = read_position(sheet, written)
            assert write_position(sheet, again) == written
            phases[PHASE_NAMES[match.game.phase]] += 1
    assert set(phases) == set(PHASE_NAMES.values()), phases


def test_a_position_with_hands_alone_is_one_that_can_occur() -> None:
    """Left-out fields make a sound position of every top card and phase."""
    for phase, discard in (
        ("turn", ["r3"]),
        ("turn", ["W4"]),
        ("turn", []),
        ("name", ["W"]),
        ("challenge", ["W4"]),
        ("challenge", ["r1", "W4"]),
        ("give", ["WG"]),
    ):
        data: JSON = {"hands": [["r7", "b2"], ["g1", "g2"]], "discard": discard, "phase": phase}
        if discard and discard[-1].startswith("W") and phase != "name":
            data["color"] = "r"
        for turn in (0, 1):
            game = read_position(shipped("revenge").sheet, data | {"turn": turn})
            assert (PHASE_NAMES[game.phase], game.turn) == (phase, turn)


def test_what_is_left_out_of_a_drawn_card_and_a_swap_is_what_play_makes_of_it() -> None:
    revenge = shipped("revenge").sheet.with_options({"seven_zero": True, "jump_in": True})
    hands = [["r7", "b2"], ["g1", "g2"]]
    drawn = read_position(revenge, {"hands": hands, "discard": ["b3"], "drawn": "r7"})
    assert drawn.choice == 1
    swap = read_position(revenge, {"hands": hands, "discard": ["b3", "b7"], "phase": "swap"})
    assert swap.jump == 1


# What cannot be: one example for each reason


TWO: Final = [["r7", "b2"], ["g1", "W4"]]
WON: Final = {"hands": [[], ["r7", "b2"]], "phase": "over", "winner": 0, "scores": [9, 0]}
CASES: Final[dict[str, tuple[str, JSON, JSON, str]]] = {
    "a color is named on a Wild Draw Four": (
        "classic", {}, {"discard": ["W4"], "phase": "name"}, "effect"),
    "a color is named when cards have been played": (
        "classic", {}, {"discard": ["r1", "W"], "phase": "name"}, "effect"),
    "a color is named by somebody else than the dealer's left": (
        "classic", {}, {"discard": ["W"], "turn": 0, "dealer": 0}, "bad_start"),
    "a color is named after a Reverse": (
        "classic", {}, {"discard": ["W"], "direction": -1}, "bad_start"),
    "nine to give": (
        "revenge", {}, {"discard": ["r1", "WG"], "color": "r", "phase": "give", "due": 9},
        "bad_due"),
    "a demand of seven": (
        "triforce", {}, {"hands": [["r7", "b2"], ["g1", "W4"]], "discard": ["WT"], "color": "r",
        "phase": "demand", "due": 7}, "bad_due"),
    "six without stacking": (
        "classic", {}, {"discard": ["r1", "W4"], "color": "b", "phase": "challenge",
        "hands": [["r7"], ["g1", "g2"]], "due": 6}, "bad_due"),
    "a stack of three": (
        "classic", {"stacking": "same"}, {"discard": ["r1", "r+2"], "phase": "stack", "due": 3},
        "bad_due"),
    "a stack of more than there are draw cards": (
        "classic", {"stacking": "same"}, {"discard": ["r1", "r+2"], "phase": "stack", "due": 18},
        "bad_due"),
    "a stack of fours and a two, where only the same stacks": (
        "classic", {"stacking": "same"},
        {"discard": ["r+2", "W4"], "color": "r", "phase": "stack", "due": 6}, "bad_due"),
    "a race for five": (
        "chili", {}, {"discard": ["b1", "WC"], "color": "b", "phase": "race", "due": 5,
        "hands": [["b7", "b2"], ["g1", "W4"]]}, "bad_due"),
    "a race that is left to chance": (
        "chili", {"race": "chance"}, {"discard": ["b1", "WC"], "color": "b", "phase": "race",
        "hands": [["b7", "b2"], ["g1", "W4"]]}, "effect"),
    "a challenge that could still be stacked on": (
        "classic", {"stacking": "same"},
        {"discard": ["r1", "W4"], "color": "b", "phase": "challenge"}, "bad_due"),
    "a bluff without the color": (
        "classic", {}, {"discard": ["y1", "W4"], "color": "b", "phase": "challenge",
        "guilty": True}, "bad_guilt"),
    "honest with the color": (
        "classic", {}, {"hands": [["r7", "b2"], ["g1", "g2", "g3", "g4"]], "discard": ["g1", "W4"],
        "color": "b", "phase": "challenge", "guilty": False}, "bad_guilt"),
    "a challenge of another card": (
        "classic", {}, {"hands": [["r7", "b2"], ["g1", "g2"], ["g5", "g6"]], "turn": 0, "by": 1,
        "discard": ["y1", "W4"], "color": "b", "phase": "challenge"}, "bad_by"),
    "drawn by choice with nothing to play": (
        "classic", {}, {"discard": ["y1"], "drawn": "r7", "choice": True}, "bad_choice"),
    "drawn for want of a card that is there": (
        "classic", {}, {"discard": ["b9"], "drawn": "r7", "choice": False}, "bad_choice"),
    "drawn although a card had to be played": (
        "classic", {"forced_play": True}, {"discard": ["b9"], "drawn": "r7"}, "bad_choice"),
    "drawn as the only card": (
        "classic", {}, {"hands": [["r7"], ["b1"]], "discard": ["y1"], "drawn": "r7"}, "bad_phase"),
    "a jump-in on a wild card": (
        "classic", {"jump_in": True}, {"discard": ["r1", "W"], "color": "b", "jump": True},
        "bad_jump"),
    "a jump-in on the turned card": (
        "classic", {"jump_in": True}, {"discard": ["r1"], "jump": True, "renewals": 0},
        "bad_jump"),
    "no jump-in behind a swap": (
        "classic", {"jump_in": True, "seven_zero": True},
        {"hands": [["r1", "b2"], ["g1"]], "discard": ["r1", "b7"], "phase": "swap",
        "jump": False}, "bad_jump"),
    "points at the target": ("classic", {}, {"scores": [500, 0]}, "bad_scores"),
    "points above the target after a round": (
        "classic", {}, {**WON, "scores": [9, 700]}, "bad_scores"),
    "the match won below the target": (
        "classic", {}, {**WON, "over": "match"}, "bad_scores"),
    "the match won by the seat with fewer points": (
        "classic", {}, {**WON, "over": "match", "winner": 1, "scores": [505, 400]}, "bad_scores"),
    "fewer points than the hands are worth": ("classic", {}, {**WON, "scores": [8, 0]},
        "bad_scores"),
    "a tally below the own hand": (
        "classic", {"scoring": "tally"}, {**WON, "scores": [0, 8]}, "bad_scores"),
    "more decisions than a round has": ("classic", {}, {"decisions": 10_000}, "bad_limit"),
    "passes with a full pile": ("classic", {}, {"passes": 1}, "bad_passes"),
    "a round won by a seat that holds cards": (
        "classic", {}, {**WON, "winner": 1}, "bad_end"),
    "two empty hands": (
        "classic", {}, {"hands": [[], [], ["r7"]], "phase": "over", "winner": 0,
        "scores": [7, 0, 0]}, "bad_end"),
    "an empty hand that plays on": ("classic", {}, {"hands": [[], ["r1"]]}, "bad_end"),
    "a blocked round that was not": (
        "classic", {}, {"phase": "over", "over": "round"}, "bad_end"),
    "an end with somebody else's turn": ("classic", {}, {**WON, "turn": 1, "dealer": 0},
        "bad_end"),
    "exposed with two cards": ("classic", {}, {"exposed": [1]}, "bad_exposed"),
    "exposed after the next turn has begun": (
        "classic", {}, {"hands": [["r7", "b2"], ["g1"], ["g2", "g3"]], "exposed": [1]},
        "bad_exposed"),
    "called out of turn with two": ("classic", {}, {"called": [1]}, "bad_call"),
    "called and exposed": (
        "classic", {}, {"hands": [["r7", "b2"], ["g1"]], "called": [1], "exposed": [1]},
        "bad_exposed"),
    "called under auto_call": ("classic", {"auto_call": True}, {"called": [0]}, "off"),
    "exposed under auto_call": ("classic", {"auto_call": True}, {"exposed": [0]}, "off"),
    "shown cards that have gone": (
        "classic", {}, {"shown": {"of": 0, "to": 1, "cards": ["y9"]}}, "bad_shown"),
    "shown to the same seat": (
        "classic", {}, {"shown": {"of": 0, "to": 0, "cards": ["r7"]}}, "bad_shown"),
    "shown where nobody challenges": (
        "classic", {"no_bluffing": True}, {"shown": {"of": 0, "to": 1, "cards": ["r7"]}},
        "bad_shown"),
    "more seats than the deck is for": (
        "classic", {"hand_size": 40}, {"hands": [["r1"], ["r2"], ["r3"]]}, "hand_size"),
    "no direction": ("classic", {}, {"direction": 0}, "direction"),
    "another direction": ("classic", {}, {"direction": 2}, "direction"),
    "cards in one text": ("classic", {}, {"pile": "r7b2"}, "no_list"),
    "a hand in one text": ("classic", {}, {"hands": ["r7", "b2"]}, "no_cards"),
}  # fmt: skip


def refusal(sheet: Sheet, data: JSON) -> PenultimaError:
    with pytest.raises(PenultimaError) as refused:
        read_position(sheet, data)
    assert_speaks(refused.value)
    return refused.value


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_occur_is_refused_with_its_reason(case: str) -> None:
    edition, options, data, code = CASES[case]
    sheet = shipped(edition).sheet.with_options(options)
    assert refusal(sheet, {"hands": TWO, "discard": ["r3"], **data}).code == code


def test_there_is_an_example_of_every_fault() -> None:
    assert {code for _, code in FAULTS} <= {code for *_, code in CASES.values()} | {"bad_color"}


@pytest.mark.parametrize("field", ["called", "exposed"])
def test_the_field_that_means_nothing_under_auto_call_is_named(field: str) -> None:
    sheet = shipped("classic").sheet.with_options({"auto_call": True})
    error = refusal(sheet, {"hands": [["r7"], ["g1", "g2"]], field: [0]})
    assert error.details == {"field": field, "option": "auto_call"}


def test_a_direction_names_the_two_there_are() -> None:
    text = str(refusal(shipped("classic").sheet, {"hands": TWO, "direction": 0}))
    assert "1 (to the left)" in text
    assert "-1 (to the right)" in text


def test_standard_input_is_called_by_its_name(ask: Ask) -> None:
    for command in ("step", "perft", "advise"):
        answer = ask(command, "--position", "-", text='{"edition"')
        assert (answer.code, answer.out) == (1, "")
        assert answer.err.startswith("Error: standard input is not valid JSON")


# One field changed


Reason = Callable[[Sheet, Game, Game], bool]


def any_time(sheet: Sheet, was: Game, now: Game) -> bool:
    return True


# Why a position that differs from a played one in a single field can still occur.
ALLOWED: Final[dict[str, tuple[str, Reason]]] = {
    "key": ("every key deals some match", any_time),
    "shuffled": ("a shuffle may have thrown any number of numbers away", any_time),
    "round": ("any round of the match may be meant", any_time),
    "renewals": (
        "how often a pile was renewed cannot be seen, but for the card that was turned",
        lambda sheet, was, now: now.renewals > 0 or now.discards > 1 or was.renewals > 0,
    ),
    "decisions": (
        "calls and catches make any number below the limit",
        lambda sheet, was, now: now.decisions <= 10_000 or now.counts[now.by] == 0,
    ),
    "lacked": ("who drew on which color is not kept anywhere else", any_time),
    "direction": (
        "Reverses may lie anywhere, but none has been played when a color is to be named",
        lambda sheet, was, now: PHASE_NAMES[now.phase] != "name",
    ),
    "dealer": (
        "anybody may have dealt, but the next turn of an ended round is the dealer's",
        lambda sheet, was, now: PHASE_NAMES[now.phase] not in ("name", "over"),
    ),
    "turn": (
        "the turn may be anybody's with nothing pending that names another seat",
        lambda sheet, was, now: (
            now.by < 0 and PHASE_NAMES[now.phase] in ("turn", "demand", "drawn")
        ),
    ),
    "color": (
        "any color may have been named",
        lambda sheet, was, now: sheet.faces[top(sheet.rules, was)].wild,
    ),
    "drawn": (
        "another card of the hand may be the one that was drawn",
        lambda sheet, was, now: now.drawn >= 0 and was.drawn >= 0,
    ),
    "due": (
        "some gifts may have been given; the cards of a stack need not lie on top",
        lambda sheet, was, now: PHASE_NAMES[now.phase] in ("give", "stack", "challenge"),
    ),
    "guilty": (
        "the color beneath is not known, or penalty cards came after the play",
        lambda sheet, was, now: (
            now.discards == 1
            or sheet.faces[was.deck[in_discard(sheet.rules, was, 1)]].wild
            or now.counts[now.by] in (2, 3)
        ),
    ),
    "called": (
        "a seat may have called in time or not",
        lambda sheet, was, now: not sheet.options.auto_call,
    ),
    "exposed": (
        "a miss may have been caught or not",
        lambda sheet, was, now: not sheet.options.auto_call,
    ),
    "dropped": (
        "those with cards may have dropped them in any order",
        lambda sheet, was, now: PHASE_NAMES[now.phase] == "race",
    ),
    "jump": (
        "the next turn may have begun or not",
        lambda sheet, was, now: sheet.options.jump_in and PHASE_NAMES[now.phase] == "turn",
    ),
    "passes": (
        "with nothing left to draw others may have passed before",
        lambda sheet, was, now: now.pile == 0 and now.discards == 1,
    ),
    "scores": (
        "any points below the target may have been made in earlier rounds",
        lambda sheet, was, now: (
            (max(now.scores) >= sheet.options.target)
            == (PHASE_NAMES[now.phase] == "over" and now.over == 2)
        ),
    ),
    "shown": (
        "any hand may have been shown to another seat, and cards of it played",
        lambda sheet, was, now: not sheet.options.no_bluffing,
    ),
    "hands": ("hands may be of any size, and hold any cards", any_time),
    "discard": (
        "what lies beneath, and with nothing pending on top, may be any card",
        any_time,
    ),
}
NEVER: Final = ("phase", "choice", "by", "over", "winner")


def changes(data: JSON, sheet: Sheet, random: Random) -> Iterator[tuple[str, JSON]]:
    """The position with one field changed, for each field in some ways."""
    seats = len(data["hands"])
    anybody = list(range(seats))
    values: dict[str, list[Any]] = {
        "color": [None, *sheet.colors],
        "turn": anybody,
        "dealer": anybody,
        "direction": [1, -1],
        "phase": list(PHASE_NAMES.values()),
        "drawn": [None, *data["hands"][data["turn"]][:4]],
        "choice": [True, False],
        "due": [0, 1, 2, 3, 4, 6, 9, 40],
        "by": [None, *anybody],
        "guilty": [None, True, False],
        "called": [[], *([seat] for seat in anybody), anybody],
        "exposed": [[], *([seat] for seat in anybody), anybody],
        "dropped": [[], *([seat] for seat in anybody), anybody],
        "jump": [True, False],
        "passes": [0, 1, seats - 1, seats],
        "decisions": [0, 9_999, 10_000, 10_040, 29_000],
        "renewals": [0, 1, 5],
        "round": [1, 2, 9],
        "shuffled": [0, 1000],
        "scores": [
            [score if seat == who else old for seat, old in enumerate(data["scores"])]
            for who in random.sample(anybody, 2)
            for score in (0, sheet.options.target - 1, sheet.options.target, 10**6)
        ],
        "over": [None, "round", "match"],
        "winner": [None, *anybody, anybody],
        "shown": [None, {"of": 0, "to": 1, "cards": []}, {"of": 0, "to": 0, "cards": []}],
        "key": ["00" * 32],
        "lacked": [[[0] * len(sheet.colors)] * seats],
    }
    for name, others in values.items():
        for value in others:
            if value != data[name]:
                yield name, {**data, name: value}
    if data["pile"]:
        moved = copy.deepcopy(data)  # a card more in a hand, or on the discard pile
        moved["hands"][random.randrange(seats)].append(moved["pile"].pop())
        yield "hands", moved
        moved = copy.deepcopy(data)
        moved["discard"].append(moved["pile"].pop())
        yield "discard", moved
    emptied = copy.deepcopy(data)
    emptied["pile"] += emptied["hands"][random.randrange(seats)]
    emptied["hands"] = [
        [] if not set(hand) - set(emptied["pile"]) else hand for hand in emptied["hands"]
    ]
    yield "hands", emptied


@cache
def few_of_each_phase() -> tuple[tuple[Sheet, Game], ...]:
    found: list[tuple[Sheet, Game]] = []
    seen: Counter[int] = Counter()
    for sheet, match in met(range(200, 290), most=80):
        if seen[match.game.phase] < 25:
            if found and found[-1][0] is sheet and found[-1][1].phase == match.game.phase:
                continue
            seen[match.game.phase] += 1
            found.append((sheet, match.game.copy()))
    assert len(seen) == len(PHASE_NAMES)
    return tuple(found)


def test_a_change_of_one_field_is_refused_or_allowed_for_a_reason() -> None:
    accepted: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for number, (sheet, was) in enumerate(few_of_each_phase()):
        data = write_position(sheet, was)
        for field, changed in changes(data, sheet, Random(number)):
            try:
                now = read_position(sheet, changed)
            except PenultimaError:
                refused[field] += 1
                continue
            if write_position(sheet, now) == data:  # `null` counts as left out
                continue
            accepted[field] += 1
            told = {name: changed[name] for name in (field, "phase", "discard", "hands")}
            assert field not in NEVER, (field, data[field], told)
            reason, holds = ALLOWED[field]
            assert holds(sheet, was, now), (field, data[field], told, reason)
    assert set(ALLOWED) == set(accepted), "a reason that nothing needs"
    free = {"key", "shuffled", "round", "lacked"}
    assert set(refused) == (set(ALLOWED) | set(NEVER)) - free, refused
