"""A match with checked play: rounds, scores, record and replay.

>>> from penultima.edition import shipped
>>> match = Match(shipped("classic").sheet, ["Ana", "Boris"], key_of_seed(1))
>>> match.over is None, len(match.legal(match.game.turn)) > 0
(True, True)
"""

import hashlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from penultima.errors import Illegal, RecordError, Unreadable, short
from penultima.event import Event, events_of
from penultima.keys import key_of_seed
from penultima.notation import OVERS, action_text, actions_in, is_action, move_text, read_action
from penultima.position import winner_of
from penultima.record import Record, Round, clean_name
from penultima.refusal import why_not
from penultima.rules.actions import GOING_ON, MATCH_OVER
from penultima.rules.deal import next_round, start_match
from penultima.rules.legal import legal
from penultima.rules.schema import Game, Size, Trace
from penultima.rules.step import step
from penultima.ruleset import Sheet

__all__ = ["Match", "Step", "digest", "key_of_seed", "replayed"]


def digest(game: Game) -> str:
    """A fingerprint of the whole state, byte for byte."""
    return hashlib.sha256(game.to_bytes()).hexdigest()


class _Scratch(threading.local):
    """Traces of one thread: its matches share them, for one is larger than a game."""

    def __init__(self) -> None:
        self._traces: dict[Size, Trace] = {}

    def trace(self, size: Size) -> Trace:
        """An empty one, for one step."""
        trace = self._traces.get(size)
        if trace is None:
            trace = self._traces[size] = Trace(size)
        trace.on = 1
        trace.length = 0
        return trace


_scratch: Final = _Scratch()


class Match:
    """The state, how it came about, and the only checked way to change it."""

    def __init__(self, sheet: Sheet, names: Sequence[str], key: Sequence[int]) -> None:
        sheet.check_seats(len(names))
        self.sheet = sheet
        self.names = [clean_name(name) for name in names]
        self.key = list(key)
        self.game = Game(sheet.rules.size)
        self.game.seats = len(names)
        self.game.key = list(key)
        self.rounds = [Round()]
        self._mask = [0] * sheet.rules.size.mask_words
        trace = _scratch.trace(sheet.rules.size)
        start_match(sheet.rules, self.game, trace)
        self.opening = events_of(sheet, self.game, trace)

    @classmethod
    def at(cls, sheet: Sheet, game: Game) -> "Match":
        """Play on from a position. Its record would not say how it came about: it has none."""
        match = cls.__new__(cls)
        match.sheet = sheet
        match.names = [str(seat) for seat in range(game.seats)]
        match.key = list(game.key)
        match.game = game
        match.rounds = [Round()]
        match._mask = [0] * sheet.rules.size.mask_words
        match.opening = []
        return match

    @property
    def over(self) -> str | None:
        """None, "round" or "match"."""
        return OVERS[self.game.over]

    @property
    def winner(self) -> int | list[int] | None:
        return winner_of(self.game)

    def legal(self, seat: int) -> list[int]:
        """The actions that the rules allow a seat now."""
        if not 0 <= seat < self.game.seats:
            raise Illegal("no_seat", seat=seat, most=self.game.seats - 1)
        legal(self.sheet.rules, self.game, seat, self._mask)
        return actions_in(self._mask)

    def legal_texts(self, seat: int) -> list[str]:
        return [action_text(self.sheet, action) for action in self.legal(seat)]

    def play(self, seat: int, action: int | str) -> list[Event]:
        """Take an action for a seat. Raises `Unreadable` or `Illegal` and then changes nothing."""
        if isinstance(action, str):
            action = read_action(self.sheet, action)
        allowed = self.legal(seat)
        if not is_action(self.sheet, action):
            raise Unreadable("no_action", number=short(action))
        if action not in allowed:
            self._refuse(seat, action, allowed)
        trace = _scratch.trace(self.sheet.rules.size)
        step(self.sheet.rules, self.game, trace, seat, action)
        played = self.rounds[-1]
        played.moves.append(_move(seat, action))
        played.ended = self.game.over != GOING_ON
        return events_of(self.sheet, self.game, trace)

    def _refuse(self, seat: int, action: int, allowed: Iterable[int]) -> None:
        texts = [action_text(self.sheet, one) for one in allowed]
        move = move_text(self.sheet, seat, action)
        if self.over == "round":
            raise Illegal("round_over", move=move)
        if self.over == "match":
            raise Illegal("match_is_over", move=move)
        why = why_not(self.sheet, self.game, seat, action)
        if not texts:
            raise Illegal("not_asked", move=move, why=why)
        raise Illegal("not_allowed", move=move, why=why, allowed=texts)

    def next_round(self) -> list[Event]:
        """Deal the next round of a match that is not over."""
        if self.game.over == GOING_ON:
            raise Illegal("round_goes_on")
        if self.game.over == MATCH_OVER:
            raise Illegal("match_over")
        self.rounds[-1].digest = digest(self.game)
        trace = _scratch.trace(self.sheet.rules.size)
        next_round(self.sheet.rules, self.game, trace)
        self.rounds.append(Round())
        return events_of(self.sheet, self.game, trace)

    def record(self) -> Record:
        """The record as it stands, in the middle of a round too."""
        rounds = [Round(list(r.moves), r.digest, r.ended) for r in self.rounds]
        rounds[-1].digest = digest(self.game)
        return Record(self.sheet, list(self.names), list(self.key), rounds)

    @classmethod
    def replay(cls, record: Record) -> "Match":
        """Play a record again to the identical state; the first difference is named."""
        for done in replayed(record):
            match = done.match
        return match


@cache
def _move(seat: int, action: int) -> tuple[int, int]:
    """There are few different moves and many played: each is kept once."""
    return seat, action


@dataclass(frozen=True, slots=True)
class Step:
    """A match being played again: what was just done (nothing: a deal) and what came of it."""

    match: Match
    round: int
    seat: int | None
    action: int | None
    events: list[Event]


def replayed(record: Record) -> Iterator[Step]:
    """Play a record again, step by step; the first difference is raised as an error."""
    if record.fair:
        record.fair.check(record.key)
    match = Match(record.sheet, record.names, record.key)
    events = match.opening
    for number, played in enumerate(record.rounds, 1):
        if number > 1:
            if match.over != "round":
                raise RecordError("no_such_round", round=number)
            events = match.next_round()
        yield Step(match, number, None, None, events)
        for place, (seat, action) in enumerate(played.moves, 1):
            try:
                events = match.play(seat, action)
            except Illegal as error:
                raise RecordError("illegal", round=number, action=place, problem=error) from error
            yield Step(match, number, seat, action, events)
        if played.ended != (match.over is not None):
            raise RecordError("round_end", round=number)
        if played.digest != digest(match.game):
            raise RecordError("digest", round=number)
