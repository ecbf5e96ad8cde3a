"""Edition texts that nobody wrote to play with: what takes forever to parse, what takes over a
terminal."""

import subprocess
import sys

import pytest

from penultima.edition import SHIPPED, read, shipped, unprintable
from penultima.errors import EditionError
from tests.support import assert_speaks, edition_text

SLOW = {
    "a dotted key": ".".join("a" * 32_000) + " = 1",
    "a quoted dotted key": '"a".' * 15_000 + '"a" = 1',
    "a spaced dotted key": "a . " * 15_000 + "a = 1",
    "a dotted header": "[" + ".".join("a" * 32_000) + "]",
    "a hexadecimal number": "x = 0x" + "f" * 60_000,
    "a number with underscores": "x = 1" + "_1" * 30_000,
    "a fraction": "x = 1." + "1" * 60_000,
    "a date with a long fraction": "x = 2020-01-01T00:00:00." + "1" * 60_000,
    "arrays in arrays": "x = " + "[" * 60_000,
    "tables in tables": "x = " + "{x=" * 20_000,
    "quotes": '"""\\' * 15_000,
    "escapes": '"' + '\\"' * 32_000,
    "lines": "\n" * 60_000,
    "words": "x = " + "a" * 60_000,
    "too much": "#" * 70_000,
}

# The whole of it together, in a process that may use so much and no more.
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
resource.setrlimit(resource.RLIMIT_DATA, (300 << 20, 300 << 20))
from penultima.edition import read
from penultima.errors import EditionError
from tests.test_edition_hostile import SLOW
for name, text in SLOW.items():
    try:
        read(text, "edition")
    except EditionError:
        print(name, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
def test_no_text_takes_long_or_much_memory() -> None:
    """Ten seconds of processor in all, where one of them took twenty-six, and others sixty."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.splitlines() == list(SLOW), done.stderr[-500:]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_text_that_quotes_brackets_and_dots_is_no_nesting(name: str) -> None:
    dots, brackets = "a.b.c.d.e.f.g.h.i.j", "[{" * 30
    talks = (
        f'"{dots} {brackets} \\" # \'"',
        f"'{dots} {brackets} \" # '",
        f'"""\\\n{dots}\\\n{brackets} " # \\\n"""',
        f"'''{dots} {brackets} ' \" # '''",
        f"'short' # {dots} {brackets} ' \"",
    )
    for talk in talks:
        before, sheet, after = edition_text(name).partition("\nsheet = ")
        text = before + sheet + talk + after[after.index("\n") :]
        assert read(text, "edition").sheet == shipped(name).sheet


@pytest.mark.parametrize(
    "char",
    ["\x1b", "\x07", "\x00", "\x9b", "\x7f", "\u202e", "\u2066", "\u200b", "\ufeff", "\u2028"],
)
@pytest.mark.parametrize("field", ["name.en", "colors[0].name.ru", "sheet", "sources key"])
def test_no_text_of_an_edition_takes_over_a_terminal(char: str, field: str) -> None:
    text = edition_text("classic")
    escaped = f"\\u{ord(char):04x}"
    if field == "sheet":
        text = text.replace('sheet = "', f'sheet = "{escaped}', 1)
    elif field == "sources key":
        text = text.replace("[sources]", f'[sources]\n"a{escaped}b" = "c"', 1)
    else:
        language = field[-2:]
        start = text.index(f'{language} = "', text.index("[[colors]]") if "colors" in field else 0)
        at = text.index('"', start) + 1
        text = text[:at] + escaped + text[at:]
    with pytest.raises(EditionError) as caught:
        read(text, "edition")
    assert caught.value.code == "control"
    assert char not in str(caught.value)
    assert_speaks(caught.value)


def test_what_is_wrong_is_said_without_the_characters_that_are() -> None:
    """A key that is not known stands in the message."""
    for text in ('"a\\u001b[2Jb" = 1\n', '[name]\n"\\u202ea" = 1\n'):
        with pytest.raises(EditionError) as caught:
            read(text, "edition")
        assert unprintable(str(caught.value)) is None


def test_a_joined_emoji_is_a_picture_and_a_loose_joiner_is_not() -> None:
    for good in ("👩‍🚀", "❤️‍🔥", "👩🏽‍🚀 Ana", "ёлка", "¡Olé!", "🂡"):
        assert unprintable(good) is None
    for bad in ("a\u200db", "\u200d🚀", "👩\u200d", "👩\u200d\u200d🚀", "\U000e0041"):
        assert unprintable(bad) is not None
