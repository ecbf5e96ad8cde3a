"""A JSON object becomes a game: what is left out takes its default, what cannot be is refused."""

from collections.abc import Mapping
from typing import Any, Final

from penultima.cards import NO_COLOR, NOBODY, NOTHING
from penultima.errors import PositionError, short
from penultima.fields import Fields, a_list, number, read_cards
from penultima.keys import key_of_seed, read_key
from penultima.notation import (
    OVERS,
    PHASE_NAMES,
    read_card,
    read_color,
)
from penultima.piles import lay_out
from penultima.rules.actions import (
    ANSWER,
    DRAWN,
    GIVING,
    JUDGE,
    NAME,
    OVER,
    RACING,
    STACK,
    SWAPPING,
    TURN,
)
from penultima.rules.chance import resume_numbers, start_lots
from penultima.rules.check import BAD_COLOR, check
from penultima.rules.check_pending import (
    BAD_BY,
    BAD_CHOICE,
    BAD_DUE,
    BAD_GUILT,
    BAD_JUMP,
    BAD_PHASE,
    BAD_TOP,
    could_play_before,
    is_turned,
)
from penultima.rules.check_round import (
    BAD_CALL,
    BAD_END,
    BAD_EXPOSED,
    BAD_LIMIT,
    BAD_PASSES,
    BAD_SCORES,
    BAD_SHOWN,
    BAD_START,
)
from penultima.rules.legal import holds_color
from penultima.rules.pile import (
    gain,
    in_discard,
    next_seat,
    note_lack,
    settle,
    shuffle,
    top,
)
from penultima.rules.schema import MOST_LACKED, Game, Trace
from penultima.ruleset import Sheet

_PHASES: Final = {name: phase for phase, name in PHASE_NAMES.items()}
# What `penultima step` adds to a position; reading one back passes over it.
_ANSWERS: Final = ("legal", "events")
_NAMES: Final = """
    edition options hands discard pile color turn direction dealer phase drawn choice due by guilty
    called exposed dropped jump passes decisions renewals round scores shuffled key seed over winner
    shown lacked
"""
_FIELDS: Final = frozenset((*_NAMES.split(), *_ANSWERS))
_LARGEST: Final = 2**30
_MOST_COUNTED: Final = 30_000
# A fault of `check`, and the message that says so. The first that is found is told.
FAULTS: Final = (
    (BAD_COLOR, "bad_color"),
    (BAD_TOP, "effect"),
    (BAD_PHASE, "bad_phase"),
    (BAD_BY, "bad_by"),
    (BAD_DUE, "bad_due"),
    (BAD_GUILT, "bad_guilt"),
    (BAD_CHOICE, "bad_choice"),
    (BAD_JUMP, "bad_jump"),
    (BAD_CALL, "bad_call"),
    (BAD_EXPOSED, "bad_exposed"),
    (BAD_PASSES, "bad_passes"),
    (BAD_LIMIT, "bad_limit"),
    (BAD_START, "bad_start"),
    (BAD_SHOWN, "bad_shown"),
    (BAD_END, "bad_end"),
    (BAD_SCORES, "bad_scores"),
)


