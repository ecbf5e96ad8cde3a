"""The host of a table of programs: asks them in turn and keeps the game going whatever they answer.

A bot that raises, hangs or answers nonsense forfeits the move to `basic`, with a line in the log.
"""

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from penultima.bots import MANNERS
from penultima.bots.player import Player, PolicyPlayer, Question
from penultima.notation import action_text, actions_in
from penultima.rules.actions import OVER
from penultima.rules.ask import DECLINE, answer, ask, seat_asked
from penultima.rules.legal import legal
from penultima.rules.observe import observe
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import Sheet
from penultima.view import view

PATIENCE: Final = 10.0  # seconds for a bot that is not ours

_log = logging.getLogger("penultima.bots")


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
        """What a seat is asked. Only this looks at the game."""
        rules = self.sheet.rules
        seen = Seen(rules.size)
        observe(rules, game, seat, seen)
        mask = [0] * rules.size.mask_words
        legal(rules, game, seat, mask)
        player = self.players[seat]
        sight = view(self.sheet, game, seat) if getattr(player, "wants_view", False) else None
        return Question(self.sheet, seen, sight, actions_in(mask), place)

    def answer(self, question: Question) -> int:
        """A legal answer, from the player if it has one."""
        if not question.legal:
            return DECLINE
        seat = question.seen.seat
        player = self.players[seat]
        try:
            given = self._ask(player, question)
        except TimeoutError:
            self._stuck.add(seat)
            self._forfeit(player, f"has not answered for {self.patience:g} seconds")
        except Exception as error:  # whatever it is, the table goes on
            self._forfeit(player, f"raised {type(error).__name__}: {error}")
        else:
            if given in question.legal or (given == DECLINE and question.may_decline):
                return given
            self._forfeit(player, f"answered {_described(self.sheet, given)}")
        return PolicyPlayer("basic", MANNERS["basic"], question.seen.decisions).answer(question)

    def _ask(self, player: Player, question: Question) -> int:
        if not getattr(player, "may_hang", False):
            return player.answer(question)
        if question.seen.seat in self._stuck:
            raise TimeoutError
        waiting = ThreadPoolExecutor(1)
        try:
            return waiting.submit(player.answer, question).result(self.patience)
        finally:
            waiting.shutdown(wait=False)

    def _forfeit(self, player: Player, what: str) -> None:
        self.forfeits += 1
        _log.warning("%s %s: basic plays this move", player.name, what)


def _described(sheet: Sheet, given: object) -> str:
    if given == DECLINE:
        return "nothing although it has to decide"
    try:
        return f"{action_text(sheet, given)}, which is not allowed now"  # type: ignore[arg-type]
    except (TypeError, ValueError, IndexError):
        return f"{given!r:.60}, which is no action"
