"""What is wrong, in words that a log and a health check may hold.

The text of an error can name files, addresses or what somebody wrote; its kind cannot, and says
what to look after.
"""

import sqlite3
from typing import Final

from penultima.errors import PenultimaError

# By the first byte of SQLite's error codes.
_SQLITE: Final = {
    5: "database locked",
    6: "database locked",
    8: "database read-only",
    10: "disk error",
    11: "database damaged",
    13: "disk full",
    14: "database unreachable",
    26: "database damaged",
}
DAMAGED: Final = "database damaged"
AWAY: Final = "database away"


def diagnosis(error: BaseException) -> str:
    """A few safe words for an error.

    >>> diagnosis(OSError(28, "No space left on device", "/secret/file"))
    'No space left on device'
    """
    if isinstance(error, PenultimaError):
        return f"{error.area}.{error.code}"
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        return _SQLITE.get(code, type(error).__name__)
    if type(error).__module__.partition(".")[0] == "asyncpg":
        return _postgres(error)
    if isinstance(error, TimeoutError):
        return "too slow"
    if isinstance(error, ConnectionError):
        return AWAY
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return type(error).__name__


def _postgres(error: BaseException) -> str:
    state = str(getattr(error, "sqlstate", None) or "")
    if state == "53100":
        return "disk full"
    if state.startswith(("08", "57P")) or not state:  # connections, and servers that go down
        return AWAY
    return type(error).__name__
