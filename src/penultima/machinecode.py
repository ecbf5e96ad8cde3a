"""Machine code: entry points compiled for a size of deck on first use, and kept on disk.

The folder is named after everything that the code was made of, so that an edited rule is never
missed; each size has a folder in it. Numba's names for functions are made unique across processes:
code that several of them have compiled meets in one that loads it.
"""

import atexit
import functools
import hashlib
import itertools
import logging
import os
import secrets
import shutil
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Protocol

import numba
import numpy as np
from numba import njit, typeof
from numba.core import bytecode, event

_log = logging.getLogger("penultima.machinecode")
_TICK: Final = 0.2  # seconds


def fingerprint(modules: tuple[ModuleType, ...] = ()) -> str:
    """A hash of all that the machine code is made of, other modules than the core's included."""
    parts = [numba.__version__, np.__version__, sys.version]
    package = Path(__file__).parent
    sources = [*(package / "rules").glob("*.py"), *(package / "bots").glob("*.py")]
    sources += [package / name for name in ("cards.py", "compiled.py", "machinecode.py")]
    sources += [Path(str(module.__file__)) for module in modules]
    parts += [path.read_text("utf-8") for path in sorted(sources)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def cache_folder(modules: tuple[ModuleType, ...] = ()) -> Path:
    """Where the machine code of this fingerprint is kept."""
    folder = (_kept() or _passing()) / fingerprint(modules)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def is_kept() -> bool:
    """Whether what is compiled here is there for other processes, and the next time."""
    return _kept() is not None


@functools.cache
def _kept() -> Path | None:
    """The user's cache; None if it cannot be written, or if others could have written to it:
    whatever lies there is run.
    """
    home = os.environ.get("PENULTIMA_CACHE") or os.environ.get("XDG_CACHE_HOME")
    try:
        folder = (Path(home) if home else Path.home() / ".cache") / "penultima"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(folder):
            _log.warning("%s belongs to somebody else: machine code is not kept", folder)
            return None
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError) as error:  # RuntimeError: the user has no home
        _log.warning("machine code is not kept: %s", error)
        return None
    return folder


def _is_ours(folder: Path) -> bool:
    if not hasattr(os, "geteuid"):
        return True
    found = folder.stat()
    return found.st_uid in (0, os.geteuid()) and not found.st_mode & stat.S_IWOTH


@functools.cache
def _passing() -> Path:
    """A folder for this process alone, whose name nobody can know in advance."""
    folder = tempfile.mkdtemp(prefix="penultima-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


class Watcher(Protocol):
    """Is told of compilations; `kinds` is the largest deck that the code is for."""

    def begins(self, name: str, kinds: int) -> None: ...

    def goes_on(self, seconds: float, functions: int) -> None: ...

    def ends(self, seconds: float) -> None: ...


class _Logging:
    """What programs get that name no watcher of their own."""

    def begins(self, name: str, kinds: int) -> None:
        _log.warning("compiling %s for decks of up to %d kinds of card, once", name, kinds)

    def goes_on(self, seconds: float, functions: int) -> None:
        """A log has no moving parts."""

    def ends(self, seconds: float) -> None:
        _log.warning("compiled in %.0f s", seconds)


_watchers: list[Watcher] = [_Logging()]


def watch_with(watcher: Watcher) -> None:
    """Tell this one of compilations from now on."""
    _watchers[:] = [watcher]


class _Compilation(event.Listener):
    """One compilation that is really one: nothing is told of code that comes from the cache."""

    def __init__(self, name: str, kinds: int) -> None:
        self.functions = 0
        self.done = threading.Event()
        self.error: BaseException | None = None
        self._what = name, kinds
        self._started = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._started

    def on_start(self, event: Any) -> None:
        self.functions += 1
        if self.functions == 1:
            self._started = time.perf_counter()
            _watchers[0].begins(*self._what)

    def on_end(self, event: Any) -> None:
        """The entry point itself ends last."""

    def wait(self) -> None:
        """Wait for the end; Ctrl-C is not kept waiting."""
        while not self.done.wait(_TICK):
            if self.functions:
                _watchers[0].goes_on(self.seconds, self.functions)
        if self.functions:
            _watchers[0].ends(self.seconds)
        if self.error is not None:
            raise self.error


class Entry:
    """A compiled entry point: made on first use for a size of deck, or taken from the cache."""

    def __init__(
        self,
        function: Callable[..., None],
        modules: tuple[ModuleType, ...] = (),
        vectorize: bool = False,
    ) -> None:
        self._function = function
        self._modules = modules
        self._vectorize = int(vectorize)
        self._ready: dict[int, Callable[..., None]] = {}
        self.__doc__ = function.__doc__

    def __call__(self, rules: "np.ndarray[Any, Any]", *arguments: Any) -> None:
        ready = self._ready.get(rules.dtype.itemsize)
        if ready is None:
            self._make(rules, arguments)
            ready = self._ready[rules.dtype.itemsize]
        ready(rules, *arguments)

    def _make(self, rules: "np.ndarray[Any, Any]", arguments: tuple[Any, ...]) -> None:
        """Compile in another thread: Ctrl-C cannot interrupt LLVM."""
        found = _Compilation(self._function.__name__, rules.dtype["count"].shape[0])
        size = rules.dtype.itemsize

        def work() -> None:
            try:
                with _making:
                    if size not in self._ready:
                        with event.install_listener("numba:compile", found):
                            self._ready[size] = self._compiled(size, (rules, *arguments))
            except BaseException as error:  # raised again by `wait`
                found.error = error
            finally:
                found.done.set()

        threading.Thread(target=work, daemon=True, name=THREAD).start()
        found.wait()

    def _compiled(self, size: int, arguments: tuple[Any, ...]) -> Callable[..., None]:
        config = numba.config
        before = config.CACHE_DIR, config.LOOP_VECTORIZE
        config.CACHE_DIR = str(cache_folder(self._modules) / str(size))
        # Loops of the core are short: without this, a fifth off the compilation.
        config.LOOP_VECTORIZE = self._vectorize
        # The number that is part of every function's name counts from the start of a process. Two
        # processes that compile two sizes give the same names to different code; where both are
        # loaded, calls go to whichever was first.
        bytecode.FunctionIdentity._unique_ids = itertools.count(secrets.randbits(64))
        try:
            # Nothing is allocated, so that no references need counting (`_nrt`).
            dispatcher = njit(cache=True, nogil=True, _nrt=False)(self._function)
            dispatcher.compile(tuple(typeof(argument) for argument in arguments))
        finally:
            config.CACHE_DIR, config.LOOP_VECTORIZE = before
        made: Callable[..., None] = dispatcher
        return made


THREAD: Final = "penultima-compiling"
_making = threading.Lock()  # also over the settings of Numba, which are those of the process
