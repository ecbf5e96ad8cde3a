"""Every field of every record once: its shape, its width and who may see it.

A record class is its own schema. From it come both carriers of the data: the slotted plain object
that this module makes (ints and lists), and the NumPy record of `penultima.compiled`. Fields are
declared widest first, so that the packed and the aligned layout are the same bytes.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, NamedTuple, Self, TypeVar, cast, get_type_hints

from penultima.cards import COLORS, SEATS
from penultima.rules.actions import PLAY, WORD

PUBLIC: Final = "public"
OWN: Final = "own"  # a row belongs to the seat of that number; a scalar to the seat on turn
SECRET: Final = "secret"


class Size(NamedTuple):
    """How large the arrays are. Two sizes, so that compiled code is made at most twice."""

    kinds: int
    cards: int
    kind_words: int
    play_words: int
    notes: int  # room in a trace

    @property
    def plays(self) -> int:
        return self.play_words * WORD

    @property
    def actions(self) -> int:
        return PLAY + self.plays

    @property
    def mask_words(self) -> int:
        return 1 + self.play_words

    @property
    def bulk(self) -> "Size":
        """For play that nobody watches: traces without room for notes."""
        return self._replace(notes=1)


# A step can move every card of the largest deck, with a note for each.
STANDARD: Final = Size(kinds=56, cards=112, kind_words=1, play_words=2, notes=288)
WIDE: Final = Size(kinds=120, cards=240, kind_words=2, play_words=5, notes=288)


@dataclass(frozen=True, slots=True)
class Field:
    """The width in bytes of a signed int, the dimensions (a number, or a name in `Size`), sight."""

    width: int
    shape: tuple[int | str, ...] = ()
    sight: str = PUBLIC

    def dimensions(self, size: Size) -> tuple[int, ...]:
        return tuple(getattr(size, d) if isinstance(d, str) else d for d in self.shape)


class Record:
    """A plain carrier: one slot per field, holding an int, a list or a list of lists."""

    __slots__ = ("size",)
    FIELDS: ClassVar[dict[str, Field]]
    size: Size

    def __init__(self, size: Size = STANDARD) -> None:
        self.size = size
        for name, depth, zeros in _blank(type(self), size):
            if depth == 1:
                zeros = zeros[:]
            elif depth:
                zeros = [row[:] for row in zeros]
            setattr(self, name, zeros)

    def copy(self) -> Self:
        other = object.__new__(type(self))
        other.size = self.size
        for name, field in self.FIELDS.items():
            value = getattr(self, name)
            if len(field.shape) == 1:
                value = value[:]
            elif field.shape:
                value = [row[:] for row in value]
            setattr(other, name, value)
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record) or type(other) is not type(self):
            return NotImplemented
        return self.size == other.size and self.to_bytes() == other.to_bytes()

    def to_bytes(self) -> bytes:
        """The little-endian bytes of all fields in order, as the NumPy record lays them out."""
        values = [v for name in self.FIELDS for v in _flat(getattr(self, name))]
        return _packing(type(self), self.size).pack(*values)

    @classmethod
    def from_bytes(cls, data: bytes, size: Size = STANDARD) -> Self:
        record = cls(size)
        values = iter(_packing(cls, size).unpack(data))
        for name, field in cls.FIELDS.items():
            setattr(record, name, _fill(field.dimensions(size), values))
        return record


_R = TypeVar("_R", bound=Record)
_PACKINGS: dict[tuple[type[Record], Size], struct.Struct] = {}
_BLANKS: dict[tuple[type[Record], Size], list[tuple[str, int, Any]]] = {}


def record(cls: type[_R]) -> type[_R]:
    """Make slots and FIELDS of the class's annotations."""
    hints = get_type_hints(cls, include_extras=True)
    own = [name for name in hints if name not in Record.__annotations__]
    fields = {name: hints[name].__metadata__[0] for name in own}
    body: dict[str, Any] = {
        "__slots__": tuple(own),
        "__doc__": cls.__doc__,
        "__module__": cls.__module__,
        "FIELDS": fields,
    }
    return cast(type[_R], type(cls.__name__, cls.__bases__, body))