class PositionReader:
    """Reads one position, group by group."""

    def __init__(self, sheet: Sheet, data: Mapping[str, Any]) -> None:
        self.sheet = sheet
        self.fields = Fields(sheet, data, _FIELDS)
        self.state = Game(sheet.rules.size)

    def game(self) -> Game:
        self._hands()
        self._chance()
        self._piles()
        self._phase()
        self._seats()
        self._pending()
        self._counters()
        self._end()
        self._knowledge()
        self._verify()
        return self.state

    def _hands(self) -> None:
        game, sheet = self.state, self.sheet
        hands = self.fields.items("hands")
        sheet.check_seats(len(hands))
        game.seats = len(hands)
        for seat, hand in enumerate(hands):
            for kind in read_cards(sheet, f"hands[{seat}]", hand):
                gain(sheet.rules, game, seat, kind)

    def _chance(self) -> None:
        seed = self.fields.integer("seed", 0, 0, 2**63 - 1)
        key = self.fields.get("key")
        self.state.key = key_of_seed(seed) if key is None else read_key(key)

    def _piles(self) -> None:
        """Named cards where they are named; the rest of the deck under the named pile."""
        game, sheet = self.state, self.sheet
        discard = self.fields.cards("discard")
        pile = self.fields.cards("pile")
        left = sheet.rules.count[:]
        for kind in [k for hand in game.hands for k, n in enumerate(hand) for _ in range(n)]:
            left[kind] -= 1
        for kind in discard + pile:
            left[kind] -= 1
        for kind, cards in enumerate(left):
            if cards < 0:
                face = sheet.faces[kind]
                raise PositionError("too_many", card=face.text, count=face.count, over=-cards)
        rest = [kind for kind, cards in enumerate(left) for _ in range(cards)]
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

    def _phase(self) -> None:
        """The phase and the color in play."""
        game, sheet, fields = self.state, self.sheet, self.fields
        face = top(sheet.rules, game)
        wild = sheet.faces[face].wild
        color = fields.get("color")
        game.color = sheet.rules.color[face] if color is None else read_color(sheet, color)
        name = fields.get("phase")
        if name is None:
            name = "turn"
            if "drawn" in fields:
                name = "drawn"
            elif wild and color is None:
                name = "name"
        if not isinstance(name, str) or name not in _PHASES:
            raise PositionError("phase", phase=short(name), allowed=list(_PHASES))
        game.phase = _PHASES[name]

    def _seats(self) -> None:
        game, fields = self.state, self.fields
        direction = fields.integer("direction", 1, -_LARGEST, _LARGEST)
        if direction not in (1, -1):
            raise PositionError("direction", value=direction)
        game.direction = direction
        last = game.seats - 1
        dealer = last
        if "turn" in fields and game.phase in (NAME, OVER):  # there the one follows from the other
            ahead = 1 if game.phase == NAME else 0
            dealer = (fields.integer("turn", 0, 0, last) - ahead) % game.seats
        game.dealer = fields.integer("dealer", dealer, 0, last)
        turn = game.dealer if game.phase == OVER else (game.dealer + 1) % game.seats
        game.turn = fields.integer("turn", turn, 0, last)
        for name in ("called", "exposed", "dropped"):
            setattr(game, name, fields.seat_set(name, game.seats))
            if self.sheet.options.auto_call and name != "dropped" and getattr(game, name):
                raise PositionError("off", field=name, option="auto_call")

    def _pending(self) -> None:
        game, sheet, fields = self.state, self.sheet, self.fields
        rules = sheet.rules
        face = top(rules, game)
        phase = PHASE_NAMES[game.phase]
        drawn = fields.get("drawn")
        game.drawn = NOTHING if drawn is None else read_card(sheet, drawn)
        guess = game.phase == DRAWN and drawn is not None and could_play_before(rules, game)
        game.choice = int(fields.switch("choice", guess))
        waits = game.phase in (ANSWER, STACK, JUDGE, GIVING, RACING)
        game.due = fields.integer("due", rules.amount[face] if waits else 0, 0, _MOST_COUNTED)
        by = NOBODY
        if game.phase in (GIVING, RACING, SWAPPING):
            by = game.turn
        elif game.phase in (STACK, JUDGE):
            by = next_seat(game, game.turn, -1)
        game.by = fields.integer("by", by, 0, game.seats - 1)
        if by == NOBODY and "by" in fields:
            raise PositionError("not_pending", field="by", phase=phase)
        game.guilty = self._guilty(face)
        game.renewals = fields.integer("renewals", int(self._was_renewed()), 0, _MOST_COUNTED)
        colored = face < rules.colored and not is_turned(game)
        opens = colored and (game.phase == TURN or ANSWER <= game.phase <= SWAPPING)
        game.passes = fields.integer("passes", 0, 0, game.seats)
        game.jump = int(fields.switch("jump", sheet.options.jump_in and opens and not game.passes))
        if game.jump and not sheet.options.jump_in:
            raise PositionError("off", field="jump", option="jump_in")

    def _was_renewed(self) -> bool:
        """Whether the only discard must have been played: then the pile has been renewed since."""
        game, options = self.state, self.sheet.options
        dealt_exposed = options.hand_size == 1 and options.call_duty == "holding"
        return game.discards == 1 and (
            STACK <= game.phase <= SWAPPING
            or (game.exposed != 0 and not dealt_exposed)
            or self.fields.get("jump") is True
        )

    def _guilty(self, face: int) -> int:
        """By default: whether the hand still has the color of the card beneath."""
        game, rules = self.state, self.sheet.rules
        pending = game.phase in (STACK, JUDGE) and rules.challengeable[face]
        if not pending or rules.no_bluffing:
            if "guilty" in self.fields:
                phase = PHASE_NAMES[game.phase]
                raise PositionError("not_pending", field="guilty", phase=phase)
            return -1
        below = NO_COLOR
        if game.discards > 1:
            below = rules.color[game.deck[in_discard(rules, game, 1)]]
        bluff = below != NO_COLOR and holds_color(rules, game, game.by, below)
        return int(self.fields.switch("guilty", bluff))

    def _counters(self) -> None:
        game, fields = self.state, self.fields
        game.round = fields.integer("round", 1, 1, _LARGEST)
        game.decisions = fields.integer("decisions", 0, 0, _MOST_COUNTED)
        trace = Trace()
        resume_numbers(game, trace, fields.integer("shuffled", 0, 0, _LARGEST))
        start_lots(game, trace)
        scores = self._row("scores", [0] * game.seats)
        for seat, score in enumerate(scores):
            game.scores[seat] = number(f"scores[{seat}]", score, 0, _LARGEST)

    def _end(self) -> None:
        game, fields = self.state, self.fields
        over = fields.get("over")
        if game.phase == OVER and over is None:
            over = "round"
        overs = {name: code for code, name in OVERS.items()}
        if not (over is None or isinstance(over, str)) or over not in overs:
            raise PositionError("over", value=short(over))
        game.over = overs[over]
        winner = fields.get("winner")
        winners = [] if winner is None else winner if isinstance(winner, list) else [winner]
        for seat in winners:
            game.winners |= 1 << number("winner", seat, 0, game.seats - 1)

    def _knowledge(self) -> None:
        """What was shown in a challenge, and who drew on which color."""
        game, rules = self.state, self.sheet.rules
        game.shown_of = game.shown_to = NOBODY
        shown = self.fields.get("shown")
        if shown is not None:
            if not isinstance(shown, Mapping) or set(shown) != {"of", "to", "cards"}:
                raise PositionError("shown")
            game.shown_of = number("shown.of", shown["of"], 0, game.seats - 1)
            game.shown_to = number("shown.to", shown["to"], 0, game.seats - 1)
            for kind in read_cards(self.sheet, "shown.cards", shown["cards"]):
                game.shown[kind] += 1
        rows = self._row("lacked", [[-1] * rules.colors] * game.seats)
        for seat, row in enumerate(rows):
            field = f"lacked[{seat}]"
            if len(a_list(field, row)) != rules.colors:
                raise PositionError("colors", field=field, want=rules.colors, got=len(row))
            for color, cards in enumerate(row):
                note_lack(game, seat, color, number(field, cards, -1, MOST_LACKED))

    def _row(self, field: str, default: list[Any]) -> list[Any]:
        """A list with an entry for each seat."""
        row = self.fields.items(field, default)
        if len(row) != self.state.seats:
            raise PositionError("length", field=field, want=self.state.seats, got=len(row))
        return row

    def _verify(self) -> None:
        game, rules = self.state, self.sheet.rules
        faults = check(rules, game, [0] * rules.kinds)
        for fault, code in FAULTS:
            if faults & fault:
                card = self.sheet.faces[top(rules, game)].text
                raise PositionError(code, phase=PHASE_NAMES[game.phase], card=card)
        if faults:
            raise PositionError("unsound", faults=faults)
