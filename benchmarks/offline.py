"""Offline play in a browser: what is fetched, how long until the first hand, how long bots take.

python -m benchmarks.offline
"""

import argparse
import json
import statistics
import tempfile
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page

from benchmarks.web import FAST_3G
from penultima.edition import SHIPPED
from tests import solo
from tests.web.browser import PHONE, Browser, Serving

PACKAGE: Final = Path(__file__).parents[1] / "web" / "node_modules" / "pyodide"
# Matches in the browser's own Python: everything is timed there.
PROGRAM: Final = """
import time
from solo import Alone, Solo, new_table

took = []
for edition in editions:
    here = Solo(Alone.open(new_table(edition, bot="basic"), 0), 0)
    here.play_match()
    took += here.took
started = time.perf_counter()
Alone.resume(here.table.kept, 0)
resumed = time.perf_counter()
here.send("begin")
while here.state["stage"] != "playing" or here.state["view"]["turn"] != 0:
    here.step()
asked = time.perf_counter()
here.send("hint")
took.sort()
seconds = [took[len(took) // 2], took[len(took) * 99 // 100], took[-1]]
[*seconds, resumed - started, time.perf_counter() - asked, len(took)]
"""
RUN: Final = """async ([folder, info, solo, editions, program]) => {
  const { loadPyodide } = await import(`${folder}pyodide.mjs`);
  const python = await loadPyodide({ indexURL: folder, lockFileContents: { info, packages: {} } });
  const files = await (await fetch("/core.json")).json();
  for (const [path, text] of Object.entries({ ...files, "solo.py": solo })) {
    const file = `/core/${path}`;
    python.FS.mkdirTree(file.slice(0, file.lastIndexOf("/")));
    python.FS.writeFile(file, text);
  }
  python.runPython("import sys; sys.path.insert(0, '/core')");
  python.globals.set("editions", python.toPy(editions));
  return python.runPython(program).toJs();
}"""


def start(page: Page, address: str) -> float:
    """Seconds from the press that fetches, or from the opening of the page where all is kept, to
    the first hand; the form stays as it is."""
    page.goto(f"{address}/#/alone")
    page.locator(".panel").first.wait_for()
    pressed = 0.0
    if (fetch := page.get_by_role("button", name="Download and play")).count():
        pressed = page.evaluate("performance.now()")
        fetch.click()
    begin = page.locator("form button")
    begin.wait_for(timeout=120_000)
    begin.click()
    page.locator(".own li").first.wait_for()
    return float(page.evaluate("performance.now()") - pressed) / 1000


def fetched(browser: Browser, serving: Serving, slow: bool) -> dict[str, Any]:
    """What comes over the line the first time, and how long that takes."""
    # What goes through a service worker is neither counted nor slowed down.
    page = browser.page(browser.context(PHONE, service_workers="block"))
    session = page.context.new_cdp_session(page)
    weights: dict[str, float] = {}
    session.send("Network.enable")
    session.on(
        "Network.loadingFinished",
        lambda event: weights.update({event["requestId"]: event["encodedDataLength"]}),
    )
    page.goto(serving.address)
    page.wait_for_load_state("networkidle")
    weights.clear()
    if slow:
        session.send("Network.emulateNetworkConditions", FAST_3G)
    seconds = start(page, serving.address)
    return {"fetched_MB": round(sum(weights.values()) / 1e6, 2), "seconds": round(seconds, 2)}


def kept(browser: Browser, serving: Serving) -> float:
    """Seconds when all is kept, in an app that was opened before."""
    context = browser.context(PHONE)
    page = browser.page(context)
    page.goto(serving.address)
    page.evaluate("navigator.serviceWorker.ready.then(() => 0)")
    start(page, serving.address)
    page.close()
    return start(browser.page(context), serving.address)


def moves(browser: Browser, serving: Serving) -> dict[str, Any]:
    """How long the table takes for what it does, in the Python of a browser."""
    version = json.loads((PACKAGE / "package.json").read_text("utf-8"))["version"]
    info = json.loads((PACKAGE / "pyodide-lock.json").read_text("utf-8"))["info"]
    page = browser.page(browser.context(PHONE))
    page.goto(serving.address)
    source = Path(solo.__file__).read_text("utf-8")
    folder = f"/assets/pyodide-{version}/"
    *seconds, number = page.evaluate(RUN, [folder, info, source, list(SHIPPED), PROGRAM])
    names = ("bot_median_ms", "bot_p99_ms", "bot_most_ms", "resume_ms", "hint_ms")
    found = {name: round(1000 * one, 1) for name, one in zip(names, seconds, strict=True)}
    return {"bots_moves": number, **found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loads", type=int, default=5)
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        Serving(Path(folder)) as serving,
        Browser() as browser,
    ):
        loads = [fetched(browser, serving, slow=False) for _ in range(arguments.loads)]
        median = {name: statistics.median(load[name] for load in loads) for name in loads[0]}
        print(json.dumps({"the first time, median": median}, indent=2))
        print(json.dumps({"at 1.6 Mbit/s": fetched(browser, serving, slow=True)}, indent=2))
        again = statistics.median(kept(browser, serving) for _ in range(arguments.loads))
        print(json.dumps({"kept, median": {"seconds": round(again, 2)}}, indent=2))
        print(json.dumps({"in the browser's Python": moves(browser, serving)}, indent=2))


if __name__ == "__main__":
    main()
