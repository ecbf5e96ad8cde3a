"""Hypothesis strategies that spoil good input a little: data, and text."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

NUMBERS = st.one_of(
    st.integers(-3, 12),
    st.sampled_from([99, 127, 128, 255, 30_000, 2**15, 2**31 - 1, 2**31, 2**63, -(2**63), 10**400]),
)
CHARACTERS = st.characters(codec="utf-8")
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, st.floats(), st.text(CHARACTERS, max_size=8))
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(CHARACTERS, max_size=4), inner, max_size=3),
    ),
    max_leaves=8,
)


def containers(data: Any) -> Iterator[Any]:
    """All lists and objects in the data that hold anything, itself first."""
    if isinstance(data, dict | list) and data:
        yield data
        for value in data.values() if isinstance(data, dict) else data:
            yield from containers(value)


@st.composite
def spoiled(draw: st.DrawFn, data: Any, values: st.SearchStrategy[Any]) -> Any:
    """A copy in which one to three things were replaced, dropped, doubled or added."""
    copy = deepcopy(data)
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.sampled_from(list(containers(copy))))
        key = draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
        match draw(st.sampled_from(["replace", "replace", "replace", "drop", "double", "add"])):
            case "replace":
                place[key] = draw(values)
            case "drop":
                del place[key]
            case "double" if isinstance(place, list):
                place.append(deepcopy(place[key]))
            case _ if isinstance(place, list):
                place.insert(key, draw(values))
            case _:
                place[draw(st.text(CHARACTERS, max_size=6))] = draw(values)
        if not copy:
            break
    return copy


@st.composite
def spoiled_text(draw: st.DrawFn, text: str, insertions: st.SearchStrategy[str]) -> str:
    """The text with one to three edits: characters, lines, or all from a place on."""
    for _ in range(draw(st.integers(1, 3))):
        lines = text.split("\n")
        line = draw(st.integers(0, len(lines) - 1))
        other = draw(st.integers(0, len(lines) - 1))
        place = draw(st.integers(0, len(lines[line])))
        match draw(st.sampled_from(["change", "insert", "drop", "swap", "double", "cut"])):
            case "change":
                lines[line] = lines[line][:place] + draw(insertions) + lines[line][place + 1 :]
            case "insert":
                lines[line] = lines[line][:place] + draw(insertions) + lines[line][place:]
            case "drop":
                del lines[line]
            case "swap":
                lines[line], lines[other] = lines[other], lines[line]
            case "double":
                lines.insert(other, lines[line])
            case "cut":
                lines[line:] = [lines[line][:place]]
        text = "\n".join(lines)
    return text
