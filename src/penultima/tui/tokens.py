"""Who this user is to servers: a token for each server and name, so that one can come back."""

import os
from pathlib import Path

import msgspec

from penultima.folder import data_folder


def _file() -> Path:
    return data_folder() / "people.json"


def _known() -> dict[str, str]:
    try:
        return msgspec.json.decode(_file().read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError):  # nobody known is a stranger everywhere
        return {}


def token(server: str, name: str) -> str | None:
    return _known().get(f"{server} {name}")


def remember(server: str, name: str, token: str) -> None:
    """Only this user may read it: whoever has a token is that person."""
    known = {**_known(), f"{server} {name}": token}
    _file().parent.mkdir(parents=True, exist_ok=True)
    aside = _file().with_suffix(".new")
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as out:
        out.write(msgspec.json.encode(known))
    aside.replace(_file())
