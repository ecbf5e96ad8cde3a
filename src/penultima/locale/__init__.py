"""Every sentence for people, from one catalogue per language: `en.json`, `es.json`, `ru.json`.

A message is text with `{placeholders}`, or an object of such texts by plural category of `count`
(the categories of CLDR, which browsers know as `Intl.PluralRules`). `{games:rounds}` is a number
and what it counts, by the message `count.rounds`: for texts with several numbers. Browsers have
no such placeholders.
"""

import json
import os
from collections.abc import Mapping
from functools import cache
from importlib import resources
from string import Formatter
from typing import Any, Final

LANGUAGES: Final = ("en", "es", "ru")
PLURALS: Final[Mapping[str, tuple[str, ...]]] = {
    "en": ("one", "other"),
    "es": ("one", "other"),
    "ru": ("one", "few", "many", "other"),
}


class Message(str):
    """The key of a message that is a detail of another: said in the language of the whole."""

    __slots__ = ()


@cache
def catalogue(language: str) -> Mapping[str, Any]:
    """All messages of a language, by dotted key."""
    text = (resources.files("penultima.locale") / f"{language}.json").read_text("utf-8")
    flat: dict[str, Any] = {}
    _flatten(json.loads(text), "", flat)
    return flat


def _flatten(node: Mapping[str, Any], prefix: str, flat: dict[str, Any]) -> None:
    for name, value in node.items():
        if isinstance(value, dict) and "other" not in value:
            _flatten(value, f"{prefix}{name}.", flat)
        else:
            flat[prefix + name] = value


def plural(language: str, number: int) -> str:
    """The plural category of a whole number.

    >>> [plural("ru", n) for n in (1, 3, 5, 11, 21)]
    ['one', 'few', 'many', 'many', 'one']
    """
    if language != "ru":
        return "one" if number == 1 else "other"
    last, last_two = number % 10, number % 100
    if last == 1 and last_two != 11:
        return "one"
    if 2 <= last <= 4 and not 12 <= last_two <= 14:
        return "few"
    return "many"


def say(language: str, key: str, /, **details: Any) -> str:
    """The message of a key, with its details filled in.

    >>> say("en", "event.renew", count=20)
    'The discard pile is shuffled into a new pile of 20 cards.'
    """
    found = catalogue(language)[key]
    message: str = found if isinstance(found, str) else found[plural(language, details["count"])]
    shown = {name: _shown(language, value) for name, value in details.items()}
    return _Filler(language).vformat(message, (), shown)


class _Filler(Formatter):
    """Fills in texts; what follows the colon of a placeholder is what its number counts."""

    def __init__(self, language: str) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        if not format_spec:
            return str(value)
        whole = "." not in value
        number = int("".join(filter(str.isdecimal, value)))
        found = catalogue(self._language)[f"count.{format_spec}"]
        form = plural(self._language, number) if whole else "other"
        return str(found[form]).format(count=value)


def knows(key: str) -> bool:
    return key in catalogue("en")


def _shown(language: str, value: Any) -> str:
    area = getattr(value, "area", None)
    if area is not None:  # an error inside an error
        return say(language, f"{area}.{value.code}", **value.details)
    if isinstance(value, Message):
        return say(language, value)
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    return str(value)


def from_environment() -> str:
    """The language that the environment asks for, English where it asks for none of ours."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        language = os.environ.get(name, "")[:2].lower()
        if language in LANGUAGES:
            return language
        if os.environ.get(name):
            break
    return "en"
