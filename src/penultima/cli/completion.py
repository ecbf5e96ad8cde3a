"""Completion for bash, zsh and fish, made of the parser."""

import argparse
from collections.abc import Callable, Mapping
from typing import Final

from penultima import players
from penultima.bots import MANNERS
from penultima.cli.parser import Parser
from penultima.edition import SHIPPED
from penultima.ruleset import Options

Parsers = Mapping[str, Parser]
FILES: Final = ("FILE", "PATH", "EDITION", "OTHER")  # values that can be the path of a file
_RULES: Final = tuple(f"{name}=" for name in Options.names())


def takes_value(action: argparse.Action) -> bool:
    return not action.option_strings or action.nargs != 0


def repeats(action: argparse.Action) -> bool:
    return action.nargs in ("*", "+") or isinstance(action, argparse._AppendAction)


def told(action: argparse.Action) -> str:
    """The help of an argument as it is shown."""
    return (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")


def values(parser: Parser, action: argparse.Action, commands: Parsers) -> tuple[str, ...]:
    """The words that the value of an argument can be, as far as they are known."""
    if action.choices is not None:
        return tuple(str(choice) for choice in action.choices)
    kind = _kind(parser, action)
    words = {"EDITION": SHIPPED, "BOT": players.NAMES, "POLICY": tuple(MANNERS)}
    rules = {"NAME=VALUE": _RULES, "OTHER": (*SHIPPED, *_RULES)}
    return {**words, **rules, "COMMAND": tuple(commands)}.get(kind, ())


def _kind(parser: Parser, action: argparse.Action) -> str:
    return parser.kinds[action.dest].removesuffix(",…")


def _is_file(parser: Parser, action: argparse.Action) -> bool:
    return _kind(parser, action) in FILES


def _is_folder(parser: Parser, action: argparse.Action) -> bool:
    return _kind(parser, action) == "FOLDER"


def _options(parser: Parser) -> list[argparse.Action]:
    return [action for action in parser.shown() if action.option_strings]


def _positionals(parser: Parser) -> list[argparse.Action]:
    return [action for action in parser.shown() if not action.option_strings]


# bash


_BASH: Final = """\
# Completion of penultima for bash.
_penultima() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command= last= word
    [[ $cur == = ]] && cur= || [[ $prev != = ]] || prev=${{COMP_WORDS[COMP_CWORD-2]}}
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        if [[ $word != -* && $word != = && $last != --lang ]]; then command=$word; break; fi
        [[ $word == = ]] || last=$word
    done
    COMPREPLY=()
    case "$command:$prev" in
{values}
    esac
    case "$command:$cur" in
{options}
    esac
    case "$command" in
{words}
    esac
}}
_penultima_words() {{
    COMPREPLY=($(compgen -W "$1" -- "$cur"))
    [[ ${{COMPREPLY[0]-}} != *= ]] || compopt -o nospace 2> /dev/null
}}
_penultima_paths() {{
    compopt -o filenames 2> /dev/null
    local IFS=$'\\n'
    COMPREPLY+=($(compgen "$1" -- "$cur"))
}}
complete -F _penultima penultima
"""


def bash(parser: Parser, commands: Parsers) -> str:
    found, options, words = [], [], []
    for name, one in {"": parser, **commands}.items():
        for action in filter(takes_value, _options(one)):
            cases = "|".join(f"{name}:{flag}" for flag in action.option_strings)
            found.append(f"        {cases}) {_bash_value(one, action, commands)} return ;;")
        flags = " ".join(flag for action in _options(one) for flag in action.option_strings)
        options.append(f"        {name}:-*) _penultima_words {_quoted(flags)}; return ;;")
        steps = "".join(f"{_bash_value(one, action, commands)} " for action in _positionals(one))
        if not name:
            steps = f"_penultima_words {_quoted(' '.join(commands))}; "
        if steps:
            words.append(f"        {_quoted(name)}) {steps};;")
    lists = {"values": found, "options": options, "words": words}
    return _BASH.format(**{name: "\n".join(lines) for name, lines in lists.items()})


def _bash_value(parser: Parser, action: argparse.Action, commands: Parsers) -> str:
    steps = ""
    if known := values(parser, action, commands):
        steps += f"_penultima_words {_quoted(' '.join(known))}; "
    if _is_file(parser, action):
        steps += "_penultima_paths -f; "
    elif _is_folder(parser, action):
        steps += "_penultima_paths -d; "
    return steps.strip()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# zsh


_ZSH: Final = """\
#compdef penultima
# Completion of penultima for zsh.
_penultima() {{
    local context state state_descr line
    typeset -A opt_args
    local -a commands=(
{commands}
    )
    _arguments -C \\
{options}
        '1:command:->command' \\
        '*::argument:->argument'
    case $state in
        command) _describe command commands ;;
        argument)
            case $words[1] in
{cases}
            esac ;;
    esac
}}
if [[ ${{funcstack[1]-}} == _penultima ]]; then
    _penultima "$@"
else
    compdef _penultima penultima
fi
"""


def zsh(parser: Parser, commands: Parsers) -> str:
    listed = [
        f"        {_quoted(f'{name}:{_escaped(one.description or str())}')}"
        for name, one in commands.items()
    ]
    cases = []
    for name, one in commands.items():
        specs = [_zsh_option(one, action, commands) for action in _options(one)]
        specs += [_zsh_argument(one, action, commands) for action in _positionals(one)]
        lines = " \\\n".join(f"                    {spec}" for spec in specs)
        cases.append(f"                {name}) _arguments \\\n{lines} ;;")
    options = [f"        {_zsh_option(parser, action, commands)} \\" for action in _options(parser)]
    lists = {"commands": listed, "options": options, "cases": cases}
    return _ZSH.format(**{name: "\n".join(lines) for name, lines in lists.items()})


def _zsh_option(parser: Parser, action: argparse.Action, commands: Parsers) -> str:
    value = ""
    if takes_value(action):
        optional = ":" if action.nargs == "?" else ""
        value = f"{optional}:{_zsh_value(parser, action, commands)}"
    text = _quoted(f"[{_escaped(told(action))}]{value}")
    flags = action.option_strings
    if repeats(action):
        return f"'*'{flags[0]}{text}"
    alone = _quoted(f"({' '.join(flags)})")
    return alone + (f"{{{','.join(flags)}}}" if len(flags) > 1 else flags[0]) + text


def _zsh_argument(parser: Parser, action: argparse.Action, commands: Parsers) -> str:
    place = "*" if repeats(action) else ""
    return _quoted(f"{place}:{_zsh_value(parser, action, commands)}")


def _zsh_value(parser: Parser, action: argparse.Action, commands: Parsers) -> str:
    label = _escaped(str(action.metavar or action.dest))
    known = " ".join(_escaped(word) for word in values(parser, action, commands))
    if _is_file(parser, action) and known:
        either = f'_alternative "words\\:{label}\\:({known})" "files\\:{label}\\:_files"'
        return f"{label}:{{{either}}}"
    if _is_file(parser, action):
        return f"{label}:_files"
    if _is_folder(parser, action):
        return f"{label}:_files -/"
    return f"{label}:({known})" if known else f"{label}: "


def _escaped(text: str) -> str:
    for sign in "\\:[]":
        text = text.replace(sign, f"\\{sign}")
    return text


# fish


def fish(parser: Parser, commands: Parsers) -> str:
    lines = ["# Completion of penultima for fish.", "complete -c penultima -f"]
    begun = "-n __fish_use_subcommand"
    lines += [_fish_option(parser, action, commands, begun) for action in _options(parser)]
    for name, one in commands.items():
        about = _fish_quoted(one.description or "")
        lines.append(f"complete -c penultima {begun} -a {name} -d {about}")
    for name, one in commands.items():
        where = f"-n '__fish_seen_subcommand_from {name}'"
        lines += [_fish_option(one, action, commands, where) for action in _options(one)]
        for action in _positionals(one):
            known = values(one, action, commands)
            files = " -F" if _is_file(one, action) else ""
            words = f" -a {_fish_quoted(' '.join(known))}" if known else ""
            if files or words:
                lines.append(f"complete -c penultima {where}{files}{words}")
    return "\n".join(lines) + "\n"


def _fish_option(parser: Parser, action: argparse.Action, commands: Parsers, where: str) -> str:
    flags = [
        f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
        for flag in action.option_strings
    ]
    parts = ["complete -c penultima", where, *flags]
    if takes_value(action):
        files = _is_file(parser, action) or _is_folder(parser, action)
        parts.append("-r -F" if files else "-x")
        if known := values(parser, action, commands):
            parts.append(f"-a {_fish_quoted(' '.join(known))}")
    parts.append(f"-d {_fish_quoted(told(action))}")
    return " ".join(parts)


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: Final[Mapping[str, Callable[[Parser, Parsers], str]]] = {
    "bash": bash,
    "zsh": zsh,
    "fish": fish,
}
