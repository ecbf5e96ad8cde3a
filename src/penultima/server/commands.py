"""What a person at a table can ask for."""

from typing import Annotated

import msgspec
from msgspec import Meta

from penultima.server.log import CommandId, Hex, Name, Picture, Seat, WantedName


class Command(msgspec.Struct, frozen=True, tag=True, kw_only=True, forbid_unknown_fields=True):
    """`id` is the client's own: a command that comes again under its id is not done again."""

    id: CommandId


class Sit(Command, frozen=True, tag="sit"):
    """Take a place: the one asked for, or the first that is free. Whoever says no name is given
    one, and so is whoever wants to be called "you"."""

    name: WantedName = ""
    place: Seat | None = None
    picture: Picture | None = None


class AddBot(Command, frozen=True, tag="add_bot"):
    """The host seats a bot."""

    place: Seat
    bot: Annotated[str, Meta(max_length=20)]
    name: Name | None = None


class Remove(Command, frozen=True, tag="remove"):
    """The host frees a place before the match."""

    place: Seat


class PassHost(Command, frozen=True, tag="pass_host"):
    place: Seat


class LetBot(Command, frozen=True, tag="let_bot"):
    """The host lets a bot play for the person whose turn it is, who has not decided for long. It
    plays until that person acts or comes back. `decision` is the one that is waited for."""

    place: Seat
    decision: Annotated[int, Meta(ge=0)]


class Leave(Command, frozen=True, tag="leave"):
    """Give up one's place for good."""


class Begin(Command, frozen=True, tag="begin"):
    """The host begins the match, or the next one; empty places are filled with bots."""


class Promise(Command, frozen=True, tag="promise"):
    promise: Hex


class Reveal(Command, frozen=True, tag="reveal"):
    seed: Hex


class Act(Command, frozen=True, tag="act"):
    """An action, and the number of the decision it answers (`Table.decision`)."""

    action: Annotated[str, Meta(max_length=20)]
    decision: Annotated[int, Meta(ge=0)]


class Drop(Command, frozen=True, tag="drop"):
    """Press in a race; `reaction` is the time from what was painted to the press, as the client
    measured it, in milliseconds."""

    race: int
    reaction: Annotated[int, Meta(ge=0, le=60_000)]


class Pause(Command, frozen=True, tag="pause"):
    """The host stops the clock between two rounds, or lets it go on."""

    on: bool


class Hint(Command, frozen=True, tag="hint"):
    """What to expect of every action, where the table allows hints."""


class ComeBack(Command, frozen=True, tag="back"):
    """Play on oneself, after a bot did."""


class GetReady(Command, frozen=True, tag="ready"):
    pass


class Say(Command, frozen=True, tag="say"):
    phrase: Annotated[str, Meta(max_length=20)]


AnyCommand = (
    Sit
    | AddBot
    | Remove
    | PassHost
    | LetBot
    | Leave
    | Begin
    | Promise
    | Reveal
    | Act
    | Drop
    | Pause
    | Hint
    | ComeBack
    | GetReady
    | Say
)
