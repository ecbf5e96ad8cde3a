"""Perft: the core and the reference both give the golden numbers."""

import json

import pytest

from penultima.cli import main
from penultima.edition import SHIPPED
from penultima.perft import NOTHING_YET, divide, perft
from tests.golden import CASES, FILE, Case, by_core, by_reference

GOLDEN = json.loads(FILE.read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_core_gives_the_golden_numbers(case: Case) -> None:
    assert by_core(case).to_json() == GOLDEN[case.name]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_reference_gives_the_golden_numbers(case: Case) -> None:
    assert by_reference(case).to_json() == GOLDEN[case.name]


def test_every_golden_number_belongs_to_a_case() -> None:
    assert list(GOLDEN) == [case.name for case in CASES]


@pytest.mark.parametrize("edition", SHIPPED)
def test_the_command_gives_the_golden_numbers(
    edition: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = f"perft --edition {edition} --players 4 --seed 2 --depth 6 --json"
    assert main(line.split()) == 0
    answer = json.loads(capsys.readouterr().out)
    golden = GOLDEN[f"{edition} 4 seats"]
    assert {name: answer[name] for name in golden} == golden


def test_divide_adds_up() -> None:
    case = CASES[0]
    total = NOTHING_YET
    for part in divide(case.sheet, case.game(), 4).values():
        total = total.plus(part)
    assert total == perft(case.sheet, case.game(), 4)
