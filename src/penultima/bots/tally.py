"""What is counted while games are played: integer counters, so that parts add up exactly."""

from typing import Annotated, Final

from penultima.cards import NOBODY, SEATS
from penultima.rules.actions import (
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

Count = Annotated[int, Field(8)]


@record
class Tally(Record):
    """Counters over rounds and matches; the squares give the spread of a mean."""

    rounds: Count
    matches: Count
    decisions: Count
    decisions_squared: Count
    turns: Count
    turns_squared: Count
    draws: Count  # `draw` actions
    draws_squared: Count
    points: Count
    points_squared: Count
    blocked: Count
    limited: Count  # blocked by the number of decisions (Q22)
    renewals: Count
    renewed: Count  # rounds in which the pile ran out
    caught: Count  # seats; `catch` actions are among `actions`
    bluffs: Count
    challenges_right: Count
    jump_ins: Count
    match_rounds: Count
    match_rounds_squared: Count
    turns_now: Count  # of the round that is being played
    draws_now: Count
    wins: Annotated[list[int], Field(8, (SEATS,))]
    wins_by_place: Annotated[list[int], Field(8, (SEATS,))]  # 0: left of the dealer
    match_wins: Annotated[list[int], Field(8, (SEATS,))]  # a shared match counts for each
    actions: Annotated[list[list[int]], Field(8, (2, "actions"))]  # [after drawing or not]
    last: Annotated[list[int], Field(8, ("kinds",))]  # the card a round was won with
    decisions_bins: Annotated[list[int], Field(8, (BINS,))]
    points_bins: Annotated[list[int], Field(8, (BINS,))]
    rounds_bins: Annotated[list[int], Field(8, (BINS,))]


def count_action(game: Game, tally: Tally, seat: int, action: int) -> None:
    """Count an action that is about to be taken; nearly without branches, for this is hot."""
    drawn = 1 if game.phase == DRAWN else 0
    tally.actions[drawn][action] += 1
    draws = action == DRAW
    tally.draws_now += draws
    tally.turns_now += (draws | (action >= PLAY)) & (game.phase != DRAWN)
    tally.jump_ins += (action >= PLAY) & (seat != game.turn)
    if action == CATCH:
        for other in range(game.seats):
            if other != seat:
                tally.caught += game.exposed >> other & 1
    elif action == CHALLENGE:
        tally.challenges_right += game.guilty


def count_bluff(game: Game, tally: Tally, action: int) -> None:
    """Count a Wild Draw Four that has just been put down wrongly."""
    tally.bluffs += (action >= PLAY) & (game.guilty == 1)


def count_round(rules: Ruleset, game: Game, tally: Tally, points: int) -> None:
    """Count a round that has just ended; `points` is what its winner scored."""
    tally.rounds += 1
    decisions = game.decisions
    tally.decisions += decisions
    tally.decisions_squared += decisions * decisions
    tally.decisions_bins[log_bin(decisions)] += 1
    tally.turns += tally.turns_now
    tally.turns_squared += tally.turns_now * tally.turns_now
    tally.turns_now = 0
    tally.draws += tally.draws_now
    tally.draws_squared += tally.draws_now * tally.draws_now
    tally.draws_now = 0
    tally.renewals += game.renewals
    if game.renewals > 0:
        tally.renewed += 1
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
