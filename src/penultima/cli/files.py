"""Files that the command line names: read within bounds, and looked at before they are written."""

import errno
import os
import sys
from pathlib import Path
from typing import Final

from penultima.errors import Unreadable, short
from penultima.locale import Message
from penultima.record import MOST_BYTES
from penultima.system import reason

STDIN: Final = "-"


def read_text(file: str | Path, most: int = MOST_BYTES) -> str:
    """The text of a file, or of standard input; what never ends is not read to its end."""
    name = str(file)
    try:
        if name != STDIN and not Path(file).is_file():
            most = min(most, MOST_BYTES)  # a device may never end
        data = _stdin(most) if name == STDIN else _read(Path(file), most)
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
    except (OSError, UnicodeEncodeError) as error:
        raise Unreadable("no_file", file=name, reason=reason(error)) from error
    except UnicodeDecodeError as error:
        raise Unreadable("not_utf8", file=named(name)) from error
    except ValueError as error:  # a name that no file can have
        raise Unreadable("no_file", file=short(name), reason=reason(error)) from error
    if len(data) > most:
        raise Unreadable("too_long", file=named(name), bytes=most)
    return text


def named(name: str) -> str:
    """How a file is called in a message."""
    return Message("cli.stdin") if name == STDIN else name


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as stream:
        return stream.read(most + 1)


def _stdin(most: int) -> bytes | str:
    binary = getattr(sys.stdin, "buffer", None)
    found: bytes | str = sys.stdin.read(most + 1) if binary is None else binary.read(most + 1)
    return found


def unwritable(path: Path, *, new: bool = False, parents: bool = False) -> str | None:
    """Why a file could not be written, found before the work whose result it shall hold.

    `new`: it must not be there yet; `parents`: missing folders will be made."""
    try:
        if path.is_dir():
            return reason(OSError(errno.EISDIR, ""))
        if os.path.lexists(path):
            if new:
                return reason(OSError(errno.EEXIST, ""))
            return None if os.access(path, os.W_OK) else reason(OSError(errno.EACCES, ""))
        folder = path.parent
        while parents and not folder.exists() and folder != folder.parent:
            folder = folder.parent
        folder.stat()  # or it is said why not
        path.lstat()
    except FileNotFoundError:
        if not (parents or path.parent.exists()):
            return reason(OSError(errno.ENOENT, ""))
    except (OSError, ValueError) as error:
        return reason(error)
    if not folder.is_dir():
        return reason(OSError(errno.ENOTDIR, ""))
    return None if os.access(folder, os.W_OK) else reason(OSError(errno.EACCES, ""))
