"""What a reader takes for one character, which may be several of Unicode's: é, 👍🏽, 👩‍👩‍👧, 🇲🇽."""

import unicodedata
from collections.abc import Iterator
from typing import Final

JOINER: Final = "\u200d"  # between pictures that are drawn as one
PICTURED: Final = "\ufe0f"  # makes a picture of a sign


def of_an_emoji(char: str) -> bool:
    """A picture, its tone of skin, or the mark that makes a picture of a sign."""
    return unicodedata.category(char) in ("So", "Sk") or char == PICTURED


def joins(text: str, at: int) -> bool:
    """Whether a joiner stands between parts of an emoji."""
    around = text[at - 1 : at] + text[at + 1 : at + 2] if at else ""
    return text[at] == JOINER and len(around) == 2 and all(map(of_an_emoji, around))


def graphemes(text: str) -> Iterator[str]:
    """A text in pieces that must not be cut.

    >>> [len(piece) for piece in graphemes("Ana 👩‍👩‍👧👍🏽🇲🇽🇪🇸")]
    [1, 1, 1, 1, 5, 2, 2, 2]
    """
    piece = ""
    for char in text:
        if piece and not _continues(piece, char):
            yield piece
            piece = ""
        piece += char
    if piece:
        yield piece


def cut(text: str, most: int) -> str:
    """As much of a text as fits into so many characters of Unicode's, never half of a reader's."""
    kept = ""
    for piece in graphemes(text):
        if len(kept) + len(piece) > most:
            return kept or text[:most].rstrip(JOINER)
        kept += piece
    return kept


def _continues(piece: str, char: str) -> bool:
    if char in (JOINER, PICTURED) or unicodedata.category(char) in ("Mn", "Mc", "Me"):
        return True
    if _tone(char) or piece[-1] == JOINER:
        return of_an_emoji(piece[0]) and of_an_emoji(char)
    return len(piece) == 1 and _half_flag(piece) and _half_flag(char)


def _tone(char: str) -> bool:
    return "\U0001f3fb" <= char <= "\U0001f3ff"


def _half_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
