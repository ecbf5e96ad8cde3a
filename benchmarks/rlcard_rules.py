"""Where RLCard's UNO departs from the rules, shown in RLCard itself.

`make bench-rlcard-rules` runs it in the environment of the peers. Every line is a thing that
RLCard 1.2.0 does; `tests/test_envs_faithful.py` shows that our environments do not.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import rlcard
from rlcard.games.uno import Dealer, Player, Round
from rlcard.games.uno.card import UnoCard

Cards = list[tuple[str, str]]


def card(color: str, trait: str) -> Any:
    wild = trait.startswith("wild")
    kind = "wild" if wild else "number" if trait.isdigit() else "action"
    return UnoCard(kind, color, trait)


def table(top: tuple[str, str], *hands: Cards, deck: Cards | None = None) -> tuple[Any, list[Any]]:
    """A round with these hands, the first player's turn."""
    random = np.random.RandomState(1)
    dealer = Dealer(random)
    if deck is not None:
        dealer.deck = [card(*each) for each in deck]
    play = Round(dealer, len(hands), random)
    play.target = card(*top)
    play.played_cards = [play.target]
    players = []
    for number, hand in enumerate(hands):
        player = Player(number, random)
        player.hand = [card(*each) for each in hand]
        players.append(player)
    return play, players


FEW: Cards = [("b", "1"), ("b", "2"), ("b", "3")]


def no_draw_by_choice() -> bool:
    play, players = table(("r", "5"), [("r", "7"), ("b", "1")], FEW)
    return "draw" not in play.get_legal_actions(players, 0)


def drawn_card_put_down_unasked() -> bool:
    play, players = table(("r", "5"), FEW[:2], FEW, deck=[("r", "9")])
    play.proceed_round(players, "draw")
    return bool(play.target.trait == "9" and play.current_player == 1)


def drawn_symbol_does_not_fit() -> bool:
    play, players = table(("r", "5"), FEW[:2], FEW, deck=[("g", "5")])
    play.proceed_round(players, "draw")
    return len(players[0].hand) == 3 and play.current_player == 1


def drawn_wild_in_a_color_by_chance() -> bool:
    named = set()
    for seed in range(40):
        play, players = table(("r", "5"), FEW[:2], FEW, deck=[("r", "wild")])
        play.np_random = np.random.RandomState(seed)
        play.proceed_round(players, "draw")
        named.add(play.target.color)
    return len(named) > 1


def no_bluff() -> bool:
    hand = [("r", "wild_draw_4"), ("g", "wild"), ("b", "1")]
    play, players = table(("r", "5"), hand, FEW)
    return not any("wild_draw_4" in action for action in play.get_legal_actions(players, 0))


def no_challenge_call_or_catch() -> bool:
    actions = rlcard.games.uno.utils.ACTION_LIST
    return all(action == "draw" or "-" in action for action in actions)


def reverse_of_two_is_no_skip() -> bool:
    play, players = table(("r", "5"), [("r", "reverse"), ("b", "1")], FEW)
    play.proceed_round(players, "r-reverse")
    return bool(play.current_player == 1)


def wrong_color_shown() -> bool:
    play, players = table(("r", "5"), [("r", "wild"), ("b", "1"), ("b", "2")], FEW)
    play.proceed_round(players, "g-wild")
    shown = play.get_state(players, 1)["target"]
    return bool(play.target.color == "g" and shown != "g-wild")


def top_card_shuffled_back() -> bool:
    play, _ = table(("r", "5"), FEW[:2], FEW, deck=[])
    play.played_cards = [card("g", "1"), card("g", "2"), play.target]
    play.replace_deck()
    return play.target in play.dealer.deck and not play.played_cards


def nothing_left_raises() -> bool:
    play, players = table(("r", "5"), FEW[:2], FEW, deck=[])
    play.played_cards = []
    try:
        play.proceed_round(players, "draw")
    except IndexError:
        return True
    return False


def turned_wild_by_chance() -> bool:
    named = set()
    for seed in range(40):
        play, _ = table(("r", "5"), FEW, FEW, deck=[("r", "wild")])
        play.np_random = np.random.RandomState(seed)
        named.add(play.flip_top_card().color)
    return len(named) > 1


def turned_draw_two_keeps_the_turn() -> bool:
    play, players = table(("r", "5"), FEW[:], FEW[:])
    play.perform_top_card(players, card("r", "draw_2"))
    return len(players[0].hand) == 5 and play.current_player == 0


def wrong_payoffs_for_three() -> bool:
    game = rlcard.games.uno.Game(num_players=3)
    game.init_game()
    game.round.winner = [2]
    return bool(game.get_payoffs()[2] < 0)  # the winner loses


def observation_has_hand_and_target_only() -> bool:
    env = rlcard.make("uno", config={"seed": 1})
    state, _ = env.reset()
    return bool(state["obs"].shape == (4, 4, 15))


def illegal_action_is_replaced_or_breaks() -> bool:
    env = rlcard.make("uno", config={"seed": 1})
    state, player = env.reset()
    wrong = next(a for a in range(61) if a not in state["legal_actions"])
    try:
        env.step(wrong)
    except ValueError:
        return True
    return bool(env.get_player_id() != player)


DEVIATIONS: dict[str, Callable[[], bool]] = {
    "drawing is allowed only where no card fits": no_draw_by_choice,
    "a drawn card of the color in play is put down unasked": drawn_card_put_down_unasked,
    "a drawn card never fits by its symbol": drawn_symbol_does_not_fit,
    "a drawn wild card gets a color by chance": drawn_wild_in_a_color_by_chance,
    "a Wild Draw Four only where nothing else fits, a Wild included": no_bluff,
    "no challenge, no call, no catch": no_challenge_call_or_catch,
    "a reverse of two players passes the turn": reverse_of_two_is_no_skip,
    "the color shown after a wild card is that of its paper": wrong_color_shown,
    "a renewed pile takes the top card in": top_card_shuffled_back,
    "nothing left to draw raises IndexError": nothing_left_raises,
    "a turned wild card gets a color by chance": turned_wild_by_chance,
    "a turned draw two does not cost the turn": turned_draw_two_keeps_the_turn,
    "a third player who wins is given a loss": wrong_payoffs_for_three,
    "observations have the own hand and the top card only": observation_has_hand_and_target_only,
    "an illegal action is replaced, or raises": illegal_action_is_replaced_or_breaks,
}


def main() -> None:
    print(f"RLCard {rlcard.__version__}")
    for what, shown in DEVIATIONS.items():
        print(f"{'yes' if shown() else 'no':<4} {what}")


if __name__ == "__main__":
    main()
