"""What a seat can do and what a table can wait for: the ids of actions, phases and options."""

from typing import Final

# Actions. The same in every ruleset but for the plays: a colored kind k is PLAY + k; a wild kind
# naming a color comes after those, kind by kind, color by color (`legal.play_of`).
DRAW: Final = 0  # whatever the moment asks for: one card, an unanswered demand, a stack
KEEP: Final = 1
CHALLENGE: Final = 2
ACCEPT: Final = 3
CALL: Final = 4
CATCH: Final = 5
DROP: Final = 6
COLOR: Final = 10  # + color
GIVE: Final = 20  # + seat
SWAP: Final = 30  # + seat
PLAY: Final = 60

# Sets of actions, kinds and seats are bits of machine words. 60 bits leave the sign alone, so that
# Python's ints and signed 64-bit words agree; and PLAY begins a word, so that held cards and plays
# of colored cards line up.
WORD: Final = 60

# Phases: what the table waits for.
NAME: Final = 0  # a turned wild card: the color is named (S8, S10, S11)
TURN: Final = 1
DRAWN: Final = 2  # a card has been drawn: play it or keep it (T3, T4)
ANSWER: Final = 3  # a demand (A12)
STACK: Final = 4  # a draw that can be passed on (H1)
JUDGE: Final = 5  # accept or challenge (A6)
GIVING: Final = 6  # A10
RACING: Final = 7  # A11
SWAPPING: Final = 8  # H2
OVER: Final = 9  # the round has ended
PHASES: Final = 10

# Values of options; those that are on or off are 0 or 1.
MUST: Final = 0  # drawn_no_match, drawn_by_choice, demand
MAY: Final = 1
VICTIM: Final = 0  # challengers
ANYBODY: Final = 1
BEGUN: Final = 0  # catch_window
MADE: Final = 1
OPEN: Final = 2
PLAYING: Final = 0  # call_duty
HOLDING: Final = 1
REFLEX: Final = 0  # race
CHANCE: Final = 1
WINNER: Final = 0  # scoring
TALLY: Final = 1
OFF: Final = 0  # stacking
SAME: Final = 1
FOUR_ON_TWO: Final = 2

# How a round, or with it the match, came to its end.
GOING_ON: Final = 0
ROUND_OVER: Final = 1
MATCH_OVER: Final = 2

DECISION_LIMIT: Final = 10_000  # Q22
PENALTY: Final = 2  # G2, and what an innocent player's challenger draws on top (A8)
