"""A disk below SQLite that keeps what was written apart from what was synced.

SQLite reaches files through a VFS. This one passes everything on to the system's and notes writes,
truncations, syncs and deletions on a `Tape`, from which `Disk` makes what a power failure at any
moment may leave: all that was synced, and of the rest any part in any order, torn at sectors.
"""

import _sqlite3
import contextlib
import ctypes
import os
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

SECTOR: Final = 512
NAME: Final = b"penultima-tape"
OK: Final = 0

_Pointer = ctypes.c_void_p
_OPEN = ctypes.CFUNCTYPE(
    ctypes.c_int, _Pointer, ctypes.c_char_p, _Pointer, ctypes.c_int, ctypes.POINTER(ctypes.c_int)
)
_DELETE = ctypes.CFUNCTYPE(ctypes.c_int, _Pointer, ctypes.c_char_p, ctypes.c_int)
_CLOSE = ctypes.CFUNCTYPE(ctypes.c_int, _Pointer)
_WRITE = ctypes.CFUNCTYPE(ctypes.c_int, _Pointer, _Pointer, ctypes.c_int, ctypes.c_int64)
_TRUNCATE = ctypes.CFUNCTYPE(ctypes.c_int, _Pointer, ctypes.c_int64)
_SYNC = ctypes.CFUNCTYPE(ctypes.c_int, _Pointer, ctypes.c_int)


class _Vfs(ctypes.Structure):
    """The beginning of `sqlite3_vfs`; what follows is copied as it is."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("file_size", ctypes.c_int),
        ("longest_path", ctypes.c_int),
        ("next", _Pointer),
        ("name", ctypes.c_char_p),
        ("data", _Pointer),
        ("open", _Pointer),
        ("delete", _Pointer),
        ("rest", _Pointer * 14),
    )


class _Methods(ctypes.Structure):
    """`sqlite3_io_methods`: what can be done with an open file."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("close", _Pointer),
        ("read", _Pointer),
        ("write", _Pointer),
        ("truncate", _Pointer),
        ("sync", _Pointer),
        ("rest", _Pointer * 13),
    )


class _File(ctypes.Structure):
    _fields_ = (("methods", ctypes.POINTER(_Methods)),)


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that SQLite did to a file, or a mark that a test has set."""

    kind: str  # write, truncate, sync, delete, mark
    file: str = ""
    at: int = 0
    data: bytes = b""
    mark: Any = None


class Tape(list[Operation]):
    """Everything in the order in which it was done; written by several threads."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def add(self, operation: Operation) -> None:
        with self._lock:
            self.append(operation)

    def mark(self, mark: Any) -> None:
        """Note that something was acknowledged now."""
        self.add(Operation("mark", mark=mark))


class _Recorder:
    """The VFS, for files in one folder."""

    def __init__(self, library: ctypes.CDLL, folder: Path, tape: Tape) -> None:
        self.tape = tape
        self._folder = os.fsencode(folder)
        self._files: dict[int, str] = {}
        self._tables: dict[int, _Methods] = {}
        self._kept: list[Any] = []  # callbacks live as long as SQLite may call them
        library.sqlite3_vfs_find.restype = _Pointer
        self.original = library.sqlite3_vfs_find(None)
        self.vfs = _Vfs.from_buffer_copy(ctypes.string_at(self.original, ctypes.sizeof(_Vfs)))
        self.vfs.name = NAME
        self._open = _OPEN(self.vfs.open)
        self._delete = _DELETE(self.vfs.delete)
        self.vfs.open = self._address(_OPEN(self.open))
        self.vfs.delete = self._address(_DELETE(self.delete))

    def _address(self, callback: Any) -> int | None:
        self._kept.append(callback)
        return ctypes.cast(callback, _Pointer).value

    def open(self, vfs: int, name: bytes, file: int, flags: int, given: Any) -> int:
        code = self._open(vfs, name, file, flags, given)
        if code == OK and name is not None and name.startswith(self._folder):
            self._files[file] = Path(os.fsdecode(name)).name
            opened = ctypes.cast(file, ctypes.POINTER(_File)).contents
            opened.methods = ctypes.pointer(self._methods(opened.methods))
        return int(code)

    def delete(self, vfs: int, name: bytes, sync: int) -> int:
        code = self._delete(vfs, name, sync)
        if code == OK and name.startswith(self._folder):
            file = Path(os.fsdecode(name)).name
            self.tape.add(Operation("delete", file))
            if sync:
                self.tape.add(Operation("sync", file))
        return int(code)

    def _methods(self, original: Any) -> _Methods:
        """The system's methods, with ours around those that change a file."""
        address = ctypes.addressof(original.contents)
        if address in self._tables:
            return self._tables[address]
        methods = _Methods.from_buffer_copy(original.contents)
        close, write = _CLOSE(methods.close), _WRITE(methods.write)
        truncate, sync = _TRUNCATE(methods.truncate), _SYNC(methods.sync)

        def closing(file: int) -> int:
            self._files.pop(file, None)
            return int(close(file))

        def writing(file: int, data: int, size: int, at: int) -> int:
            self.tape.add(Operation("write", self._files[file], at, ctypes.string_at(data, size)))
            return int(write(file, data, size, at))

        def truncating(file: int, size: int) -> int:
            self.tape.add(Operation("truncate", self._files[file], size))
            return int(truncate(file, size))

        def syncing(file: int, flags: int) -> int:
            code = int(sync(file, flags))
            if code == OK:
                self.tape.add(Operation("sync", self._files[file]))
            return code

        methods.close = self._address(_CLOSE(closing))
        methods.write = self._address(_WRITE(writing))
        methods.truncate = self._address(_TRUNCATE(truncating))
        methods.sync = self._address(_SYNC(syncing))
        self._kept += [close, write, truncate, sync, original]
        self._tables[address] = methods
        return methods


