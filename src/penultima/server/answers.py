"""What the command of a person leads to: entries to append to the log, or a refusal."""

from typing import Any, Final

from penultima.bots import MANNERS
from penultima.edition import Edition
from penultima.errors import ServerError, Unreadable
from penultima.fair import commitment
from penultima.naming import STARS, name_or
from penultima.notation import read_action
from penultima.rules.actions import CALL, CATCH, DROP
from penultima.server import commands, log, wire
from penultima.server.due import IDLE, racing
from penultima.server.table import STRANGERS, Place, Refusal, Stage, Table, open_table

PHRASES: Final = (
    *("hello", "good_luck", "nice", "ouch", "hurry", "thinking"),
    *("sorry", "thanks", "well_played", "again", "bye"),
)
BOTS: Final = (*MANNERS, "sharp")
# What bots are called where nobody says otherwise: one for each seat.
BIRDS: Final = (
    *("Wren", "Finch", "Heron", "Lark", "Kestrel"),
    *("Plover", "Teal", "Siskin", "Curlew", "Dunlin"),
)
SPEAK_EVERY: Final = 2_000  # milliseconds between two phrases of one person


def answer(table: Table, seat: int, command: commands.Command, at: int) -> list[log.Entry]:
    """What a command of the person at `seat` leads to; nothing where it was answered before.

    A refusal is an entry as well, as long as the seat has not had too many of them: then it is
    raised, and nothing is kept of it.
    """
    if table.answered(seat, command.id):
        return []
    try:
        return _obey(table, seat, command, {"at": at, "seat": seat, "command": command.id})
    except Refusal as refusal:
        if not table.may_refuse(seat, at):
            raise
        ahead = command.decision if isinstance(command, commands.Act) else 0
        return [
            log.Refused(
                at=at,
                seat=seat,
                command=command.id,
                code=refusal.code,
                ahead=ahead if ahead > table.decision else None,
            )
        ]


def sit(table: Table, token: str, command: commands.Sit, at: int) -> list[log.Entry]:
    """What asking for a place leads to; nothing for who has one, or was answered before."""
    seat = table.holder(token)
    given = table.left.get(token) if seat is None else seat
    if seat is not None or table.answered(given, command.id):
        return []
    if (token, command.id) in table.turned_away:
        return []
    try:
        place = _free_place(table, command.place)
        _not_too_often(table, place, at)
    except Refusal as refusal:
        if not table.may_refuse(STRANGERS, at):
            raise
        by: dict[str, Any] = {"at": at, "command": command.id}
        return [log.TurnedAway(**by, token=token, code=refusal.code)]
    name, picture = _person(table, place, command.name), command.picture
    by = {"at": at, "seat": place, "command": command.id}
    return [log.Sat(**by, place=place, name=name, token=token, picture=picture)]


def _person(table: Table, place: int, wanted: str) -> str:
    """What a person at a place is called: as they want, or by a star that nobody there has."""
    taken = [one.name for one in table.places if not one.empty]
    return name_or(wanted, (*STARS[place:], *STARS[:place]), taken)


def _free_place(table: Table, wanted: int | None) -> int:
    """The place that a person gets: the one asked for, or any; before a match only."""
    _before_match(table)
    free = [n for n, place in enumerate(table.places) if place.empty]
    if wanted is not None and wanted >= len(table.places):
        raise Refusal("no_place")
    if not free or (wanted is not None and wanted not in free):
        raise Refusal("taken")
    return free[0] if wanted is None else wanted


def first_entries(
    table: Table, name: str, edition: Edition, new: wire.NewTable, token: str | None, at: int
) -> list[log.Entry]:
    """What a table begins with: who opens it sits down, and bots do."""
    settings = {
        "public": new.public,
        "watchers": new.watchers,
        "hints": new.hints,
        "clock": new.clock,
    }
    entries = [open_table(name, edition, new.seats, at, **settings)]
    table.apply(entries[0])
    if token is not None and new.name is not None:
        # No command of theirs: any id that it had could come again.
        who = _person(table, 0, new.name)
        entries.append(log.Sat(at=at, place=0, name=who, token=token, picture=new.picture))
        table.apply(entries[-1])
    for bot in new.bots:
        if bot.place >= new.seats or not table.places[bot.place].empty:
            raise ServerError("bot_place", place=bot.place)
        try:
            entries.append(seat_bot(bot.place, bot.bot, bot.name, at=at))
        except Refusal as error:
            raise ServerError("no_bot", bot=bot.bot, names=list(BOTS)) from error
        table.apply(entries[-1])
    return entries


def _obey(
    table: Table, seat: int, command: commands.Command, by: dict[str, Any]
) -> list[log.Entry]:
    if table.stage == Stage.CLOSED:
        raise Refusal("closed")
    match command:
        case commands.Act():
            return [_action(table, seat, command, by)]
        case commands.Promise():
            return [_promise(table, seat, command, by)]
        case commands.Reveal():
            return [_reveal(table, seat, command, by)]
        case commands.GetReady():
            if table.stage != Stage.BETWEEN:
                raise Refusal("not_now")
            _not_too_often(table, seat, by["at"])
            return [log.Ready(**by)]
        case commands.ComeBack():
            if not table.places[seat].away:
                raise Refusal("not_now")
            return [log.Back(**by, place=seat)]
        case commands.Say():
            return [_say(table, seat, command, by)]
        case commands.Leave():
            return [log.Rose(**by, place=seat)]
        case _:
            return _host_command(table, seat, command, by)


