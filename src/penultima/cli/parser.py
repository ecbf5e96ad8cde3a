"""The parser of the command line: argparse, in the language of whoever reads it."""

import argparse
import contextlib
import difflib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NoReturn

from penultima.errors import UsageError, short
from penultima.locale import knows, say

# What argparse says, and the message that says it in every language.
_ARGPARSE: Final = {
    "usage: ": "cli.usage",
    "positional arguments": "cli.arguments",
    "options": "cli.options",
    "show this help message and exit": "cli.option.help",
    "show program's version number and exit": "cli.option.version",
    "argument %(argument_name)s: %(message)s": "cli.wrong.argument",
    "not allowed with argument %s": "cli.wrong.together",
    "ignored explicit argument %r": "cli.wrong.no_value",
    "the following arguments are required: %s": "cli.wrong.required",
    "expected one argument": "cli.wrong.one_value",
    "expected at most one argument": "cli.wrong.most_one_value",
    "expected at least one argument": "cli.wrong.a_value",
    "ambiguous option: %(option)s could match %(matches)s": "cli.wrong.ambiguous",
}
_FILLED: Final = re.compile(r"%(?:\((\w+)\))?[sr]")
_DEFAULT: Final = "\0"  # stands for the default until argparse fills it in
Type = Callable[[str], Any]


class Parser(argparse.ArgumentParser):
    """Help, headings and errors come from the catalogue; an error is one line that says what is
    wrong and where to look. It keeps what was added to it, for completions and the manual."""

    def __init__(self, *, language: str, **settings: Any) -> None:
        self.language = language
        self.details: dict[str, Any] = {}
        self.added: list[argparse.Action] = []
        self.kinds: dict[str, str] = {}  # what the value of an argument is: FILE, EDITION, BOT
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    def add_argument(self, *flags: Any, **settings: Any) -> argparse.Action:
        """As argparse does it; `help` is the key of a message, `metavar` is made of words."""
        kind = ""
        if knows(key := settings.get("help") or ""):
            text = say(self.language, key, default=_DEFAULT, **self.details)
            settings["help"] = text.replace("%", "%%").replace(_DEFAULT, "%(default)s")
        if "metavar" in settings:
            kind = settings["metavar"]
            settings["metavar"] = self._words(kind)
        if "type" in settings:
            settings["type"] = self._typed(settings["type"])
        action = super().add_argument(*flags, **settings)
        self.added.append(action)
        self.kinds[action.dest] = kind
        return action

    def shown(self) -> list[argparse.Action]:
        """The arguments that are shown to people."""
        return [action for action in self.added if action.help != argparse.SUPPRESS]

    def option(self, word: str) -> argparse.Action | None:
        """The option that a word on the command line stands for, in full or shortened."""
        names = {name: action for action in self.added for name in action.option_strings}
        if word in names:
            return names[word]
        found = [action for name, action in names.items() if name.startswith(word)]
        return found[0] if word.startswith("--") and len(found) == 1 else None

    def given(self, arguments: Sequence[str]) -> set[str]:
        """The options among these words, whatever their values."""
        words = arguments[: arguments.index("--")] if "--" in arguments else arguments
        found = (self.option(word.partition("=")[0]) for word in words if word[:1] == "-")
        return {action.option_strings[-1] for action in found if action is not None}

    def unknown(self, words: Sequence[str]) -> NoReturn:
        """Refuse what no argument could take."""
        word = next((word for word in words if word.startswith("-")), words[0])
        names = [name for action in self.shown() for name in action.option_strings]
        code = "option" if word.startswith("-") else "word"
        name = word.partition("=")[0] if code == "option" else word
        self.error(
            say(self.language, f"cli.unknown.{code}", word=short(name)) + self.meant(name, names)
        )

    def meant(self, word: str, names: Iterable[str]) -> str:
        """The question whether one of these names was meant, where one is like the word."""
        near = nearest(word, names)
        return "" if near is None else " " + say(self.language, "cli.meant", name=near)

    def error(self, message: str) -> NoReturn:
        if not message.endswith((".", "?", "!")):
            message += "."
        told = say(self.language, "cli.error", program=self.prog, problem=message)
        self.exit(2, harmless(told) + "\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:
            file.write(message)  # argparse would keep to itself that it cannot be written
        else:
            super()._print_message(message, file)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in (choices := list(action.choices)):
            return
        names = [str(choice) for choice in choices]
        if isinstance(action, argparse._SubParsersAction):
            text = say(self.language, "cli.unknown.command", word=short(value))
            raise argparse.ArgumentError(None, text + self.meant(value, names))
        text = say(self.language, "cli.unknown.choice", word=short(value), allowed=names)
        raise argparse.ArgumentError(action, text)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and arg_strings == ["--"]:  # argparse would make a list of it
            raise argparse.ArgumentError(action, say(self.language, "cli.wrong.one_value"))
        return super()._get_values(action, arg_strings)

    def _typed(self, kind: Type) -> Type:
        def read(text: str) -> Any:
            try:
                return kind(text)
            except UsageError as error:
                told = say(self.language, f"{error.area}.{error.code}", **error.details)
                raise argparse.ArgumentTypeError(told) from error

        return read

    def _words(self, metavar: str) -> str:
        """NAME=VALUE in words of the language."""
        return re.sub("[A-Z]{3,}", lambda found: _word(self.language, found[0]), metavar)


def harmless(text: str) -> str:
    """One line that cannot do anything to a terminal, whatever a user's file is called."""
    return "".join(char if char.isprintable() else "�" for char in text)


def _word(language: str, word: str) -> str:
    key = f"cli.word.{word}"
    return say(language, key) if knows(key) else word


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name that somebody may have meant.

    >>> nearest("clasic", ["classic", "chili"]), nearest("x", ["classic", "chili"])
    ('classic', None)
    """
    found = difflib.get_close_matches(word.lower()[:40], names, 1, 0.6)
    return found[0] if found else None


@contextlib.contextmanager
def speaking(language: str) -> Iterator[None]:
    """Meanwhile argparse speaks a language: it marks its messages for gettext, with this name."""

    def translate(text: str) -> str:
        if (key := _ARGPARSE.get(text)) is None:
            return text
        filled = {found[1] or "value": found[0] for found in _FILLED.finditer(text)}
        return say(language, key, **filled) + (" " if text.endswith(" ") else "")

    own = vars(argparse)["_"]
    vars(argparse)["_"] = translate
    try:
        yield
    finally:
        vars(argparse)["_"] = own
