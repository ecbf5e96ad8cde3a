"""Machine code: sizes of deck compiled apart and met again, what is told of it, where it lies."""

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from penultima import machinecode
from penultima.bots import MANNERS
from penultima.edition import shipped
from penultima.fastforesight import FastForesight
from penultima.game import Match, key_of_seed
from penultima.rules.deal import start_match
from penultima.rules.schema import Game, Trace
from penultima.ruleset import Sheet
from penultima.server.thinker import Thinker
from penultima.sharp import prepare
from tests.test_compiled import wide_sheet

pytestmark = pytest.mark.xdist_group("compiled")

DEAL = """
import sys
import numpy as np
from penultima import machinecode
from penultima.compiled import deal_games, dtype, to_array, to_plain
from penultima.edition import shipped
from penultima.rules.schema import Game, Trace
from tests.test_compiled import wide_sheet

class Told:
    def begins(self, name, kinds):
        print("begins", name, kinds)
        self.before = 0.0
    def goes_on(self, seconds, functions):
        assert seconds > self.before and functions > 0
        self.before = seconds
        print("goes on")
    def ends(self, seconds):
        assert seconds >= self.before
        print("ends")

machinecode.watch_with(Told())
for name in sys.argv[1:]:
    sheet = wide_sheet() if name == "wide" else shipped("classic").sheet
    size = sheet.rules.size
    games = np.zeros(3, dtype(Game, size))
    games["seats"] = 5
    deal_games(to_array(sheet.rules), games, np.zeros(1, dtype(Trace, size.bulk)), 9, 0)
    print(*(to_plain(Game, game, size).to_bytes().hex() for game in games))
dispatchers = deal_games._ready.values()
libraries = [next(iter(made.overloads.values())).library for made in dispatchers]
names = [
    {
        symbol.name
        for symbol in (*module.functions, *module.global_variables)
        # A constant is named by a hash of what it is.
        if not symbol.is_declaration and not symbol.name.startswith(".const.")
    }
    for module in (library._shared_module for library in libraries)
] if len(libraries) == 2 else [set(), set()]
print(len(names[0]), len(names[1]), *sorted(names[0] & names[1]))
"""


def deal(cache: Path, *names: str) -> list[str]:
    """Deal three games of each deck in a process of its own; gives what it said."""
    done = subprocess.run(
        [sys.executable, "-c", DEAL, *names],
        env={**os.environ, "PENULTIMA_CACHE": str(cache)},
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        text=True,
        timeout=300,
        check=True,
    )
    return done.stdout.splitlines()


def dealt(sheet: Sheet) -> str:
    """The same games, interpreted."""
    texts = []
    for number in range(3):
        game, trace = Game(sheet.rules.size), Trace(sheet.rules.size)
        game.seats = 5
        game.key = key_of_seed(9, number)
        start_match(sheet.rules, game, trace)
        texts.append(game.to_bytes().hex())
    return " ".join(texts)


def test_sizes_compiled_apart_are_loaded_together(tmp_path: Path) -> None:
    """Numba names functions by numbers that every process counts from its start."""
    standard, wide = dealt(shipped("classic").sheet), dealt(wide_sheet())
    for name, kinds, games in (("standard", 56, standard), ("wide", 120, wide)):
        first, *rest, found, _ = deal(tmp_path, name)
        assert first == f"begins deal_games {kinds}"  # each size is announced
        assert rest[-1] == "ends" and set(rest[:-1]) == {"goes on"}
        assert found == games
    for order in (("standard", "wide"), ("wide", "standard")):
        *games_of_both, names = deal(tmp_path, *order)
        assert sorted(games_of_both) == sorted([standard, wide])
        assert games_of_both[0] == (standard if order[0] == "standard" else wide)
        one, other, *shared = names.split()
        assert int(one) > 5 and int(other) > 5 and not shared