def _say(table: Table, seat: int, command: commands.Say, by: dict[str, Any]) -> log.Entry:
    if command.phrase not in PHRASES:
        raise Refusal("no_phrase")
    if by["at"] - table.places[seat].spoke < SPEAK_EVERY:
        raise Refusal("too_often")
    return log.Said(**by, phrase=command.phrase)


def _host_command(
    table: Table, seat: int, command: commands.Command, by: dict[str, Any]
) -> list[log.Entry]:
    if seat != table.host:
        raise Refusal("not_host")
    if not isinstance(command, commands.Begin):
        _not_too_often(table, seat, by["at"])
    match command:
        case commands.PassHost():
            if not _place(table, command.place).person:
                raise Refusal("nobody_there")
            return [log.Hosted(**by, place=command.place)]
        case commands.LetBot():
            return [_let_bot(table, seat, command, by)]
        case commands.AddBot():
            _before_match(table)
            if not _place(table, command.place).empty:
                raise Refusal("taken")
            return [seat_bot(command.place, command.bot, command.name, **by)]
        case commands.Remove():
            _before_match(table)
            if _place(table, command.place).empty or command.place == seat:
                raise Refusal("nobody_there")
            return [log.Rose(**by, place=command.place)]
        case commands.Pause():
            if table.stage != Stage.BETWEEN or table.paused == command.on:
                raise Refusal("not_now")
            return [log.Paused(**by, on=command.on)]
        case commands.Begin():
            _before_match(table)
            filled: list[log.Entry] = [
                seat_bot(n, "basic", None, at=by["at"])
                for n, place in enumerate(table.places)
                if place.empty
            ]
            if table.stage == Stage.OVER and not table.shown:  # no match is left without a record
                filled.insert(0, log.Shown(at=by["at"], seed=table.seeds[table.attempt]))
            return [*filled, table.next_attempt(**by)]
    raise Refusal("not_now")


def _let_bot(table: Table, host: int, command: commands.LetBot, by: dict[str, Any]) -> log.Entry:
    """A bot plays for somebody who is there and does not decide, as if their time had run out; the
    entry names the host, who asked for it."""
    if table.stage != Stage.PLAYING or racing(table):
        raise Refusal("not_now")
    if command.decision != table.decision:
        raise Refusal("stale")
    place = _place(table, command.place)
    if command.place == host or not place.person:
        raise Refusal("nobody_there")
    if place.away or command.place != table.playing.game.turn:
        raise Refusal("not_now")
    if by["at"] - table.since < IDLE:
        raise Refusal("too_soon")
    return log.Away(**by, place=command.place)


def seat_bot(place: int, bot: str, name: str | None, **by: Any) -> log.Entry:
    if bot not in BOTS:
        raise Refusal("no_bot")
    return log.Sat(**by, place=place, name=name_or(name, BIRDS[place:]), bot=bot)


def _before_match(table: Table) -> None:
    if table.stage not in (Stage.GATHERING, Stage.OVER):
        raise Refusal("closed" if table.stage == Stage.CLOSED else "not_now")


def _not_too_often(table: Table, seat: int, at: int) -> None:
    """Nobody can make the log grow for ever by sitting down and rising, say."""
    if not table.may_arrange(seat, at):
        raise Refusal("too_often")


def _place(table: Table, place: int) -> Place:
    if place >= len(table.places):
        raise Refusal("no_place")
    return table.places[place]


def _promise(table: Table, seat: int, command: commands.Promise, by: dict[str, Any]) -> log.Entry:
    if table.stage != Stage.PROMISING or str(seat) not in table.missing():
        raise Refusal("not_now")
    return log.Promised(**by, promise=command.promise)


def _reveal(table: Table, seat: int, command: commands.Reveal, by: dict[str, Any]) -> log.Entry:
    if table.stage != Stage.REVEALING or str(seat) not in table.missing():
        raise Refusal("not_now")
    seed = bytes.fromhex(command.seed)
    if commitment(table.id, table.attempt, str(seat), seed) != table.promises[str(seat)]:
        raise Refusal("not_as_promised")
    return log.Revealed(**by, seed=command.seed)


def _action(table: Table, seat: int, command: commands.Act, by: dict[str, Any]) -> log.Entry:
    if table.stage != Stage.PLAYING:
        raise Refusal("not_now")
    try:
        action = read_action(table.sheet, command.action)
    except Unreadable:
        raise Refusal("no_action") from None
    if action == CATCH and not table.may_refuse(seat, by["at"]):
        raise Refusal("too_often")  # what it guesses in advance is not known any more
    if action == DROP:  # a race is measured, not played by hand
        raise Refusal("not_allowed")
    if not _timely(table, seat, action, command.decision):
        raise Refusal("stale")
    if action not in table.playing.legal(seat):
        raise Refusal("not_allowed")
    return log.Acted(**by, place=seat, action=command.action)


def _timely(table: Table, seat: int, action: int, decision: int) -> bool:
    """Whether the action was chosen in view of the present.

    A call or a catch may answer any moment since the play that it is about: a table that moves on
    must not make it stale, and who has not seen that play cannot have meant it. Nor has who named
    its decision in advance, to be the first.
    """
    if action == CATCH and decision <= table.ahead.get(seat, -1):
        return False
    if action in (CALL, CATCH):
        return table.exposed_since <= decision <= table.decision
    return decision == table.decision
