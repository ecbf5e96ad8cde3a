"""Matches that are over: what is kept of them for their players."""

from collections.abc import Sequence

from penultima.server import log
from penultima.server.store import Finished
from penultima.server.table import Table
from penultima.server.wire import Face, PastMatch, Statistics


def finished(table: Table, entries: Sequence[log.Entry]) -> list[Finished]:
    """The match that the entries about to be written bring to its end."""
    shown = [entry for entry in entries if isinstance(entry, log.Shown)]
    if not shown or table.match is None:
        return []
    match = table.match
    record = match.record()
    record.fair = table.fair
    number = table.finished + 1
    winner = match.winner if match.over == "match" else None
    winners = winner if isinstance(winner, list) else [winner]
    faces = [Face(bot=not place.person, picture=place.picture) for place in table.places]
    players = {
        place.token: PastMatch(
            table=table.id,
            number=number,
            edition=table.edition.id,
            ended=shown[0].at,
            seat=seat,
            names=match.names,
            scores=match.game.scores[: len(match.names)],
            won=seat in winners,
            rounds=len(match.rounds),
            faces=faces,
        )
        for seat, place in enumerate(table.places)
        if place.token is not None
    }
    return [Finished(number, shown[0].at, record.to_text(), players)]


def statistics(matches: Sequence[PastMatch]) -> Statistics:
    """How somebody fares, by edition and in all."""
    editions: dict[str, dict[str, int]] = {}
    for match in matches:
        for name in ("all", match.edition):
            row = editions.setdefault(name, {"matches": 0, "won": 0, "rounds": 0})
            row["matches"] += 1
            row["won"] += match.won
            row["rounds"] += match.rounds
    return Statistics(editions)
