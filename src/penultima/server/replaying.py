"""A record to look at: every step with all hands open, and what a bot would have thought of it."""

from collections.abc import Collection
from math import ceil
from typing import Final

from penultima.advice import place_of
from penultima.bots import MANNERS
from penultima.bots.host import question
from penultima.bots.manner import Manner
from penultima.bots.mind import Estimate, Mind, PlainMind, Worlds
from penultima.bots.player import Question
from penultima.errors import ServerError
from penultima.event import Event
from penultima.foresight import Foresight, PlainForesight
from penultima.game import Match
from penultima.notation import action_text, cards_text
from penultima.record import Record, Round
from penultima.rules.actions import CALL, CATCH, DROP
from penultima.rules.ask import DECLINE
from penultima.ruleset import Sheet
from penultima.server import wire
from penultima.sharp import DEPTH, mind
from penultima.view import SPECTATOR, view

MOST_STEPS: Final = 5_000
# Worlds for each action of a decision, and for every seat's chance after it: compiled, interpreted.
WORLDS: Final = 200, 12
OPEN_WORLDS: Final = 400, 16
MOST_DECISIONS: Final = 300  # of a round; in a longer one each gets fewer worlds


def replay(text: str) -> wire.Replay:
    """Every step of a record. A record is verified by this: the first difference is an error."""
    record = Record.from_text(text)
    _bounded(record)
    Match.replay(record)
    match = Match(record.sheet, record.names, record.key)
    steps = [_step(match, None, None, match.opening)]
    for number, played in enumerate(record.rounds):
        if number:
            steps.append(_step(match, None, None, match.next_round()))
        for seat, action in played.moves:
            events = match.play(seat, action)
            steps.append(_step(match, seat, action_text(record.sheet, action), events))
    return wire.Replay(record.names, record.sheet.to_json(), record.fair is not None, steps)


def _step(match: Match, seat: int | None, action: str | None, events: list[Event]) -> wire.Step:
    """What was done, and how things stood then; nothing is hidden any more."""
    sheet, game = match.sheet, match.game
    return wire.Step(
        seat=seat,
        action=action,
        events=[event.to_json() for event in events],
        hands=[cards_text(sheet, hand) for hand in game.hands[: game.seats]],
        view=view(sheet, game, SPECTATOR),
    )


def analysis(
    text: str, number: int, compiled: Collection[int], foresees: Collection[int]
) -> wire.Analysis:
    """What a bot makes of a round: every decision with what it would have done, and every seat's
    chance after each of them. Asked round by round, so that one sees how far it is. There is
    machine code for some sizes of deck, by their kinds; the record tells the deck.
    """
    record = Record.from_text(text)
    _bounded(record)
    if not 1 <= number <= len(record.rounds):
        raise ServerError("no_round", number=number, count=len(record.rounds))
    Match.replay(record)
    match = Match(record.sheet, record.names, record.key)
    for played in record.rounds[: number - 1]:
        for seat, action in played.moves:
            match.play(seat, action)
        match.next_round()
    kinds = record.sheet.rules.size.kinds
    return _studied(match, record.rounds[number - 1], kinds in compiled, kinds in foresees)


def _studied(match: Match, played: Round, compiled: bool, foresees: bool) -> wire.Analysis:
    sheet = match.sheet
    manner = MANNERS["basic"]
    thinker = mind(sheet) if compiled else PlainMind(sheet, manner)
    seer = _fast_foresight(sheet, manner) if foresees else PlainForesight(sheet, manner)
    long = max(len(played.moves) / MOST_DECISIONS, 1)
    worlds = ceil(WORLDS[not compiled] / long)
    open_worlds = ceil(OPEN_WORLDS[not foresees] / long)
    found: list[wire.Decision] = []
    chances = [seer.chances(match.game, 0, open_worlds)]
    for seat, action in played.moves:
        asked = question(sheet, match.game, seat, place_of(match.game, seat))
        found.append(_judged(asked, action, thinker, Worlds(len(found), 0, worlds, DEPTH)))
        match.play(seat, action)
        chances.append(seer.chances(match.game, len(found), open_worlds))
    return wire.Analysis(found, [[round(share, 4) for share in row] for row in chances])


def _judged(asked: Question, action: int, thinker: Mind, worlds: Worlds) -> wire.Decision:
    """What was done, and what is surely better. A reflex takes no thinking."""
    others = [one for one in asked.legal if one not in (action, DECLINE)]
    estimates = [Estimate(one) for one in (action, *others)]
    thought_over = action in asked.legal and action not in (CALL, CATCH, DROP)
    if thought_over:
        thinker.try_out(asked.seen, asked.place, estimates, worlds)
    done, best = estimates[0], max(estimates, key=lambda e: e.gain)
    return wire.Decision(
        seat=asked.seen.seat,
        action=action_text(asked.sheet, action),
        chance=round(done.rate, 4) if thought_over else None,
        best=action_text(asked.sheet, best.action) if thought_over else None,
        best_chance=round(best.rate, 4) if thought_over else None,
    )


def _fast_foresight(sheet: Sheet, manner: Manner) -> Foresight:
    """Compiled; imported only where that is sure to be there."""
    from penultima.fastforesight import FastForesight

    return FastForesight(sheet, manner)


def _bounded(record: Record) -> None:
    if sum(len(played.moves) for played in record.rounds) > MOST_STEPS:
        raise ServerError("too_many_steps", number=MOST_STEPS)
