"""The golden perft numbers: `python -m tests.golden` writes them where both engines agree."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penultima.edition import SHIPPED, shipped
from penultima.game import Match, key_of_seed
from penultima.keys import write_key
from penultima.perft import Count, perft
from penultima.position import read_position, write_state
from penultima.rules.schema import Game
from penultima.ruleset import Sheet
from tests import reference

FILE = Path(__file__).parent / "golden" / "perft.json"


@dataclass(frozen=True)
class Case:
    """A start and a depth; `position` sets hands and piles where a fresh deal will not do."""

    name: str
    edition: str
    depth: int
    players: int = 2
    seed: int = 1
    options: tuple[tuple[str, Any], ...] = ()
    position: str = ""

    @property
    def sheet(self) -> Sheet:
        return shipped(self.edition).sheet.with_options(dict(self.options))

    def game(self) -> Game:
        if self.position:
            return read_position(self.sheet, json.loads(self.position))
        return Match(self.sheet, ["?"] * self.players, key_of_seed(self.seed)).game


def _house(**options: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(options.items())


def _near_empty(edition: str) -> str:
    """Nearly the whole deck in three hands: the pile is renewed, then runs out."""
    texts = [face.text for face in shipped(edition).sheet.faces for _ in range(face.count)]
    hands = [texts[0:-3:3], texts[1:-3:3], texts[2:-3:3]]
    return json.dumps({"hands": hands, "discard": texts[-3:-2], "color": texts[0][0]})


def _small_hands(edition: str) -> str:
    """Two and three cards each, an own wild card among them, a short pile."""
    sheet = shipped(edition).sheet
    a, b, c, d = list(sheet.colors)
    own = sheet.faces[-1].text
    hands = [[f"{a}7", "W4"], [f"{b}7", own], [f"{a}+2", f"{c}R", f"{d}S"]]
    return json.dumps({"hands": hands, "discard": [f"{a}1"], "pile": [f"{a}5", f"{b}5", "W"]})


ALL_HOUSE = _house(
    stacking="four_on_two",
    seven_zero=True,
    jump_in=True,
    draw_until_playable=True,
    challengers="anybody",
    catch_window="open",
)
CASES = [
    *(Case(f"{e} 2 seats", e, 8) for e in SHIPPED),
    *(Case(f"{e} 4 seats", e, 6, players=4, seed=2) for e in SHIPPED),
    *(Case(f"{e} 10 seats", e, 5, players=10, seed=3) for e in SHIPPED),
    *(Case(f"{e} small hands", e, 6, position=_small_hands(e)) for e in SHIPPED),
    *(Case(f"{e} near-empty pile", e, 3, position=_near_empty(e)) for e in SHIPPED),
    *(Case(f"{e} house rules", e, 5, players=3, seed=4, options=ALL_HOUSE) for e in SHIPPED),
    *(
        Case(f"{e} small hands, house rules", e, 5, position=_small_hands(e), options=ALL_HOUSE)
        for e in SHIPPED
    ),
    *(
        Case(
            f"{e} strict",
            e,
            7,
            players=3,
            seed=5,
            options=_house(forced_play=True, no_bluffing=True),
        )
        for e in SHIPPED
    ),
    *(
        Case(
            f"{e} tally", e, 7, position=_small_hands(e), options=_house(scoring="tally", target=20)
        )
        for e in ("classic", "revenge")
    ),
]


def by_core(case: Case) -> Count:
    return perft(case.sheet, case.game(), case.depth)


def by_reference(case: Case) -> Count:
    """The reference starts from the deal itself, or from the position as it stands."""
    sheet, game = case.sheet, case.game()
    options = dict(sheet.to_json()["options"])
    cards, key = reference.deck(case.edition), bytes.fromhex(write_key(game.key))
    if case.position:
        state = write_state(sheet, game)
        table = reference.Table.from_position(cards, sheet.colors, options, state, key)
    else:
        table = reference.Table(cards, sheet.colors, case.players, options, key)
        table.start_match()
    return Count(*reference.perft(table, case.depth))


def main() -> int:
    golden = {}
    for case in CASES:
        ours, theirs = by_core(case), by_reference(case)
        print(f"{case.name:<36} {ours.nodes:>9} {ours.digest:016x}", flush=True)
        if ours != theirs:
            print(f"  the reference says {theirs}: nothing written")
            return 1
        golden[case.name] = ours.to_json()
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(golden, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
