"""Which actions a seat may take. Anybody may ask at any time: many come out of turn."""

from penultima.cards import TAKE
from penultima.rules.actions import (
    ACCEPT,
    ANSWER,
    ANYBODY,
    CALL,
    CATCH,
    CHALLENGE,
    COLOR,
    DRAW,
    DRAWN,
    DROP,
    FOUR_ON_TWO,
    GIVE,
    GIVING,
    JUDGE,
    KEEP,
    MUST,
    NAME,
    OVER,
    PLAY,
    RACING,
    STACK,
    SWAP,
    SWAPPING,
    TURN,
    WORD,
)
from penultima.rules.pile import left_to_draw, top
from penultima.rules.schema import Game, Ruleset


def legal(rules: Ruleset, game: Game, seat: int, mask: list[int]) -> None:
    """Write the set of actions that `seat` may take now into the words of `mask`."""
    for word in range(len(rules.plays[0]) + 1):
        mask[word] = 0
    phase = game.phase
    if phase == OVER:
        return
    if phase == RACING:
        if game.counts[seat] > 0 and not game.dropped >> seat & 1:
            mask[0] |= 1 << DROP
    elif seat == game.turn:
        if phase == TURN:
            _turn(rules, game, seat, mask)
        elif phase == DRAWN:
            _drawn(rules, game, seat, mask)
        elif phase == STACK:
            _stack(rules, game, seat, mask)
        elif phase == JUDGE:
            mask[0] |= 1 << ACCEPT | 1 << CHALLENGE
        elif phase == ANSWER:
            _answer(rules, game, seat, mask)
        elif phase == NAME:
            for color in range(rules.colors):
                mask[0] |= 1 << (COLOR + color)
        elif phase == GIVING:
            _seats(game, seat, GIVE, mask)
        elif phase == SWAPPING:
            _seats(game, seat, SWAP, mask)
    elif phase == TURN:
        if game.jump:  # H3
            kind = top(rules, game)
            if game.hands[seat][kind] > 0:
                mask[1 + kind // WORD] |= 1 << (kind % WORD)
    elif rules.challengers == ANYBODY and seat != game.by and game.guilty >= 0:  # A9, Q6
        mask[0] |= 1 << CHALLENGE
    if not rules.auto_call:  # H8
        if may_call(game, seat):
            mask[0] |= 1 << CALL
        if game.exposed & ~(1 << seat):  # Q12
            mask[0] |= 1 << CATCH


def may_call(game: Game, seat: int) -> bool:
    """Q11: with two cards on one's own turn, or late, while exposed."""
    if game.exposed >> seat & 1:
        return True
    if seat != game.turn or game.counts[seat] != 2 or game.called >> seat & 1:
        return False
    phase = game.phase
    return phase == TURN or phase == DRAWN or phase == ANSWER or phase == STACK


def holds_color(rules: Ruleset, game: Game, seat: int, color: int) -> bool:
    """Whether the hand has a card of that color: what makes a Wild Draw Four a bluff (A5)."""
    for word in range(len(rules.wild)):
        if game.held[seat][word] & rules.same_color[color][word]:
            return True
    return False


def playable(rules: Ruleset, game: Game, seat: int, kind: int) -> bool:
    """Whether a held card can rightly be played: T1, wild cards too, a bluff not (Q19)."""
    if kind >= rules.colored:
        return not (rules.challengeable[kind] and holds_color(rules, game, seat, game.color))
    word = kind // WORD
    match = rules.same_color[game.color][word] | rules.same_symbol[top(rules, game)][word]
    return match >> (kind % WORD) & 1 != 0


def can_play(rules: Ruleset, game: Game, seat: int) -> bool:
    """Whether the hand has a card that can rightly be played (T2, T4, Q19)."""
    face = top(rules, game)
    for word in range(len(rules.wild)):
        match = rules.same_color[game.color][word] | rules.same_symbol[face][word]
        if game.held[seat][word] & match:
            return True
    # With no card of the color in play in the hand even a Wild Draw Four is no bluff.
    for word in range(len(rules.wild)):
        if game.held[seat][word] & rules.wild[word]:
            return True
    return False


def _turn(rules: Ruleset, game: Game, seat: int, mask: list[int]) -> None:
    face = top(rules, game)
    right = 0
    wild = 0
    for word in range(len(rules.wild)):
        held = game.held[seat][word]
        match = rules.same_color[game.color][word] | rules.same_symbol[face][word]
        mask[1 + word] = held & match  # T1
        right |= held & match
        wild |= held & rules.wild[word]
    if wild:
        bluff = holds_color(rules, game, seat, game.color)
        for kind in range(rules.colored, rules.kinds):
            if game.hands[seat][kind] > 0:
                if not (bluff and rules.challengeable[kind]):
                    right |= 1
                elif rules.no_bluffing:  # H6
                    continue
                _allow(rules, kind, mask)
    if not (right and _must_play(rules, game)):
        mask[0] |= 1 << DRAW


def _drawn(rules: Ruleset, game: Game, seat: int, mask: list[int]) -> None:
    kind = game.drawn
    if playable(rules, game, seat, kind):
        _allow(rules, kind, mask)
        must = rules.drawn_by_choice if game.choice else rules.drawn_no_match
        if must != MUST and not rules.forced_play:
            mask[0] |= 1 << KEEP
        return
    if kind >= rules.colored and not rules.no_bluffing:  # Q20
        _allow(rules, kind, mask)
    if rules.draw_until_playable and left_to_draw(game) > 0:  # H4
        mask[0] |= 1 << DRAW
    else:
        mask[0] |= 1 << KEEP


def _answer(rules: Ruleset, game: Game, seat: int, mask: list[int]) -> None:
    """A demand: only a marked card of the color in play answers it (A12, Q9)."""
    right = 0
    for word in range(len(rules.wild)):
        answers = game.held[seat][word] & rules.same_color[game.color][word] & rules.marked[word]
        mask[1 + word] = answers
        right |= answers
    if not (right and (rules.demand == MUST or _must_play(rules, game))):
        mask[0] |= 1 << DRAW


def _stack(rules: Ruleset, game: Game, seat: int, mask: list[int]) -> None:
    """H1: pass the draw on, take it, or challenge the Wild Draw Four on top."""
    face = top(rules, game)
    right = 0
    for word in range(len(rules.wild)):
        answers = game.held[seat][word] & rules.same_symbol[face][word]
        mask[1 + word] = answers
        right |= answers
    bluff = holds_color(rules, game, seat, game.color)
    for kind in range(rules.colored, rules.kinds):
        if game.hands[seat][kind] > 0 and stacks_on(rules, kind, face):
            if not (bluff and rules.challengeable[kind]):
                right |= 1
            elif rules.no_bluffing:
                continue
            _allow(rules, kind, mask)
    if game.guilty >= 0:
        mask[0] |= 1 << CHALLENGE
    if not (right and _must_play(rules, game)):
        mask[0] |= 1 << DRAW


def stacks_on(rules: Ruleset, kind: int, face: int) -> bool:
    """Whether a wild card answers a stack that lies on `face`."""
    if rules.effect[kind] != TAKE:
        return False
    return kind == face or (rules.stacking == FOUR_ON_TWO and face < rules.colored)


def _must_play(rules: Ruleset, game: Game) -> bool:
    """Whether holding a card that can be played forbids drawing (H5, Q16)."""
    return rules.forced_play != 0 or left_to_draw(game) == 0


def _allow(rules: Ruleset, kind: int, mask: list[int]) -> None:
    """Allow the play of a kind: for a wild one, in every color."""
    for word in range(len(rules.plays[0])):
        mask[1 + word] |= rules.plays[kind][word]


def _seats(game: Game, seat: int, action: int, mask: list[int]) -> None:
    for other in range(game.seats):
        if other != seat:
            mask[0] |= 1 << (action + other)


def play_of(rules: Ruleset, kind: int, color: int) -> int:
    """The action that plays a kind, naming a color where it is wild."""
    if kind < rules.colored:
        return PLAY + kind
    return PLAY + rules.colored + (kind - rules.colored) * rules.colors + color


def kind_of(rules: Ruleset, action: int) -> int:
    return rules.played_kind[action - PLAY]


def color_of(rules: Ruleset, action: int) -> int:
    """The color in play after a play: the card's own or the named one."""
    return rules.played_color[action - PLAY]
