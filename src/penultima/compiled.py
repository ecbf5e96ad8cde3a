"""The rules core as machine code: NumPy records for the data, Numba for the functions.

No rule is written here. The record types come from the schema, and the very functions of
`penultima.rules` (and the policies of `penultima.bots`) are registered with Numba from outside, so
that the entry points below can call them. `machinecode` compiles those and keeps them on disk.
"""

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, Final, TypeVar

import numpy as np
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba import types
from numba.extending import intrinsic, overload

from penultima.bots import basic, luck, outlook, policy, table, tally, world
from penultima.bots import think as thinking
from penultima.bots.policy import decide
from penultima.bots.table import finish_round, play_game, start_game
from penultima.bots.think import think
from penultima.machinecode import Entry
from penultima.rules import (
    ask,
    bits,
    chance,
    check,
    check_pending,
    check_round,
    deal,
    legal,
    notes,
    observe,
    pile,
    score,
    step,
    turn,
)
from penultima.rules.actions import OVER
from penultima.rules.ask import advance, may_decline
from penultima.rules.bits import bit_count, lowest_bit, nth_bit
from penultima.rules.chance import derive_key
from penultima.rules.deal import start_match
from penultima.rules.schema import STANDARD, Record, Size

MODULES: Final[tuple[ModuleType, ...]] = (
    *(bits, chance, notes, pile, score, deal, legal, turn, step, observe, ask),
    *(check_pending, check_round, check),
    *(luck, basic, policy, tally, table, world, outlook, thinking),
)
# Where a single instruction does what takes a dozen in Python.
INSTRUCTIONS: Final = (bit_count, lowest_bit, nth_bit, chance.quarter)
# Everything else is laid into its caller: a decision becomes one function without a call, which
# more than doubles the speed. These are long or rare, and would only be repeated.
CALLED: Final[tuple[Callable[..., Any], ...]] = (
    *(chance.block, chance.below, pile.draw),
    *(deal.deal, deal.turn_up, deal.dealer_draw, deal.start_match, deal.next_round),
    *(score.end_round, table.close_round, policy.eager),
    *(check_pending.pending_faults, check_round.round_faults),
)
HAS_DEPOSIT: Final = get_host_cpu_features().get("bmi2", False)

_R = TypeVar("_R", bound=Record)


def functions(modules: tuple[ModuleType, ...] = MODULES) -> list[FunctionType]:
    """Every function of the core and of the policies, or of other modules in the same subset."""
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    ]


def register(
    target: str,
    without: tuple[Callable[..., Any], ...] = (),
    modules: tuple[ModuleType, ...] = MODULES,
    called: tuple[Callable[..., Any], ...] = CALLED,
) -> None:
    """Let compiled code for a target ("cpu", "cuda") call every function, as it stands."""
    for function in functions(modules):
        if function not in INSTRUCTIONS and function not in without:
            _as_it_stands(function, target, {"forceinline": function not in called})


def _as_it_stands(function: FunctionType, target: str, options: dict[str, bool]) -> None:
    @overload(function, jit_options=options, target=target, strict=False)
    def _itself(*_arguments: Any) -> FunctionType:
        return function


@intrinsic
def _count_bits(_context: Any, bits: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), code


@intrinsic
def _trailing_zeros(_context: Any, bits: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), code


