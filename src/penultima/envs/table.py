"""A table with learners at it, in the subset of the core.

Seats are played from outside or by bots of the core. A step takes an answer from outside and goes
on, through interrupts, bots and new rounds, until the next decision from outside or the end of the
game. Whom it asks, and in what order, is `rules.ask`'s business; a seat that could only let an
interrupt pass is not asked.
"""

from typing import Annotated, Final

from penultima.bots.manner import Manner
from penultima.bots.policy import decide, look
from penultima.bots.table import MOST_ROUNDS, goes_on, start_game, start_round
from penultima.bots.tally import round_winner
from penultima.cards import NOBODY
from penultima.envs.rows import (
    ILLEGAL,
    clear_mask,
    to_core,
    write_mask,
    write_observation,
)
from penultima.rules.actions import CALL, CATCH, DROP, MATCH_OVER, OVER, TALLY
from penultima.rules.ask import DECLINE, ask, choices, may_decline, seat_asked
from penultima.rules.bits import lowest_bit
from penultima.rules.observe import observe
from penultima.rules.schema import Field, Game, Int, Int2, Record, Ruleset, Seen, Trace, record
from penultima.rules.score import hand_points
from penultima.rules.step import step

# What is rewarded, at the end of a game.
ROUND_WIN: Final = 0
POINTS: Final = 1
MATCH_WIN: Final = 2

# How a game stands.
PLAYING: Final = 0
FINISHED: Final = 1
CUT_SHORT: Final = 2  # a match that never comes to its target
FORBIDDEN: Final = 3  # the seat asked answered with an action that is not legal

NO_ANSWER: Final = -3  # nobody has been asked yet
_REFLEXES: Final = 1 << CALL | 1 << CATCH | 1 << DROP


@record
class Table(Record):
    """Who plays from outside (`outside`, seats as bits), for which of them calls, catches and drops
    are made and other interrupts declined (`auto`), what is rewarded; the seed of the table's games
    and the number of the next one.
    """

    seed: Annotated[int, Field(8)]
    number: Annotated[int, Field(8)]
    stride: Annotated[int, Field(8)]
    outside: Int2
    auto: Int2
    place: Int2
    seat: Int
    reward: Int
    state: Int


def step_table(
    rules: Ruleset,
    table: Table,
    game: Game,
    trace: Trace,
    words: list[int],
    seen: Seen,
    manners: list[Manner] | None,
    action: int,
    same_step: bool,
    rewards: list[float],
    final: list[int],
) -> int:
    """Take the answer of the seat asked; a table that is not in play deals anew instead.

    When the game ends, writes `rewards` and what the seat that acted sees then (`final`), and with
    `same_step` deals the next one at once. Gives how the game stands after the answer.
    """
    for seat in range(game.seats):
        rewards[seat] = 0.0
    answer = NO_ANSWER
    acted = table.seat
    if table.state == PLAYING:
        optional = may_decline(game, table.place)
        answer = to_core(rules, words, acted, game.seats, optional, action)
        if answer == ILLEGAL:
            table.state = FORBIDDEN
    else:
        start_table(rules, table, game, trace)
    outcome = PLAYING
    while True:
        if table.state == PLAYING:
            go_on(rules, table, game, trace, words, seen, manners, answer)
        if table.state == PLAYING:
            break
        if answer != NO_ANSWER:
            outcome = table.state
            write_rewards(rules, table, game, acted, rewards)
            write_seen(rules, game, acted, seen, final)
            if not same_step:
                table.seat = acted
                break
            answer = NO_ANSWER
        # A game that ended before anybody outside was asked is passed over too.
        start_table(rules, table, game, trace)
    return outcome


def start_table(rules: Ruleset, table: Table, game: Game, trace: Trace) -> None:
    """Deal the next game."""
    start_game(rules, game, trace, table.seed, table.number)
    table.number += table.stride
    table.place = 0
    table.state = PLAYING


def deal_on(rules: Ruleset, game: Game, trace: Trace) -> None:
    """Deal the next round of a match."""
    start_round(rules, game, trace)


