"""Every seat's chance with open hands: parts of a whole, the same compiled or not."""

import pytest

from penultima.bots import MANNERS
from penultima.bots.host import question
from penultima.bots.player import PolicyPlayer
from penultima.edition import SHIPPED, shipped
from penultima.errors import ServerError
from penultima.fastforesight import FastForesight
from penultima.foresight import PlainForesight
from penultima.game import Match, key_of_seed
from penultima.position import read_position
from penultima.rules.actions import OVER
from penultima.rules.ask import DECLINE, ask, seat_asked
from penultima.rules.schema import STANDARD, Trace
from penultima.server.replaying import analysis
from tests.support import states
from tests.test_compiled import wide_sheet

# One process compiles for all of them.
pytestmark = pytest.mark.xdist_group("compiled")
BASIC = MANNERS["basic"]


def played_by_bots(seats: int, rounds: int) -> Match:
    """The first rounds of a match between bots."""
    sheet = shipped("classic").with_options({"target": 100_000}).sheet
    match = Match(sheet, [f"P{n}" for n in range(seats)], key_of_seed(7))
    players = [PolicyPlayer("basic", BASIC, n) for n in range(seats)]
    trace = Trace(sheet.rules.size)
    for number in range(rounds):
        if number:
            match.next_round()
        place = 0
        while match.over is None:
            place = ask(sheet.rules, match.game, place)
            seat = seat_asked(match.game, trace, place)
            asked = question(sheet, match.game, seat, place)
            action = players[seat].answer(asked) if asked.legal else DECLINE
            if action == DECLINE:
                place += 1
            else:
                match.play(seat, action)
                place = 0
    return match


@pytest.mark.parametrize("edition", SHIPPED)
def test_chances_are_parts_of_a_whole_and_change_nothing(edition: str) -> None:
    sheet = shipped(edition).sheet
    seer = PlainForesight(sheet, BASIC)
    for n, match in enumerate(states(sheet, 4, 5, 60)):
        before = match.game.to_bytes()
        found = seer.chances(match.game, n, 2)
        assert len(found) == 4 and all(0 <= share <= 1 for share in found)
        assert sum(found) == pytest.approx(1)
        assert match.game.to_bytes() == before
        if match.game.phase == OVER:
            assert sorted(found) in ([0, 0, 0, 1], [0.25] * 4)  # won, or blocked


def test_machine_code_comes_to_the_same_numbers() -> None:
    for sheet in (shipped("classic").sheet, shipped("chili").sheet, wide_sheet()):
        plain, fast = PlainForesight(sheet, BASIC), FastForesight(sheet, BASIC)
        match = Match(sheet, list("abc"), key_of_seed(4))
        assert plain.chances(match.game, 9, 3) == fast.chances(match.game, 9, 3)


def test_all_hands_are_seen() -> None:
    """A last card that fits is as good as won; the same count of cards that do not, is not."""
    sheet = shipped("classic").sheet
    seer = PlainForesight(sheet, BASIC)
    hands = {"fits": ["r7"], "does not": ["b1"]}
    found = {}
    for name, hand in hands.items():
        game = read_position(
            sheet,
            {
                "hands": [hand, ["g1", "g2", "g3", "y4"]],
                "discard": ["r5"],
                "turn": 0,
                "called": [0],
            },
        )
        found[name] = seer.chances(game, 1, 40)[0]
    assert found["fits"] == 1
    assert found["does not"] < 0.9


@pytest.mark.parametrize("compiled", [False, True])
def test_a_record_is_studied_round_by_round(compiled: bool) -> None:
    ready = [STANDARD.kinds] if compiled else []
    match = played_by_bots(3, 2)
    text = match.record().to_text()
    for number, played in enumerate(match.rounds, 1):
        found = analysis(text, number, ready, ready)
        assert len(found.decisions) == len(played.moves)
        assert len(found.chances) == len(played.moves) + 1
        assert all(sum(row) == pytest.approx(1, abs=0.001) for row in found.chances)
        assert [one.seat for one in found.decisions] == [seat for seat, _ in played.moves]
        for one in found.decisions:
            if one.best is not None and one.best != one.action:
                assert one.best_chance is not None and one.chance is not None
                assert one.best_chance > one.chance  # told only where it is better
    assert max(analysis(text, 1, ready, ready).chances[-1]) == 1
    with pytest.raises(ServerError, match="no round 3"):
        analysis(text, 3, ready, ready)
