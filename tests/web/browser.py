"""A server to play against, a browser, and pages in it that note every complaint and every byte."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from playwright.sync_api import Browser as Chromium
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Playwright, sync_playwright

from tests.server.harness import a_free_port
from tests.web.chromium import REMEDIES, find

PHONE: Final = (360, 640)
WIDE: Final = (1280, 800)
ON_ITS_SIDE: Final = (640, 360)  # a phone
SIZES: Final = {"phone": PHONE, "wide": WIDE}
LOCALES: Final = {"en": "en-US", "es": "es-ES", "ru": "ru-RU"}
FAST: Final = "bot=30,moment=60"
# What a browser says of itself, when its server is away or its address plain, is no fault of ours.
HARMLESS: Final = ("WebSocket connection to", "net::ERR_", "Cross-Origin-Opener-Policy header")
PLAIN: Final = "table.test"  # a name for this machine that browsers do not take for a secure one


class Serving:
    """`penultima serve` as a process, which can be killed and started again."""

    def __init__(self, data: Path, pace: str = FAST) -> None:
        self._data, self._pace = data, pace
        self._port = a_free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "penultima", "serve", "--port", str(self._port)]
        command += ["--data", str(self._data), "--pace", self._pace, "--allow-host", PLAIN]
        command += ["--limits", "tables_per_address=100000,requests_per_address=100000"]
        quiet = {**os.environ, "PENULTIMA_LOG": "ERROR"}
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=quiet)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                urllib.request.urlopen(f"{self.address}/healthz", timeout=5).close()
                return
            except OSError:
                time.sleep(0.1)
        raise TimeoutError("the server did not start")

    def kill(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(10)

    def ask(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        """A request of our own, for what a test needs to have prepared."""
        request = urllib.request.Request(f"{self.address}/api/{path}", method=method)
        request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(request, data, timeout=20) as answer:
            return json.loads(answer.read())

    def person(self) -> str:
        return str(self.ask("POST", "people")["token"])


class Browser:
    """One Chromium for all tests of a process."""

    def __init__(self) -> None:
        self._contexts: list[BrowserContext] = []
        self._complaints: list[str] = []

    def __enter__(self) -> Self:
        path = find()
        if path is None:
            raise RuntimeError(REMEDIES)
        self._playwright: Playwright = sync_playwright().start()
        self._chromium: Chromium = self._playwright.chromium.launch(
            executable_path=path,
            args=[
                f"--host-resolver-rules=MAP {PLAIN} 127.0.0.1",
                *(["--no-sandbox"] if os.geteuid() == 0 else []),
            ],
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._chromium.close()
        self._playwright.stop()

    def context(
        self, size: tuple[int, int] = PHONE, language: str = "en", **more: Any
    ) -> BrowserContext:
        made = self._chromium.new_context(
            viewport={"width": size[0], "height": size[1]},
            locale=LOCALES[language],
            **{"reduced_motion": "reduce", **more},
        )
        made.set_default_timeout(15_000)
        self._contexts.append(made)
        return made

    def page(self, context: BrowserContext) -> Page:
        """A page whose complaints are noted."""
        page = context.new_page()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._complaints.append(str(error)))
        return page

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(h in message.text for h in HARMLESS):
            self._complaints.append(message.text)

    def complaints(self) -> list[str]:
        """What the pages complained of so far, to be judged by the test itself."""
        found, self._complaints = self._complaints, []
        return found

    def close_pages(self) -> list[str]:
        """Close everything; gives what the pages complained of."""
        for context in self._contexts:
            context.close()
        found, self._contexts, self._complaints = self._complaints, [], []
        return found


def open_table(
    serving: Serving, token: str, seats: int = 2, bot: str = "basic", **settings: Any
) -> str:
    """A table where the holder of the token sits at seat 0 and bots at the others."""
    body: Mapping[str, Any] = {
        "seats": seats,
        "name": "Ana",
        "bots": [{"place": n, "bot": bot, "name": f"Bot {n}"} for n in range(1, seats)],
        **({} if "own" in settings else {"edition": "classic"}),
        **settings,
    }
    return str(serving.ask("POST", "tables", body, token)["table"])


def sign_in(context: BrowserContext, *tokens: str, **preferences: Any) -> None:
    """Let the pages of a context be this person's."""
    kept = {"tokens": list(tokens), **({"preferences": preferences} if preferences else {})}
    for name, value in kept.items():
        key, text = json.dumps(f"penultima.{name}"), json.dumps(json.dumps(value))
        context.add_init_script(
            f"localStorage.getItem({key}) ?? localStorage.setItem({key}, {text})"
        )
