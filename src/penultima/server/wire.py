"""What goes over the wire: frames of a table's WebSocket, and bodies of requests and answers.

`docs/protocol.md` tells how they are used; the OpenAPI document and the browser client's types are
made of these very structs (`server.schema`).
"""

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from penultima import errors
from penultima.edition import EditionFile
from penultima.ruleset import Options
from penultima.server.commands import AnyCommand
from penultima.server.log import CommandId, Name, Picture, Seat, WantedName
from penultima.view import View

VERSION: Final = 1
MOST_BYTES: Final = 4096  # of a frame from a client

Token = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{22,64}$(?!\n)")]  # at least 128 bits
TableId = Annotated[str, Meta(pattern=r"^[a-z2-9]{6}$(?!\n)")]
Bot = Annotated[str, Meta(max_length=20)]


class Incoming(msgspec.Struct, frozen=True, tag=True, kw_only=True, forbid_unknown_fields=True):
    """A frame from a client that is no command."""


class Hello(Incoming, frozen=True, tag="hello"):
    """The first frame. Without a token one watches. `since` is the last `seq` seen."""

    version: int
    table: TableId
    token: Token | None = None
    since: Annotated[int, Meta(ge=0)] | None = None


class Pong(Incoming, frozen=True, tag="pong"):
    n: int


AnyIncoming = Hello | Pong | AnyCommand


class Outgoing(msgspec.Struct, frozen=True, tag=True, kw_only=True, omit_defaults=False):
    """A frame from the server."""


class PlaceState(msgspec.Struct, frozen=True):
    """A seat and who has it. `here`: connected; `away`: a bot plays for the person."""

    kind: str  # "empty", "person" or "bot"
    name: str
    picture: str | None
    bot: str | None
    away: bool
    ready: bool
    here: bool


class RaceState(msgspec.Struct, frozen=True):
    race: int
    racers: list[int]


class GivenUp(msgspec.Struct, frozen=True):
    """An attempt to deal that came to nothing, and the seats that did not show their seeds."""

    attempt: int
    missing: list[int]


class State(msgspec.Struct, frozen=True, kw_only=True):
    """All that a seat may know of its table now."""

    stage: str
    places: list[PlaceState]
    host: int | None
    decision: int  # what an `act` must name
    since: int  # when the stage or the decision began
    deadline: int | None  # when time runs out
    paused: bool
    attempt: int
    promises: dict[str, str]
    reveals: dict[str, str]  # the server's when the match is over
    left_out: list[int]  # people whose seeds do not go into this deal
    given_up: list[GivenUp] = []  # of this deal
    matches: int  # finished ones, whose records its players may fetch
    race: RaceState | None
    view: View | None


class Moment(msgspec.Struct, frozen=True):
    """Something that happened: an entry of the log without its secrets, and the game's events."""

    seq: int
    at: int
    entry: dict[str, Any]
    events: list[dict[str, Any]]


class Settings(msgspec.Struct, frozen=True):
    """What does not change while a table is open."""

    table: str
    edition: EditionFile
    options: Options
    ruleset: str  # its hash
    seats: int
    public: bool
    watchers: bool
    hints: bool
    clock: int
    idle: int  # milliseconds without a decision after which the host may send `let_bot`


class Welcome(Outgoing, frozen=True, tag="welcome"):
    """The answer to `hello`. `seat` is null for a watcher and for who has not sat down yet."""

    version: int
    server: str
    now: int  # the server's clock, in milliseconds
    seq: int
    seat: int | None
    settings: Settings
    state: State
    moments: list[Moment]  # what was missed since `since`, as far as it is known; 0: all of that
    rounds: list[list[int]]  # what each round of the match has brought, by seat


class News(Outgoing, frozen=True, tag="news"):
    """What has happened, and how things stand after it."""

    seq: int
    seat: int | None
    moments: list[Moment]
    state: State


class Why(msgspec.Struct, frozen=True):
    """What stands in the way of an action, from what its seat knows: a code and its details."""

    code: str
    card: str | None = None
    top: str | None = None
    color: str | None = None
    count: int | None = None

    @property
    def error(self) -> errors.Why:
        named = {name: getattr(self, name) for name in ("card", "top", "color", "count")}
        return errors.Why(
            self.code, **{n: value for n, value in named.items() if value is not None}
        )


class Answer(Outgoing, frozen=True, tag="answer"):
    """To every command: done, or refused with a code. A copy of a command gets the same answer."""

    id: str
    refused: str | None = None
    seat: int | None = None  # after `sit`
    why: Why | None = None  # of an action that is not allowed


class Advice(Outgoing, frozen=True, tag="advice"):
    """To `hint`: every action with its estimated chance to win the round, best first."""

    id: str
    decision: int
    actions: list[dict[str, Any]]


class Here(Outgoing, frozen=True, tag="here"):
    """Who of the people is connected."""

    places: list[int]


class Ping(Outgoing, frozen=True, tag="ping"):
    """To be answered at once with a `pong` of the same `n`."""

    n: int


class Go(Outgoing, frozen=True, tag="go"):
    """The signal of a race: press now."""

    race: int


