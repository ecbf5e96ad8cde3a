"""What an action does. `step` trusts that the action is legal."""

from penultima.cards import DEMAND, GIVE_AWAY, NO_COLOR, NOBODY, RACE, REVERSE, SKIP, TAKE
from penultima.rules.actions import (
    ACCEPT,
    ANSWER,
    BEGUN,
    CALL,
    CATCH,
    CHALLENGE,
    CHANCE,
    COLOR,
    DECISION_LIMIT,
    DRAW,
    DRAWN,
    DROP,
    GIVE,
    GIVING,
    JUDGE,
    KEEP,
    MADE,
    OFF,
    OPEN,
    OVER,
    PENALTY,
    PLAY,
    RACING,
    STACK,
    SWAP,
    SWAPPING,
    TURN,
)
from penultima.rules.chance import RACE_ORDER, below
from penultima.rules.legal import can_play, color_of, holds_color, kind_of
from penultima.rules.notes import (
    BLUFF,
    CALLED,
    CATCH_PENALTY,
    CAUGHT,
    CHALLENGED,
    DEMANDED,
    DROPPED,
    GAVE,
    GIFT,
    JUMPED,
    KEPT,
    LOST_RACE,
    NAMED,
    OWN_TURN,
    PASSED,
    PLAYED,
    RACING_NOW,
    REVERSED,
    ROTATED,
    SKIPPED,
    SLOWEST,
    STACKED,
    SWAPPED,
    TWO,
    UNANSWERED,
    WRONG_CHALLENGE,
    note,
)
from penultima.rules.pile import draw, draw_card, exchange, lay, left_to_draw, next_seat, top
from penultima.rules.schema import Game, Ruleset, Trace
from penultima.rules.score import clear_pending, end_round


def step(rules: Ruleset, game: Game, trace: Trace, seat: int, action: int) -> None:
    """Apply an action that `legal` allows to `seat`."""
    game.decisions += 1
    if action >= PLAY:
        play(rules, game, trace, seat, action)
    elif action == DRAW:
        take_from_pile(rules, game, trace, seat)
    elif action == KEEP:
        keep(rules, game, trace, seat)
    elif action == CALL:
        call(game, trace, seat)
    elif action == CATCH:
        catch(rules, game, trace, seat)
    elif action == ACCEPT:
        accept(rules, game, trace, seat)
    elif action == CHALLENGE:
        challenge(rules, game, trace, seat)
    elif action == DROP:
        drop(rules, game, trace, seat)
    elif action >= SWAP:
        swap(rules, game, trace, seat, action - SWAP)
    elif action >= GIVE:
        give(rules, game, trace, seat, action - GIVE)
    else:
        name_color(rules, game, trace, seat, action - COLOR)
    if game.decisions >= DECISION_LIMIT and game.phase != OVER:  # Q22
        end_round(rules, game, trace, NOBODY)


def begin_turn(game: Game, seat: int) -> None:
    """The turn goes to `seat`; a call that led to nothing lapses (Q11)."""
    if game.called >> game.turn & 1 and game.counts[game.turn] != 1:
        game.called &= ~(1 << game.turn)
    clear_pending(game)
    game.phase = TURN
    game.turn = seat


def finish(rules: Ruleset, game: Game, trace: Trace, seat: int, places: int) -> None:
    """The card of `seat` has had its effect: the round ends (G4), or the turn goes on."""
    if game.counts[seat] == 0:
        end_round(rules, game, trace, seat)
    else:
        begin_turn(game, next_seat(game, seat, places))


def wait(game: Game, phase: int, seat: int, by: int, due: int) -> None:
    """The table waits for `seat` to settle what the card of `by` asks."""
    game.phase = phase
    game.turn = seat
    game.by = by
    game.due = due


def play(rules: Ruleset, game: Game, trace: Trace, seat: int, action: int) -> None:
    kind = kind_of(rules, action)
    wild = kind >= rules.colored
    if seat != game.turn:  # H3
        note(trace, JUMPED, seat, kind, 0)
        begin_turn(game, seat)
    if rules.catch_window != OPEN:  # G2, Q10
        game.exposed = 0
    guilty = -1
    if wild and rules.challengeable[kind] and not rules.no_bluffing:  # Q5: fixed now
        guilty = 1 if holds_color(rules, game, seat, game.color) else 0
    due = game.due if game.phase == STACK else 0
    clear_pending(game)
    lay(rules, game, seat, kind)
    game.color = color_of(rules, action)
    game.passes = 0
    game.jump = 1 if rules.jump_in and not wild else 0
    note(trace, PLAYED, seat, kind, game.color if wild else NO_COLOR)
    bit = 1 << seat
    if game.counts[seat] == 1:  # G1
        if not (game.called & bit or rules.auto_call):
            game.exposed |= bit
    elif game.counts[seat] == 0:
        game.called &= ~bit
        game.exposed &= ~bit
    take_effect(rules, game, trace, seat, kind, due, guilty)


