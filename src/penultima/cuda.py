"""The rules core on a GPU: one game per thread, the same functions as everywhere.

Importing this module needs the extra `gpu`; using it needs an NVIDIA GPU. `available` says whether
there is one and, if not, why.
"""

from importlib import import_module
from types import FunctionType
from typing import Any, Final

import numpy as np

if not hasattr(np, "row_stack"):  # numba-cuda asks for it; NumPy 2.5 has dropped it
    np.row_stack = np.vstack

from numba import cuda, types
from numba.extending import intrinsic, overload

from penultima.bots import table
from penultima.bots.policy import decide, decide_blindly, look
from penultima.bots.table import close_round, goes_on, play_on, start_game, start_round
from penultima.bots.tally import count_match
from penultima.compiled import dtype, register
from penultima.rules import chance, deal, pile, score, step
from penultima.rules.actions import OVER
from penultima.rules.ask import advance, may_decline
from penultima.rules.bits import bit_count, lowest_bit, nth_bit
from penultima.rules.chance import derive_key
from penultima.rules.deal import start_match
from penultima.rules.schema import STANDARD, Game, Seen, Trace

THREADS: Final = 128  # in a block
APART: Final[tuple[Any, ...]] = (
    *(chance.block, score.end_round, table.close_round),
    *(deal.start_match, deal.dealer_draw, deal.next_round, deal.deal, deal.turn_up),
    *(step.challenge, step.catch, step.race, step.swap, step.rotate, pile.exchange),
)

_TRACE: Final = dtype(Trace, STANDARD.bulk)
_GAME: Final = dtype(Game, STANDARD)
_SEEN: Final = dtype(Seen, STANDARD)
_MASK_WORDS: Final = 6  # as many as the widest deck needs
_STEPS_BETWEEN_DEALS: Final = 64


def _index(context: Any, builder: Any, kind: Any, index: Any, _size: Any) -> Any:
    """An index as it is. The core has no negative ones, and to look out for them costs a tenth."""
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)


import_module("numba.cuda.np.arrayobj").fix_integer_index = _index  # type: ignore[attr-defined]


@overload(bit_count, target="cuda", strict=False)
def _bit_count(bits: Any) -> Any:
    return lambda bits: cuda.popc(bits)


@overload(lowest_bit, target="cuda", strict=False)
def _lowest_bit(bits: Any) -> Any:
    return lambda bits: cuda.ffs(bits) - 1


@overload(nth_bit, target="cuda", strict=False)
def _nth_bit(bits: Any, choice: Any) -> Any:
    return nth_bit