def _blank(cls: type[Record], size: Size) -> list[tuple[str, int, Any]]:
    """Every field's name, number of dimensions, and zeros to copy."""
    if (cls, size) not in _BLANKS:
        _BLANKS[cls, size] = [
            (name, len(field.shape), _zeros(field.dimensions(size)))
            for name, field in cls.FIELDS.items()
        ]
    return _BLANKS[cls, size]


def _zeros(dimensions: tuple[int, ...]) -> Any:
    if not dimensions:
        return 0
    return [_zeros(dimensions[1:]) for _ in range(dimensions[0])]


def _flat(value: Any) -> Iterator[int]:
    if isinstance(value, list):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def _fill(dimensions: tuple[int, ...], values: Iterator[int]) -> Any:
    if not dimensions:
        return next(values)
    return [_fill(dimensions[1:], values) for _ in range(dimensions[0])]


def _packing(cls: type[Record], size: Size) -> struct.Struct:
    packing = _PACKINGS.get((cls, size))
    if packing is None:
        codes = {1: "b", 2: "h", 4: "i", 8: "q"}
        text = "<"
        for field in cls.FIELDS.values():
            length = 1
            for d in field.dimensions(size):
                length *= d
            text += f"{length}{codes[field.width]}"
        packing = _PACKINGS[cls, size] = struct.Struct(text)
    return packing


LACK_BITS: Final = 5  # of `Game.lacked` for a color
MOST_LACKED: Final = (1 << LACK_BITS) - 2  # where it stops counting

Int = Annotated[int, Field(1)]
Int2 = Annotated[int, Field(2)]


@record
class Ruleset(Record):
    """Every kind of card, every option, and tables made of them. Read-only once made."""

    same_color: Annotated[list[list[int]], Field(8, (COLORS, "kind_words"))]
    same_symbol: Annotated[list[list[int]], Field(8, ("kinds", "kind_words"))]  # as a kind
    wild: Annotated[list[int], Field(8, ("kind_words",))]
    marked: Annotated[list[int], Field(8, ("kind_words",))]
    plays: Annotated[list[list[int]], Field(8, ("kinds", "play_words"))]  # actions of a kind
    target: Annotated[int, Field(4)]
    cards: Int2
    hand_size: Int2
    points: Annotated[list[int], Field(2, ("kinds",))]
    amount: Annotated[list[int], Field(2, ("kinds",))]
    count: Annotated[list[int], Field(1, ("kinds",))]
    color: Annotated[list[int], Field(1, ("kinds",))]
    number: Annotated[list[int], Field(1, ("kinds",))]  # -1: a symbol, or wild
    symbol: Annotated[list[int], Field(1, ("kinds",))]  # the first kind with the same symbol
    effect: Annotated[list[int], Field(1, ("kinds",))]
    challengeable: Annotated[list[int], Field(1, ("kinds",))]
    played_kind: Annotated[list[int], Field(1, ("plays",))]  # by action - PLAY
    played_color: Annotated[list[int], Field(1, ("plays",))]
    kinds: Int
    colored: Int  # kinds below this one have a color
    colors: Int
    drawn_no_match: Int
    drawn_by_choice: Int
    challengers: Int
    catch_window: Int
    call_duty: Int
    demand: Int
    race: Int
    scoring: Int
    stacking: Int
    seven_zero: Int
    jump_in: Int
    draw_until_playable: Int
    forced_play: Int
    no_bluffing: Int
    auto_call: Int