STUCK = """
import os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever started us may ignore it
from penultima import arena, sim
from penultima.cli import main, working
show = working.Progress.show
def shown(bar, *how_far):
    show(bar, *how_far)
    os.write(2, b"shown\\n")  # in one piece: print writes the end of a line by itself
working.Progress.show = shown
play = {module: module.play_chunk for module in (arena, sim)}
def stick(module):
    def play_chunk(job, *where):
        numbers = [number for number in where if number != job]
        if numbers[-2]:
            os.write(2, b"stuck\\n")
            while True:
                threading.Event().wait()
        return play[module](job, *where)
    return play_chunk
for module in play:
    module.play_chunk = stick(module)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "command",
    [
        "simulate --games 6000 --threads 2 --json",
        "arena eager basic --games 9000 --threads 2 --json",
    ],
)
def test_ctrl_c_stops_work_that_never_ends(command: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STUCK, *command.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    left = ["shown\n", "stuck\n", "stuck\n"]  # the first chunk is done, no thread is free
    try:
        for line in process.stderr:
            if line in left:
                left.remove(line)
            if not left:
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130 and "Traceback" not in err
    assert json.loads(out)["complete"] is False


def test_ctrl_c_stops_a_compilation(tmp_path: Path) -> None:
    script = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from penultima.cli import main\n"
        "sys.exit(main(['simulate', '--games', '10']))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, "PENULTIMA_CACHE": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert "56" in line and "minute" in line
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130 and not out
    assert "Traceback" not in err and err.count("\n") <= 2
    assert not list(tmp_path.glob("**/*.nbc"))  # it did not wait for the end of it


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("PENULTIMA_CACHE", str(tmp_path))
    for found in (machinecode._kept, machinecode._passing):
        found.cache_clear()
    yield tmp_path
    for found in (machinecode._kept, machinecode._passing):
        found.cache_clear()


def test_machine_code_is_kept_where_nobody_else_can_write(cache: Path) -> None:
    folder = machinecode.cache_folder()
    assert folder.is_relative_to(cache)
    assert stat.S_IMODE((cache / "penultima").stat().st_mode) == 0o700


def test_code_that_others_could_have_put_there_is_never_loaded(
    cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What lies in the cache is run: a folder that anybody can write to is none."""
    (cache / "penultima").mkdir()
    (cache / "penultima").chmod(0o777)
    folder = machinecode.cache_folder()
    assert not folder.is_relative_to(cache)
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert folder.parent.stat().st_uid == os.geteuid()
    assert str(cache) in caplog.text
    machinecode._passing.cache_clear()
    assert machinecode.cache_folder().parent != folder.parent  # nobody can know the name


def test_without_a_home_code_is_not_kept(
    cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (cache / "file").touch()
    monkeypatch.setenv("PENULTIMA_CACHE", str(cache / "file"))
    assert machinecode.cache_folder().is_dir()
    assert "not kept" in caplog.text


EVERYTHING = """
import os, pkgutil, sys
import distributed, platformdirs, textual.app, uvicorn  # know where they are
for name in ("getuid", "geteuid", "getgid", "getegid", "nice", "setsid", "fork"):
    delattr(os, name)
for name in ("fcntl", "termios", "tty", "pty", "pwd", "grp", "resource", "uvloop"):
    sys.modules[name] = None
import penultima
names = [m.name for m in pkgutil.walk_packages(penultima.__path__, "penultima.")]
names = [name for name in names if "__main__" not in name]
for name in names:
    __import__(name)
from penultima.machinecode import cache_folder
assert cache_folder().is_dir()
print(len(names))
"""


def test_nothing_that_only_some_systems_have_is_called_at_import() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EVERYTHING], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100


def test_a_server_compiles_for_each_size_of_deck_that_it_meets() -> None:
    """No bot's thread compiles: until another process has done so, a bot plays without."""
    sheets = shipped("chili").sheet, wide_sheet()
    for sheet in sheets:  # that process makes way for others, so that it would take a while
        prepare(sheet)
        match = Match(sheet, ["0", "1"], key_of_seed(1))
        FastForesight(sheet, MANNERS["basic"]).chances(match.game, 1, 1)

    async def ask() -> None:
        thinker = Thinker(20)
        assert not thinker.thinks(shipped("classic").sheet)  # not started: nothing is compiled
        thinker.start()
        try:
            for sheet in sheets:
                kinds = sheet.rules.size.kinds
                assert not thinker.thinks(sheet) and kinds not in thinker.foreseeing
                while not (thinker.thinks(sheet) and kinds in thinker.foreseeing):
                    await asyncio.sleep(0.1)
        finally:
            await thinker.close()

    asyncio.run(ask())