def go_on(
    rules: Ruleset,
    table: Table,
    game: Game,
    trace: Trace,
    words: list[int],
    seen: Seen,
    manners: list[Manner] | None,
    action: int,
) -> None:
    """Play on until somebody outside has something to decide, or the game is over.

    `manners` None: nobody is a bot.
    """
    place = table.place
    seat = table.seat
    while True:
        if action == DECLINE:
            place += 1
        elif action != NO_ANSWER:
            step(rules, game, trace, seat, action)
            place = 0
        if game.phase == OVER:
            if not goes_on(game, table.reward == MATCH_WIN):
                break
            deal_on(rules, game, trace)
            place = 0
        place = ask(rules, game, place)
        seat = seat_asked(game, trace, place)
        choices(rules, game, place, seat, words)
        optional = may_decline(game, place)
        if manners is None:
            action = reflex(rules, table, seat, words, optional)
        else:
            action = reflex_or_bot(rules, table, game, trace, words, seen, manners, seat, optional)
        if action == NO_ANSWER:
            break
    table.place = place
    table.seat = seat
    if game.phase == OVER:
        # Only a whole match can be cut short: every round comes to its end (Q22).
        cut = table.reward == MATCH_WIN and game.over != MATCH_OVER and game.round >= MOST_ROUNDS
        table.state = CUT_SHORT if cut else FINISHED


def reflex_or_bot(
    rules: Ruleset,
    table: Table,
    game: Game,
    trace: Trace,
    words: list[int],
    seen: Seen,
    manners: list[Manner],
    seat: int,
    optional: bool,
) -> int:
    if table.outside >> seat & 1:
        return reflex(rules, table, seat, words, optional)
    look(rules, manners[seat], game, seat, seen)
    return decide(rules, manners[seat], seen, words, optional, trace)


def reflex(rules: Ruleset, table: Table, seat: int, words: list[int], optional: bool) -> int:
    """What a seat outside does without being asked; NO_ANSWER: it is asked."""
    if table.auto >> seat & 1:
        if words[0] & _REFLEXES:
            return lowest_bit(words[0] & _REFLEXES)
        return DECLINE if optional else NO_ANSWER
    if optional:
        anything = 0
        for word in range(len(rules.plays[0]) + 1):
            anything |= words[word]
        if anything == 0:
            return DECLINE
    return NO_ANSWER


def write_rewards(
    rules: Ruleset, table: Table, game: Game, acted: int, rewards: list[float]
) -> None:
    """A win is worth 1, shared among winners, and what it is worth the others lose in equal parts.

    Points are in parts of the target: a round's winner gets what the others hold, and they lose it
    (P1); where low totals win, everybody loses what they hold (P3).
    """
    if table.state == FORBIDDEN:
        rewards[acted] = -1.0
    elif table.reward == POINTS:
        write_points(rules, game, rewards)
    else:
        winner = round_winner(game)
        winners = 1 << winner if winner != NOBODY else 0
        if table.reward == MATCH_WIN:
            winners = game.winners if game.over == MATCH_OVER else 0
        won = 0
        for seat in range(game.seats):
            won += winners >> seat & 1
        if 0 < won < game.seats:
            for seat in range(game.seats):
                rewards[seat] = 1 / won if winners >> seat & 1 else -1 / (game.seats - won)


def write_points(rules: Ruleset, game: Game, rewards: list[float]) -> None:
    winner = round_winner(game)
    if winner == NOBODY and rules.scoring != TALLY:
        return
    total = 0
    for seat in range(game.seats):
        points = hand_points(rules, game, seat)
        total += points
        rewards[seat] = -points / rules.target
    if rules.scoring != TALLY:
        rewards[winner] = total / rules.target


def write_seen(rules: Ruleset, game: Game, seat: int, seen: Seen, row: list[int]) -> None:
    """Write what any seat knows."""
    observe(rules, game, seat, seen)
    write_observation(rules, seen, row)


def write_question(
    rules: Ruleset,
    table: Table,
    game: Game,
    words: list[int],
    seen: Seen,
    observation: list[int],
    mask: list[int],
) -> None:
    """Write what the seat asked knows and may do; when the game is over, nothing."""
    write_seen(rules, game, table.seat, seen, observation)
    if table.state == PLAYING:
        optional = may_decline(game, table.place)
        write_mask(rules, words, table.seat, game.seats, optional, mask)
    else:
        clear_mask(rules, mask)


# Rare or long, and not to be repeated in machine code: see `compiled.CALLED`.
CALLED: Final = (start_table, deal_on, write_rewards, reflex_or_bot, write_seen)
