"""What a worker does: jobs on what strangers give, one after another, within limits.

    python -m penultima.server.worker MEGABYTES

A process of its own, so that the server goes on whatever is given, and can end it (`Workshop`).
Jobs come on standard input and answers go to standard output, each as its length and then itself.
"""

import os
import struct
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, BinaryIO, Final

import msgspec

from penultima import errors
from penultima.edition import read
from penultima.errors import PenultimaError
from penultima.locale import Message
from penultima.server import replaying, wire

LENGTH: Final = struct.Struct(">I")
POLITENESS: Final = 5  # steps below the server in the queue for the processor


class Job(msgspec.Struct, array_like=True):
    """`seconds` of the processor at most for what is called `name`."""

    name: str
    seconds: int
    arguments: list[Any]


class Done(msgspec.Struct, array_like=True):
    """What came of a job: an answer, an error of ours, or neither where it was too much."""

    answer: bytes | None = None
    error: list[Any] | None = None


def edition(text: str, options: Mapping[str, Any]) -> bytes:
    """An edition that somebody has written: its file, and the ruleset with options."""
    found = read(text, Message("table.own_edition")).with_options(options)
    return wire.encode([found.file, found.sheet.to_json()])


def replay(text: str) -> bytes:
    return wire.encode(replaying.replay(text))


def analysis(text: str, number: int, compiled: list[int], foresees: list[int]) -> bytes:
    return wire.encode(replaying.analysis(text, number, compiled, foresees))


JOBS: Final[Mapping[str, Callable[..., bytes]]] = {
    "edition": edition,
    "replay": replay,
    "analysis": analysis,
}


def packed(value: Any) -> Any:
    """A detail of an error as plain data."""
    if isinstance(value, PenultimaError):
        return {"error": [type(value).__name__, value.code, packed(value.details)]}
    if isinstance(value, Message):
        return {"message": str(value)}
    if isinstance(value, dict):
        return {"details": {key: packed(inner) for key, inner in value.items()}}
    if isinstance(value, list | tuple):
        return [packed(inner) for inner in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def unpacked(value: Any) -> Any:
    """What `packed` was given."""
    if isinstance(value, list):
        return [unpacked(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    ((kind, inner),) = value.items()
    if kind == "message":
        return Message(inner)
    if kind == "details":
        return {key: unpacked(detail) for key, detail in inner.items()}
    name, code, details = inner
    made: PenultimaError = getattr(errors, name)(code, **unpacked(details))
    return made


def do(job: Job, jobs: Mapping[str, Callable[..., bytes]] = JOBS) -> Done:
    try:
        return Done(answer=jobs[job.name](*job.arguments))
    except PenultimaError as error:
        return Done(error=packed(error)["error"])
    except (MemoryError, RecursionError):
        return Done()


def _serve(jobs: Mapping[str, Callable[..., bytes]], source: BinaryIO, sink: BinaryIO) -> None:
    while len(head := source.read(LENGTH.size)) == LENGTH.size:
        job = msgspec.msgpack.decode(source.read(LENGTH.unpack(head)[0]), type=Job)
        _limit_time(job.seconds)
        done = msgspec.msgpack.encode(do(job, jobs))
        sink.write(LENGTH.pack(len(done)) + done)
        sink.flush()


def _limit_time(seconds: int) -> None:
    """So much more of the processor; a server that is gone cannot end us."""
    if sys.platform != "win32":
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime) + seconds + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _limit_memory(megabytes: int) -> None:
    if sys.platform != "win32":
        import resource

        with suppress(ValueError, OSError):  # some systems have no such limit
            resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        os.nice(POLITENESS)


def run(jobs: Mapping[str, Callable[..., bytes]] = JOBS) -> None:
    """Do jobs until there are no more."""
    _limit_memory(int(sys.argv[1]))
    with suppress(KeyboardInterrupt, BrokenPipeError):  # Ctrl-C reaches every process
        _serve(jobs, sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    run()
