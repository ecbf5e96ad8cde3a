"""Seats that bots decide for: their own, and those of people who are away."""

from penultima.bots.host import question
from penultima.bots.player import Question
from penultima.notation import action_text
from penultima.rules.ask import DECLINE, ask, seat_asked
from penultima.rules.schema import Trace
from penultima.server import log
from penultima.server.due import racing
from penultima.server.table import Stage, Table


def asked(table: Table, place: int = 0) -> Question | None:
    """What the next bot has to decide, from a place of `rules.ask` on. People are not waited for
    when they could interrupt, for they may do so at any time."""
    if table.stage != Stage.PLAYING or racing(table):
        return None
    rules, game = table.sheet.rules, table.playing.game
    while place <= 2 * game.seats:
        place = ask(rules, game, place)
        seat = seat_asked(game, Trace(rules.size), place)
        if table.plays_itself(seat):
            found = question(table.sheet, game, seat, place)
            if found.legal:
                return found
        place += 1
    return None


def move(table: Table, seat: int, action: int, decision: int, at: int) -> list[log.Entry]:
    """What a bot's answer to a question of that decision leads to."""
    if action == DECLINE or decision != table.decision or table.stage != Stage.PLAYING:
        return []
    if not table.plays_itself(seat):
        return []
    return [log.Acted(at=at, place=seat, action=action_text(table.sheet, action), bot=True)]
