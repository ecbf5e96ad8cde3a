"""A position: a whole game state as a JSON object, for tests, puzzles and tools.

Everything but the hands may be left out; `docs/notation.md` lists the fields and their defaults.
`write_position` gives every field, and reading that gives the identical game.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from penultima.cards import DEMAND, GIVE_AWAY, NO_COLOR, NOBODY, NOTHING, RACE, TAKE
from penultima.errors import PositionError, Unreadable, short
from penultima.keys import key_of_seed, read_key, write_key
from penultima.notation import (
    PHASE_NAMES,
    cards_text,
    color_letter,
    read_card,
    read_color,
)
from penultima.piles import lay_out, piles, settled
from penultima.rules.actions import (
    ANSWER,
    GIVING,
    GOING_ON,
    JUDGE,
    MATCH_OVER,
    NAME,
    OVER,
    RACING,
    ROUND_OVER,
    STACK,
    SWAPPING,
    TURN,
)
from penultima.rules.chance import resume_numbers, start_lots
from penultima.rules.check import BAD_CALL, BAD_COLOR, BAD_END, BAD_PHASE, check
from penultima.rules.pile import (
    gain,
    in_discard,
    lacking,
    note_lack,
    settle,
    shuffle,
    top,
)
from penultima.rules.schema import MOST_LACKED, Game, Trace
from penultima.ruleset import Sheet

OVERS: Final = {GOING_ON: None, ROUND_OVER: "round", MATCH_OVER: "match"}
_PHASES: Final = {name: phase for phase, name in PHASE_NAMES.items()}
_COUNTERS: Final = {"passes": 10, "decisions": 30_000, "renewals": 30_000}
# What `penultima step` adds to a position; reading one back passes over it.
_ANSWERS: Final = frozenset({"legal", "events"})
_NAMES: Final = """
    edition options hands discard pile color turn direction dealer phase drawn choice due by guilty
    called exposed dropped jump round scores shuffled key seed over winner shown lacked
