"""A client's part in the fair deal: what it keeps, what it promises and shows, what it has to say.

`see` keeps what a table shows, and raises `Unfair` where the server does not keep to the deal; then
the client shows nothing more and plays no further. `due` is the command that our part needs now.
"""

import secrets
from collections.abc import Sequence
from typing import Final

from penultima.errors import Unfair, Unreadable
from penultima.fair import SERVER, people
from penultima.receipt import DEALT, Receipt, ReceiptFolder, Receipts
from penultima.server import commands, wire

DEALS: Final = ("dealt", "continued")  # what begins a round


class OwnPart:
    def __init__(self, receipts: Receipts | None, server: str, table: str) -> None:
        self.receipt: Receipt | None = None  # of the seat that we have
        self.unkept: tuple[str, str] | None = None  # where it cannot be kept, and why
        self._receipts = ReceiptFolder() if receipts is None else receipts
        self._server = server
        self._table = table
        self._done = 0, ""  # the attempt and stage for which our part was sent

    def see(self, seat: int | None, state: wire.State, moments: Sequence[wire.Moment]) -> None:
        """Keep what is shown before anything is answered to it."""
        if seat is None:
            self.receipt = None
            return
        if self.receipt is None or self.receipt.seat != seat:
            self.receipt = self._find(seat)
        try:
            new = self.receipt.see(
                state.stage, state.attempt, state.promises, state.reveals, state.matches
            )
        except Unfair:
            self._keep()
            raise
        if moments and moments[-1].entry.get("type") in DEALS and state.view is not None:
            self.receipt.dealt(state.view.round, state.view.hand)
            new = True
        if new:
            self._keep()

    def due(self, seat: int | None, state: wire.State) -> commands.Promise | commands.Reveal | None:
        """The promise of a seed of our own, and the seed when everybody has promised."""
        receipt, stage = self.receipt, state.stage
        if seat is None or receipt is None or self._done == (state.attempt, stage):
            return None
        name = secrets.token_hex(8)
        if stage == "promising" and seat not in state.left_out and str(seat) not in state.promises:
            receipt.make_seed()
            self._keep()
            self._done = state.attempt, stage
            assert receipt.promise is not None
            return commands.Promise(id=name, promise=receipt.promise)
        if stage == "revealing" and receipt.own_is_in and str(seat) not in state.reveals:
            assert receipt.last.seed is not None
            self._done = state.attempt, stage
            return commands.Reveal(id=name, seed=receipt.last.seed)
        return None

    def answered(self, seat: int, attempt: int, refused: str | None) -> None:
        """The server has taken our promise, or refused it."""
        receipt = self.receipt
        if receipt is not None and receipt.seat == seat and receipt.last.attempt == attempt:
            receipt.taken(refused is not None)
            self._keep()

    def _find(self, seat: int) -> Receipt:
        try:
            return self._receipts.find(self._server, self._table, seat)
        except (OSError, Unreadable) as error:
            self._unkept(error)
            return Receipt(self._table, seat, self._server)

    def _keep(self) -> None:
        assert self.receipt is not None
        if self.unkept is None:
            try:
                self._receipts.keep(self.receipt)
            except OSError as error:
                self._unkept(error)

    def _unkept(self, error: OSError | Unreadable) -> None:
        """Go on from memory: what was kept there before is left as it is."""
        if isinstance(error, OSError):
            self.unkept = str(error.filename or ""), error.strerror or type(error).__name__
        else:
            self.unkept = error.details["file"], error.details["reason"]


class Notices:
    """What people are to know of a deal, each said once: keys of the catalogue with details."""

    def __init__(self) -> None:
        self._said: set[tuple[object, ...]] = set()

    def new(
        self, part: OwnPart, seat: int | None, state: wire.State
    ) -> list[tuple[str, dict[str, object]]]:
        found: list[tuple[str, dict[str, object]]] = []
        for one in state.given_up:
            names = [state.places[n].name for n in one.missing]
            found.append(("fair.given_up", {"attempt": one.attempt, "players": names}))
        if state.left_out and state.stage in ("promising", "revealing"):
            names = [state.places[n].name for n in state.left_out]
            found.append(("fair.left_out", {"players": names}))
        if state.stage in DEALT and SERVER in state.promises:
            found += _of_deal(part, seat, state)
        if part.unkept is not None:
            found.append(("fair.unkept", dict(zip(("file", "reason"), part.unkept, strict=True))))
        return [one for one in found if self._mark(state.attempt, *one)]

    def _mark(self, attempt: int, key: str, details: dict[str, object]) -> bool:
        # An attempt that was given up is told by its own number.
        mark = key, details.get("attempt", attempt), str(details)
        known = mark in self._said
        self._said.add(mark)
        return not known


def _of_deal(
    part: OwnPart, seat: int | None, state: wire.State
) -> list[tuple[str, dict[str, object]]]:
    found: list[tuple[str, dict[str, object]]] = []
    if part.receipt is not None and part.receipt.code is not None:
        found.append(("fair.code", {"code": part.receipt.code}))
    if not people(state.promises):
        found.append(("fair.alone", {}))
    elif seat is not None and str(seat) not in state.promises:
        found.append(("fair.own_out", {}))
    return found
