"""What people are called where everybody reads it: at a table, in what is told, and in records.

A name is its owner's choice, with one exception: the word by which a reader is addressed. "You draw
two cards" must mean whoever reads it, so nobody is called "You", in any of our languages.

>>> [addresses_the_reader(name) for name in ("You", "y o u!", "Tú", "Вы", "Youssef", "Тимур")]
[True, True, True, True, False, False]
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import cache
from typing import Final

from penultima.locale import LANGUAGES, say
from penultima.record import NAMELESS, clean_name

# Words of address besides those that the catalogues use.
_OTHERS: Final = ("tu", "usted", "vos", "ты")
# Letters of other scripts that look like these, after capitals and marks are gone.
_ALIKE: Final = {
    "b": "вʙ",
    "d": "ԁɗ",
    "e": "еєҽ",
    "o": "оοօσøɵᴏ0",
    "s": "ѕꜱ$5",
    "t": "тτᴛ",
    "u": "υսцμᴜʋ",
    "v": "ѵνᴠ",
    "y": "уүυγʏ",
    "в": "bʙ",
    "т": "tτᴛ",
}
# What names are given to those who have none: stars, which are called the same everywhere.
STARS: Final = (
    *("Vega", "Altair", "Mira", "Rigel", "Capella"),
    *("Deneb", "Spica", "Castor", "Adhara", "Polaris"),
)


def name_or(wanted: str | None, others: Sequence[str], taken: Collection[str] = ()) -> str:
    """The name that somebody wants, fit to be read by everybody; or the first of `others` that
    nobody has, where they want none or one that cannot be."""
    name = clean_name(wanted or "")
    if name != NAMELESS and not addresses_the_reader(name):
        return name
    known = {one.casefold() for one in taken}
    return next((one for one in others if one.casefold() not in known), others[0])


def addresses_the_reader(name: str) -> bool:
    """Whether a name reads as "you" does, however it is spaced, cased, accented or spelled."""
    letters = "".join(char for char in _plain(name) if char.isalnum() or char == "$")
    return any(pattern.fullmatch(letters) for pattern in _patterns())


def _plain(text: str) -> str:
    """A text without capitals, accents and fancy forms of letters."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(char for char in folded if not unicodedata.combining(char))


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    keys = ("table.you", "web.you")
    said = {say(language, key) for language in LANGUAGES for key in keys}
    words = {_plain(word) for word in (*said, *_OTHERS)}
    return tuple(re.compile("".join(_letter(char) for char in word)) for word in sorted(words))


def _letter(char: str) -> str:
    """A letter, those that look like it, and more of them in a row."""
    return f"[{re.escape(char + _ALIKE.get(char, ''))}]+"