@intrinsic
def _stay_apart(_context: Any) -> Any:
    """Keep the function that says this from being laid into its callers."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.function.attributes.add("noinline")

    return types.void(), code


def keep_apart(function: FunctionType) -> None:
    """Have one copy of a long function in a kernel, which would outgrow all caches otherwise."""
    body = FunctionType(function.__code__, function.__globals__, function.__name__)
    overload(body, target="cuda", strict=False)(lambda *_arguments: body)

    @overload(function, target="cuda", strict=False)
    def _kept(*_arguments: Any) -> Any:
        def apart(*arguments: Any) -> Any:
            _stay_apart()
            return body(*arguments)

        apart.__qualname__ = function.__name__  # for profilers
        return apart


@overload(look, target="cuda", strict=False)
def _look(rules: Any, manner: Any, game: Any, seat: Any, seen: Any) -> Any:
    if isinstance(manner, types.Integer):  # only the number of a policy: one that plays blindly
        return lambda rules, manner, game, seat, seen: None
    return look


@overload(decide, target="cuda", strict=False)
def _decide(rules: Any, manner: Any, seen: Any, mask: Any, may_decline: Any, trace: Any) -> Any:
    if isinstance(manner, types.Integer):
        return lambda rules, manner, seen, mask, may_decline, trace: decide_blindly(
            rules, manner, mask, may_decline, trace
        )
    return decide


register("cuda", without=(*APART, look, decide))
for _function in APART:
    keep_apart(_function)


def available() -> str | None:
    """None where a GPU can be used, else the reason why not."""
    try:
        cuda.current_context()
    except Exception as error:  # whatever the driver says, it is the reason
        said = [line.strip(" .:") for line in str(error).splitlines()]
        return next((line for line in reversed(said[:3]) if line), type(error).__name__)
    return None


def blocks(games: int) -> int:
    return (games + THREADS - 1) // THREADS


@cuda.jit(max_registers=128)
def play_games(
    rules: Any,
    tallies: Any,
    manners: Any,
    players: int,
    seed: int,
    queue: Any,
    last: int,
    whole_match: bool,
    counting: bool,
) -> None:
    """Every thread takes the next game from the queue until `last` is reached.

    A game is played in local memory, which lies interleaved by thread. Threads of a warp wait for
    each other, so new games are dealt only every so many steps, to several of them at once.
    `manners` can be mere policies where none of them needs to look: a smaller kernel, and faster.
    """
    thread = cuda.grid(1)
    if thread < tallies.shape[0]:
        mask = cuda.local.array(_MASK_WORDS, np.int64)
        trace = cuda.local.array(1, _TRACE)
        seen = cuda.local.array(1, _SEEN)
        game = cuda.local.array(1, _GAME)
        for seat in range(len(game[0].held)):  # a game that was never dealt holds no cards
            for word in range(len(game[0].held[seat])):
                game[0].held[seat][word] = 0
            for kind in range(len(game[0].hands[seat])):
                game[0].hands[seat][kind] = 0
        for kind in range(len(game[0].shown)):
            game[0].shown[kind] = 0
        game[0].seats = players
        game[0].phase = OVER
        trace[0].on = 0
        place = 0
        playing = False
        while True:
            if game[0].phase == OVER:
                if playing:
                    close_round(rules[0], game[0], tallies[thread])
                if playing and goes_on(game[0], whole_match):
                    start_round(rules[0], game[0], trace[0])
                else:
                    if playing and whole_match:
                        count_match(game[0], tallies[thread])
                    number = cuda.atomic.add(queue, 0, 1)
                    if number >= last:
                        break
                    start_game(rules[0], game[0], trace[0], seed, number)
                    playing = True
                place = 0
            for _ in range(_STEPS_BETWEEN_DEALS):
                if game[0].phase != OVER:
                    place = play_on(
                        rules[0],
                        game[0],
                        trace[0],
                        mask,
                        seen[0],
                        tallies[thread],
                        manners,
                        counting,
                        place,
                    )


@cuda.jit
def deal_games(rules: Any, games: Any, seed: int, first: int) -> None:
    thread = cuda.grid(1)
    if thread < games.shape[0]:
        trace = cuda.local.array(1, _TRACE)
        trace[0].on = 0
        derive_key(seed, first + thread, games[thread].key, trace[0].words)
        start_match(rules[0], games[thread], trace[0])


@cuda.jit
def advance_games(
    rules: Any, games: Any, places: Any, seats: Any, actions: Any, masks: Any, seen: Any
) -> None:
    """As `compiled.advance_games`, a thread for each game."""
    game = cuda.grid(1)
    if game < games.shape[0]:
        trace = cuda.local.array(1, _TRACE)
        trace[0].on = 0
        places[game], seats[game] = advance(
            rules[0],
            games[game],
            trace[0],
            places[game],
            seats[game],
            actions[game],
            masks[game],
            seen[game],
        )


@cuda.jit
def decide_games(
    rules: Any,
    games: Any,
    lucks: Any,
    places: Any,
    masks: Any,
    seen: Any,
    manners: Any,
    actions: Any,
) -> None:
    """As `compiled.decide_games`, with the luck of each game in an array of its own."""
    game = cuda.grid(1)
    if game < games.shape[0] and games[game].phase != OVER:
        trace = cuda.local.array(1, _TRACE)
        trace[0].luck = lucks[game]
        optional = may_decline(games[game], places[game])
        actions[game] = decide(rules[0], manners[0], seen[game], masks[game], optional, trace[0])
        lucks[game] = trace[0].luck


@cuda.jit
def add_up(rows: Any, total: Any) -> None:
    """Add every column of counters to the total, and set it to zero."""
    column = cuda.grid(1)
    if column < total.shape[0]:
        for row in range(rows.shape[0]):
            total[column] += rows[row, column]
            rows[row, column] = 0
