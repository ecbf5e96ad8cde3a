"""When each sentence of the rules holds: the one place that knows.

A clause is a row of sentences; their texts are `rules.clauses.CLAUSE.SENTENCE` in the catalogue, or
`rules.card.SENTENCE` for those that several clauses share. Beside each sentence stands its
condition: facts that must all hold, `!` for one that must not, `|` between alternatives. Facts are
options (`scoring=tally`, `jump_in`) and what the deck has (`wild`, `colored_draw`; see `deck.py`).

A clause with `each` is told of every card for which that condition holds; the facts of that card
begin with a dot.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Final

ALWAYS: Final = ""


@dataclass(frozen=True)
class Clause:
    sentences: Mapping[str, str]
    each: str | None = None
    special: str | None = None  # when it goes to the head of the page
    count: str = "amount"  # the detail that decides on plural forms


def holds(condition: str, facts: Set[str]) -> bool:
    """Whether a condition is met.

    >>> holds("draw !stacking | give", {"draw"})
    True
    >>> holds("draw !stacking | give", {"draw", "stacking"})
    False
    """
    return any(
        all((word[1:] not in facts) if word[0] == "!" else word in facts for word in way.split())
        for way in condition.split("|")
    )


_TEXT: Final = {"text": ALWAYS}
_LEAD: Final = {"card.lead": ALWAYS, "card.color": ".wild"}
_GOES: Final = {
    "card.goes": ".colored .several",
    "card.goes_alone": ".colored !.several",
    "card.any_turn": ".wild !.bluff",
}
_DRAWS: Final = {"card.draws": "!stacking", "card.stacks": "stacking"}
_CHALLENGE: Final = "bluff !no_bluffing"
_MUST_ANSWER: Final = "demand=must | forced_play"
_MAY_DECLINE: Final = "demand=may !forced_play"
_HELD: Final = "drawn_no_match=must | drawn_by_choice=must | forced_play"  # to what is drawn

CLAUSES: Final[Mapping[str, Clause]] = {
    "D1": Clause(_TEXT, each=".numbers", count="copies"),
    "D2": Clause(_TEXT, each=".colored", count="copies"),
    "D3": Clause(_TEXT, each=".wild .none | .wild .bluff", count="copies"),
    "D4": Clause(_TEXT, each=".wild !.none !.bluff", special=ALWAYS, count="copies"),
    "D5": Clause({"named": "marks mark_named", "unnamed": "marks !mark_named"}, special=ALWAYS),
    "D6": Clause({"text": "edition=violet"}),
    "S1": Clause({"draw": ALWAYS, "symbols": "symbols | wild", "tied": ALWAYS}),
    "S2": Clause(_TEXT, count="hand_size"),
    "S3": Clause(_TEXT),
    "S4": Clause(
        {
            "turn": ALWAYS,
            "symbols": "wild | draw | skip | reverse | give | race | demand",
        }
    ),
    "S5": Clause(_TEXT, each=".colored .draw"),
    "S6": Clause(_TEXT, each=".colored .reverse"),
    "S7": Clause(_TEXT, each=".colored .skip"),
    "S8": Clause(
        {"text": ALWAYS, "nothing": "!.none"}, each=".wild .none | .wild .skip | .wild .reverse"
    ),
    "S9": Clause(_TEXT, each=".wild .draw"),
    "S10": Clause(
        {"wild": ".wild", "colored": ".colored", "give": ".give", "race": ".race"},
        each=".give | .race",
    ),
    "S11": Clause({"wild": ".wild", "colored": ".colored"}, each=".demand"),
    "T1": Clause({"match": ALWAYS, "wild": "wild"}),
    "T2": Clause({"one": "!draw_until_playable", "until": "draw_until_playable"}),
    "T3": Clause(
        {
            "must": "drawn_no_match=must | forced_play",
            "may": "drawn_no_match=may !forced_play",
            "else_one": "!draw_until_playable",
            "else_until": "draw_until_playable",
        }
    ),
    "T4": Clause(
        {
            "one": "!forced_play !draw_until_playable",
            "until": "!forced_play draw_until_playable",
            "must": "!forced_play drawn_by_choice=must",
            "may": "!forced_play drawn_by_choice=may",
            "forced": "forced_play",
        }
    ),
    "T5": Clause(_TEXT),
    "T6": Clause({"text": "wild"}),
    "A1": Clause(_LEAD | _DRAWS | _GOES, each=".colored .draw"),
    "A2": Clause(
        _LEAD | {"turns": ALWAYS, "two": ALWAYS} | _GOES, each=".reverse", special=".wild"
    ),
    "A3": Clause(_LEAD | {"skips": ALWAYS} | _GOES, each=".skip", special=".wild"),
    "A4": Clause(_LEAD | _GOES, each=".wild .none"),
    "A5": Clause(
        _LEAD | _DRAWS | {"fair": ".bluff", "bluff": ".bluff !no_bluffing"} | _GOES,
        each=".wild .draw",
        special="!.bluff",
    ),
    "A6": Clause({"shows": _CHALLENGE, "alone": _CHALLENGE}),
    "A7": Clause({"draws": f"{_CHALLENGE} !stacking", "stack": f"{_CHALLENGE} stacking"}),
    "A8": Clause({"draws": f"{_CHALLENGE} !stacking", "stack": f"{_CHALLENGE} stacking"}),
    "A9": Clause(
        {
            "victim": f"{_CHALLENGE} challengers=victim",
            "anybody": f"{_CHALLENGE} challengers=anybody",
        },
        special="challengers=anybody",
    ),
    "A10": Clause(_LEAD | {"gives": ALWAYS} | _GOES, each=".give", special=ALWAYS),
    "A11": Clause(
        _LEAD | {"reflex": "race=reflex", "chance": "race=chance"} | _GOES,
        each=".race",
        special=ALWAYS,
    ),
    "A12": Clause(
        _LEAD | {"must": _MUST_ANSWER, "may": _MAY_DECLINE} | _GOES,
        each=".demand",
        special=ALWAYS,
    ),
    "G1": Clause(
        {
            "playing": "!auto_call call_duty=playing",
            "holding": "!auto_call call_duty=holding",
        },
        special="call_duty=holding",
    ),
    "G2": Clause(
        {
            "begun": "!auto_call catch_window=begun",
            "made": "!auto_call catch_window=made",
            "open": "!auto_call catch_window=open",
        },
        special="catch_window=open",
    ),
    "G3": Clause({"text": "!auto_call catch_window=open"}, special="catch_window=open"),
    "G4": Clause(_TEXT),
    "G5": Clause({"text": "draw"}),
    "G6": Clause(_TEXT),
    "P1": Clause({"winner": "scoring=winner", "values": ALWAYS}),
    "P2": Clause({"winner": "scoring=winner", "tally": "scoring=tally"}),
    "P3": Clause(dict.fromkeys(("adds", "lowest", "tied"), "scoring=tally")),
    "Q1": Clause({"out": ALWAYS, "back": ALWAYS}),
    "Q2": Clause({"text": "namers"}),
    "Q3": Clause({"text": "wild_draw"}),
    "Q4": Clause({"reverse": "reverse", "turned": "colored_draw | colored_skip | colored_reverse"}),
    "Q5": Clause(
        {"settled": _CHALLENGE, "guilty": _CHALLENGE, "accept": f"{_CHALLENGE} !stacking"}
    ),
    "Q6": Clause(
        {
            "once": _CHALLENGE,
            "first": f"{_CHALLENGE} challengers=anybody",
            "bystander": f"{_CHALLENGE} challengers=anybody",
            "accepted": f"{_CHALLENGE} !stacking",
            "answered": f"{_CHALLENGE} stacking",
            "moment": f"{_CHALLENGE} challengers=anybody",
        }
    ),
    "Q7": Clause({"color": "wild_give", "blind": "give", "short": "give"}),
    "Q8": Clause({"color": "wild_race", "reflex": "race race=reflex", "turn": "race"}),
    "Q9": Clause(
        {
            "only": "demand",
            "wild": "demand wild",
            "must": "demand demand=must | demand forced_play",
            "may": "demand demand=may !forced_play",
            "end": "demand",
        }
    ),
    "Q10": Clause(
        {
            "begins": "!auto_call | jump_in",
            "demand": "!auto_call demand | jump_in demand",
            "stack": "!auto_call draw stacking | jump_in draw stacking",
            "nothing": "!auto_call | jump_in",
            "meanwhile": "!auto_call",
        }
    ),
    "Q11": Clause(dict.fromkeys(("when", "late", "void"), "!auto_call")),
    "Q12": Clause(dict.fromkeys(("refused", "all"), "!auto_call")),
    "Q13": Clause({"text": _CHALLENGE}),
    "Q14": Clause({"give": "give", "race": "race", "demand": "demand"}),
    "Q15": Clause(_TEXT),
    "Q16": Clause(
        {
            "play": ALWAYS,
            "bluff": _CHALLENGE,
            "winner": "scoring=winner",
            "tally": "scoring=tally",
        }
    ),
    "Q17": Clause(_TEXT),
    "Q18": Clause(_TEXT),
    "Q19": Clause({"choice": "wild !forced_play", "forced": "wild forced_play", "bluff": "bluff"}),
    "Q20": Clause(
        {
            "wild": " | ".join(f"wild {way}" for way in _HELD.split(" | ")),
            "bluff": " | ".join(f"{_CHALLENGE} {way}" for way in _HELD.split(" | ")),
        }
    ),
    "Q21": Clause(
        {
            "one": "!draw_until_playable",
            "until": "draw_until_playable",
            "until_may": "draw_until_playable !forced_play drawn_no_match=may"
            " | draw_until_playable !forced_play drawn_by_choice=may",
        }
    ),
    "Q22": Clause({"stop": ALWAYS, "last": ALWAYS}),
    "H1": Clause(
        {
            "same": "stacking draw",
            "four": "stacking=four_on_two colored_draw wild_draw",
            "draw": "stacking draw",
            "challenge": f"stacking {_CHALLENGE}",
            "start": "stacking colored_draw",
            "last": "stacking draw",
        }
    ),
    "H2": Clause(
        {
            "name": "seven_zero seven | seven_zero zero",
            "seven": "seven_zero seven",
            "zero": "seven_zero zero",
            "not": "seven_zero seven | seven_zero zero",
            "calls": "seven_zero seven !auto_call | seven_zero zero !auto_call",
        }
    ),
    "H3": Clause(dict.fromkeys(("when", "then", "twin"), "jump_in")),
    "H4": Clause(
        {
            "draw": "draw_until_playable",
            "bluff": "draw_until_playable bluff",
            "not": "draw_until_playable",
        }
    ),
    "H5": Clause(
        {
            "play": "forced_play",
            "demand": "forced_play demand",
            "stack": "forced_play stacking draw",
            "bluff": f"forced_play {_CHALLENGE}",
        }
    ),
    "H6": Clause(
        {
            "refused": "no_bluffing bluff",
            "draw": "no_bluffing bluff !stacking",
            "stack": "no_bluffing bluff stacking",
        }
    ),
    "H7": Clause({"set": "resized", "refused": "resized"}),
    "H8": Clause({"text": "auto_call"}),
}

# What begins no turn (Q10).
ACTS: Final[Mapping[str, str]] = {
    "forced": ALWAYS,
    "catch": "!auto_call",
    "accept": f"{_CHALLENGE} !stacking",
    "challenge": _CHALLENGE,
    "give": "give",
    "race": "race race=reflex",
    "swap": "seven_zero seven",
    "name": "wild",
}
