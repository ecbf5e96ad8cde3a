"""What a seat may not know makes no difference to what it sees.

Two worlds that differ only in cards and chance hidden from seat P play the same actions. As long
as the public facts agree, P's view, its `Seen`, the events told to it and its legal actions must be
the same bytes. Public facts may come to differ only where the rules make something public: a
verdict, a card that P gains, the loser of a race left to chance, the count at the end of a round.
Each door is shown to be watched by a planted leak.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest

from penultima.edition import SHIPPED, shipped
from penultima.event import Event
from penultima.game import Match, key_of_seed
from penultima.notation import action_text
from penultima.piles import piles
from penultima.rules.actions import CHALLENGE, DRAWN, JUDGE, PLAY, STACK, SWAP
from penultima.rules.chance import resume_numbers, start_lots
from penultima.rules.check import check
from penultima.rules.observe import observe
from penultima.rules.pile import gain, in_pile
from penultima.rules.schema import OWN, PUBLIC, SECRET, Game, Seen, Trace
from penultima.ruleset import Sheet
from penultima.view import SPECTATOR, view, view_event
from tests.lockstep import random_options
from tests.support import OF_HANDS

See = Callable[[Sheet, Game, int], Any]
Tell = Callable[[Event, int], Event]


def plain_view(sheet: Sheet, game: Game, seat: int) -> Any:
    return view(sheet, game, seat).to_json()


@dataclass
class Doors:
    """Everything that comes out of a game towards a seat; planted leaks replace one of them."""

    see: See = plain_view
    tell: Tell = view_event
    legal: Callable[[Match, int], list[int]] = Match.legal
    compared: int = field(default=0)

    def seen(self, match: Match, seat: int, events: list[Event]) -> bytes:
        """All that the seat gets after an action, as bytes."""
        sheet, game = match.sheet, match.game
        record = Seen(sheet.rules.size)
        observe(sheet.rules, game, seat, record)
        told = [self.tell(event, seat).to_json() for event in events]
        legal = self.legal(match, seat) if seat != SPECTATOR else []
        return json.dumps([self.see(sheet, game, seat), told, legal]).encode() + record.to_bytes()


def public_facts(sheet: Sheet, game: Game) -> list[Any]:
    """What everybody at a real table sees."""
    return [
        game.counts[: game.seats],
        piles(sheet, game)[0],
        [game.pile, game.discards, game.renewals, game.decisions, game.round, game.passes],
        [game.phase, game.turn, game.direction, game.color, game.dealer, game.due, game.by],
        [game.called, game.exposed, game.dropped, game.jump, game.over, game.winners],
        game.scores[: game.seats],
        game.lacked[: game.seats],
    ]


def own_facts(game: Game, seat: int) -> list[Any]:
    if seat == SPECTATOR:
        return []
    mine = seat == game.turn
    shown = game.shown if game.shown_to == seat else []
    return [game.hands[seat], game.drawn if mine else -1, game.choice if mine else 0, shown]


def twin_of(match: Match, seat: int, random: Random) -> Match:
    """The same table with the cards that `seat` cannot know dealt otherwise, and another key."""
    sheet, game = match.sheet, match.game.copy()
    rules = sheet.rules
    known = {s: [0] * rules.kinds for s in range(game.seats)}
    if game.shown_to == seat:
        known[game.shown_of] = game.shown[: rules.kinds]
    others = [s for s in range(game.seats) if s != seat]
    hidden = [game.deck[in_pile(rules, game, n)] for n in range(game.pile)]
    for other in others:
        for kind in range(rules.kinds):
            hidden += [kind] * max(game.hands[other][kind] - known[other][kind], 0)
    random.shuffle(hidden)
    exposed, called, lacked = game.exposed, game.called, game.lacked[:]
    for other in others:
        count, game.counts[other] = game.counts[other], 0
        kept = [min(game.hands[other][k], known[other][k]) for k in range(rules.kinds)]
        game.hands[other] = [0] * rules.size.kinds
        game.held[other] = [0] * rules.size.kind_words
        for kind in range(rules.kinds):
            for _ in range(kept[kind]):
                gain(rules, game, other, kind)
        while game.counts[other] < count:
            gain(rules, game, other, hidden.pop())
    for card, kind in enumerate(hidden):
        game.deck[in_pile(rules, game, card)] = kind
    game.exposed, game.called, game.lacked = exposed, called, lacked
    game.key = key_of_seed(random.getrandbits(60))
    resume_numbers(game, Trace(), random.randrange(1, 1000))
    start_lots(game, Trace())
    if game.turn != seat and game.phase == DRAWN:
        game.drawn = random.choice([k for k in range(rules.kinds) if game.hands[game.turn][k]])
        game.choice = random.randint(0, 1)
    if game.phase in (JUDGE, STACK) and game.guilty >= 0 and game.counts[game.by]:
        game.guilty = random.randint(0, 1)
    assert check(rules, game, [0] * rules.kinds) & ~OF_HANDS == 0
    return Match.at(sheet, game)


def playable_together(one: Match, other: Match, random: Random) -> tuple[int, int] | None:
    """An action that both worlds allow, a play more often than not."""
    moves = [
        (seat, action)
        for seat in range(one.game.seats)
        for action in set(one.legal(seat)) & set(other.legal(seat))
    ]
    plays = [move for move in moves if move[1] >= PLAY]
    if not moves:
        return None
    return random.choice(sorted(plays if plays and random.random() < 0.6 else moves))


def may_differ(sheet: Sheet, seat: int, move: tuple[int, int], events: list[Event]) -> bool:
    """Whether the rules made something public with this action that was hidden from `seat`."""
    actor, action = move
    if action == CHALLENGE or any(event.what == "win_round" for event in events):
        return True
    if any(event.what in ("draw", "rotate") and event.seat == seat for event in events):
        return True
    if any(event.what in ("rotate", "block", "slowest") for event in events):
        return True
    return SWAP <= action < PLAY and seat in (actor, action - SWAP)


def watch(seed: int, doors: Doors) -> None:
    """One pair of worlds, watched until a public fact differs."""
    random = Random(seed)
    sheet = shipped(random.choice(SHIPPED)).sheet.with_options(random_options(random))
    sheet = sheet.with_options({"hand_size": random.choice((3, 5, 7))})
    seats = random.randint(2, 6)
    match = Match(sheet, ["?"] * seats, key_of_seed(seed))
    for _ in range(random.randint(0, 60)):
        if match.over:
            break
        moves = [(s, a) for s in range(seats) for a in match.legal(s)]
        match.play(*random.choice(moves))
    if match.over:
        return
    seat = random.randint(SPECTATOR, seats - 1)
    other = twin_of(match, seat, random)
    assert doors.seen(match, seat, []) == doors.seen(other, seat, []), "at the start"
    for _ in range(40):
        move = playable_together(match, other, random)
        if move is None:
            return
        told, told_other = match.play(*move), other.play(*move)
        same = public_facts(sheet, match.game) == public_facts(sheet, other.game)
        same = same and own_facts(match.game, seat) == own_facts(other.game, seat)
        if not same:
            text = f"{move[0]}:{action_text(sheet, move[1])}"
            assert may_differ(sheet, seat, move, told + told_other), text
            return
        if move[1] == CHALLENGE and told[0].guilty != told_other[0].guilty:
            return
        assert doors.seen(match, seat, told) == doors.seen(other, seat, told_other)
        doors.compared += 1
        if match.over:
            return


def watch_many(doors: Doors, pairs: int) -> None:
    for seed in range(pairs):
        watch(seed, doors)


def test_a_seat_sees_nothing_of_what_it_may_not_know() -> None:
    doors = Doors()
    watch_many(doors, 1500)
    assert doors.compared > 5_000


def leaks_a_hand(sheet: Sheet, game: Game, seat: int) -> Any:
    return [plain_view(sheet, game, seat), game.hands[(seat + 1) % game.seats]]


def leaks_the_next_card(sheet: Sheet, game: Game, seat: int) -> Any:
    return [plain_view(sheet, game, seat), piles(sheet, game)[1][:1]]


def leaks_the_drawn_card(sheet: Sheet, game: Game, seat: int) -> Any:
    return [plain_view(sheet, game, seat), game.drawn]


def leaks_the_verdict(sheet: Sheet, game: Game, seat: int) -> Any:
    return [plain_view(sheet, game, seat), game.guilty]


def leaks_the_key(sheet: Sheet, game: Game, seat: int) -> Any:
    return [plain_view(sheet, game, seat), game.key[0]]


def leaks_the_next_numbers(sheet: Sheet, game: Game, seat: int) -> Any:
    return [plain_view(sheet, game, seat), game.numbers]


def leaks_what_was_thrown_away(sheet: Sheet, game: Game, seat: int) -> Any:
    return [plain_view(sheet, game, seat), game.used]


def leaks_who_drops_first(sheet: Sheet, game: Game, seat: int) -> Any:
    return [plain_view(sheet, game, seat), game.lot]


def leaks_drawn_cards(event: Event, seat: int) -> Event:
    return replace(view_event(event, seat), cards=event.cards)


def leaks_through_legal(match: Match, seat: int) -> list[int]:
    """A list of actions whose length tells whether the next seat holds a wild card."""
    next_hand = match.game.held[(seat + 1) % match.game.seats]
    return match.legal(seat)[: -1 if next_hand[0] & match.sheet.rules.wild[0] else None]


@pytest.mark.parametrize(
    "doors",
    [
        Doors(see=leaks_a_hand),
        Doors(see=leaks_the_next_card),
        Doors(see=leaks_the_drawn_card),
        Doors(see=leaks_the_verdict),
        Doors(see=leaks_the_key),
        Doors(see=leaks_the_next_numbers),
        Doors(see=leaks_what_was_thrown_away),
        Doors(see=leaks_who_drops_first),
        Doors(tell=leaks_drawn_cards),
        Doors(legal=leaks_through_legal),
    ],
    ids=lambda doors: next(
        f.__name__ for f in (doors.see, doors.tell, doors.legal) if "leaks" in f.__name__
    ),
)
def test_a_planted_leak_is_found(doors: Doors) -> None:
    with pytest.raises(AssertionError):
        watch_many(doors, 600)


def test_a_shown_hand_goes_to_the_challenger_alone() -> None:
    shown = [
        (seat, event)
        for match, events in challenges()
        for event in events
        if event.what == "show"
        for seat in range(SPECTATOR, match.game.seats)
    ]
    assert shown
    for seat, event in shown:
        assert (view_event(event, seat).cards is not None) == (seat == event.other)


def challenges() -> Iterator[tuple[Match, list[Event]]]:
    for seed in range(40):
        random = Random(seed)
        match = Match(shipped("violet").sheet, ["?"] * 4, key_of_seed(seed))
        while not match.over:
            moves = [(s, a) for s in range(4) for a in match.legal(s)]
            asked = [move for move in moves if move[1] == CHALLENGE]
            events = match.play(*random.choice(asked or moves))
            if asked:
                yield match, events


def test_every_field_of_a_game_says_who_may_see_it() -> None:
    sights = {name: field.sight for name, field in Game.FIELDS.items()}
    assert set(sights.values()) == {PUBLIC, OWN, SECRET}
    assert {name for name, sight in sights.items() if sight == SECRET} == {
        "key",
        "guilty",
        "shown",
        "deck",
        "loose",
        "used",
        "numbers",
        "lot",
    }
    assert {name for name, sight in sights.items() if sight == OWN} == {
        "held",
        "hands",
        "drawn",
        "choice",
    }


@pytest.mark.parametrize("name", SHIPPED)
def test_a_spectator_sees_no_hand_and_has_nothing_to_do(name: str) -> None:
    match = Match(shipped(name).sheet, ["?"] * 3, key_of_seed(3))
    seen = view(match.sheet, match.game, SPECTATOR)
    assert seen.seat is None and seen.hand == [] and seen.legal == []
    assert seen.drawn is None and seen.shown is None


def test_a_view_says_which_of_its_plays_would_be_bluffs() -> None:
    sheet, found = shipped("classic").sheet, {True: 0, False: 0}
    for seed in range(60):
        if min(found.values()) > 20:
            return
        match = Match(sheet, ["Ana", "Boris"], key_of_seed(seed))
        while match.over is None:
            seen = view(sheet, match.game, match.game.turn)
            holds = any(card[0] == seen.color for card in seen.hand)
            if "W4:b" in seen.legal:
                assert (seen.bluffs == ["W4"]) is holds  # A5
                found[holds] += 1
            else:
                assert seen.bluffs == []
            match.play(match.game.turn, Random(seed).choice(match.legal(match.game.turn)))
    raise AssertionError(f"too few chances to bluff: {found}")
