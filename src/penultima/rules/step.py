"""What an action does. `step` trusts that the action is legal."""

from penultima.cards import DEMAND, GIVE_AWAY, NO_COLOR, NOBODY, NOTHING, RACE, REVERSE, SKIP, TAKE
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
    WORD,
)
from penultima.rules.bits import lowest_bit
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
    SHORT,
    SKIPPED,
    SLOWEST,
    STACKED,
    SWAPPED,
    TWO,
    UNANSWERED,
    WRONG_CHALLENGE,
    note,
)
from penultima.rules.pile import (
    draw,
    draw_card,
    exchange,
    lay,
    left_to_draw,
    next_seat,
    note_lack,
    top,
)
from penultima.rules.schema import Game, Ruleset, Trace
from penultima.rules.score import clear_pending, end_round
from penultima.rules.turn import NO_MORE, STAY, TRY, Outcome, begin_turn, finish, wait


def step(rules: Ruleset, game: Game, trace: Trace, seat: int, action: int) -> None:
    """Apply an action that `legal` allows to `seat`."""
    decisions = game.decisions + 1
    game.decisions = decisions
    drawer, amount, why, skipped, by, following = act(rules, game, trace, seat, action)
    kind = NOTHING
    while amount > 0:
        kind = draw_card(rules, game, trace, drawer, why)
        if kind == NOTHING:
            note(trace, SHORT, drawer, amount, why)
            amount = 0
        amount -= 1
    if skipped != NOBODY:
        note(trace, SKIPPED, skipped, 0, 0)
    if following == TRY:
        game.drawn = kind
        game.phase = DRAWN
    elif following != STAY:
        if by == NOBODY or game.counts[by] == 0:  # G4
            end_round(rules, game, trace, by)
        else:
            begin_turn(game, following)
    # Q22; but what a last card has started is still settled, and its player wins (G4).
    gone_out = game.by != NOBODY and game.counts[game.by] == 0
    if decisions >= DECISION_LIMIT and game.phase != OVER and not gone_out:
        end_round(rules, game, trace, NOBODY)


def act(rules: Ruleset, game: Game, trace: Trace, seat: int, action: int) -> Outcome:
    """What an action does at once."""
    if action >= PLAY:
        return play(rules, game, trace, seat, action)
    if action == DRAW:
        return take_from_pile(rules, game, trace, seat)
    if action == KEEP:
        return keep(rules, game, trace, seat)
    if action == CALL:
        return call(game, trace, seat)
    if action == CATCH:
        return catch(rules, game, trace, seat)
    if action == ACCEPT:
        return accept(game, seat)
    if action == CHALLENGE:
        return challenge(rules, game, trace, seat)
    if action == DROP:
        return drop(game, trace, seat)
    if action >= SWAP:
        return swap(rules, game, trace, seat, action - SWAP)
    if action >= GIVE:
        return give(game, trace, seat, action - GIVE)
    return name_color(rules, game, trace, seat, action - COLOR)


def play(rules: Ruleset, game: Game, trace: Trace, seat: int, action: int) -> Outcome:
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
    game.color = color_of(rules, action)
    game.passes = 0
    game.jump = 1 if rules.jump_in and not wild else 0
    note(trace, PLAYED, seat, kind, game.color if wild else NO_COLOR)
    left = lay(rules, game, seat, kind)
    bit = 1 << seat
    if left == 1:  # G1
        if not (game.called & bit or rules.auto_call):
            game.exposed |= bit
    elif left == 0:
        game.called &= ~bit
        game.exposed &= ~bit
    return take_effect(rules, game, trace, seat, kind, due, guilty)


