"""The end of a round, the points, and the end of the match."""

from .cards import Card
from .state import State


def worth(hand: list[Card]) -> int:
    """The points of a hand (P1)."""
    return sum(card.points for card in hand)


def end_round(s: State, winner: int | None) -> None:
    """The round is over: won by a seat whose hand is empty (G4), or blocked (Q16, Q22)."""
    s.await_("over", s.dealer)
    s.called = set()
    s.exposed = set()
    s.jump = False
    s.over = "round"
    s.winner = winner
    if s.options.scoring == "winner":
        if winner is not None:
            score_winner(s, winner)
    else:
        score_tally(s)


def score_winner(s: State, winner: int) -> None:
    """The winner scores all cards left in the other hands (P1, P2)."""
    s.scores[winner] += sum(worth(hand) for hand in s.hands)
    if s.scores[winner] >= s.options.target:
        s.over = "match"


def score_tally(s: State) -> None:
    """Everybody's own cards are added up; in the end the lowest total wins (P3)."""
    for seat, hand in enumerate(s.hands):
        s.scores[seat] += worth(hand)
    if max(s.scores) >= s.options.target:
        lowest = min(s.scores)
        winners = [seat for seat, score in enumerate(s.scores) if score == lowest]
        s.over = "match"
        s.winner = winners[0] if len(winners) == 1 else winners
