"""What can happen at a table: the entries of its log, which is the truth about it.

A table is the fold of its entries in order. An entry that answers a command names the seat and the
id of the command, so that a copy of it can be given the same answer.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from penultima.edition import EditionFile

Seat = Annotated[int, Meta(ge=0, le=9)]
Name = Annotated[str, Meta(min_length=1, max_length=40)]
WantedName = Annotated[str, Meta(max_length=40)]  # none at all: the server finds one
# Patterns are searched for, and `$` would also match before a line's end.
Hex = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
WrittenHex = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]  # logs may hold a line's end
Picture = Annotated[str, Meta(pattern=r"^[a-z]{1,20}$(?!\n)")]  # the name of one that clients draw
CommandId = Annotated[str, Meta(min_length=1, max_length=64)]


class Entry(msgspec.Struct, frozen=True, tag=True, kw_only=True, forbid_unknown_fields=True):
    """`at` is the time in milliseconds, `seat` and `command` who asked for it, if anybody did."""

    at: int
    seat: Seat | None = None
    command: CommandId | None = None


class Opened(Entry, frozen=True, tag="opened"):
    """A table with empty seats."""

    table: str
    edition: EditionFile  # what the cards look like and are called
    ruleset: dict[str, Any]
    seats: Annotated[int, Meta(ge=2, le=10)]
    public: bool = False
    watchers: bool = True
    hints: bool = False
    clock: Annotated[int, Meta(ge=0, le=3600)] = 0  # seconds for a decision; 0: no limit
    rules: int = 0  # the version by which its entries mean what they do; 0: none was written yet


class Sat(Entry, frozen=True, tag="sat"):
    """Somebody takes a place: a person with the hash of a token, or a bot by its name."""

    place: Seat
    name: Name
    token: Hex | None = None
    bot: str | None = None
    picture: Picture | None = None


class Moved(Entry, frozen=True, tag="moved"):
    """A person goes on from another device, with another token."""

    place: Seat
    token: Hex


class Rose(Entry, frozen=True, tag="rose"):
    """A place is free again before a match; during one a bot plays it on for good."""

    place: Seat


class Hosted(Entry, frozen=True, tag="hosted"):
    """The role of host goes to a place."""

    place: Seat


class Away(Entry, frozen=True, tag="away"):
    """A bot plays for a person who ran out of time or went away, until their next action; `seat` is
    the host's where the host asked for it."""

    place: Seat


class Back(Entry, frozen=True, tag="back"):
    """A person who was away plays on."""

    place: Seat


class Began(Entry, frozen=True, tag="began"):
    """The seeds of a deal are asked for; the server has promised its own."""

    attempt: int
    promise: Hex


class Promised(Entry, frozen=True, tag="promised"):
    promise: WrittenHex


class Sealed(Entry, frozen=True, tag="sealed"):
    """Nobody is waited for any longer who has not promised a seed: theirs do not go in."""


class Revealed(Entry, frozen=True, tag="revealed"):
    seed: WrittenHex


class Dealt(Entry, frozen=True, tag="dealt"):
    """All seeds are there: the match begins."""


class Acted(Entry, frozen=True, tag="acted"):
    """A legal action, by the person at the place or by a bot for it."""

    place: Seat
    action: str
    bot: bool = False


class Armed(Entry, frozen=True, tag="armed"):
    """A race is on: the signal is given `delay` milliseconds after this entry."""

    race: int
    delay: int


class Raced(Entry, frozen=True, tag="raced"):
    """What was measured of one racer (`server.race`); nobody is told before all are there."""

    place: Seat
    race: int
    measured: int | None = None  # from the signal to the press on the server's own socket
    reported: int | None = None  # what the client says
    allowance: int = 0  # the time of a round trip, measured before the signal
    flagged: bool = False  # whose round trips are longer than the line seems to be


class Voided(Entry, frozen=True, tag="voided"):
    """A race whose measurements were lost is run again."""

    race: int


class Paused(Entry, frozen=True, tag="paused"):
    on: bool


class Ready(Entry, frozen=True, tag="ready"):
    """A person is ready for the next round, or for another match."""


class Continued(Entry, frozen=True, tag="continued"):
    """The next round is dealt."""


class Shown(Entry, frozen=True, tag="shown"):
    """The match is over or broken off: the server's seed."""

    seed: Hex


class Said(Entry, frozen=True, tag="said"):
    """One of the phrases that every client can say in its language."""

    phrase: str


class Refused(Entry, frozen=True, tag="refused"):
    """A command that changed nothing, so that a copy of it is refused for the same reason."""

    code: str
    ahead: int | None = None  # a decision that it named before there was one


class TurnedAway(Entry, frozen=True, tag="turned_away"):
    """Somebody without a seat asked for one in vain: a copy is refused for the same reason."""

    token: Hex
    code: str


class Closed(Entry, frozen=True, tag="closed"):
    reason: str


AnyEntry = (
    Opened
    | Sat
    | Moved
    | Rose
    | Hosted
    | Away
    | Back
    | Began
    | Promised
    | Sealed
    | Revealed
    | Dealt
    | Acted
    | Armed
    | Raced
    | Voided
    | Paused
    | Ready
    | Continued
    | Shown
    | Said
    | Refused
    | TurnedAway
    | Closed
)

_encoder = msgspec.json.Encoder(order="deterministic")
_decoder = msgspec.json.Decoder(AnyEntry)


def write(entry: Entry) -> bytes:
    return _encoder.encode(entry)


def read(data: bytes) -> Entry:
    entry: Entry = _decoder.decode(data)
    return entry
