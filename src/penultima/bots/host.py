"""The host of a table of programs: asks them in turn and keeps the game going whatever they answer.

A bot that raises, hangs or answers nonsense forfeits the move to `basic`, with a line in the log,
or however whoever asked for the round wants to be told.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from traceback import TracebackException
from types import TracebackType
from typing import Final

from penultima.bots import MANNERS
from penultima.bots.player import NoAction, Player, PolicyPlayer, Question
from penultima.errors import short
from penultima.notation import action_text, actions_in, is_action
from penultima.rules.actions import OVER
from penultima.rules.ask import DECLINE, answer, ask, choices, seat_asked
from penultima.rules.observe import observe
from penultima.rules.schema import Game, Seen, Trace
from penultima.ruleset import Sheet
from penultima.view import view

PATIENCE: Final = 10.0  # seconds for a bot that is not ours

MOST_FRAMES: Final = 20  # of a traceback
OURS: Final = Path(__file__).parent.parent

_log = logging.getLogger("penultima.bots")


@dataclass(frozen=True)
class Forfeit:
    """A move that a player did not make: whose, what it did instead (a message of the catalogue's
    area `forfeit`, and its details), and where its code failed.
    """

    seat: int
    player: str
    code: str
    details: dict[str, str]
    traceback: str = ""

    def what(self, language: str) -> str:
        from penultima.locale import say  # only when somebody wants to read it

        return say(language, f"forfeit.{self.code}", **self.details)


def _logged(forfeit: Forfeit) -> None:
    _log.warning("%s %s: basic plays this move", forfeit.player, forfeit.what("en"))


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
    tell: Callable[[Forfeit], None] = _logged
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
        try:
            given = self._ask(self.players[asked.seen.seat], asked)
        except Hanging:
            self._stuck.add(asked.seen.seat)
            self._forfeit(asked, "hung", seconds=f"{self.patience:g}")
        except NoAction as error:
            self._forfeit(asked, "no_action", given=_shown(error.given))
        except (Exception, SystemExit) as error:  # whatever it is, the table goes on
            said = f"{type(error).__name__}: {_shown(error, str)}"
            self._forfeit(asked, "raised", _traceback(error), error=said)
        else:
            if type(given) is int and (
                given in allowed or (given == DECLINE and asked.may_decline)
            ):
                return given
            code, shown = _described(self.sheet, given)
            self._forfeit(asked, code, given=shown)
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

    def _forfeit(self, asked: Question, code: str, traceback: str = "", **details: str) -> None:
        self.forfeits += 1
        seat = asked.seen.seat
        self.tell(Forfeit(seat, self.players[seat].name, code, details, traceback))


class Hanging(Exception):
    """A bot has not answered in time."""


def _shown(value: object, told: Callable[[object], str] = repr) -> str:
    try:
        return short(told(value), 200)
    except Exception:  # an object can raise even here
        return type(value).__name__


def _traceback(error: BaseException) -> str:
    """Where a user's code failed, from where it is called; nothing if it was not there."""
    own: TracebackType | None = error.__traceback__
    while own is not None and Path(own.tb_frame.f_code.co_filename).is_relative_to(OURS):
        own = own.tb_next
    if own is None:
        return ""
    lines = TracebackException(type(error), error, own, limit=-MOST_FRAMES).format()
    return "".join(c if c.isprintable() or c == "\n" else "�" for c in "".join(lines))


def _described(sheet: Sheet, given: object) -> tuple[str, str]:
    """What is wrong with an answer, and the answer."""
    if type(given) is not int:
        return "no_action", _shown(given)
    if given == DECLINE:
        return "nothing", ""
    if not is_action(sheet, given):
        return "no_action", short(given)
    return "not_allowed", action_text(sheet, given)
