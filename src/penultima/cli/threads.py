"""Threads for long work that nobody has to wait for once Ctrl-C has been pressed."""

import contextlib
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from queue import SimpleQueue
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
NAME: Final = "penultima-work"
COMPILING: Final = "penultima-compiling"  # as `machinecode` names its thread


class Threads(Executor):
    """As ThreadPoolExecutor, but what has been begun does not keep the program from ending."""

    def __init__(self, number: int) -> None:
        self._todo: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, daemon=True, name=NAME) for _ in range(number)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        self._todo.put((future, partial(fn, *args, **kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        for _ in self._threads:
            self._todo.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _work(self) -> None:
        while (task := self._todo.get()) is not None:
            future, work = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:  # belongs to whoever asks for the result
                future.set_exception(error)


def leave_at_once(code: int) -> None:
    """End the program if work that was given up still runs: nothing else ends machine code."""
    if any(thread.name in (NAME, COMPILING) for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
        os._exit(code)
