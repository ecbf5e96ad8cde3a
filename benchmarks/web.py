"""Budgets of the browser client: weight, first load on a slow phone, frames, layout shift.

python -m benchmarks.web
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import CDPSession, Page

from tests.web.browser import PHONE, Browser, Serving, open_table, sign_in
from tests.web.player import Player

# A phone: four times slower than this machine, at 1.6 Mbit/s with 150 ms for a round trip.
SLOWDOWN: Final = 4
FAST_3G: Final = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 0.75e6 / 8,
}
WATCH: Final = """() => {
  window.shift = 0;
  window.frames = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shift += one.value;
  }).observe({ type: "layout-shift", buffered: true });
  let last = performance.now();
  const frame = (now) => {
    window.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""


def slow_phone(page: Page) -> CDPSession:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", FAST_3G)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    return session


def first_load(browser: Browser, serving: Serving) -> dict[str, Any]:
    """What comes over the line until one can press Play, and how long that takes."""
    # What goes through a service worker is neither counted nor slowed down.
    page = browser.page(browser.context(PHONE, service_workers="block"))
    weights: dict[str, float] = {}
    session = slow_phone(page)
    kinds: dict[str, str] = {}
    session.on(
        "Network.responseReceived",
        lambda event: kinds.update({event["requestId"]: event["type"]}),
    )
    session.on(
        "Network.loadingFinished",
        lambda event: weights.update({event["requestId"]: event["encodedDataLength"]}),
    )
    page.goto(serving.address)
    page.get_by_role("button", name="Play", exact=True).wait_for()
    ready = page.evaluate("performance.now()")
    page.wait_for_load_state("networkidle")
    code = sum(weights.get(n, 0) for n, kind in kinds.items() if kind in ("Script", "Stylesheet"))
    page.get_by_role("button", name="Play", exact=True).click()
    pressed = page.evaluate("performance.now()")
    page.locator(".own li").first.wait_for()
    dealt = page.evaluate("performance.now()") - pressed
    return {
        "script_and_style_kB": round(code / 1000, 1),
        "everything_kB": round(sum(weights.values()) / 1000, 1),
        "play_can_be_pressed_ms": round(ready),
        "from_press_to_cards_ms": round(dealt),
    }


def motion(browser: Browser, serving: Serving, seconds: float) -> dict[str, Any]:
    """Frames while cards move, and how much the page jumps, in a game without reduced motion."""
    token = serving.person()
    table = open_table(serving, token, 4, options={"target": 100_000})
    context = browser.context(PHONE, reduced_motion="no-preference")
    sign_in(context, token)
    page = browser.page(context)
    page.goto(f"{serving.address}/#/t/{table}/now")
    page.locator(".own li").first.wait_for()
    page.evaluate(WATCH)
    player = Player(page)
    for _ in range(int(seconds / 0.25)):
        player.step()
        page.wait_for_timeout(250)
    frames = sorted(page.evaluate("window.frames"))
    return {
        "frames": len(frames),
        "median_frame_ms": round(frames[len(frames) // 2], 1),
        "p95_frame_ms": round(frames[int(len(frames) * 0.95)], 1),
        "layout_shift": round(page.evaluate("window.shift"), 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--loads", type=int, default=5)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        Serving(Path(folder), pace="bot=400,moment=600") as serving,
        Browser() as browser,
    ):
        loads = [first_load(browser, serving) for _ in range(arguments.loads)]
        browser.close_pages()  # or their games go on beside the one that is watched
        loads.sort(key=lambda load: int(load["play_can_be_pressed_ms"]))
        print(json.dumps({"first load, median": loads[len(loads) // 2]}, indent=2))
        print(json.dumps({"motion": motion(browser, serving, arguments.seconds)}, indent=2))


if __name__ == "__main__":
    main()
