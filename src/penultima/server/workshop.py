"""Work on what strangers give, done outside this process: within limits of time and memory, in
turn, and not more for one address than its share."""

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import msgspec

from penultima.errors import ServerError
from penultima.server.turns import Turns
from penultima.server.worker import LENGTH, Done, Job, unpacked

PATIENCE: Final = 3  # times the seconds of the processor that a job may take on a busy machine
LOADING: Final = 20  # seconds more for the first job of a worker
GOODBYE: Final = 1  # seconds for a worker that was ended
IDLE: Final = 300  # seconds after which a worker is let go


class Kind(NamedTuple):
    """Workers of a kind: how many, within which memory, and how many jobs of one address wait."""

    workers: int
    megabytes: int
    waiting: int


TEXTS: Final = Kind(2, 512, 16)  # a class of pupils opens tables with their own edition
THOUGHTS: Final = Kind(1, 2048, 4)  # with compiled code
# What there is to do: by whom, and how many seconds of the processor it may take.
SECONDS: Final = {"edition": (TEXTS, 3), "replay": (TEXTS, 20), "analysis": (THOUGHTS, 90)}


class Worker:
    """A process of our own that does one job after another."""

    def __init__(self, megabytes: int, module: str = "penultima.server.worker") -> None:
        self._command = sys.executable, "-m", module, str(megabytes)
        self._process: asyncio.subprocess.Process | None = None
        self._rest: asyncio.TimerHandle | None = None

    async def do(self, job: Job) -> Done:
        """What comes of a job. A worker that takes too long, or dies of it, is done with it."""
        if self._rest is not None:
            self._rest.cancel()
        patience: float = PATIENCE * job.seconds
        try:
            if self._process is None or self._process.returncode is not None:
                patience += LOADING
                self._process = await self._start()
            async with asyncio.timeout(patience):
                done = await self._ask(self._process, job)
        except (TimeoutError, asyncio.IncompleteReadError, OSError):
            self.end()
            return Done()
        except asyncio.CancelledError:
            self.end()
            raise
        if done.answer is None and done.error is None:
            self.end()  # its memory may be in pieces
        else:
            self._rest = asyncio.get_running_loop().call_later(IDLE, self.end)
        return done

    async def _start(self) -> asyncio.subprocess.Process:
        few = {"OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
        return await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, **few},
        )

    async def _ask(self, process: asyncio.subprocess.Process, job: Job) -> Done:
        assert process.stdin is not None and process.stdout is not None
        data = msgspec.msgpack.encode(job)
        process.stdin.write(LENGTH.pack(len(data)) + data)
        await process.stdin.drain()
        (length,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
        return msgspec.msgpack.decode(await process.stdout.readexactly(length), type=Done)

    async def close(self) -> None:
        process = self._process
        self.end()
        if process is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GOODBYE):
                    await process.wait()

    def end(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        self._process = None


class Workshop:
    """Gives jobs to workers. `spent` is told for whom how many seconds were worked."""

    def __init__(self, spent: Callable[[str, float], None]) -> None:
        self._spent = spent
        self._turns = {kind: Turns(kind.workers, kind.waiting) for kind in (TEXTS, THOUGHTS)}
        self._free = {
            kind: [Worker(kind.megabytes) for _ in range(kind.workers)]
            for kind in (TEXTS, THOUGHTS)
        }
        self._all = [worker for workers in self._free.values() for worker in workers]

    async def do(self, who: str, name: str, *arguments: Any) -> bytes:
        """The answer to a job (`worker.JOBS`) for an address; raises what is wrong with it."""
        kind, seconds = SECONDS[name]
        async with self._turns[kind].turn(who):
            worker = self._free[kind].pop()
            started = time.monotonic()
            try:
                done = await worker.do(Job(name, seconds, list(arguments)))
            finally:
                self._free[kind].append(worker)
                self._spent(who, time.monotonic() - started)
        if done.error is not None:
            raise unpacked({"error": done.error})
        if done.answer is None:
            raise ServerError("too_heavy", seconds=seconds)
        return done.answer

    async def close(self) -> None:
        for worker in self._all:
            await worker.close()
