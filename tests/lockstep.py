"""The core and the reference play the same random games and must agree after every action.

`python -m tests.lockstep --games N` (or `make soak GAMES=N`) for any number of games; prints what
was touched on the way. A difference prints all that is needed to see it again.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from penultima.edition import SHIPPED, shipped
from penultima.errors import RulesetError
from penultima.game import Match, key_of_seed
from penultima.keys import write_key
from penultima.notation import PHASE_NAMES, action_text
from penultima.position import write_state
from penultima.rules.actions import NAME
from penultima.rules.check import check
from penultima.ruleset import CHOICES, PILE_LEFT, SWITCHES, Face, Options, Sheet
from tests import reference


class Difference(AssertionError):
    """The two engines disagree."""


@dataclass
class Touched:
    """What the games came across."""

    decisions: int = 0
    games: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Touched") -> None:
        self.decisions += other.decisions
        self.games += other.games
        self.counts += other.counts


def to_reference(sheet: Sheet) -> list[reference.Card]:
    """The deck as card objects, for decks that the reference does not know by name."""
    return [
        reference.Card(
            text=face.text,
            color=None if face.wild else sheet.colors[face.color],
            symbol=face.symbol,
            number=face.number,
            points=face.points,
            effect=None if face.effect == "none" else face.effect,
            amount=face.amount,
            challengeable=face.challengeable,
            marked=face.marked,
        )
        for face in sheet.faces
        for _ in range(face.count)
    ]


def random_options(random: Random) -> dict[str, Any]:
    """Every option for itself, house rules more seldom than often."""
    options: dict[str, Any] = {}
    for name, values in CHOICES.items():
        if random.random() < 0.4:
            options[name] = random.choice(values)
    for name in SWITCHES:
        options[name] = random.random() < 0.3
    if random.random() < 0.3:
        options["hand_size"] = random.choice((1, 2, 3, 4, 5, 9, 12, 20))
    options["target"] = random.choice((50, 150, 500))
    return options


def random_deck(random: Random) -> Sheet:
    """A user-made deck: few cards, odd effects, so that piles run out and effects pile up."""
    colors = "bgrypu"[: random.randint(2, 6)]
    faces = []
    effects = ("none", "skip", "reverse", "draw", "give", "race", "demand")
    numbers = sorted([*random.sample(range(10), random.randint(2, 5)), 0, 7])
    symbols = [(f"+{n}", random.choice(effects[1:])) for n in range(2, random.randint(3, 6))]
    amounts = {effect: random.randint(1, 4) for _, effect in symbols}
    for color, letter in enumerate(colors):
        for number in dict.fromkeys(numbers):
            marked = number % 3 == 0
            faces.append(Face(f"{letter}{number}", color, number, number, 1, marked=marked))
        for symbol, effect in symbols:
            amount = amounts[effect] if effect in ("draw", "give", "race", "demand") else 0
            faces.append(Face(letter + symbol, color, None, 20, 1, effect, amount))
    if random.random() < 0.3:  # a card that nothing follows: rounds can be blocked (Q16)
        faces = [face for face in faces if face.color < len(colors) - 1 or face.number == 7]
        faces = [face for face in faces if face.number != 7 or face.color == len(colors) - 1]
        return Sheet("random", colors, tuple(faces), Options(hand_size=1))
    for place in range(random.randint(0, 5)):
        effect = random.choice(effects)
        amount = random.randint(1, 5) if effect in ("draw", "give", "race", "demand") else 0
        bluffs = effect == "draw" and random.random() < 0.7
        count = random.randint(1, 3)
        faces.append(Face(f"W{place}", -1, None, 50, count, effect, amount, bluffs))
    return Sheet("random", colors, tuple(faces), Options(hand_size=1))


def random_table(random: Random) -> tuple[Sheet, int, list[reference.Card]]:
    """A sheet and a number of seats that go together."""
    while True:
        try:
            if random.random() < 0.25:
                sheet = random_deck(random).with_options({"hand_size": random.randint(1, 9)})
            else:
                sheet = shipped(random.choice(SHIPPED)).sheet
            sheet = sheet.with_options(random_options(random))
            seats = random.randint(2, 10)
            if random.random() < 0.1:  # hardly a card left to draw
                full = (sheet.cards - PILE_LEFT) // seats
                sheet = sheet.with_options({"hand_size": full})
            sheet.check_seats(seats)
        except RulesetError:
            continue
        cards = reference.deck(sheet.edition) if sheet.edition in SHIPPED else to_reference(sheet)
        return sheet, seats, cards


def choose(match: Match, random: Random, wild: float) -> tuple[int, int]:
    """Mostly a sensible move of the seat on turn, sometimes anything that anybody may do."""
    turn = match.game.turn
    if random.random() < wild or not match.legal(turn):
        moves = [(seat, a) for seat in range(match.game.seats) for a in match.legal(seat)]
        return random.choice(moves)
    actions = match.legal(turn)
    plays = [action for action in actions if action >= 60]
    return turn, random.choice(plays if plays and random.random() < 0.85 else actions)


def compare(match: Match, table: reference.Table, story: list[str]) -> None:
    def differ(what: str, ours: object, theirs: object) -> None:
        sheet = match.sheet
        options = json.dumps(sheet.to_json()["options"])
        raise Difference(
            f"{what}\n  core      {ours}\n  reference {theirs}\n  {sheet.edition}, seats "
            f"{match.game.seats}, key {write_key(match.key)}\n  {options}\n  {' '.join(story[-9:])}"
        )

    ours, theirs = write_state(match.sheet, match.game), table.position()
    if ours != theirs:
        keys = [key for key in ours if ours[key] != theirs.get(key)]
        differ(f"state: {keys}", {k: ours[k] for k in keys}, {k: theirs.get(k) for k in keys})
    for seat in range(match.game.seats):
        mine, its = set(match.legal_texts(seat)), table.legal(seat)
        if mine != its:
            differ(f"legal of seat {seat}", sorted(mine - its), sorted(its - mine))
    faults = check(match.sheet.rules, match.game, [0] * match.sheet.rules.kinds)
    if faults:
        differ("check", faults, 0)


def play_one(seed: int, most: int = 150) -> Touched:
    """One match, or as much of it as `most` actions are; raises `Difference`."""
    random = Random(seed)
    sheet, seats, cards = random_table(random)
    key = key_of_seed(seed)
    wild = random.choice((0.05, 0.2, 0.5))
    match = Match(sheet, [str(seat) for seat in range(seats)], key)
    options = dict(sheet.to_json()["options"])
    table = reference.Table(cards, sheet.colors, seats, options, bytes.fromhex(write_key(key)))
    table.start_match()
    if seed % 8 == 0 and match.game.phase != NAME:  # to the last decision of a round (Q22)
        match.game.decisions = table.decisions = 10_000 - Random(seed).randrange(1, 100)
    touched = Touched(games=1)
    count = touched.counts
    count[f"edition {sheet.edition}"] += 1
    count[f"seats {seats}"] += 1
    for name, value in options.items():
        if name not in ("target", "hand_size"):
            count[f"option {name}={value}"] += 1
    story: list[str] = []
    compare(match, table, story)
    for event in match.opening:
        count[f"event {event.what}"] += 1
    while match.over != "match" and touched.decisions < most:
        if match.over == "round":
            match.next_round()
            table.next_round()
            story.append("|")
            compare(match, table, story)
            continue
        count[f"phase {PHASE_NAMES[match.game.phase]}"] += 1
        seat, action = choose(match, random, wild)
        text = action_text(sheet, action)
        story.append(f"{seat}:{text}")
        for event in match.play(seat, action):
            count[f"event {event.what}"] += 1
            if event.what == "play":
                kind = sheet.kind(event.card or "")
                assert kind is not None
                count[f"effect {sheet.faces[kind].effect}"] += 1
        table.play(seat, text)
        touched.decisions += 1
        compare(match, table, story)
        if match.over:
            count[f"over {match.over}"] += 1
    return touched


def play_range(first: int, last: int) -> Touched:
    total = Touched()
    for seed in range(first, last):
        try:
            total.add(play_one(seed))
        except Difference as difference:
            raise Difference(f"game {seed}: {difference}") from None
    return total


def chunks(games: int, seed: int, size: int = 100) -> Iterator[tuple[int, int]]:
    for first in range(seed, seed + games, size):
        yield first, min(first + size, seed + games)


def main() -> int:
    from concurrent.futures import ProcessPoolExecutor

    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="number of the first game")
    options = parser.parse_args()
    total = Touched()
    started = time.monotonic()
    with ProcessPoolExecutor() as pool:
        parts = list(chunks(options.games, options.seed))
        for part in pool.map(play_range, *zip(*parts, strict=True)):
            total.add(part)
            end = "\r" if sys.stderr.isatty() else "\n"
            if end == "\r" or total.games % max(options.games // 20, 1) < 100:
                print(f"{total.games}/{options.games} games", end=end, file=sys.stderr, flush=True)
    print(f"\n{total.games} games, {total.decisions} decisions, no difference", end="")
    print(f" ({time.monotonic() - started:.0f} s)")
    for name, number in sorted(total.counts.items()):
        print(f"  {name:<36} {number}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