"""
_FIELDS: Final = frozenset(_NAMES.split()) | set(_COUNTERS)
_LARGEST: Final = 2**30


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
    return _Reader(sheet, data).game()


class _Reader:
    """Reads one position, field by field."""

    def __init__(self, sheet: Sheet, data: Mapping[str, Any]) -> None:
        for name in data:
            if name not in _FIELDS and name not in _ANSWERS:
                raise PositionError("unknown_field", field=short(name), allowed=sorted(_FIELDS))
        self.sheet = sheet
        self.data = data
        self.state = Game(sheet.rules.size)

    def game(self) -> Game:
        game = self.state
        self._hands()
        self._chance()
        self._piles()
        self._places()
        self._phase()
        self._scores()
        self._knowledge()
        self._verify()
        return game

    def _hands(self) -> None:
        game, sheet = self.state, self.sheet
        hands = self._list("hands")
        sheet.check_table(len(hands))
        game.seats = len(hands)
        for seat, hand in enumerate(hands):
            for kind in self._cards(f"hands[{seat}]", hand):
                gain(sheet.rules, game, seat, kind)

    def _chance(self) -> None:
        seed = self._int("seed", 0, 0, 2**63 - 1)
        key = self.data.get("key")
        self.state.key = key_of_seed(seed) if key is None else read_key(key)

    def _piles(self) -> None:
        """Named cards where they are named; the rest of the deck under the named pile."""
        game, sheet = self.state, self.sheet
        discard = self._cards("discard", self._list("discard", []))
        pile = self._cards("pile", self._list("pile", []))
        left = sheet.rules.count[:]
        for kind in [k for hand in game.hands for k, n in enumerate(hand) for _ in range(n)]:
            left[kind] -= 1
        for kind in discard + pile:
            left[kind] -= 1
        for kind, number in enumerate(left):
            if number < 0:
                face = sheet.faces[kind]
                raise PositionError("too_many", card=face.text, count=face.count, over=-number)
        rest = [kind for kind, number in enumerate(left) for _ in range(number)]
        under = self._shuffled(rest)
        if not discard:
            numbers = [at for at, kind in enumerate(under) if sheet.rules.number[kind] >= 0]
            if not numbers:
                raise PositionError("no_top")
            discard = [under.pop(numbers[-1])]
        lay_out(sheet, game, discard, pile + under[::-1])

    def _shuffled(self, cards: list[int]) -> list[int]:
        """Cards that are not named, as the key has them lie: by the numbers of round 0."""
        game = self.state.copy()
        game.deck[: len(cards)] = cards
        game.pile = len(cards)
        shuffle(game)
        settle(self.sheet.rules, game, Trace())
        return game.deck[: len(cards)]

    def _places(self) -> None:
        game = self.state
        game.direction = self._int("direction", 1, -1, 1)
        if game.direction == 0:
            raise PositionError("range", field="direction", low=-1, high=1, value="0")
        game.dealer = self._seat("dealer", game.seats - 1)
        game.turn = self._seat("turn", (game.dealer + 1) % game.seats)
        game.called = self._seat_set("called")
        game.exposed = self._seat_set("exposed")
        game.dropped = self._seat_set("dropped")

    def _phase(self) -> None:
        game, sheet = self.state, self.sheet
        face = top(sheet.rules, game)
        wild = sheet.faces[face].wild
        color = self.data.get("color")
        game.color = sheet.rules.color[face] if color is None else read_color(sheet, color)
        name = self.data.get("phase")
        drawn = self.data.get("drawn")
        if name is None:
            name = "turn"
            if drawn is not None:
                name = "drawn"
            elif wild and color is None:
                name = "name"
        if not isinstance(name, str) or name not in _PHASES:
            raise PositionError("phase", phase=short(name), allowed=list(_PHASES))
        game.phase = _PHASES[name]
        game.drawn = NOTHING if drawn is None else read_card(sheet, drawn)
        game.choice = int(self._bool("choice", False))
        waits = game.phase in (STACK, JUDGE, GIVING, RACING)
        amount = sheet.rules.amount[face] if waits or game.phase == ANSWER else 0
        game.due = self._int("due", amount, 0, 1000)
        by = NOBODY
        if game.phase in (GIVING, RACING, SWAPPING):
            by = game.turn
        elif game.phase in (STACK, JUDGE):
            by = (game.turn - game.direction) % game.seats
        game.by = self._seat("by", by) if by != NOBODY else NOBODY
        if by == NOBODY and self.data.get("by") is not None:
            raise PositionError("not_pending", field="by", phase=name)
        game.guilty = self._guilty(face)
        lies = game.discards > 1 and not wild and game.phase == TURN
        game.jump = int(self._bool("jump", sheet.options.jump_in and lies))
        if game.jump and not sheet.options.jump_in:
            raise PositionError("off", field="jump", option="jump_in")
        if (game.called or game.exposed) and sheet.options.auto_call:
            raise PositionError("off", field="called", option="auto_call")
        self._effect_fits(name, face)

    def _guilty(self, face: int) -> int:
        """By default: whether the hand still has the color of the card beneath."""
        game, rules = self.state, self.sheet.rules
        pending = game.phase in (STACK, JUDGE) and rules.challengeable[face]
        if not pending or rules.no_bluffing:
            if self.data.get("guilty") is not None:
                raise PositionError("not_pending", field="guilty", phase=PHASE_NAMES[game.phase])
            return -1
        bluff = False
        if game.discards > 1:
            color = rules.color[game.deck[in_discard(rules, game, 1)]]
            faces = enumerate(self.sheet.faces)
            bluff = any(game.hands[game.by][k] and f.color == color for k, f in faces if not f.wild)
        return int(self._bool("guilty", bluff))

    def _effect_fits(self, phase: str, face: int) -> None:
        """A pending phase needs the card on top that brings it about."""
        rules = self.sheet.rules
        needs = {JUDGE: TAKE, STACK: TAKE, ANSWER: DEMAND, GIVING: GIVE_AWAY, RACING: RACE}
        effect = needs.get(self.state.phase)
        fits = effect is None or rules.effect[face] == effect
        if self.state.phase == SWAPPING:
            fits = bool(rules.seven_zero) and rules.number[face] == 7
        if self.state.phase == STACK and not rules.stacking:
            fits = False
        if self.state.phase == JUDGE and self.state.guilty < 0:
            fits = False
        if self.state.phase == NAME and rules.color[face] != NO_COLOR:
            fits = False
        if not fits:
            raise PositionError("effect", phase=phase, card=self.sheet.faces[face].text)

    def _scores(self) -> None:
        game = self.state
        game.round = self._int("round", 1, 1, _LARGEST)
        for name, most in _COUNTERS.items():
            setattr(game, name, self._int(name, 0, 0, most))
        trace = Trace()
        resume_numbers(game, trace, self._int("shuffled", 0, 0, _LARGEST))
        start_lots(game, trace)
        scores = self._list("scores", [0] * game.seats)
        if len(scores) != game.seats:
            raise PositionError("length", field="scores", want=game.seats, got=len(scores))
        for seat, score in enumerate(scores):
            game.scores[seat] = _number(f"scores[{seat}]", score, 0, _LARGEST)
        over = self.data.get("over")
        if game.phase == OVER and over is None:
            over = "round"
        overs = {name: code for code, name in OVERS.items()}
        if not (over is None or isinstance(over, str)) or over not in overs:
            raise PositionError("over", value=short(over))
        game.over = overs[over]
        winner = self.data.get("winner")
        winners = [] if winner is None else winner if isinstance(winner, list) else [winner]
        for seat in winners:
            game.winners |= 1 << _number("winner", seat, 0, game.seats - 1)

    def _knowledge(self) -> None:
        """What was shown in a challenge, and who drew on which color."""
        game, rules = self.state, self.sheet.rules
        game.shown_of = game.shown_to = NOBODY
        shown = self.data.get("shown")
        if shown is not None:
            if not isinstance(shown, Mapping) or set(shown) != {"of", "to", "cards"}:
                raise PositionError("shown")
            game.shown_of = _number("shown.of", shown["of"], 0, game.seats - 1)
            game.shown_to = _number("shown.to", shown["to"], 0, game.seats - 1)
            for kind in self._cards("shown.cards", shown["cards"]):
                held = game.hands[game.shown_of][kind]
                game.shown[kind] = min(game.shown[kind] + 1, held)
        rows = self._list("lacked", [[-1] * rules.colors] * game.seats)
        if len(rows) != game.seats:
            raise PositionError("length", field="lacked", want=game.seats, got=len(rows))
        for seat, row in enumerate(rows):
            if not isinstance(row, list) or len(row) != rules.colors:
                raise PositionError("type", field=f"lacked[{seat}]", want="list")
            for color, cards in enumerate(row):
                gained = _number(f"lacked[{seat}]", cards, -1, MOST_LACKED)
                note_lack(game, seat, color, gained)

    def _verify(self) -> None:
        game, rules = self.state, self.sheet.rules
        faults = check(rules, game, [0] * rules.kinds)
        for fault, code in (
            (BAD_COLOR, "bad_color"),
            (BAD_CALL, "bad_call"),
            (BAD_END, "bad_end"),
            (BAD_PHASE, "bad_phase"),
        ):
            if faults & fault:
                raise PositionError(code, phase=PHASE_NAMES[game.phase])
        if faults:
            raise PositionError("unsound", faults=faults)

    def _cards(self, field: str, value: Any) -> list[int]:
        if not isinstance(value, list):
            raise PositionError("type", field=field, want="list")
        try:
            return [read_card(self.sheet, text) for text in value]
        except Unreadable as error:
            raise PositionError("card", field=field, problem=error) from error

    def _list(self, field: str, default: list[Any] | None = None) -> list[Any]:
        value = self.data.get(field)
        if value is None and default is not None:
            return default
        if not isinstance(value, list):
            raise PositionError("type", field=field, want="list")
        return value

    def _bool(self, field: str, default: bool) -> bool:
        value = self.data.get(field)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise PositionError("type", field=field, want="true/false")
        return value

    def _int(self, field: str, default: int, low: int, high: int) -> int:
        value = self.data.get(field)
        return default if value is None else _number(field, value, low, high)

    def _seat(self, field: str, default: int) -> int:
        return self._int(field, default, 0, self.state.seats - 1)

    def _seat_set(self, field: str) -> int:
        bits = 0
        for seat in self._list(field, []):
            bits |= 1 << _number(field, seat, 0, self.state.seats - 1)
        return bits


def _number(field: str, value: object, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise PositionError("type", field=field, want="int")
    if not low <= value <= high:
        raise PositionError("range", field=field, low=low, high=high, value=short(value))
    return value
