"""People gathering at a server's table, in words."""

from typing import Final

from penultima.locale import say
from penultima.tui.remote import RemoteSeat

BOTS: Final = {"b": "basic", "e": "easy", "p": "sharp"}


def people_lines(seat: RemoteSeat, language: str) -> list[str]:
    """A line for each place of the table."""
    lines = []
    for number, place in enumerate(seat.state.places):
        if place.kind == "empty":
            who = say(language, "online.free")
        elif place.kind == "bot":
            who = say(language, "online.bot", name=place.name, bot=place.bot)
        else:
            who = place.name
        if number == seat.state.host:
            who = say(language, "online.host", name=who)
        if [number] == seat.people:
            who = say(language, "online.mine", name=who)
        lines.append(f"{number + 1}. {who}")
    return lines


def stage_line(seat: RemoteSeat, language: str) -> str:
    if seat.state.stage in ("promising", "revealing"):
        return say(language, "online.shuffling")
    if seat.waits:
        return say(language, "online.seat_free" if seat.may_sit else "online.full")
    return say(language, "online.begin" if seat.hosts else "online.gathering")
