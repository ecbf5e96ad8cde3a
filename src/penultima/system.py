"""What the operating system or a network says is wrong, in words of the catalogue."""

import errno
import json
import socket
from http.client import HTTPException, InvalidURL
from typing import Final
from urllib.error import URLError

from penultima.errors import short
from penultima.locale import Message

_REASONS: Final = {
    errno.ENOENT: "missing",
    errno.ENOTDIR: "no_folder",
    errno.EISDIR: "folder",
    errno.EEXIST: "exists",
    errno.EACCES: "denied",
    errno.EPERM: "denied",
    errno.EROFS: "read_only",
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.EFBIG: "full",
    errno.ENAMETOOLONG: "long_name",
    errno.ELOOP: "loop",
    errno.EIO: "device",
    errno.EMFILE: "many_files",
    errno.ECONNREFUSED: "refused",
    errno.ECONNRESET: "reset",
    errno.EPIPE: "reset",
    errno.ETIMEDOUT: "timeout",
    errno.EHOSTUNREACH: "unreachable",
    errno.ENETUNREACH: "unreachable",
    errno.EADDRINUSE: "in_use",
    errno.EADDRNOTAVAIL: "not_here",
}


def reason(error: BaseException) -> str:
    """Why something could not be read, written or reached, to be put into a message.

    >>> reason(FileNotFoundError(2, "No such file or directory"))
    'system.missing'
    """
    if isinstance(error, URLError):  # what it was told instead is that no host is given, say
        inner = error.reason
        return reason(inner) if isinstance(inner, BaseException) else Message("system.no_address")
    if isinstance(error, socket.gaierror):
        return Message("system.no_host")
    if isinstance(error, TimeoutError):
        return Message("system.timeout")
    # An error of TLS is an OSError with a number of its own.
    if isinstance(error, OSError) and type(error).__module__ != "ssl" and error.errno in _REASONS:
        return Message(f"system.{_REASONS[error.errno]}")
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return short(said or type(error).__name__, 200).rstrip(".")


def unanswered(error: BaseException) -> str:
    """Why a server could not be asked, or gave no answer that makes sense.

    >>> unanswered(ValueError("Invalid IPv6 URL"))
    'system.no_address'
    """
    if isinstance(error, OSError):
        return reason(error)
    strange = json.JSONDecodeError | UnicodeDecodeError | HTTPException
    if isinstance(error, strange) and not isinstance(error, InvalidURL):
        return Message("system.strange")
    return Message("system.no_address")
