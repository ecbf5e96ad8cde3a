"""What is counted while games are played: integer counters, so that parts add up exactly."""

from typing import Annotated, Final

from penultima.cards import NOBODY, SEATS
from penultima.rules.actions import (
    CALL,
    CATCH,
    CHALLENGE,
    DECISION_LIMIT,
    DRAW,
    DRAWN,
    PLAY,
)
from penultima.rules.pile import top
from penultima.rules.schema import Field, Game, Record, Ruleset, record

BINS: Final = 64
POINTS_BIN: Final = 20  # points in a bin of the histogram

# What is counted in every round by a rule of its own: places in `counts`.
TURNS: Final = 0
DRAWS: Final = 1  # `draw` actions
RENEWALS: Final = 2
CALLS: Final = 3
CATCHES: Final = 4
CAUGHT: Final = 5  # seats
BLUFFS: Final = 6
CHALLENGES: Final = 7
CHALLENGES_RIGHT: Final = 8
JUMP_INS: Final = 9
COUNTS: Final = 10

Count = Annotated[int, Field(8)]
Counts = Annotated[list[int], Field(8, (COUNTS,))]
Symbols = Annotated[list[int], Field(8, ("kinds",))]  # by `Ruleset.symbol`


@record
class Tally(Record):
    """Counters over rounds and matches.

    What is counted in a round is summed up with its square: how much it differs from round to round
    is what the interval of a mean is made of.
    """

    rounds: Count
    matches: Count
    decisions: Count
    decisions_squared: Count
    points: Count
    points_squared: Count
    blocked: Count
    limited: Count  # blocked by the number of decisions (Q22)
    renewed: Count  # rounds in which the pile ran out
    challenges_crossed: Count  # those of a round times the right ones among them
    match_rounds: Count
    match_rounds_squared: Count
    counts: Counts
    counts_squared: Counts
    counts_now: Counts  # of the round that is being played
    plays: Symbols
    plays_squared: Symbols
    plays_now: Symbols
    wins: Annotated[list[int], Field(8, (SEATS,))]
    wins_by_place: Annotated[list[int], Field(8, (SEATS,))]  # 0: left of the dealer
    match_wins: Annotated[list[int], Field(8, (SEATS,))]  # a shared match counts for each
    actions: Annotated[list[list[int]], Field(8, (2, "actions"))]  # [after drawing or not]
    last: Annotated[list[int], Field(8, ("kinds",))]  # the card a round was won with
    decisions_bins: Annotated[list[int], Field(8, (BINS,))]
    points_bins: Annotated[list[int], Field(8, (BINS,))]
    rounds_bins: Annotated[list[int], Field(8, (BINS,))]


def count_action(rules: Ruleset, game: Game, tally: Tally, seat: int, action: int) -> None:
    """Count an action that is about to be taken; nearly without branches, for this is hot."""
    drawn = 1 if game.phase == DRAWN else 0
    tally.actions[drawn][action] += 1
    draws = action == DRAW
    tally.counts_now[DRAWS] += draws
    tally.counts_now[TURNS] += (draws | (action >= PLAY)) & (game.phase != DRAWN)
    if action >= PLAY:
        tally.plays_now[rules.symbol[rules.played_kind[action - PLAY]]] += 1
        tally.counts_now[JUMP_INS] += seat != game.turn
    elif action == CALL:
        tally.counts_now[CALLS] += 1
    elif action == CATCH:
        tally.counts_now[CATCHES] += 1
        for other in range(game.seats):
            if other != seat:
                tally.counts_now[CAUGHT] += game.exposed >> other & 1
    elif action == CHALLENGE:
        tally.counts_now[CHALLENGES] += 1
        tally.counts_now[CHALLENGES_RIGHT] += game.guilty


def count_bluff(game: Game, tally: Tally, action: int) -> None:
    """Count a Wild Draw Four that has just been put down wrongly."""
    tally.counts_now[BLUFFS] += (action >= PLAY) & (game.guilty == 1)


def count_round(rules: Ruleset, game: Game, tally: Tally, points: int) -> None:
    """Count a round that has just ended; `points` is what its winner scored."""
    tally.rounds += 1
    decisions = game.decisions
    tally.decisions += decisions
    tally.decisions_squared += decisions * decisions
    tally.decisions_bins[log_bin(decisions)] += 1
    tally.counts_now[RENEWALS] = game.renewals
    if game.renewals > 0:
        tally.renewed += 1
    crossed = tally.counts_now[CHALLENGES] * tally.counts_now[CHALLENGES_RIGHT]
    tally.challenges_crossed += crossed
    sum_up(COUNTS, tally.counts_now, tally.counts, tally.counts_squared)
    sum_up(rules.kinds, tally.plays_now, tally.plays, tally.plays_squared)
    winner = round_winner(game)
    if winner == NOBODY:
        tally.blocked += 1
        if decisions >= DECISION_LIMIT:
            tally.limited += 1
        return
    tally.wins[winner] += 1
    tally.wins_by_place[(winner - game.dealer - 1) % game.seats] += 1
    tally.last[top(rules, game)] += 1
    tally.points += points
    tally.points_squared += points * points
    tally.points_bins[min(points // POINTS_BIN, BINS - 1)] += 1


def sum_up(number: int, now: list[int], sums: list[int], squares: list[int]) -> None:
    """Add the counts of a round and their squares to those of all rounds, and begin anew."""
    for place in range(number):
        count = now[place]
        sums[place] += count
        squares[place] += count * count
        now[place] = 0


def round_winner(game: Game) -> int:
    """Whoever has no cards when a round is over."""
    for seat in range(game.seats):
        if game.counts[seat] == 0:
            return seat
    return NOBODY


def count_match(game: Game, tally: Tally) -> None:
    tally.matches += 1
    tally.match_rounds += game.round
    tally.match_rounds_squared += game.round * game.round
    tally.rounds_bins[min(game.round, BINS - 1)] += 1
    for seat in range(game.seats):
        tally.match_wins[seat] += game.winners >> seat & 1


def log_bin(number: int) -> int:
    """Four bins to each doubling, one to each number below 8."""
    if number < 8:
        return number
    octave = 3
    while number >> (octave + 1):
        octave += 1
    return 8 + (octave - 3) * 4 + (number >> (octave - 2)) - 4


def log_bin_start(place: int) -> int:
    """The smallest number in a bin."""
    if place < 8:
        return place
    octave = 3 + (place - 8) // 4
    return (4 + (place - 8) % 4) << (octave - 2)