class Problem(Outgoing, frozen=True, tag="problem"):
    """A frame that could not be understood; nothing has changed. `id` is that of the command, where
    it could be read: there is no other answer to it."""

    code: str
    message: str
    id: str | None = None


class Bye(Outgoing, frozen=True, tag="bye"):
    """The last frame. Come back after `retry` milliseconds, unless it is null."""

    reason: str
    retry: int | None


AnyOutgoing = Welcome | News | Answer | Advice | Here | Ping | Go | Problem | Bye


# Requests and answers over HTTP


class Body(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a client sends."""


class BotSeat(Body, frozen=True):
    place: Seat
    bot: Bot
    name: Name | None = None


class NewTable(Body, frozen=True):
    """A table to open. `edition` is the id or name of one that ships; `own` a TOML text."""

    edition: Annotated[str, Meta(max_length=40)] | None = None
    own: Annotated[str, Meta(max_length=64 * 1024)] | None = None
    options: dict[str, str | int | bool] = {}
    seats: Annotated[int, Meta(ge=2, le=10)] = 4
    name: WantedName | None = None  # of who opens it and sits down; null: does not sit down
    picture: Picture | None = None
    bots: Annotated[list[BotSeat], Meta(max_length=10)] = []
    clock: Annotated[int, Meta(ge=0, le=3600)] = 0
    public: bool = False
    watchers: bool = True
    hints: bool = True


class QuickMatch(Body, frozen=True):
    """Any public table that waits for people, or a new one."""

    name: WantedName = ""
    picture: Picture | None = None
    edition: Annotated[str, Meta(max_length=40)] | None = None


class MoveSeat(Body, frozen=True):
    """A one-time code from the device that has the seat."""

    code: Annotated[str, Meta(pattern=r"^[a-z2-9]{8}$(?!\n)")]


class Seated(msgspec.Struct, frozen=True):
    table: str
    seat: int | None


class Person(msgspec.Struct, frozen=True):
    """A new token: whoever has it is that person."""

    token: str


class MoveCode(msgspec.Struct, frozen=True):
    code: str
    until: int


class TableSummary(msgspec.Struct, frozen=True):
    table: str
    edition: str
    name: dict[str, str]  # of the edition, by language
    seats: int
    people: int
    free: int
    stage: str
    public: bool
    watchers: bool
    clock: int
    opened: int


class Lobby(msgspec.Struct, frozen=True):
    tables: list[TableSummary]


class Face(msgspec.Struct, frozen=True):
    """What a player looked like at the table."""

    bot: bool
    picture: str | None


class PastMatch(msgspec.Struct, frozen=True):
    """A finished match of a person. `number` counts the matches of its table from 1."""

    table: str
    number: int
    edition: str
    ended: int
    seat: int
    names: list[str]
    scores: list[int]
    won: bool
    rounds: int
    faces: list[Face] = []  # by seat; none were kept of matches long ago


class History(msgspec.Struct, frozen=True):
    matches: list[PastMatch]


class Statistics(msgspec.Struct, frozen=True):
    """By edition, and for all of them under "all"."""

    editions: dict[str, dict[str, int]]  # matches, won, rounds


class Address(msgspec.Struct, frozen=True):
    """Where other devices find the server; null where they cannot."""

    address: str | None


class EditionOffer(msgspec.Struct, frozen=True):
    """An edition, and the options that it is played by where nobody says otherwise."""

    edition: EditionFile
    options: Options


class Editions(msgspec.Struct, frozen=True):
    editions: list[EditionOffer]


class Step(msgspec.Struct, frozen=True):
    """Who did what in a record, and how things stood then, with all hands open."""

    seat: int | None
    action: str | None
    events: list[dict[str, Any]]
    hands: list[list[str]]
    view: View


class Replay(msgspec.Struct, frozen=True):
    names: list[str]
    ruleset: dict[str, Any]
    fair: bool  # whether the record says how its key was made
    steps: list[Step]


class Decision(msgspec.Struct, frozen=True):
    """What a seat did, the chance that it had of winning the round, and what looked best."""

    seat: int
    action: str
    chance: float | None
    best: str | None
    best_chance: float | None


class Analysis(msgspec.Struct, frozen=True):
    """A round: its decisions, and every seat's chance of winning it after the deal and after each
    of them, for who sees all hands."""

    decisions: list[Decision]
    chances: list[list[float]]


class Health(msgspec.Struct, frozen=True):
    status: str


class Fault(msgspec.Struct, frozen=True):
    """What is wrong with a request, and the remedy."""

    code: str
    message: str


class Named(msgspec.Struct, frozen=True):
    """What is known of a frame that is not understood otherwise."""

    id: CommandId | None = None


_decode_named: Final = msgspec.json.Decoder(Named).decode
decode_incoming: Final = msgspec.json.Decoder(AnyIncoming).decode
decode_new: Final = msgspec.json.Decoder(NewTable).decode
encode: Final = msgspec.json.Encoder().encode


def id_of(data: str | bytes) -> str | None:
    """The id of a command in a frame that is not understood otherwise, where it can be read."""
    try:
        return _decode_named(data).id
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
