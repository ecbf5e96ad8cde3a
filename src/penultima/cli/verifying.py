"""`penultima verify`: recompute a match from its record."""

import argparse
import json

from penultima.cli.arguments import add_json
from penultima.cli.files import read_text
from penultima.game import Match
from penultima.locale import say
from penultima.record import Record


class Verify:
    name = "verify"
    examples = """  penultima verify match.pen
  penultima verify match.pen --json"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="cli.option.verify_file")
        add_json(parser)

    def run(self, options: argparse.Namespace) -> int:
        record = Record.from_text(read_text(options.file))
        match = Match.replay(record)
        moves = sum(len(played.moves) for played in record.rounds)
        if options.json:
            answer = {
                "verified": True,
                "fair_deal": record.fair is not None,
                "seeds": len(record.fair.seeds) if record.fair else 0,
                "rounds": len(record.rounds),
                "moves": moves,
                "names": match.names,
                "scores": match.game.scores[: match.game.seats],
                "over": match.over,
            }
            print(json.dumps(answer, ensure_ascii=False, indent=2))
            return 0
        print(say(options.lang, "verify.good", file=options.file))
        if record.fair:
            print(say(options.lang, "verify.deal", count=len(record.fair.seeds)))
        else:
            print(say(options.lang, "verify.no_deal"))
        print(say(options.lang, "verify.play", moves=moves, rounds=len(record.rounds)))
        return 0