def take_effect(
    rules: Ruleset, game: Game, trace: Trace, seat: int, kind: int, due: int, guilty: int
) -> Outcome:
    effect = rules.effect[kind]
    amount = rules.amount[kind]
    if effect == TAKE:
        return attack(rules, game, trace, seat, due + amount, guilty)
    if effect == GIVE_AWAY:  # A10; the card beneath can always be given
        return wait(game, GIVING, seat, seat, amount)
    if effect == RACE:
        return race(rules, game, trace, seat, amount)
    places = 1
    if game.counts[seat] == 0:  # as a last card, nothing else has an effect (Q14, H2)
        places = 0
    elif effect == SKIP:  # A3
        note(trace, SKIPPED, next_seat(game, seat, 1), 0, 0)
        places = 2
    elif effect == REVERSE:  # A2, Q4
        game.direction = -game.direction
        note(trace, REVERSED, seat, game.direction, 0)
        places = 2 if game.seats == 2 else 1
    elif effect == DEMAND:  # A12
        begin_turn(game, next_seat(game, seat, 1))
        game.phase = ANSWER
        game.due = amount
        note(trace, DEMANDED, game.turn, game.color, amount)
        return NO_MORE
    elif rules.seven_zero and rules.number[kind] == 7:
        return wait(game, SWAPPING, seat, seat, 0)
    elif rules.seven_zero and rules.number[kind] == 0:
        rotate(rules, game, trace, seat)
    return finish(game, seat, places)


def attack(rules: Ruleset, game: Game, trace: Trace, seat: int, due: int, guilty: int) -> Outcome:
    """A draw card: the next player draws, or gets to answer it (A1, A5, H1)."""
    victim = next_seat(game, seat, 1)
    if rules.stacking != OFF and game.counts[seat] > 0:
        note(trace, STACKED, victim, due, 0)
        game.guilty = guilty
        return wait(game, STACK, victim, seat, due)
    if guilty >= 0:  # a last card too waits for the verdict (Q13)
        game.guilty = guilty
        return wait(game, JUDGE, victim, seat, due)
    return victim, due, TWO, victim, seat, next_seat(game, seat, 2)


def accept(game: Game, seat: int) -> Outcome:
    """The victim of a draw card draws and misses the turn."""
    return seat, game.due, TWO, seat, game.by, next_seat(game, seat, 1)


def challenge(rules: Ruleset, game: Game, trace: Trace, seat: int) -> Outcome:
    by = game.by
    due = game.due
    guilty = game.guilty
    show_hand(rules, game, by, seat)
    note(trace, CHALLENGED, seat, by, guilty)
    if guilty:  # A7; the victim takes a normal turn (Q5)
        clear_pending(game)
        game.phase = TURN
        return by, due, BLUFF, NOBODY, NOBODY, STAY
    # A8; the victim misses the turn whoever challenged (Q6)
    following = next_seat(game, game.turn, 1)
    return seat, due + PENALTY, WRONG_CHALLENGE, game.turn, by, following


def show_hand(rules: Ruleset, game: Game, of: int, to: int) -> None:
    """The challenger sees the hand (A6), and what was shown before is forgotten."""
    for word in range(len(rules.wild)):
        bits = game.held[game.shown_of][word] if game.shown_of != NOBODY else 0
        while bits:  # what was shown is still held
            game.shown[word * WORD + lowest_bit(bits)] = 0
            bits &= bits - 1
        bits = game.held[of][word]
        while bits:
            kind = word * WORD + lowest_bit(bits)
            bits &= bits - 1
            game.shown[kind] = game.hands[of][kind]
    game.shown_of = of
    game.shown_to = to


def take_from_pile(rules: Ruleset, game: Game, trace: Trace, seat: int) -> Outcome:
    """Draw what the moment asks for (T2, T4, an unanswered demand, a stack)."""
    phase = game.phase
    single = phase == TURN or phase == DRAWN
    amount = 1 if single else game.due
    why = OWN_TURN
    if phase == STACK:
        why = TWO
    elif phase == ANSWER:
        why = UNANSWERED
    if phase == TURN:
        game.choice = 1 if can_play(rules, game, seat) else 0
        note_lack(game, seat, game.color, 0)
    left = left_to_draw(game)
    ends = not single or left == 0
    if rules.catch_window == BEGUN or (rules.catch_window == MADE and ends):  # G2, Q10
        game.exposed = 0
    game.jump = 0
    if left > 0:
        game.passes = 0
        return seat, amount, why, NOBODY, seat, next_seat(game, seat, 1) if ends else TRY
    note(trace, SHORT, seat, amount, why)  # Q16
    note(trace, PASSED, seat, 0, 0)
    game.passes += 1
    by = seat if game.passes < game.seats else NOBODY
    return NOBODY, 0, 0, NOBODY, by, next_seat(game, seat, 1)


