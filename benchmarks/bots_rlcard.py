"""Our bots at RLCard's own table: its UNO for two, against its rule agent and its random one.

`make bench-rlcard` makes the environment of the peers and runs this in it. Every seed is played
twice, with the seats changed. Our bots are RLCard agents like any other: what they know is the
observation it hands them on their turn (own hand, played cards, sizes of hands, the actions taken
so far), written as a `Seen`; what they answer is one of the actions it says are legal.

RLCard plays rules of its own. The sheet our bots think in comes as near as a sheet can:

- drawing is for who has nothing to play, and a drawn card that fits is put down: `forced_play`;
- a Reverse between two does nothing but pass the turn: here it has no effect;
- nobody calls and nobody challenges: `auto_call`, `no_bluffing`.

What no sheet can say, so that imagined worlds get it wrong: a drawn card that fits by its symbol
alone is kept; a drawn wild card takes a random color, and a drawn Wild Draw Four gives no cards;
a Wild Draw Four is legal only where nothing else is, another wild card included; a renewed pile
takes the top card with it. Legal actions are RLCard's, each has a counterpart here, and a bot is
asked with those alone: no answer ever has to be replaced.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Protocol

import numpy as np
import rlcard
from rlcard import models
from rlcard.agents import RandomAgent

from penultima.bots import MANNERS
from penultima.bots.player import Player, PolicyPlayer, Question
from penultima.cards import NOBODY, NOTHING
from penultima.edition import shipped
from penultima.figures import share
from penultima.notation import read_action
from penultima.rules.actions import TURN, WORD
from penultima.rules.schema import MOST_LACKED, Seen
from penultima.ruleset import Sheet
from penultima.sharp import ROLLOUTS, Budget, Sharp

OURS: Final = ("eager", "basic", "sharp")
THEIRS: Final = ("rule", "random")
SEATS: Final = 2
HAND: Final = 7
LAST_PLACE: Final = 2 * SEATS  # of `rules.ask`: the seat on turn must decide
SYMBOLS: Final = {"skip": "S", "reverse": "R", "draw_2": "+2", "wild": "W", "wild_draw_4": "W4"}
WILD: Final = ("wild", "wild_draw_4")

State = dict[str, Any]
Record = Sequence[tuple[int, str]]  # seat, action


class Agent(Protocol):
    """What RLCard seats at its table."""

    use_raw: bool

    def eval_step(self, state: State) -> tuple[Any, Any]: ...


@dataclass(frozen=True)
class Result:
    """How often one of our bots won."""

    ours: str
    theirs: str
    games: int
    wins: int
    rate: float
    low: float
    high: float


def sheet_of_rlcard() -> Sheet:
    """The rules our bots think in."""
    classic = shipped("classic").sheet
    faces = tuple(
        replace(face, effect="none") if face.effect == "reverse" else face for face in classic.faces
    )
    options = {
        "drawn_no_match": "must",
        "drawn_by_choice": "must",
        "forced_play": True,
        "no_bluffing": True,
        "auto_call": True,
    }
    return Sheet("rlcard", classic.colors, faces, classic.options.changed(options))


def is_wild(card: str) -> bool:
    return card.partition("-")[2] in WILD


def kind_of_card(sheet: Sheet, card: str) -> int:
    """`r-draw_2` as a kind; the color of a wild card means nothing."""
    color, _, trait = card.partition("-")
    symbol = SYMBOLS.get(trait, trait)
    kind = sheet.kind(symbol if is_wild(card) else color + symbol)
    if kind is None:
        raise ValueError(card)
    return kind


def our_action(sheet: Sheet, action: str) -> int:
    if action == "draw":
        return read_action(sheet, action)
    color, _, trait = action.partition("-")
    symbol = SYMBOLS.get(trait, trait)
    return read_action(sheet, f"{symbol}:{color}" if is_wild(action) else color + symbol)


@dataclass
class Memory:
    """What a seat has made of its observations so far: the color in play, who drew on which."""

    color: str = ""
    played: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=lambda: [HAND] * SEATS)
    lacked: list[dict[str, int]] = field(default_factory=lambda: [{} for _ in range(SEATS)])
    actions: int = 0

    def observe(self, raw: State, record: Record) -> None:
        """Take in all that happened since the last observation."""
        if not self.color:
            self.played = raw["played_cards"][:1]
            self.color = self.played[0][0]
        fresh = record[self.actions :]
        self._note_draws(fresh, self._colors_drawn_on(fresh, raw["played_cards"]), raw["num_cards"])
        self.color = self._color_in_play(fresh, raw)
        self.played = raw["played_cards"]
        self.counts = raw["num_cards"]
        self.actions = len(record)

    def _colors_drawn_on(self, fresh: Record, played: list[str]) -> set[tuple[int, str]]:
        """Seats that drew, with the color: they had no card of it, and none that is wild.

        A drawn wild card is put down at once in a color nobody chose. Where that may have happened
        the color is known again only after the next card is played.
        """
        renewed = played[: len(self.played)] != self.played
        laid = sum(is_wild(card) for card in played[len(self.played) :])
        sure = not renewed and laid == sum(is_wild(action) for _, action in fresh)
        color = self.color
        found = set()
        for seat, action in fresh:
            if action != "draw":
                color = action[0]
            elif color:
                found.add((seat, color))
                color = color if sure else ""
        return found

    def _note_draws(self, fresh: Record, drawn_on: set[tuple[int, str]], counts: list[int]) -> None:
        for seat, lacked in enumerate(self.lacked):
            plays = sum(by == seat and action != "draw" for by, action in fresh)
            gained = counts[seat] - self.counts[seat] + plays
            for color in lacked:
                lacked[color] = min(lacked[color] + gained, MOST_LACKED)
            # When in between the cards came is not told; as if after the draw is never too sure.
            lacked.update({color: gained for by, color in drawn_on if by == seat})

    def _color_in_play(self, fresh: Record, raw: State) -> str:
        """RLCard's `target` shows a wild card in the color it was printed in, `played_cards` in
        the one named, until it has renewed the pile.
        """
        if raw["played_cards"]:
            return str(raw["played_cards"][-1][0])
        if not is_wild(raw["target"]):
            return str(raw["target"][0])
        return next((a[0] for _, a in reversed(fresh) if a != "draw"), self.color)


def seen_by(sheet: Sheet, raw: State, memory: Memory) -> Seen:
    """RLCard's observation as ours."""
    rules = sheet.rules
    seen = Seen(rules.size)
    seen.seat = seen.turn = raw["current_player"]
    seen.seats = SEATS
    seen.phase = TURN
    seen.direction = 1
    seen.by = seen.shown_of = NOBODY
    seen.drawn = NOTHING
    seen.color = sheet.colors.index(memory.color)
    for card in raw["hand"]:
        kind = kind_of_card(sheet, card)
        seen.hand[kind] += 1
        seen.held[kind // WORD] |= 1 << kind % WORD
        if kind < rules.colored:
            seen.colors[rules.color[kind]] += 1
    for card in raw["played_cards"]:
        seen.gone[kind_of_card(sheet, card)] += 1
    seen.top = kind_of_card(sheet, raw["target"])
    if not raw["played_cards"]:
        seen.top = stand_in(sheet, seen, seen.top)
        seen.gone[seen.top] = 1
    for seat, lacked in enumerate(memory.lacked):
        seen.counts[seat] = raw["num_cards"][seat]
        for color, letter in enumerate(sheet.colors):
            seen.lacked[seat][color] = lacked.get(letter, -1)
    seen.discards = sum(seen.gone)
    seen.pile = rules.cards - seen.discards - sum(seen.counts)
    return seen


def stand_in(sheet: Sheet, seen: Seen, target: int) -> int:
    """A card to lie on top once RLCard has shuffled the top card into the pile as well.

    The same card may be in the own hand by now: then one of its symbol in another color.
    """
    symbol = sheet.faces[target].symbol
    same = [target] + [kind for kind, face in enumerate(sheet.faces) if face.symbol == symbol]
    return next((k for k in same if seen.hand[k] < sheet.faces[k].count), target)


class Seat:
    """A bot of ours as an agent of RLCard's, for one game."""

    use_raw = True  # actions are given by their names

    def __init__(self, sheet: Sheet, player: Player) -> None:
        self._sheet = sheet
        self._player = player
        self._memory = Memory()

    def eval_step(self, state: State) -> tuple[str, State]:
        raw = state["raw_obs"]
        self._memory.observe(raw, state["action_record"])
        legal = {our_action(self._sheet, action): action for action in raw["legal_actions"]}
        seen = seen_by(self._sheet, raw, self._memory)
        question = Question(self._sheet, seen, None, sorted(legal), LAST_PLACE)
        return legal[self._player.answer(question)], {}


def our_bot(name: str, rollouts: int, seed: int) -> Player:
    if name == "sharp":
        return Sharp(name, Budget(rollouts), seed)
    return PolicyPlayer(name, MANNERS[name], seed)


def their_agent(name: str, actions: int) -> Agent:
    agent: Agent
    if name == "random":
        agent = RandomAgent(num_actions=actions)
    else:
        agent = models.load("uno-rule-v1").agents[0]
    return agent


def won(env: Any, agents: list[Agent], seat: int, seed: int) -> bool:
    """Play a game; its deal and the luck of RLCard's agents come from the seed."""
    env.seed(seed)
    np.random.seed(seed)  # where its agents take it from
    env.set_agents(agents)
    _, payoffs = env.run()
    return bool(payoffs[seat] > 0)


def compete(sheet: Sheet, ours: str, theirs: str, games: int, rollouts: int, seed: int) -> Result:
    env = rlcard.make("uno")
    player = our_bot(ours, rollouts, seed)
    opponent = their_agent(theirs, env.num_actions)
    wins = 0
    for game in range(games):
        seat = game % SEATS
        agents = [opponent, opponent]
        agents[seat] = Seat(sheet, player)
        wins += won(env, agents, seat, seed + game // SEATS)
        show_progress(f"{ours} against {theirs}: {game + 1} of {games} played, {wins} won")
    show_progress("")
    found = share(wins, games)
    return Result(ours, theirs, games, wins, found.value, found.low, found.high)


def show_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def table(results: list[Result]) -> str:
    lines = [
        "| ours | RLCard's | games | won | rate | 95 % |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for r in results:
        interval = f"{r.low:.1%}–{r.high:.1%}"
        lines.append(
            f"| {r.ours} | {r.theirs} | {r.games} | {r.wins} | {r.rate:.1%} | {interval} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--games", type=int, default=1000, help="of each pair, both seats together")
    parser.add_argument("--rollouts", type=int, default=ROLLOUTS, help="of a decision of sharp")
    parser.add_argument("--bots", nargs="+", choices=OURS, default=OURS, metavar="BOT")
    parser.add_argument("--against", nargs="+", choices=THEIRS, default=THEIRS, metavar="AGENT")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.games < SEATS or options.games % SEATS:
        parser.error("--games: an even number, since every seed is played from both seats")
    sheet = sheet_of_rlcard()
    results = [
        compete(sheet, ours, theirs, options.games, options.rollouts, options.seed)
        for ours in options.bots
        for theirs in options.against
    ]
    if options.json:
        settings = {"seed": options.seed, "rollouts": options.rollouts}
        print(json.dumps({**settings, "results": [asdict(result) for result in results]}))
    else:
        print(table(results))


if __name__ == "__main__":
    main()
