"""Bots that need no thought: for company, for tests, and as a yardstick."""

from random import Random

from penultima.view import View

_WORDS = frozenset({"draw", "keep", "challenge", "accept", "call", "catch", "drop"})


def uniform(view: View, may_decline: bool, random: Random) -> str | None:
    """Any legal action, or none, all equally likely."""
    choices: list[str | None] = [*view.legal]
    if may_decline:
        choices.append(None)
    return random.choice(choices)


def eager(view: View, may_decline: bool, random: Random) -> str | None:
    """A random card that can be played; draws only when it must, never forgets to call or catch.

    It puts down a Wild Draw Four only when nothing else will do and challenges one time in four.
    """
    legal = view.legal
    for word in ("call", "catch", "drop"):
        if word in legal:
            return word
    if "challenge" in legal and random.random() < 0.25:
        return "challenge"
    if may_decline:
        return next((action for action in legal if action not in _WORDS), None)
    if "accept" in legal:
        return "accept"
    plays = [action for action in legal if action not in _WORDS]
    modest = [action for action in plays if not action.startswith("W4")]
    if modest or plays:
        return random.choice(modest or plays)
    return "draw" if "draw" in legal else "keep"
