"""Every seat's chance to win the round, as somebody sees it who sees all hands.

How the draw pile lies stays unknown: it is shuffled anew in every world. Policies play on from
there, and after so many decisions a world is judged by `bots.outlook`. All of that is in the subset
of the core.
"""

from collections.abc import Sequence
from typing import Final, Protocol

from penultima.bots.luck import start_thought
from penultima.bots.manner import Manner
from penultima.bots.outlook import SURE, outlook
from penultima.bots.table import play_on
from penultima.bots.tally import Tally, round_winner
from penultima.bots.world import copy_game, start_chance
from penultima.cards import NOBODY, SEATS
from penultima.rules.actions import OVER, TURN
from penultima.rules.pile import shuffle
from penultima.rules.schema import Game, Ruleset, Seen, Trace
from penultima.ruleset import Sheet

DEPTH: Final = 20  # decisions before a world is judged


def foresee(
    rules: Ruleset,
    start: Game,
    results: list[int],
    game: Game,
    trace: Trace,
    mask: list[int],
    seen: Seen,
    tally: Tally,
    manners: list[Manner],
    seed: int,
    worlds: int,
    depth: int,
) -> None:
    """Play on from `start` in so many worlds, and add up each seat's chance, in ten thousandths."""
    for number in range(worlds):
        start_thought(trace, seed, number)
        copy_game(rules, start, game)
        start_chance(game, trace)
        shuffle(game)
        place = 0
        left = depth
        while game.phase != OVER and (left > 0 or game.phase != TURN):
            place = play_on(rules, game, trace, mask, seen, tally, manners, False, place)
            left -= 1
        if game.phase != OVER:
            for seat in range(game.seats):
                results[seat] += outlook(rules, game, seat)
        elif round_winner(game) == NOBODY:
            for seat in range(game.seats):
                results[seat] += SURE // game.seats
        else:
            results[round_winner(game)] += SURE


class Foresight(Protocol):
    def chances(self, game: Game, seed: int, worlds: int) -> list[float]: ...


class PlainForesight:
    """Without any library."""

    def __init__(self, sheet: Sheet, manner: Manner) -> None:
        size = sheet.rules.size
        self._rules = sheet.rules
        self._game, self._trace = Game(size), Trace(size)
        self._seen, self._tally = Seen(size), Tally(size)
        self._mask = [0] * size.mask_words
        self._manners = [manner] * SEATS

    def chances(self, game: Game, seed: int, worlds: int) -> list[float]:
        """The chance of each seat; together they are 1."""
        results = [0] * game.seats
        foresee(
            self._rules,
            game,
            results,
            self._game,
            self._trace,
            self._mask,
            self._seen,
            self._tally,
            self._manners,
            seed,
            worlds,
            DEPTH,
        )
        return shares(results)


def shares(results: Sequence[int]) -> list[float]:
    """Parts of a whole."""
    total = sum(results)
    return [result / total for result in results]
