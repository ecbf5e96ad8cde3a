"""A game line by line: sentences out, typed commands in. Made for any terminal and for pipes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from penultima import players
from penultima.bots.host import Host
from penultima.edition import Edition
from penultima.errors import PenultimaError, Unreadable
from penultima.event import Event
from penultima.game import Match
from penultima.locale import say
from penultima.notation import read_action
from penultima.rulebook import edition_page
from penultima.rules.actions import GOING_ON, PLAY
from penultima.rules.ask import DECLINE, ask, may_decline, seat_asked
from penultima.rules.legal import kind_of, playable
from penultima.rules.schema import Trace
from penultima.telling import Teller
from penultima.view import View, view, view_event


class Stopped(Exception):
    """The player wants to leave."""


@dataclass
class PlainTable:
    """One person at seat 0, bots at the others."""

    edition: Edition
    match: Match
    language: str
    bot: str
    read: Callable[[str], str]
    write: Callable[[str], None]
    me: int = 0
    _warned: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.teller = Teller(self.edition, self.match.names, self.language, self.me)
        self._trace = Trace(self.edition.sheet.rules.size)
        seats = range(len(self.match.names))
        luck = self.match.key[0] & 0xFFFF
        self._host = Host(self.edition.sheet, [players.seat(self.bot, luck + n) for n in seats])

    def run(self) -> None:
        """Play the match to its end; raises `Stopped` when the player leaves."""
        self.write(self._say("table.seats", names=self.match.names))
        options = self.edition.sheet.options
        goal = "table.tally" if options.scoring == "tally" else "table.target"
        self.write(self._say(goal, target=options.target))
        self._help()
        self._tell(self.match.opening)
        while True:
            self._round()
            self._scores()
            if self.match.over == "match":
                return
            self._read("ask.next")
            self._tell(self.match.next_round())

    def _round(self) -> None:
        rules, game = self.edition.sheet.rules, self.match.game
        place = 0
        while game.over == GOING_ON:
            place = ask(rules, game, place)
            seat = seat_asked(game, self._trace, place)
            optional = may_decline(game, place)
            if seat == self.me:
                action = self._ask_me(optional)
            else:
                action = self._host.answer(self._host.question(game, seat, place))
            if action == DECLINE:
                place += 1
            else:
                self._tell(self.match.play(seat, action))
                place = 0

    def _ask_me(self, optional: bool) -> int:
        seen = view(self.edition.sheet, self.match.game, self.me)
        if not seen.legal:
            return DECLINE
        self._show(seen, optional)
        while True:
            text = self._read("ask.prompt").strip()
            if not text and optional:
                return DECLINE
            if self._command(text, seen, optional):
                continue
            try:
                action = read_action(self.edition.sheet, text)
            except Unreadable as error:
                self.write(self._error(error))
                continue
            if action not in self.match.legal(self.me):
                self.write(self._say("table.not_now", action=text, allowed=seen.legal))
                continue
            if self._is_bluff(action) and self._warned != text:
                self._warned = text
                self.write(self._say("ask.bluff"))
                continue
            self._warned = ""
            return action

    def _is_bluff(self, action: int) -> bool:
        if action < PLAY:
            return False
        rules, game = self.edition.sheet.rules, self.match.game
        kind = kind_of(rules, action)
        return bool(rules.challengeable[kind]) and not playable(rules, game, self.me, kind)

    def _command(self, text: str, seen: View, optional: bool) -> bool:
        """Words that are not actions."""
        match text.lower():
            case "":
                self._show(seen, optional)
            case "help" | "?":
                self._help()
            case "hand":
                self._hand(seen)
            case "table":
                self._show(seen, optional)
            case "scores":
                self._scores()
            case "rules":
                self.write(edition_page(self.edition, self.language))
            case "quit" | "exit":
                raise Stopped
            case _:
                return False
        return True

    def _help(self) -> None:
        faces = self.edition.sheet.faces
        cards = [next(f for f in faces if f.number == 7 or f.number is not None).text]
        wilds = [face.text for face in faces if face.wild]
        if wilds:
            cards.append(f"{wilds[0]}:{self.edition.sheet.colors[0]}")
        self.write(self._say("help.play", cards=cards))
        self.write(self._say("help.words"))

    def _show(self, seen: View, optional: bool) -> None:
        """What a person needs to decide."""
        self.write("")
        top = self.teller.card(seen.top)
        wild = seen.top.startswith("W")
        if wild and seen.color is not None:
            self.write(self._say("table.top", card=top, color=self.teller.color(seen.color)))
        else:
            self.write(self._say("table.top_plain", card=top))
        self.write(self._others(seen))
        self._hand(seen)
        if optional:
            self.write(self._say("ask.interrupt"))
        else:
            self.write(
                self._say(
                    self._question(seen),
                    count=seen.due,
                    card=self.teller.card(seen.drawn) if seen.drawn else "",
                    player=self.match.names[seen.by] if seen.by is not None else "",
                )
            )
        self.write(self._say("table.choices", choices="  ".join(seen.legal)))

    def _question(self, seen: View) -> str:
        """The message that asks for what the moment offers."""
        if seen.phase == "drawn" and seen.drawn is not None:
            can_play = any(action.split(":")[0] == seen.drawn for action in seen.legal)
            if not can_play:
                return "ask.drawn_again" if "draw" in seen.legal else "ask.drawn_keep"
            if "keep" not in seen.legal:
                return "ask.drawn_more" if "draw" in seen.legal else "ask.drawn_play"
        return f"ask.{seen.phase}"

    def _others(self, seen: View) -> str:
        parts = []
        for seat, count in enumerate(seen.counts):
            if seat != self.me:
                part = self._say("table.others", name=self.match.names[seat], count=count)
                called = self._say("table.called") if seat in seen.called else ""
                parts.append(f"{part} {called}".rstrip())
        side = "left" if seen.direction == 1 else "right"
        piles = self._say("table.piles", pile=seen.pile, discards=len(seen.discard))
        return f"{', '.join(parts)}. {piles} {self._say(f'table.direction.{side}')}"

    def _hand(self, seen: View) -> None:
        cards = "  ".join(seen.hand)
        self.write(self._say("table.hand", count=len(seen.hand), cards=cards))

    def _scores(self) -> None:
        scores = self.match.game.scores
        parts = [f"{name} {scores[seat]}" for seat, name in enumerate(self.match.names)]
        self.write(self._say("table.scores", scores=parts))

    def _tell(self, events: Iterable[Event]) -> None:
        for event in events:
            self.write(self.teller.tell(view_event(event, self.me)))

    def _read(self, key: str) -> str:
        try:
            return self.read(self._say(key))
        except EOFError:
            self.write(self._say("table.no_input"))
            raise Stopped from None

    def _say(self, key: str, **details: object) -> str:
        return say(self.language, key, **details)

    def _error(self, error: PenultimaError) -> str:
        return say(self.language, f"{error.area}.{error.code}", **error.details)