def keep(rules: Ruleset, game: Game, trace: Trace, seat: int) -> Outcome:
    note(trace, KEPT, seat, 0, 0)
    if rules.catch_window == MADE:  # G2
        game.exposed = 0
    return finish(game, seat, 1)


def call(game: Game, trace: Trace, seat: int) -> Outcome:
    game.called |= 1 << seat
    game.exposed &= ~(1 << seat)
    note(trace, CALLED, seat, 0, 0)
    return NO_MORE


def catch(rules: Ruleset, game: Game, trace: Trace, seat: int) -> Outcome:
    """Everybody exposed but the catcher draws, in order of play from the catcher (Q12)."""
    caught = NOBODY
    for place in range(1, game.seats):
        other = next_seat(game, seat, place)
        if game.exposed >> other & 1:
            if caught != NOBODY:
                draw(rules, game, trace, caught, PENALTY, CATCH_PENALTY)
            caught = other
            game.exposed &= ~(1 << other)
            note(trace, CAUGHT, other, seat, 0)
    return caught, PENALTY, CATCH_PENALTY, NOBODY, NOBODY, STAY


def name_color(rules: Ruleset, game: Game, trace: Trace, seat: int, color: int) -> Outcome:
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
    return NO_MORE


def give(game: Game, trace: Trace, seat: int, other: int) -> Outcome:
    """One card of the pile to an opponent (A10, Q7)."""
    note(trace, GAVE, seat, other, 0)
    game.due -= 1
    last = game.due == 0 or left_to_draw(game) <= 1
    return other, 1, GIFT, NOBODY, seat, next_seat(game, seat, 1) if last else STAY


def race(rules: Ruleset, game: Game, trace: Trace, seat: int, amount: int) -> Outcome:
    """Those holding cards drop them; the last one draws (A11, Q8, Q14)."""
    racers = 0
    for racer in range(game.seats):
        if game.counts[racer] > 0:
            racers += 1
    wait(game, RACING, seat, seat, amount)
    note(trace, RACING_NOW, seat, amount, 0)
    if racers > 1 and rules.race == CHANCE:
        loser = below(game, trace, RACE_ORDER, game.round, game.decisions, racers)
        for racer in range(game.seats):
            if game.counts[racer] > 0:
                if loser != 0:
                    game.dropped |= 1 << racer
                loser -= 1
        racers = 1
    return end_race(game, trace, racers)


def drop(game: Game, trace: Trace, seat: int) -> Outcome:
    game.dropped |= 1 << seat
    note(trace, DROPPED, seat, 0, 0)
    slow = 0
    for racer in range(game.seats):
        if game.counts[racer] > 0 and not game.dropped >> racer & 1:
            slow += 1
    return end_race(game, trace, slow)


def end_race(game: Game, trace: Trace, slow: int) -> Outcome:
    """When only one has not dropped, the race is over."""
    if slow != 1:
        return NO_MORE
    loser = 0
    while game.counts[loser] == 0 or game.dropped >> loser & 1:
        loser += 1
    note(trace, LOST_RACE, loser, game.due, 0)
    return loser, game.due, SLOWEST, NOBODY, game.by, next_seat(game, game.by, 1)


def swap(rules: Ruleset, game: Game, trace: Trace, seat: int, other: int) -> Outcome:
    """A seven: two hands change places (H2)."""
    note(trace, SWAPPED, seat, other, 0)
    exchange(rules, game, seat, other)
    game.called = 0
    expose_receiver(rules, game, seat)
    expose_receiver(rules, game, other)
    return finish(game, seat, 1)


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
