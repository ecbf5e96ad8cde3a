"""The core and the independent reference agree on random games (`tests.lockstep`)."""

import pytest

from penultima.rules import legal as legal_module
from penultima.rules.schema import Game, Ruleset
from tests.lockstep import Difference, Touched, play_one, play_range

GAMES = 2000
PARTS = 40


@pytest.mark.parametrize("part", range(PARTS))
def test_core_and_reference_agree(part: int) -> None:
    size = GAMES // PARTS
    touched = play_range(part * size, (part + 1) * size)
    assert touched.games == size


def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that is also allowed with three cards in hand."""

    def may_call(game: Game, seat: int) -> bool:
        return game.counts[seat] == 3 and seat == game.turn

    monkeypatch.setattr(legal_module, "may_call", may_call)
    with pytest.raises(Difference):
        play_range(0, 20)


def test_a_planted_fault_in_state_alone_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty-handed Wild Draw Four would be judged by the named color."""

    def holds_color(rules: Ruleset, game: Game, seat: int, color: int) -> bool:
        return False

    monkeypatch.setattr("penultima.rules.step.holds_color", holds_color)
    with pytest.raises(Difference):
        play_range(0, 60)


def test_the_games_touch_every_phase_and_effect() -> None:
    total = Touched()
    for seed in range(120):
        total.add(play_one(seed))
    for name in ("name", "turn", "drawn", "demand", "stack", "challenge", "give", "race", "swap"):
        assert total.counts[f"phase {name}"] > 0, name
    for name in ("none", "skip", "reverse", "draw", "give", "race", "demand"):
        assert total.counts[f"effect {name}"] > 0, name
