"""What a person at a table is told, made of what the seat may know and of nothing else."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

import msgspec

from penultima import refusal
from penultima.edition import SHIPPED, shipped
from penultima.errors import Unreadable
from penultima.notation import read_action
from penultima.server import commands, due, log, race, wire
from penultima.server.story import Happening
from penultima.server.table import Place, Stage, Table
from penultima.view import SPECTATOR, view, view_event

# What is told of an entry, besides its type and who asked for it. Of others nobody is told: a
# refusal is answered, a race is measured in silence. Actions are told by their events, and when the
# signal of a race comes is the race's secret.
_TOLD: Final[Mapping[type[log.Entry], tuple[str, ...]]] = {
    log.Sat: ("place", "name", "bot", "picture"),
    log.Moved: ("place",),
    log.Rose: ("place",),
    log.Hosted: ("place",),
    log.Away: ("place",),
    log.Back: ("place",),
    log.Began: ("attempt", "promise"),
    log.Promised: ("promise",),
    log.Sealed: (),
    log.Revealed: ("seed",),
    log.Dealt: (),
    log.Acted: ("place", "bot"),
    log.Armed: ("race",),
    log.Voided: ("race",),
    log.Paused: ("on",),
    log.Ready: (),
    log.Continued: (),
    log.Shown: ("seed",),
    log.Said: ("phrase",),
    log.Closed: ("reason",),
}


def state(table: Table, seat: int | None, here: Collection[int]) -> wire.State:
    """How things stand for a seat, or for a watcher."""
    return seen_from(common(table, here), table, seat)


def seen_from(base: wire.State, table: Table, seat: int | None) -> wire.State:
    """What everybody may know, with what a seat sees of the game."""
    if not in_view(table):
        return base
    seen = view(table.sheet, table.playing.game, SPECTATOR if seat is None else seat)
    return msgspec.structs.replace(base, view=seen)


def in_view(table: Table) -> bool:
    """Whether there is a game to be seen."""
    return table.match is not None and table.stage in (Stage.PLAYING, Stage.BETWEEN, Stage.OVER)


def common(table: Table, here: Collection[int]) -> wire.State:
    """How things stand, as far as everybody may know."""
    running = None
    if due.racing(table) and table.race is not None:
        running = wire.RaceState(table.race.number, race.racers(table))
    return wire.State(
        stage=table.stage.value,
        places=[_place(place, n in here) for n, place in enumerate(table.places)],
        host=table.host,
        decision=table.decision,
        since=table.since,
        deadline=_deadline(table),
        paused=table.paused,
        attempt=table.attempt,
        promises=table.promises,
        reveals=table.reveals,
        left_out=sorted(table.left_out),
        given_up=[wire.GivenUp(one.attempt, one.missing) for one in table.given_up],
        matches=table.finished,
        race=running,
        view=None,
    )


def _deadline(table: Table) -> int | None:
    """When time runs out, for people: the end of a race is not theirs to know."""
    return None if due.racing(table) else due.deadline(table)


def _place(place: Place, here: bool) -> wire.PlaceState:
    return wire.PlaceState(
        kind="person" if place.person else "empty" if place.empty else "bot",
        name=place.name,
        picture=place.picture,
        bot=place.bot,
        away=place.away,
        ready=place.ready,
        here=here and place.person,
    )


def earlier(table: Table, seat: int | None, since: int) -> list[wire.Moment]:
    """What has happened since a number, as far as it is known still. Of what was before they sat
    down, somebody at a seat may know what everybody knows: it was another's."""
    missed = table.story.since(since)
    sat = 0 if seat is None else table.places[seat].sat
    before = moments((one for one in missed if one.seq < sat), None)
    return before + moments((one for one in missed if one.seq >= sat), seat)


def moments(happenings: Iterable[Happening], seat: int | None) -> list[wire.Moment]:
    """What happened, as far as a seat may know."""
    reader = SPECTATOR if seat is None else seat
    return [
        wire.Moment(
            seq=one.seq,
            at=one.entry.at,
            entry=public(one.entry),
            events=[view_event(event, reader).to_json() for event in one.events],
        )
        for one in happenings
        if is_told(one.entry)
    ]


def is_told(entry: log.Entry) -> bool:
    """Whether anybody is told of an entry."""
    return type(entry) in _TOLD


def public(entry: log.Entry) -> dict[str, Any]:
    """An entry without its secrets."""
    kept = {name: getattr(entry, name) for name in _TOLD[type(entry)]}
    return {"type": type(entry).__struct_config__.tag, "seat": entry.seat, **kept}


def settings(table: Table) -> wire.Settings:
    return wire.Settings(
        table=table.id,
        edition=table.edition,
        options=table.sheet.options,
        ruleset=table.sheet.hash,
        seats=len(table.places),
        public=table.public,
        watchers=table.watchers,
        hints=table.hints,
        clock=table.clock,
        idle=due.IDLE,
    )


def summary(table: Table) -> wire.TableSummary:
    """What anybody may know of a table."""
    people = sum(place.person for place in table.places)
    return wire.TableSummary(
        table=table.id,
        edition=table.edition.id,
        name=msgspec.to_builtins(table.edition.name),
        seats=len(table.places),
        people=people,
        free=sum(place.empty for place in table.places),
        stage=table.stage.value,
        public=table.public,
        watchers=table.watchers,
        clock=table.clock,
        opened=table.opened,
    )


def offered() -> wire.Editions:
    """The editions that come with the package."""
    found = [shipped(name) for name in SHIPPED]
    return wire.Editions([wire.EditionOffer(one.file, one.sheet.options) for one in found])


def why_not(table: Table, seat: int, command: commands.Command) -> wire.Why | None:
    """What stands in the way of an action, for the one who asks for it."""
    if not isinstance(command, commands.Act) or table.stage != Stage.PLAYING:
        return None
    try:
        action = read_action(table.sheet, command.action)
    except Unreadable:
        return None
    if action in table.playing.legal(seat):
        return None
    why = refusal.why_not(table.sheet, table.playing.game, seat, action)
    return wire.Why(why.code, **why.details)


def answer(id: str, refused: str | None, why: wire.Why | None) -> wire.Answer:
    return wire.Answer(id=id, refused=refused, why=why if refused == "not_allowed" else None)
