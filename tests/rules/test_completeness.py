"""Every clause of the rules is named by a test, and every test here names a clause."""

import ast
from pathlib import Path

from penultima.rulebook import clauses

FILES = sorted(Path(__file__).parent.glob("test_*.py"))


def marks(test: ast.FunctionDef) -> set[str]:
    """The numbers in `@pytest.mark.clause(...)`."""
    return {
        str(ast.literal_eval(number))
        for decorator in test.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.clause"
        for number in decorator.args
    }


def found_in(source: str) -> list[ast.FunctionDef]:
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return [function for function in functions if function.name.startswith("test_")]


def all_tests() -> list[ast.FunctionDef]:
    others = [path for path in FILES if path != Path(__file__)]
    return [test for path in others for test in found_in(path.read_text("utf-8"))]


def test_the_tests_name_exactly_the_clauses_there_are() -> None:
    named = set().union(*map(marks, all_tests()))
    assert sorted(named ^ set(clauses())) == []


def test_every_test_names_a_clause() -> None:
    assert [test.name for test in all_tests() if not marks(test)] == []


def test_no_test_hides_another_of_the_same_name() -> None:
    for path in FILES:
        names = [test.name for test in found_in(path.read_text("utf-8"))]
        assert sorted(names) == sorted(set(names)), path.name
