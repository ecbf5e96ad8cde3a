"""Work on what strangers give: outside the server, within limits, in turn, and rationed."""

import asyncio
import contextlib
import time
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from penultima.client import Client
from penultima.edition import load, read, shipped
from penultima.errors import EditionError, PenultimaError, RecordError, RulesetError, ServerError
from penultima.locale import LANGUAGES, Message, say
from penultima.rulebook import edition_page
from penultima.server import commands, replaying, wire
from penultima.server.limiter import Limiter
from penultima.server.settings import Limits
from penultima.server.turns import Turns
from penultima.server.worker import Done, Job, packed, unpacked
from penultima.server.workshop import Worker, Workshop
from tests.commands import HARVEST
from tests.server.harness import ServerProcess, a_server, until
from tests.support import states


@pytest.fixture(scope="module")
def record() -> str:
    """Of a long match: looking at it takes a while."""
    sheet = shipped("classic").sheet.with_options({"target": 900})
    *_, match = states(sheet, seats=4, seed=3)
    assert len(match.rounds) > 5
    return match.record().to_text()


def processes_of(server: ServerProcess) -> list[int]:
    assert server.process is not None
    found = []
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit():
                words = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(words[1]) == server.process.pid:
                    found.append(int(folder.name))
    return found


def test_strangers_texts_are_read_in_another_process(tmp_path: Path, record: str) -> None:
    own = Path(HARVEST).read_text("utf-8")
    with a_server(tmp_path) as server, httpx.Client(base_url=server.address, timeout=60) as http:
        assert processes_of(server) == []
        made = http.post("/api/tables", json={"own": own, "options": {"target": 300}})
        assert made.status_code == 201, made.text
        assert len(processes_of(server)) == 1
        rules = http.get(f"/api/tables/{made.json()['table']}/rules").text
        assert rules == edition_page(load(HARVEST).with_options({"target": 300}), "en")
        answer = http.post("/api/replay", content=record)
        assert msgspec.json.decode(answer.content, type=wire.Replay).steps
        assert msgspec.json.decode(answer.content) == msgspec.to_builtins(replaying.replay(record))
        bad = http.post("/api/tables", json={"own": own.replace("copies", "copis", 1)})
        assert (bad.status_code, bad.json()["code"]) == (400, "edition.unknown_key")
        bad = http.post("/api/replay", content=record.replace("seat 0", "seat 9", 1))
        assert bad.status_code == 400 and bad.json()["code"].startswith("record.")


@pytest.mark.parametrize("option", [{"target": -1}, {"jump_in": "x"}, {"chairs": 2}])
def test_a_refusal_is_the_same_as_here(server: ServerProcess, option: dict[str, Any]) -> None:
    own = Path(HARVEST).read_text("utf-8")
    with pytest.raises(PenultimaError) as refused:
        read(own, Message("table.own_edition")).with_options(option)
    for language in LANGUAGES:
        error = refused.value
        said = say(language, f"{error.area}.{error.code}", **error.details)
        answer = httpx.post(
            f"{server.address}/api/tables",
            json={"own": own, "options": option},
            headers={"accept-language": language},
        )
        assert (answer.status_code, answer.json()["message"]) == (400, said)


def test_an_error_is_the_same_after_its_way() -> None:
    inner = RulesetError("color_unknown", color="x", allowed=["a", "b"])
    for error in (
        EditionError("rules", file="f", problem=inner),
        EditionError("wrong_form", file="f", field="x", remedy=Message("edition.form.id")),
        RecordError("too_long", bytes=5),
    ):
        again = unpacked(msgspec.json.decode(msgspec.json.encode(packed(error))))
        assert isinstance(again, type(error)) and (again.code, str(again)) == (
            error.code,
            str(error),
        )


@pytest.mark.parametrize("harm", ["endless", "greedy"])
def test_a_job_that_is_too_much_ends_and_the_next_one_is_done(harm: str) -> None:
    async def run() -> None:
        strained = Worker(512, module="tests.server.strained")
        try:
            assert await strained.do(Job("fine", 1, ["x"])) == Done(answer=b"x")
            started = time.monotonic()
            assert await strained.do(Job(harm, 1, ["x"])) == Done()
            assert time.monotonic() - started < 60
            assert await strained.do(Job("fine", 1, ["y"])) == Done(answer=b"y")
        finally:
            await strained.close()

    asyncio.run(run())


