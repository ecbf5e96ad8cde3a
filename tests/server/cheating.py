"""A server that cheats at the deal, for testing whether clients catch it.

    CHEAT=seed python -m tests.server.cheating serve --data FOLDER

It is the real server, with one of the `CHEATS` put into it. `VICTIM` is the seat that is cheated
where not everybody is.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from penultima.cli import main
from penultima.fair import SERVER, FairDeal, commitment, new_seed
from penultima.game import Match
from penultima.server import answers, due, log
from penultima.server.socket import Connection
from penultima.server.table import Refusal, Stage, Table
from tests.server.harness import ServerProcess

TRIES: Final = 300  # seeds among which the best is chosen
FAVOURED: Final = 0
VICTIM: Final = os.environ.get("VICTIM", "0")

Cheat = Callable[[], None]
CHEATS: dict[str, Cheat] = {}
# What clients are told of each: a part of the key of a sentence, or what happens otherwise.
CAUGHT: Final = {
    "seed": "promise_changed",  # the seed, and its promise, after everybody has revealed
    "hidden": "seed_changed",  # the seed alone: its promise is shown as it was
    "promise": "promise_changed",  # its own promise, when it knows all others
    "withheld": "promise_missing",  # its own promise, until all others are there
    "omitted": "promise_missing",  # the promise of a player
    "dropped": "dealt_without",  # the seed of a player
    "late": "promise_added",  # somebody promises who knows all seeds
    "thrown": "dealt_again",  # a deal that it does not like
    "repeated": "promise_missing",  # an attempt is made once more
    "back": "attempt_back",  # one from before
}
# Nothing of these can be seen by one player alone, while the match goes on.
COMPARED: Final = ("split",)  # different promises for different players
WARNED: Final = ("deaf",)  # takes nobody's promise


def cheat(put_in: Cheat) -> Cheat:
    CHEATS[put_in.__name__.removeprefix("_")] = put_in
    return put_in


class Chosen(Mapping[int, str]):
    """The seeds of a table, but for those that were chosen."""

    def __init__(self, seeds: Any) -> None:
        self._seeds = seeds
        self._chosen: dict[int, str] = {}

    def choose(self, attempt: int, seed: str) -> None:
        self._chosen[attempt] = seed

    def __getitem__(self, attempt: int) -> str:
        return str(self._chosen.get(attempt) or self._seeds[attempt])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._seeds, name)

    def __iter__(self) -> Iterator[int]:
        return iter(self._chosen)

    def __len__(self) -> int:
        return len(self._chosen)


def choose(table: Table, seed: str, promise: bool = True) -> None:
    """Have another seed than the one that was promised, and another promise as well."""
    if not isinstance(table.seeds, Chosen):
        table.seeds = Chosen(table.seeds)
    table.seeds.choose(table.attempt, seed)
    if promise:
        made = commitment(table.id, table.attempt, SERVER, bytes.fromhex(seed))
        table.promises = {**table.promises, SERVER: made}


def worth(table: Table, seed: str) -> int:
    """How good the hand of the favoured seat is."""
    deal = FairDeal(table.id, table.attempt, {}, {SERVER: seed, **table.reveals})
    game = Match(table.sheet, [p.name for p in table.places], deal.key()).game
    rules = table.sheet.rules
    return sum(
        count * (1000 * (kind >= rules.colored) + 1)
        for kind, count in enumerate(game.hands[FAVOURED][: rules.kinds])
    )


def best(table: Table) -> str:
    return max((new_seed().hex() for _ in range(TRIES)), key=lambda seed: worth(table, seed))


def instead(owner: Any, name: str, made: Callable[[Any], Any]) -> None:
    setattr(owner, name, made(getattr(owner, name)))


def after(kind: type[log.Entry], stage: Stage, do: Callable[[Table], None]) -> None:
    """Do something once at a table, when an entry has brought it to a stage."""
    done: set[str] = set()

    def made(apply: Any) -> Any:
        def applied(table: Table, entry: log.Entry) -> Any:
            found = apply(table, entry)
            if isinstance(entry, kind) and table.stage == stage and table.id not in done:
                done.add(table.id)
                do(table)
            return found

        return applied

    instead(Table, "apply", made)


def told(change: Callable[[dict[str, Any], str], object]) -> None:
    """Change the states that clients are shown; `change` gets the seat too."""

    def made(send: Any) -> Any:
        def sent(connection: Connection, frame: bytes) -> None:
            content = json.loads(frame)
            if content["type"] in ("welcome", "news"):
                change(content, str(content["seat"]))
                frame = json.dumps(content).encode()
            send(connection, frame)

        return sent

    instead(Connection, "send", made)


def deal_best(promise: bool) -> None:
    def made(deal: Any) -> Any:
        def dealt(table: Table, at: int) -> Any:
            choose(table, best(table), promise)
            return deal(table, at)

        return dealt

    instead(Table, "_deal", made)


@cheat
def _seed() -> None:
    deal_best(promise=True)


@cheat
def _hidden() -> None:
    deal_best(promise=False)


@cheat
def _promise() -> None:
    after(log.Promised, Stage.REVEALING, lambda table: choose(table, new_seed().hex()))


@cheat
def _withheld() -> None:
    def change(frame: dict[str, Any], _seat: str) -> None:
        if frame["state"]["stage"] == "promising":
            frame["state"]["promises"].pop(SERVER, None)

    told(change)


@cheat
def _omitted() -> None:
    def omit(table: Table) -> None:
        table.promises = {who: one for who, one in table.promises.items() if who != VICTIM}

    after(log.Promised, Stage.REVEALING, omit)


@cheat
def _dropped() -> None:
    told(lambda frame, _seat: frame["state"]["reveals"].pop(VICTIM, None))


@cheat
def _late() -> None:
    def made(deal: Any) -> Any:
        def dealt(table: Table, at: int) -> Any:
            seed, puppet = new_seed(), str(len(table.places) - 1)
            made = commitment(table.id, table.attempt, puppet, seed)
            table.promises = {**table.promises, puppet: made}
            table.reveals = {**table.reveals, puppet: seed.hex()}
            return deal(table, at)

        return dealt

    instead(Table, "_deal", made)


def _other_attempt(again: Callable[[Table], int]) -> None:
    """The first time that all seeds are known, do not deal."""
    done: set[str] = set()

    def made(tick: Any) -> Any:
        def ticked(table: Table, at: int) -> list[log.Entry]:
            found: list[log.Entry] = tick(table, at)
            if found and isinstance(found[0], log.Dealt) and table.id not in done:
                done.add(table.id)
                seed = bytes.fromhex(table.seeds[again(table)])
                made = commitment(table.id, again(table), SERVER, seed)
                return [log.Began(at=at, attempt=again(table), promise=made)]
            return found

        return ticked

    instead(due, "tick", made)


@cheat
def _thrown() -> None:
    _other_attempt(lambda table: table.attempt + 1)


@cheat
def _repeated() -> None:
    _other_attempt(lambda table: table.attempt)


@cheat
def _back() -> None:
    _other_attempt(lambda table: table.attempt - 1)


@cheat
def _split() -> None:
    seeds: dict[tuple[str, int], str] = {}
    tables: list[str] = []

    def change(frame: dict[str, Any], seat: str) -> None:
        if frame["type"] == "welcome":
            tables.append(frame["settings"]["table"])
        state, table = frame["state"], tables[-1]  # one at a time is enough
        if seat != VICTIM or SERVER not in state["promises"]:
            return
        seed = seeds.setdefault((table, state["attempt"]), new_seed().hex())
        made = commitment(table, state["attempt"], SERVER, bytes.fromhex(seed))
        state["promises"][SERVER] = made
        if SERVER in state["reveals"]:
            state["reveals"][SERVER] = seed

    told(change)


@cheat
def _deaf() -> None:
    def made(promise: Any) -> Any:
        def refused(*_: Any) -> Any:
            raise Refusal("not_now")

        return refused

    instead(answers, "_promise", made)


class CheatingServer(ServerProcess):
    module = "tests.server.cheating"

    def __init__(self, data: Path, name: str, victim: int = 0, **environment: str) -> None:
        root = Path(__file__).parent.parent.parent
        path = os.pathsep.join([str(root / "src"), str(root)])
        known = {"CHEAT": name, "VICTIM": str(victim), "PYTHONPATH": path}
        super().__init__(data, **known, **environment)


if __name__ == "__main__":
    CHEATS[os.environ["CHEAT"]]()
    sys.exit(main(sys.argv[1:]))