def take_effect(
    rules: Ruleset, game: Game, trace: Trace, seat: int, kind: int, due: int, guilty: int
) -> None:
    effect = rules.effect[kind]
    amount = rules.amount[kind]
    if effect == TAKE:
        attack(rules, game, trace, seat, due + amount, guilty)
    elif effect == GIVE_AWAY:  # A10; the card beneath can always be given
        wait(game, GIVING, seat, seat, amount)
    elif effect == RACE:
        race(rules, game, trace, seat, amount)
    elif game.counts[seat] == 0:  # as a last card, nothing else has an effect (Q14, H2)
        end_round(rules, game, trace, seat)
    elif effect == SKIP:  # A3
        note(trace, SKIPPED, next_seat(game, seat, 1), 0, 0)
        finish(rules, game, trace, seat, 2)
    elif effect == REVERSE:  # A2, Q4
        game.direction = -game.direction
        note(trace, REVERSED, seat, game.direction, 0)
        finish(rules, game, trace, seat, 2 if game.seats == 2 else 1)
    elif effect == DEMAND:  # A12
        begin_turn(game, next_seat(game, seat, 1))
        game.phase = ANSWER
        game.due = amount
        note(trace, DEMANDED, game.turn, game.color, amount)
    elif rules.seven_zero and rules.number[kind] == 7:
        wait(game, SWAPPING, seat, seat, 0)
    elif rules.seven_zero and rules.number[kind] == 0:
        rotate(rules, game, trace, seat)
        finish(rules, game, trace, seat, 1)
    else:
        finish(rules, game, trace, seat, 1)


def attack(rules: Ruleset, game: Game, trace: Trace, seat: int, due: int, guilty: int) -> None:
    """A draw card: the next player draws, or gets to answer it (A1, A5, H1)."""
    victim = next_seat(game, seat, 1)
    if rules.stacking != OFF and game.counts[seat] > 0:
        wait(game, STACK, victim, seat, due)
        game.guilty = guilty
        note(trace, STACKED, victim, due, 0)
    elif guilty >= 0:  # a last card too waits for the verdict (Q13)
        wait(game, JUDGE, victim, seat, due)
        game.guilty = guilty
    else:
        draw(rules, game, trace, victim, due, TWO)
        note(trace, SKIPPED, victim, 0, 0)
        finish(rules, game, trace, seat, 2)


def accept(rules: Ruleset, game: Game, trace: Trace, seat: int) -> None:
    by = game.by
    draw(rules, game, trace, seat, game.due, TWO)
    lose_turn(rules, game, trace, by)


def lose_turn(rules: Ruleset, game: Game, trace: Trace, by: int) -> None:
    """The victim of a draw card misses the turn."""
    note(trace, SKIPPED, game.turn, 0, 0)
    if game.counts[by] == 0:
        end_round(rules, game, trace, by)
    else:
        begin_turn(game, next_seat(game, game.turn, 1))


def challenge(rules: Ruleset, game: Game, trace: Trace, seat: int) -> None:
    by = game.by
    due = game.due
    guilty = game.guilty
    game.shown_of = by
    game.shown_to = seat
    for kind in range(rules.kinds):
        game.shown[kind] = game.hands[by][kind]
    note(trace, CHALLENGED, seat, by, guilty)
    if guilty:  # A7; the victim takes a normal turn (Q5)
        draw(rules, game, trace, by, due, BLUFF)
        clear_pending(game)
        game.phase = TURN
    else:  # A8; the victim misses the turn whoever challenged (Q6)
        draw(rules, game, trace, seat, due + PENALTY, WRONG_CHALLENGE)
        lose_turn(rules, game, trace, by)


def take_from_pile(rules: Ruleset, game: Game, trace: Trace, seat: int) -> None:
    """Draw what the moment asks for (T2, T4, an unanswered demand, a stack)."""
    phase = game.phase
    single = phase == TURN or phase == DRAWN
    amount = 1 if single else game.due
    why = OWN_TURN
    if phase == STACK:
        why = TWO
    elif phase == ANSWER:
        why = UNANSWERED
    choice = game.choice
    if phase == TURN:
        choice = 1 if can_play(rules, game, seat) else 0
        game.lacked[seat][game.color] = 0
    ends = not single or left_to_draw(game) == 0
    if rules.catch_window == BEGUN or (rules.catch_window == MADE and ends):  # G2, Q10
        game.exposed = 0
    game.jump = 0
    if not ends:
        game.drawn = draw_card(rules, game, trace, seat, why)
        game.choice = choice
        game.phase = DRAWN
        game.passes = 0
        return
    if draw(rules, game, trace, seat, amount, why) > 0:
        game.passes = 0
    else:  # Q16
        game.passes += 1
        note(trace, PASSED, seat, 0, 0)
    begin_turn(game, next_seat(game, seat, 1))
    if game.passes >= game.seats:
        end_round(rules, game, trace, NOBODY)


