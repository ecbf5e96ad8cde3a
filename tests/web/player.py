"""Somebody at a table, who presses what the page offers."""

import time
from random import Random
from typing import Any, Final

from playwright.sync_api import Locator, Page

PATIENCE: Final = 90.0
# What can be pressed, the most urgent first, by what it is called here.
OFFERS: Final = {
    "race": ".race button.go:not([aria-disabled=true])",
    "wait": ".race",
    "between": ".result .ready:not([disabled])",
    "color": ".ask .choice",
    "judge": ".ask .choices .button",
    "shown": ".ask .close",
    "catch": ".actions .catch",
    "call": ".actions .uno.ready",
    "play": ".own li.can button",
    "draw": ".actions .main[aria-disabled=false]",
}
# The first offer that is there, and a point where nothing else covers it.
LOOK: Final = """([offers, luck]) => {
  for (const [what, selector] of Object.entries(offers)) {
    const found = document.querySelectorAll(selector);
    if (!found.length) continue;
    const one = found[Math.floor(luck * found.length)];
    const box = one.getBoundingClientRect();
    for (const down of [0.5, 0.2, 0.8]) {
      for (const across of [0.5, 0.12, 0.22, 0.32, 0.88]) {
        const [x, y] = [box.x + across * box.width, box.y + down * box.height];
        if (one.contains(document.elementFromPoint(x, y))) return { what, x, y };
      }
    }
  }
  return null;
}"""


class Player:
    """Plays by pressing what can be pressed, at random, and notes what came up."""

    def __init__(self, page: Page, seed: int = 1, **offers: str) -> None:
        self.page = page
        self.random = Random(seed)
        self.seen: set[str] = set()
        self._offers = {**OFFERS, **offers}

    @property
    def over(self) -> bool:
        return self.page.locator(".result a[href^='#/replay']").count() > 0

    def step(self) -> bool:
        """Do one thing, if there is one to do."""
        found: dict[str, Any] | None
        found = self.page.evaluate(LOOK, [self._offers, self.random.random()])
        if found is None or found["what"] == "wait":
            self.page.wait_for_timeout(20)
            return False
        self.seen.add(found["what"])
        if found["what"] == "race":
            self.page.keyboard.press("Space")
        else:
            self.page.mouse.click(found["x"], found["y"])
        return True

    def play_until(self, *wanted: str) -> None:
        """Play until all of that has come up, match after match."""
        until = time.monotonic() + PATIENCE
        while not self.seen.issuperset(wanted):
            assert time.monotonic() < until, f"only {sorted(self.seen)} came up"
            self.step()

    def play_until_there(self, wanted: Locator) -> None:
        """Play until something can be seen."""
        until = time.monotonic() + PATIENCE
        while not wanted.count():
            assert time.monotonic() < until, f"{wanted} never came up"
            self.step()

    def play_match(self) -> None:
        """Play until the match is over."""
        until = time.monotonic() + PATIENCE
        while not self.over:
            assert time.monotonic() < until, f"the match did not end: {sorted(self.seen)}"
            self.step()
