"""A position: a whole game state as a JSON object, for tests, puzzles and tools.

Everything but the hands may be left out; `docs/notation.md` lists the fields and their defaults.
`write_position` gives every field, and reading that gives the identical game.
"""

import json
from collections.abc import Mapping
from typing import Any

from penultima.cards import NO_COLOR, NOBODY, NOTHING
from penultima.keys import write_key
from penultima.notation import OVERS, PHASE_NAMES, cards_text, color_letter
from penultima.piles import piles, settled
from penultima.position_reader import PositionReader
from penultima.rules.actions import GOING_ON
from penultima.rules.pile import lacking
from penultima.rules.schema import Game
from penultima.ruleset import Sheet


def seats_in(bits: int) -> list[int]:
    return [seat for seat in range(bits.bit_length()) if bits >> seat & 1]


def winner_of(game: Game) -> int | list[int] | None:
    """A seat; None while the game goes on or where the round was blocked; a list when shared."""
    winners = seats_in(game.winners)
    if game.over == GOING_ON or not winners:
        return None
    return winners[0] if len(winners) == 1 else winners


def write_state(sheet: Sheet, game: Game) -> dict[str, Any]:
    """Every rule-relevant field, the key aside: what two engines must agree on."""
    deck = [face.text for face in sheet.faces]
    game = settled(sheet, game)
    discard, pile = piles(sheet, game)
    return {
        "hands": [cards_text(sheet, game.hands[seat]) for seat in range(game.seats)],
        "discard": [deck[kind] for kind in discard],
        "pile": [deck[kind] for kind in pile],
        "color": None if game.color == NO_COLOR else color_letter(sheet, game.color),
        "turn": game.turn,
        "direction": game.direction,
        "dealer": game.dealer,
        "phase": PHASE_NAMES[game.phase],
        "drawn": None if game.drawn == NOTHING else sheet.faces[game.drawn].text,
        "choice": bool(game.choice),
        "due": game.due,
        "by": None if game.by == NOBODY else game.by,
        "guilty": None if game.guilty < 0 else bool(game.guilty),
        "called": seats_in(game.called),
        "exposed": seats_in(game.exposed),
        "dropped": seats_in(game.dropped),
        "jump": bool(game.jump),
        "passes": game.passes,
        "decisions": game.decisions,
        "renewals": game.renewals,
        "shuffled": game.used,
        "round": game.round,
        "scores": game.scores[: game.seats],
        "over": OVERS[game.over],
        "winner": winner_of(game),
    }


def state_line(sheet: Sheet, game: Game) -> bytes:
    """The state as one line of canonical JSON: what perft digests."""
    return json.dumps(write_state(sheet, game), sort_keys=True, separators=(",", ":")).encode()


def write_position(sheet: Sheet, game: Game) -> dict[str, Any]:
    """The whole position. Edition and options are the caller's to add."""
    shown = None
    if game.shown_of != NOBODY:
        cards = cards_text(sheet, game.shown)
        shown = {"of": game.shown_of, "to": game.shown_to, "cards": cards}
    return {
        **write_state(sheet, game),
        "key": write_key(game.key),
        "shown": shown,
        "lacked": [
            [lacking(game, seat, color) for color in range(sheet.rules.colors)]
            for seat in range(game.seats)
        ],
    }


def read_position(sheet: Sheet, data: Mapping[str, Any]) -> Game:
    """The game that a position describes; an impossible one is refused with the reason."""
    return PositionReader(sheet, data).game()
