"""How a server is run: where, on what, and within which limits."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    """What a server, an address and a connection may use; enough for a small machine."""

    tables: int = 2_000  # open at a time
    connections: int = 4_000  # of tables
    connections_per_address: int = 200  # of any kind
    tables_per_address: int = 60  # opened within an hour
    requests_per_address: int = 1_200  # within a minute
    work_per_address: int = 120  # seconds that others' texts are worked on, within ten minutes
    guesses_per_address: int = 60  # of a table's or a seat's code that was wrong, within a minute
    frames_per_second: int = 20  # of one connection; after a burst it is read more slowly
    unread: int = 128  # frames that wait for a slow reader


@dataclass(frozen=True)
class Pace:
    """How fast a table goes, in milliseconds."""

    bot: int = 900  # before a bot decides
    moment: int = 1_600  # the same while somebody could still call or be caught
    grace: int = 20_000  # before a bot plays for a person who is not connected
    gone: int = 120_000  # before the place of such a person is free, where no match is on
    idle: int = 3_600_000  # before a table closes at which nobody is


@dataclass(frozen=True)
class ServerSettings:
    database: str
    data: Path
    host: str = "127.0.0.1"
    port: int = 8_765
    public_url: str | None = None
    network: str | None = None  # its address in the local network, if that is let in
    workers: int = 1
    keep_days: int = 90  # records and closed tables
    thinking: int = 200  # milliseconds for `sharp`, while few are waiting
    admin: str | None = None  # the hash of the token that may administer
    proxies: int = 0  # of our own, through which everybody comes
    hosts: tuple[str, ...] = ()  # names that the server answers to, besides those it knows
    limits: Limits = field(default_factory=Limits)
    pace: Pace = field(default_factory=Pace)

    @property
    def shared(self) -> bool:
        """Whether the database is one that several processes share."""
        return self.database.startswith(("postgresql://", "postgres://"))
