"""Players by name: those that ship, `sharp` with a budget, and a user's own `module:Class`.

`sharp` thinks for a fixed number of rollouts, so that what it does can be repeated; `sharp:500`
sets that number and `sharp:20ms` a time instead.
"""

import importlib
import re
import sys
from pathlib import Path
from typing import Any, Final

from penultima.bots import MANNERS
from penultima.bots.player import OwnPlayer, Player, PolicyPlayer
from penultima.errors import BotError, short
from penultima.sharp import Budget, Sharp

NAMES: Final = (*MANNERS, "sharp")


def seat(name: str, seed: int) -> Player:
    """Somebody to sit down, with luck of their own."""
    if name in MANNERS:
        return PolicyPlayer(name, MANNERS[name], seed)
    if name == "sharp" or name.startswith("sharp:"):
        return Sharp(name, budget(name), seed)
    return OwnPlayer(name, _made(name), seed)


def check(name: str) -> None:
    """Raise `BotError` if there is no such player, or it cannot be made."""
    if name == "sharp" or name.startswith("sharp:"):
        budget(name)
    elif name not in MANNERS:
        _made(name)


def budget(name: str) -> Budget:
    """
    >>> budget("sharp:500").rollouts, budget("sharp:20ms").milliseconds
    (500, 20.0)
    """
    _, _, text = name.partition(":")
    if not text:
        if name != "sharp":
            raise BotError("budget", bot=short(name))
        return Budget()
    found = re.fullmatch(r"([0-9]{1,7})(ms)?", text)
    if not found or int(found[1]) == 0:
        raise BotError("budget", bot=short(name))
    if found[2]:
        return Budget(milliseconds=float(found[1]))
    return Budget(rollouts=int(found[1]))


def _made(name: str) -> Any:
    made = _own(name)
    try:
        return made()
    except (Exception, SystemExit) as error:  # whatever a user's class does when it is made
        reason = f"{type(error).__name__}: {error}"
        raise BotError("not_made", bot=short(name), reason=short(reason, 200)) from error


def _own(name: str) -> Any:
    module, colon, attribute = name.partition(":")
    if not colon or not module or not attribute:
        raise BotError("unknown", bot=short(name), names=list(NAMES))
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # where a user's file most likely lies
    try:
        made = getattr(importlib.import_module(module), attribute)
    except AttributeError as error:
        raise BotError("no_class", bot=short(name), name=short(attribute)) from error
    except (Exception, SystemExit) as error:  # whatever a user's file does when it is read
        reason = f"{type(error).__name__}: {error}"
        raise BotError("no_module", bot=short(name), reason=short(reason, 200)) from error
    if not callable(getattr(made, "choose", None)):
        raise BotError("no_choose", bot=short(name))
    return made