def keep(rules: Ruleset, game: Game, trace: Trace, seat: int) -> None:
    note(trace, KEPT, seat, 0, 0)
    if rules.catch_window == MADE:  # G2
        game.exposed = 0
    begin_turn(game, next_seat(game, seat, 1))


def call(game: Game, trace: Trace, seat: int) -> None:
    game.called |= 1 << seat
    game.exposed &= ~(1 << seat)
    note(trace, CALLED, seat, 0, 0)


def catch(rules: Ruleset, game: Game, trace: Trace, seat: int) -> None:
    """Everybody exposed but the catcher draws, in order of play from the catcher (Q12)."""
    for place in range(1, game.seats):
        other = next_seat(game, seat, place)
        if game.exposed >> other & 1:
            game.exposed &= ~(1 << other)
            note(trace, CAUGHT, other, seat, 0)
            draw(rules, game, trace, other, PENALTY, CATCH_PENALTY)


def name_color(rules: Ruleset, game: Game, trace: Trace, seat: int, color: int) -> None:
    """The color of a turned wild card; the namer plays on (Q2), a demand goes on (S11)."""
    game.color = color
    note(trace, NAMED, seat, color, 0)
    game.phase = TURN
    face = top(rules, game)
    if rules.effect[face] == DEMAND:
        game.turn = next_seat(game, seat, 1)
        game.phase = ANSWER
        game.due = rules.amount[face]
        note(trace, DEMANDED, game.turn, color, game.due)


def give(rules: Ruleset, game: Game, trace: Trace, seat: int, other: int) -> None:
    """One card of the pile to an opponent (A10, Q7)."""
    note(trace, GAVE, seat, other, 0)
    draw(rules, game, trace, other, 1, GIFT)
    game.due -= 1
    if game.due == 0 or left_to_draw(game) == 0:
        finish(rules, game, trace, seat, 1)


def race(rules: Ruleset, game: Game, trace: Trace, seat: int, amount: int) -> None:
    """Those holding cards drop them; the last one draws (A11, Q8, Q14)."""
    racers = 0
    for racer in range(game.seats):
        if game.counts[racer] > 0:
            racers += 1
    wait(game, RACING, seat, seat, amount)
    note(trace, RACING_NOW, seat, amount, 0)
    if racers > 1 and rules.race == CHANCE:
        loser = below(game, trace, RACE_ORDER, game.round, game.races, racers)
        game.races += 1
        for racer in range(game.seats):
            if game.counts[racer] > 0:
                if loser != 0:
                    game.dropped |= 1 << racer
                loser -= 1
        racers = 1
    if racers == 1:
        end_race(rules, game, trace)


def drop(rules: Ruleset, game: Game, trace: Trace, seat: int) -> None:
    game.dropped |= 1 << seat
    note(trace, DROPPED, seat, 0, 0)
    slow = 0
    for racer in range(game.seats):
        if game.counts[racer] > 0 and not game.dropped >> racer & 1:
            slow += 1
    if slow == 1:
        end_race(rules, game, trace)


def end_race(rules: Ruleset, game: Game, trace: Trace) -> None:
    """Only one has not dropped."""
    for racer in range(game.seats):
        if game.counts[racer] > 0 and not game.dropped >> racer & 1:
            note(trace, LOST_RACE, racer, game.due, 0)
            draw(rules, game, trace, racer, game.due, SLOWEST)
            break
    finish(rules, game, trace, game.by, 1)


def swap(rules: Ruleset, game: Game, trace: Trace, seat: int, other: int) -> None:
    """A seven: two hands change places (H2)."""
    note(trace, SWAPPED, seat, other, 0)
    exchange(rules, game, seat, other)
    game.called = 0
    expose_receiver(rules, game, seat)
    expose_receiver(rules, game, other)
    finish(rules, game, trace, seat, 1)


def rotate(rules: Ruleset, game: Game, trace: Trace, seat: int) -> None:
    """A zero: every hand passes on in the direction of play (H2)."""
    note(trace, ROTATED, seat, game.direction, 0)
    for place in range(1, game.seats):
        exchange(rules, game, 0, next_seat(game, 0, place))
    game.called = 0
    for receiver in range(game.seats):
        expose_receiver(rules, game, receiver)


def expose_receiver(rules: Ruleset, game: Game, seat: int) -> None:
    """Who receives a hand of one card is exposed as if just having played to it."""
    game.exposed &= ~(1 << seat)
    if game.counts[seat] == 1 and not rules.auto_call:
        game.exposed |= 1 << seat