@intrinsic
def _deposit(_context: Any, bits: Any, places: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(word, (word, word))
        return builder.call(
            builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", fnty=kind), args
        )

    return types.int64(types.int64, types.int64), code


@overload(bit_count, target="cpu", strict=False)
def _bit_count(bits: Any) -> Any:
    return lambda bits: _count_bits(bits)


@overload(lowest_bit, target="cpu", strict=False)
def _lowest_bit(bits: Any) -> Any:
    return lambda bits: _trailing_zeros(bits)


@overload(nth_bit, target="cpu", strict=False)
def _nth_bit(bits: Any, choice: Any) -> Any:
    if HAS_DEPOSIT:
        return lambda bits, choice: _trailing_zeros(_deposit(1 << choice, bits))
    return nth_bit


@intrinsic
def _quarter(_context: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """A quarter round in words of 32 bits, for which Python has no type."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(32)

        def rotated(value: Any, left: int) -> Any:
            high = builder.shl(value, ir.Constant(word, left))
            return builder.or_(high, builder.lshr(value, ir.Constant(word, 32 - left)))

        a, b, c, d = (builder.trunc(value, word) for value in args)
        for first, second in ((16, 12), (8, 7)):
            a = builder.add(a, b)
            d = rotated(builder.xor(d, a), first)
            c = builder.add(c, d)
            b = rotated(builder.xor(b, c), second)
        wide = [builder.zext(value, ir.IntType(64)) for value in (a, b, c, d)]
        return context.make_tuple(builder, signature.return_type, wide)

    wide = types.int64
    return types.UniTuple(wide, 4)(wide, wide, wide, wide), code


@overload(chance.quarter, strict=False)
def _quarter_round(a: Any, b: Any, c: Any, d: Any) -> Any:
    return lambda a, b, c, d: _quarter(a, b, c, d)


register("cpu")


def dtype(cls: type[Record], size: Size = STANDARD) -> np.dtype[Any]:
    """The NumPy record of a schema class; its bytes are those of `Record.to_bytes`."""
    fields = [(n, f"<i{f.width}", f.dimensions(size)) for n, f in cls.FIELDS.items()]
    return np.dtype(fields, align=True)


def to_array(*records: Record) -> np.ndarray[Any, Any]:
    """Plain objects as an array of records."""
    first = records[0]
    array = np.zeros(len(records), dtype(type(first), first.size))
    for place, plain in enumerate(records):
        for name in first.FIELDS:
            array[name][place] = getattr(plain, name)
    return array


def to_plain(cls: type[_R], element: Any, size: Size = STANDARD) -> _R:
    """One element of such an array as a plain object."""
    plain = cls(size)
    for name in cls.FIELDS:
        setattr(plain, name, element[name].tolist())
    return plain


@Entry
def play_games(
    rules: Any,
    games: Any,
    traces: Any,
    masks: Any,
    seen: Any,
    tallies: Any,
    manners: Any,
    seed: int,
    first: int,
    count: int,
    whole_match: bool,
    counting: bool,
) -> None:
    """Play games `first` to `first + count` of a seed, one after another in the first record."""
    for number in range(first, first + count):
        play_game(
            rules[0],
            games[0],
            traces[0],
            masks[0],
            seen[0],
            tallies[0],
            manners,
            seed,
            number,
            whole_match,
            counting,
        )


@Entry
def play_deals(
    rules: Any,
    games: Any,
    traces: Any,
    masks: Any,
    seen: Any,
    tallies: Any,
    manners: Any,
    seed: int,
    first: int,
    winners: Any,
    points: Any,
) -> None:
    """Play the first rounds of games `first`, `first + 1`, …: who won each, and with how much."""
    for place in range(winners.shape[0]):
        game = games[0]
        start_game(rules[0], game, traces[0], seed, first + place)
        winners[place], points[place] = finish_round(
            rules[0], game, traces[0], masks[0], seen[0], tallies[0], manners, 0
        )


@Entry
def think_ahead(
    rules: Any,
    seen: Any,
    place: int,
    actions: Any,
    results: Any,
    games: Any,
    traces: Any,
    masks: Any,
    scratch: Any,
    tallies: Any,
    manners: Any,
    seed: int,
    first: int,
    worlds: int,
    depth: int,
) -> None:
    """See `bots.think`."""
    think(
        rules[0],
        seen[0],
        place,
        actions,
        results,
        games[0],
        games[1],
        traces[0],
        masks[0],
        scratch[0],
        tallies[0],
        manners,
        seed,
        first,
        worlds,
        depth,
    )


@Entry
def deal_games(rules: Any, games: Any, traces: Any, seed: int, first: int) -> None:
    """Start the matches `first`, `first + 1`, … of a seed."""
    for place in range(games.shape[0]):
        derive_key(seed, first + place, games[place].key, traces[0].words)
        start_match(rules[0], games[place], traces[0])


@Entry
def advance_games(
    rules: Any,
    games: Any,
    traces: Any,
    places: Any,
    seats: Any,
    actions: Any,
    masks: Any,
    seen: Any,
) -> None:
    """Take the answers of the seats asked, and ask on (`rules.ask.advance`)."""
    for game in range(games.shape[0]):
        places[game], seats[game] = advance(
            rules[0],
            games[game],
            traces[0],
            places[game],
            seats[game],
            actions[game],
            masks[game],
            seen[game],
        )


@Entry
def decide_games(
    rules: Any,
    games: Any,
    traces: Any,
    places: Any,
    masks: Any,
    seen: Any,
    manners: Any,
    actions: Any,
) -> None:
    """Let a bot of the first manner answer for every seat asked, each with a trace of its own."""
    for game in range(games.shape[0]):
        if games[game].phase != OVER:
            optional = may_decline(games[game], places[game])
            actions[game] = decide(
                rules[0], manners[0], seen[game], masks[game], optional, traces[game]
            )
