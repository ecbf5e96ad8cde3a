"""Cards and actions as text and back; `docs/notation.md` is the reference.

>>> from penultima.edition import shipped
>>> sheet = shipped("classic").sheet
>>> action_text(sheet, read_action(sheet, "W4:b"))
'W4:b'
"""

import re
from collections.abc import Sequence
from typing import Final

from penultima.cards import SEATS
from penultima.errors import Unreadable, short
from penultima.rules.actions import (
    ACCEPT,
    ANSWER,
    CALL,
    CATCH,
    CHALLENGE,
    COLOR,
    DRAW,
    DRAWN,
    DROP,
    GIVE,
    GIVING,
    GOING_ON,
    JUDGE,
    KEEP,
    MATCH_OVER,
    NAME,
    OVER,
    PLAY,
    RACING,
    ROUND_OVER,
    STACK,
    SWAP,
    SWAPPING,
    TURN,
    WORD,
)
from penultima.rules.legal import color_of, kind_of, play_of
from penultima.ruleset import Sheet

WORDS: Final = {
    "draw": DRAW,
    "keep": KEEP,
    "challenge": CHALLENGE,
    "accept": ACCEPT,
    "call": CALL,
    "catch": CATCH,
    "drop": DROP,
}
_WORD_OF: Final = {action: word for word, action in WORDS.items()}

PHASE_NAMES: Final = {
    NAME: "name",
    TURN: "turn",
    DRAWN: "drawn",
    ANSWER: "demand",
    STACK: "stack",
    JUDGE: "challenge",
    GIVING: "give",
    RACING: "race",
    SWAPPING: "swap",
    OVER: "over",
}
OVERS: Final = {GOING_ON: None, ROUND_OVER: "round", MATCH_OVER: "match"}


def read_card(sheet: Sheet, text: object) -> int:
    """The kind that a card's text names."""
    kind = sheet.kind(text) if isinstance(text, str) else None
    if kind is None:
        raise Unreadable("card", text=short(text), examples=_examples(sheet))
    return kind


def cards_text(sheet: Sheet, counts: Sequence[int]) -> list[str]:
    """A hand given as counts by kind, as card texts in the order of the deck."""
    texts = sheet.texts
    return [texts[kind] for kind, count in enumerate(counts) if count for _ in range(count)]


def color_letter(sheet: Sheet, color: int) -> str:
    return sheet.colors[color]


def read_color(sheet: Sheet, text: object) -> int:
    if not (isinstance(text, str) and len(text) == 1 and text in sheet.colors):
        raise Unreadable("color", text=short(text), allowed=list(sheet.colors))
    return sheet.colors.index(text)


def is_action(sheet: Sheet, action: int) -> bool:
    """Whether a number is the id of an action in this deck at all."""
    rules = sheet.rules
    plays = rules.colored + (rules.kinds - rules.colored) * rules.colors
    return (
        action in _WORD_OF
        or COLOR <= action < COLOR + rules.colors
        or GIVE <= action < GIVE + SEATS
        or SWAP <= action < SWAP + SEATS
        or PLAY <= action < PLAY + plays
    )


def action_text(sheet: Sheet, action: int) -> str:
    if action >= PLAY:
        face = sheet.faces[kind_of(sheet.rules, action)]
        if not face.wild:
            return face.text
        return f"{face.text}:{color_letter(sheet, color_of(sheet.rules, action))}"
    if action >= SWAP:
        return f"swap:{action - SWAP}"
    if action >= GIVE:
        return f"give:{action - GIVE}"
    if action >= COLOR:
        return f"color:{color_letter(sheet, action - COLOR)}"
    return _WORD_OF[action]


def read_action(sheet: Sheet, text: object) -> int:
    """The action that a text names, legal or not."""
    if not isinstance(text, str):
        raise Unreadable("action", text=short(text), examples=_examples(sheet))
    if text in WORDS:
        return WORDS[text]
    head, colon, tail = text.partition(":")
    if colon and head == "color":
        return COLOR + read_color(sheet, tail)
    if colon and head in ("give", "swap"):
        if not re.fullmatch("[0-9]", tail):
            raise Unreadable("seat", text=short(tail), most=SEATS - 1)
        return (GIVE if head == "give" else SWAP) + int(tail)
    kind = sheet.kind(head)
    if kind is None:
        raise Unreadable("action", text=short(text), examples=_examples(sheet))
    if not sheet.faces[kind].wild:
        if colon:
            raise Unreadable("color_on_colored", text=short(text), card=head)
        return play_of(sheet.rules, kind, 0)
    if not colon:
        raise Unreadable("wild_without_color", card=head, example=f"{head}:{sheet.colors[0]}")
    return play_of(sheet.rules, kind, read_color(sheet, tail))


def read_move(sheet: Sheet, text: str) -> tuple[int, int]:
    """`SEAT:ACTION` as a seat and an action."""
    seat, colon, action = text.partition(":")
    if not colon or not re.fullmatch("[0-9]", seat):
        raise Unreadable("move", text=short(text))
    return int(seat), read_action(sheet, action)


def move_text(sheet: Sheet, seat: int, action: int) -> str:
    return f"{seat}:{action_text(sheet, action)}"


def actions_in(mask: Sequence[int]) -> list[int]:
    """The actions whose bits are set."""
    found = []
    for word, bits in enumerate(mask):
        while bits:
            lowest = bits & -bits
            found.append(word * WORD + lowest.bit_length() - 1)
            bits ^= lowest
    return found


def _examples(sheet: Sheet) -> list[str]:
    """Cards of this deck, to show in an error how they are written."""
    texts = [face.text for face in sheet.faces]
    return list(dict.fromkeys([texts[0], texts[len(texts) // 2], texts[-1]]))
