"""Everybody is told what `wire.News` says, though what they share is made and encoded once."""

from random import Random

import msgspec
import pytest

from penultima.edition import SHIPPED
from penultima.server import frames, log, wire
from penultima.server.broadcast import Broadcast
from penultima.server.story import Happening
from penultima.server.table import Stage, Table
from tests.worlds import Secrets, a_world

READERS = (None, 0, 1, 2, 3, 4, 5)


def plain(table: Table, here: set[int], new: list[Happening], seat: int | None) -> bytes:
    """The same without any sharing."""
    return wire.encode(
        wire.News(
            seq=table.told,
            seat=seat,
            moments=frames.moments(new, seat),
            state=frames.state(table, seat, here),
        )
    )


@pytest.mark.parametrize("seed", range(2 * len(SHIPPED)))
def test_shared_news_say_what_news_of_ones_own_say(seed: int) -> None:
    world = a_world(seed)
    world.run(400)
    random = Random(seed)
    table = Table(Secrets())
    waiting: list[Happening] = []
    told = 0
    for data in world.log:
        entry = log.read(data)
        events = table.apply(entry)
        waiting.append(Happening(table.told, entry, events))
        if table.stage != Stage.CLOSED and random.random() < 0.3:
            continue  # several entries in one frame
        new, waiting = waiting, []
        here = {seat for seat in range(len(table.places)) if random.random() < 0.5}
        found = Broadcast(table, here, new)
        assert found.empty == (not frames.moments(new, None))
        if found.empty:
            continue
        for seat in READERS[: len(table.places) + 1]:
            want = msgspec.json.decode(plain(table, here, new, seat))
            assert msgspec.json.decode(found.frame(seat)) == want
            told += want["state"]["view"] is not None
    assert told > 20
