"""Keys as they lie on the keyboard: whoever writes Cyrillic need not switch to play."""

from typing import Final

from textual import events

ACTIONS: Final = {
    "draw": "d",
    "keep": "k",
    "challenge": "h",
    "accept": "a",
    "call": "u",
    "catch": "c",
    "drop": "space",
}
SIT: Final = "j"
FREE: Final = "x"  # a bot's seat
LET_BOT: Final = "b"  # for somebody who does not decide
_CYRILLIC: Final = str.maketrans(
    "йцукенгшщзхъфывапролджэячсмитьбюё", "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
)


def key_of(event: events.Key) -> str:
    """The name of a key; a letter is that of its place on a Latin keyboard.

    >>> key_of(events.Key("в", "в"))
    'd'
    """
    if event.character is not None and event.is_printable and event.character != " ":
        return event.character.lower().translate(_CYRILLIC)
    return event.key


def numbered(count: int) -> list[str]:
    """A digit for each of up to ten things."""
    return [str((number + 1) % 10) for number in range(count)]
