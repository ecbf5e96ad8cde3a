"""The manual page `penultima.1`, made of the parser.

`python -m penultima.cli.manual FILE` writes it; the wheel installs it under share/man/man1.
"""

import argparse
import sys
from pathlib import Path

from penultima import __version__
from penultima.cli.commands import parser_of
from penultima.cli.completion import takes_value, told
from penultima.cli.parser import Parser
from penultima.locale import say


def page() -> str:
    """The whole page, in English."""
    parser, commands = parser_of("en")
    about = say("en", "cli.about").rstrip(".")
    lines = [
        f'.TH PENULTIMA 1 "" "Penultima {__version__}" "User Commands"',
        ".SH NAME",
        f"penultima \\- {_safe(about[0].lower() + about[1:])}",
        ".SH SYNOPSIS",
        ".B penultima",
        "[\\fICOMMAND\\fR [\\fIARGUMENT\\fR...]]",
        ".SH DESCRIPTION",
        _safe(f"{about}. {say('en', 'cli.alone')}"),
        "The rules are those of five printed sheets, and the options of your own edition files.",
        ".SH OPTIONS",
        *_arguments(parser),
        ".SH COMMANDS",
    ]
    for name, one in commands.items():
        lines += [f".SS {name}", _safe(one.description or ""), ".PP", _synopsis(one)]
        lines += [*_arguments(one), ".PP", "Examples:", ".PP", ".nf"]
        lines += [_safe(line) for line in (one.epilog or "").splitlines()[1:]]
        lines.append(".fi")
    lines += [_safe_heading(part) for part in _END.strip().splitlines()]
    return "\n".join(lines) + "\n"


_END = """
.SH ENVIRONMENT
.TP
.B PENULTIMA_DATA
The folder of matches, results and the server's tables (default: the data folder of your account).
.TP
.B LC_ALL, LC_MESSAGES, LANG
The language, where --lang does not name one.
.TP
.B TERM, NO_COLOR
How many colors the terminal shows.
.SH EXIT STATUS
.TP
.B 0
All is well.
.TP
.B 1
What was asked for cannot be done; a line on standard error says why.
.TP
.B 2
The command line is wrong; a line on standard error says what is.
.TP
.B 130
Ctrl-C stopped the command. A server that Ctrl-C stops has done its work: its status is 0.
"""


def _synopsis(parser: Parser) -> str:
    usage = " ".join(parser.format_usage().split()).partition(": ")[2]
    return f"\\fB{_safe(usage)}\\fR"


def _arguments(parser: Parser) -> list[str]:
    lines = []
    for action in parser.shown():
        value = "" if not takes_value(action) else f"\\fI{_safe(_value(action))}\\fR"
        flags = ", ".join(f"\\fB{_safe(flag)}\\fR" for flag in action.option_strings)
        lines += [".TP", f"{flags} {value}".strip(), _safe(told(action))]
    return lines


def _value(action: argparse.Action) -> str:
    if action.choices is not None and action.option_strings:
        return "|".join(str(choice) for choice in action.choices)
    return str(action.metavar or action.dest.upper())


def _safe(text: str) -> str:
    """A line that no letter of turns into a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def _safe_heading(line: str) -> str:
    return line if line.startswith(".") else _safe(line)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), "utf-8")