def test_too_much_is_said_clearly() -> None:
    async def run() -> ServerError:
        spent: list[tuple[str, float]] = []
        shop = Workshop(lambda who, seconds: spent.append((who, seconds)))
        for workers in shop._free.values():
            workers[:] = [Worker(512, module="tests.server.strained") for _ in workers]
            shop._all += workers
        try:
            with pytest.raises(ServerError) as refused:
                await shop.do("eve", "edition", "endless")
        finally:
            await shop.close()
        assert spent[0][0] == "eve" and spent[0][1] > 1
        return refused.value

    error = asyncio.run(run())
    assert error.code == "too_heavy"
    for language in LANGUAGES:
        assert "{" not in say(language, "server.too_heavy", **error.details)


def test_turns_go_round() -> None:
    """Who asks for much waits behind who asks for little."""

    async def run() -> list[str]:
        turns, go = Turns(1), asyncio.Event()
        done: list[str] = []

        async def work(who: str, what: str) -> None:
            async with turns.turn(who):
                await go.wait()
                done.append(what)

        tasks = [asyncio.create_task(work("eve", f"eve {n}")) for n in range(4)]
        tasks += [asyncio.create_task(work("ana", "ana")), asyncio.create_task(work("bo", "bo"))]
        await asyncio.sleep(0.01)
        go.set()
        await asyncio.gather(*tasks)
        return done

    assert asyncio.run(run()) == ["eve 0", "eve 1", "ana", "bo", "eve 2", "eve 3"]


def test_nobody_fills_the_queue_and_who_gives_up_leaves_it() -> None:
    async def run() -> None:
        turns = Turns(2, most_each=3)
        go = asyncio.Event()

        async def work(who: str) -> None:
            async with turns.turn(who):
                await go.wait()

        eve = [asyncio.create_task(work("eve")) for _ in range(4)]
        await asyncio.sleep(0.01)
        with pytest.raises(ServerError, match="busy"):
            async with turns.turn("eve"):
                pass
        async with asyncio.timeout(5):
            async with turns.turn("ana"):  # one place is never only one person's
                pass
        eve[3].cancel()
        eve[1].cancel()
        go.set()
        await asyncio.gather(*eve, return_exceptions=True)
        async with asyncio.timeout(5), turns.turn("eve"), turns.turn("bo"):
            pass
        assert not turns._waiting and not turns._busy

    asyncio.run(run())


def test_an_address_has_its_share_of_work(tmp_path: Path, record: str) -> None:
    limiter = Limiter(Limits(work_per_address=10))
    assert limiter.may_work("eve")
    limiter.worked("eve", 10.5)
    assert not limiter.may_work("eve") and limiter.may_work("ana")
    with a_server(tmp_path, "--limits=work_per_address=1") as server:
        path = f"{server.address}/api/replay"
        answer = httpx.post(path, content=record, timeout=60)
        assert answer.status_code == 200
        for _ in range(500):  # a second of work, on a fast machine too
            if answer.status_code != 200:
                break
            answer = httpx.post(path, content=record, timeout=60)
        assert (answer.status_code, answer.json()["code"]) == (429, "server.too_much_work")
        assert httpx.post(f"{server.address}/api/tables", json={}).status_code == 201


def test_analyses_do_not_hold_up_hints(tmp_path: Path, record: str) -> None:
    """Five of them by one person, while another asks what to do."""

    async def ask(server: ServerProcess) -> None:
        client = await Client.connect(server.address)
        table = await client.open(seats=2, name="A", hints=True)
        async with client.sit(table, "A") as seat, httpx.AsyncClient(timeout=300) as http:
            await until(seat, lambda s: s.places[0].here)
            await seat.begin()
            await until(seat, lambda s: s.view is not None and bool(s.view.legal))
            path = f"{server.address}/api/analysis/1"
            five = [asyncio.create_task(http.post(path, content=record)) for _ in range(5)]
            await asyncio.sleep(1)
            asked = asyncio.create_task(seat.send(commands.Hint(id="what")))
            async for frame in seat.frames():
                if isinstance(frame, wire.Advice | wire.Answer) and frame.id == "what":
                    assert isinstance(frame, wire.Advice), frame
                    break
            assert sum(one.done() for one in five) < 5, "the hint waited for the analyses"
            for one in five:
                one.cancel()
            await asyncio.gather(*five, return_exceptions=True)
            asked.cancel()

    with a_server(tmp_path) as server:
        asyncio.run(ask(server))