@record
class Game(Record):
    """A match between two decisions.

    `deck` is a ring. The draw pile begins at `base` (the next card drawn is the last of it), the
    discard pile ends there (its top is the first of it). The lower `loose` cards of the draw pile
    have still to be shuffled: each changes places with one at or below it when it is drawn. With
    which one is said by a stream of which so many bytes are `used`; `numbers` are those of the
    block in use. `lot` orders the drops of races that nobody runs by hand. `called`, `exposed`,
    `dropped` and `winners` are sets of seats as bits.
    `lacked` counts for every color the cards a seat has gained since it last drew on it
    (`pile.lacking`). `shown` is what is left of the hand that was last shown to a challenger.
    """

    held: Annotated[list[list[int]], Field(8, (SEATS, "kind_words"), OWN)]  # hands as bits
    key: Annotated[list[int], Field(4, (8,), SECRET)]
    scores: Annotated[list[int], Field(4, (SEATS,))]
    round: Annotated[int, Field(4)]
    lacked: Annotated[list[int], Field(4, (SEATS,))]
    lot: Annotated[int, Field(4, (), SECRET)]
    used: Annotated[int, Field(4, (), SECRET)]
    numbers: Annotated[list[int], Field(4, (8,), SECRET)]
    counts: Annotated[list[int], Field(2, (SEATS,))]
    pile: Int2
    discards: Int2
    base: Int2
    loose: Annotated[int, Field(2, (), SECRET)]
    due: Int2
    decisions: Int2
    renewals: Int2
    called: Int2
    exposed: Int2
    dropped: Int2
    winners: Int2
    seats: Int
    phase: Int
    turn: Int
    direction: Int
    color: Int
    dealer: Int
    by: Int
    guilty: Annotated[int, Field(1, (), SECRET)]  # -1: nothing to challenge
    drawn: Annotated[int, Field(1, (), OWN)]
    choice: Annotated[int, Field(1, (), OWN)]  # drawn although something could be played
    jump: Int
    passes: Int
    over: Int
    shown_of: Int
    shown_to: Int
    shown: Annotated[list[int], Field(1, ("kinds",), SECRET)]
    hands: Annotated[list[list[int]], Field(1, (SEATS, "kinds"), OWN)]
    deck: Annotated[list[int], Field(1, ("cards",), SECRET)]


@record
class Seen(Record):
    """What one seat knows of a game, or with `seat` NOBODY what everybody may know.

    `gone` counts the discard pile by kind, `colors` the own hand by color. `drawn`, `choice` and
    `shown` are filled only for the seat they belong to. The rest is as in `Game`.
    """

    held: Annotated[list[int], Field(8, ("kind_words",))]
    scores: Annotated[list[int], Field(4, (SEATS,))]
    round: Annotated[int, Field(4)]
    counts: Annotated[list[int], Field(2, (SEATS,))]
    pile: Int2
    discards: Int2
    due: Int2
    decisions: Int2
    renewals: Int2
    called: Int2
    exposed: Int2
    dropped: Int2
    winners: Int2
    seat: Int
    seats: Int
    phase: Int
    turn: Int
    direction: Int
    color: Int
    top: Int
    dealer: Int
    by: Int
    drawn: Int
    choice: Int
    jump: Int
    passes: Int
    over: Int
    shown_of: Int
    shown: Annotated[list[int], Field(1, ("kinds",))]
    hand: Annotated[list[int], Field(1, ("kinds",))]
    gone: Annotated[list[int], Field(1, ("kinds",))]
    colors: Annotated[list[int], Field(1, (COLORS,))]
    lacked: Annotated[list[list[int]], Field(1, (SEATS, COLORS))]


@record
class Trace(Record):
    """What a step needs besides the game: the block of chance in use, and notes of what happened.

    Notes are kept only while `on` is set; bulk play leaves it off and pays nothing.
    """

    luck: Annotated[int, Field(8, (), SECRET)]  # the state of `bots.policy`'s generator
    words: Annotated[list[int], Field(4, (16,), SECRET)]
    length: Int2
    on: Int2
    notes: Annotated[list[list[int]], Field(2, ("notes", 4), SECRET)]


assert WORD * STANDARD.kind_words >= STANDARD.kinds
assert WORD * WIDE.kind_words >= WIDE.kinds