def sqlite_library() -> ctypes.CDLL:
    """The SQLite that Python's own module uses: a library beside it, or linked into it."""
    maps = Path("/proc/self/maps")
    loaded = re.search(r"/\S*libsqlite3\S*", maps.read_text()) if maps.exists() else None
    library = ctypes.CDLL(loaded[0] if loaded else getattr(_sqlite3, "__file__", None))
    if not hasattr(library, "sqlite3_vfs_register"):
        raise OSError("this Python keeps its SQLite to itself: try the system's Python")
    return library


@contextlib.contextmanager
def recording(folder: Path) -> Iterator[Tape]:
    """Meanwhile all connections to files in the folder are on the tape."""
    library, tape = sqlite_library(), Tape()
    recorder = _Recorder(library, folder, tape)
    library.sqlite3_vfs_register(ctypes.byref(recorder.vfs), 1)
    try:
        yield tape
    finally:
        library.sqlite3_vfs_unregister(ctypes.byref(recorder.vfs))
        library.sqlite3_vfs_register(_Pointer(recorder.original), 1)


Contents = bytearray | None  # None: there is no such file


@dataclass
class Disk:
    """What certainly lies on a disk, and what has been done to each file since it was synced."""

    durable: dict[str, Contents] = field(default_factory=dict)
    pending: dict[str, list[Operation]] = field(default_factory=dict)

    def do(self, operation: Operation) -> None:
        if operation.kind == "sync":
            found = self.durable.get(operation.file)
            for one in self.pending.pop(operation.file, ()):
                found = _apply(found, one)
            self.durable[operation.file] = found
        elif operation.kind != "mark":
            self.pending.setdefault(operation.file, []).append(operation)

    def after_power_loss(self, random: Random) -> dict[str, bytes]:
        """What may be found: of all that was not synced any part, most or little of it."""
        files = {}
        for file in {**self.durable, **self.pending}:
            likely = random.choice((0.0, 0.1, 0.5, 0.9, 1.0))
            contents = self.durable.get(file)
            found = None if contents is None else bytearray(contents)
            for one in self.pending.get(file, ()):
                for part in _torn(one):
                    if random.random() < likely:
                        found = _apply(found, part)
            if found is not None:
                files[file] = bytes(found)
        return files


def _torn(operation: Operation) -> Iterator[Operation]:
    """An operation in the pieces in which it reaches a disk."""
    if operation.kind != "write":
        yield operation
        return
    start, end = operation.at, operation.at + len(operation.data)
    while start < end:
        stop = min(end, (start // SECTOR + 1) * SECTOR)
        part = operation.data[start - operation.at : stop - operation.at]
        yield Operation("write", operation.file, start, part)
        start = stop


def _apply(contents: Contents, operation: Operation) -> Contents:
    if operation.kind == "delete":
        return None
    found = bytearray() if contents is None else contents
    if operation.kind == "truncate":
        del found[operation.at :]
        found.extend(bytes(operation.at - len(found)))
    else:
        end = operation.at + len(operation.data)
        found.extend(bytes(max(0, operation.at - len(found))))
        found[operation.at : end] = operation.data
    return found
