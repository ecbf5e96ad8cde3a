"""The host of a table of programs: asks them in turn and keeps the game going whatever they answer.

A bot that raises, hangs or answers nonsense forfeits the move to `basic`, with a line in the log.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from penultima.bots import MANNERS
from penultima.bots.player import Player, PolicyPlayer, Question
from penultima.errors import short
from penultima.notation import action_text, actions_in, is_action
from penultima.rules.actions import OVER
from penultima.rules.ask import DECLINE, answer, ask, choices, seat_asked
from penultima.rules.observe import observe
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import Sheet
from penultima.view import view

PATIENCE: Final = 10.0  # seconds for a bot that is not ours

_log = logging.getLogger("penultima.bots")


def question(sheet: Sheet, game: Game, seat: int, place: int, wants_view: bool = False) -> Question:
    """What a seat is asked at a place of `rules.ask`. Only this looks at the game."""
    rules = sheet.rules
    seen = Seen(rules.size)
    observe(rules, game, seat, seen)
    mask = [0] * rules.size.mask_words
    choices(rules, game, place, seat, mask)
    sight = view(sheet, game, seat) if wants_view else None
    return Question(sheet, seen, sight, actions_in(mask), place)


@dataclass
class Host:
    """Plays rounds between players."""

    sheet: Sheet
    players: Sequence[Player]
    patience: float = PATIENCE
    forfeits: int = 0
    _stuck: set[int] = field(default_factory=set)

    def play_round(self, game: Game, trace: Trace) -> None:
        """Play a round that has been dealt to its end."""
        rules = self.sheet.rules
        place = 0
        while game.phase != OVER:
            place = ask(rules, game, place)
            seat = seat_asked(game, trace, place)
            action = self.answer(self.question(game, seat, place))
            place = answer(rules, game, trace, place, seat, action)

    def question(self, game: Game, seat: int, place: int) -> Question:
        """What a seat is asked, with a view for a player that wants one."""
        wants_view = getattr(self.players[seat], "wants_view", False)
        return question(self.sheet, game, seat, place, wants_view)

    def answer(self, asked: Question) -> int:
        """A legal answer, from the player if it has one."""
        if not asked.legal:
            return DECLINE
        allowed = frozenset(asked.legal)  # a bot could write into its question
        player = self.players[asked.seen.seat]
        try:
            given = self._ask(player, asked)
        except Hanging:
            self._stuck.add(asked.seen.seat)
            self._forfeit(player, f"has not answered for {self.patience:g} seconds")
        except (Exception, SystemExit) as error:  # whatever it is, the table goes on
            self._forfeit(player, f"raised {type(error).__name__}: {_shown(error, str)}")
        else:
            if type(given) is int and (
                given in allowed or (given == DECLINE and asked.may_decline)
            ):
                return given
            self._forfeit(player, f"answered {_described(self.sheet, given)}")
        fair = Question(asked.sheet, asked.seen, None, sorted(allowed), asked.place)
        return PolicyPlayer("basic", MANNERS["basic"], asked.seen.decisions).answer(fair)

    def _ask(self, player: Player, asked: Question) -> object:
        if not getattr(player, "may_hang", False):
            return player.answer(asked)
        if asked.seen.seat in self._stuck:
            raise Hanging
        answers: list[object] = []
        raised: list[Exception | SystemExit] = []

        def work() -> None:
            try:
                answers.append(player.answer(asked))
            except (Exception, SystemExit) as error:  # raised again below, where it is dealt with
                raised.append(error)

        # A daemon, so that one that hangs for ever does not keep the program from ending.
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(self.patience)
        if raised:
            raise raised[0]
        if not answers:
            raise Hanging
        return answers[0]

    def _forfeit(self, player: Player, what: str) -> None:
        self.forfeits += 1
        _log.warning("%s %s: basic plays this move", player.name, what)


class Hanging(Exception):
    """A bot has not answered in time."""


def _shown(value: object, told: Callable[[object], str] = repr) -> str:
    try:
        return short(told(value), 200)
    except Exception:  # an object can raise even here
        return type(value).__name__


def _described(sheet: Sheet, given: object) -> str:
    if type(given) is not int:
        return f"{_shown(given)}, which is no action"
    if given == DECLINE:
        return "nothing although it has to decide"
    if not is_action(sheet, given):
        return f"{short(given)}, which is no action"
    return f"{action_text(sheet, given)}, which is not allowed now"
