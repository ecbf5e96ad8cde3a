"""A record to look at: every step with all hands open, and what a bot would have thought of it."""

from typing import Final

from penultima.advice import place_of
from penultima.bots import MANNERS
from penultima.bots.host import question
from penultima.bots.mind import Estimate, PlainMind, Worlds
from penultima.errors import ServerError
from penultima.event import Event
from penultima.game import Match
from penultima.notation import action_text, cards_text
from penultima.record import Record
from penultima.rules.ask import DECLINE
from penultima.server import wire
from penultima.sharp import DEPTH, mind
from penultima.view import SPECTATOR, view

MOST_STEPS: Final = 5_000
WORLDS: Final = 64  # for each action of a decision
PLAIN_WORLDS: Final = 4


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


def analysis(text: str, compiled: bool) -> wire.Analysis:
    """For every decision: who decided, the chance each action had, and what was done."""
    record = Record.from_text(text)
    _bounded(record)
    Match.replay(record)
    sheet = record.sheet
    thinker = mind(sheet) if compiled else PlainMind(sheet, MANNERS["basic"])
    worlds = WORLDS if compiled else PLAIN_WORLDS
    match = Match(sheet, record.names, record.key)
    found: list[wire.Decision] = []
    for number, played in enumerate(record.rounds):
        if number:
            match.next_round()
        for seat, action in played.moves:
            asked = question(sheet, match.game, seat, place_of(match.game, seat))
            estimates = [Estimate(one) for one in asked.legal if one != DECLINE]
            if estimates:
                thinker.try_out(
                    asked.seen, asked.place, estimates, Worlds(len(found), 0, worlds, DEPTH)
                )
            best = max(estimates, key=lambda e: e.rate, default=None)
            done = next((e for e in estimates if e.action == action), None)
            found.append(
                wire.Decision(
                    seat=seat,
                    action=action_text(sheet, action),
                    chance=None if done is None else round(done.rate, 4),
                    best=None if best is None else action_text(sheet, best.action),
                    best_chance=None if best is None else round(best.rate, 4),
                )
            )
            match.play(seat, action)
    return wire.Analysis(found)


def _bounded(record: Record) -> None:
    if sum(len(played.moves) for played in record.rounds) > MOST_STEPS:
        raise ServerError("too_many_steps", number=MOST_STEPS)
