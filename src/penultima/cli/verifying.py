"""`penultima verify`: recompute a match from its record."""

import argparse
import json
from collections.abc import Iterator
from typing import Any

from penultima.cli.arguments import add_json
from penultima.cli.files import named, read_text
from penultima.fair import FairDeal
from penultima.game import Match
from penultima.locale import say
from penultima.receipt import Receipt, ReceiptFolder, read
from penultima.record import Record


class Verify:
    name = "verify"
    examples = """  penultima verify match.pen
  penultima verify match.pen --receipt abc234-0.receipt.json
  penultima verify match.pen --json"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="cli.option.verify_file")
        parser.add_argument("--receipt", metavar="FILE", help="cli.option.receipt")
        add_json(parser)

    def run(self, options: argparse.Namespace) -> int:
        record = Record.from_text(read_text(options.file))
        match = Match.replay(record)
        found = dict(_receipts(options.receipt, record))
        for receipt in found.values():
            receipt.check(record)
        if options.json:
            print(json.dumps(_facts(record, match, found), ensure_ascii=False, indent=2))
            return 0
        print(say(options.lang, "verify.good", file=named(options.file)))
        for line in _told(options.lang, record, found):
            print(line)
        moves = sum(len(played.moves) for played in record.rounds)
        print(say(options.lang, "verify.play", moves=moves, rounds=len(record.rounds)))
        return 0


def _receipts(file: str | None, record: Record) -> Iterator[tuple[str, Receipt]]:
    """The receipts to compare a record with: the one that is named, or those that lie here."""
    if file is not None:
        yield file, read(read_text(file).encode(), file)
        return
    if record.fair is None:
        return
    for path in ReceiptFolder().of_table(record.fair.table):
        receipt = read(read_text(path).encode(), str(path))
        if any(one.attempt == record.fair.attempt for one in receipt.attempts):
            yield str(path), receipt


def _facts(record: Record, match: Match, receipts: dict[str, Receipt]) -> dict[str, Any]:
    deal = record.fair
    return {
        "verified": True,
        "fair_deal": deal is not None,
        "seeds": len(deal.seeds) if deal else 0,
        "people": [int(who) for who in deal.people] if deal else [],
        "without": deal.without if deal else [],
        "attempts_listed": deal is not None and deal.lists_attempts,
        "given_up": [one.attempt for one in deal.given_up] if deal else [],
        "code": deal.code if deal else None,
        "receipts": list(receipts),
        "rounds": len(record.rounds),
        "moves": sum(len(played.moves) for played in record.rounds),
        "names": match.names,
        "scores": match.game.scores[: match.game.seats],
        "over": match.over,
    }


def _told(language: str, record: Record, receipts: dict[str, Receipt]) -> Iterator[str]:
    """What is proven of the deal, and what is not."""
    deal = record.fair
    if deal is None:
        yield say(language, "verify.no_deal")
        return
    yield say(language, "verify.deal", count=len(deal.seeds))
    if not deal.people:
        yield say(language, "verify.alone")
    if deal.without:
        yield say(language, "verify.without", seats=deal.without)
    for one in deal.given_up:
        yield say(language, "verify.given_up", attempt=one.attempt, seats=one.missing)
    if not deal.lists_attempts:
        yield say(language, "verify.old")
    yield say(language, "verify.code", code=deal.code)
    for file, receipt in receipts.items():
        yield from _proven(language, file, receipt, deal)
    if not receipts:
        yield say(language, "verify.no_receipt")


def _proven(language: str, file: str, receipt: Receipt, deal: FairDeal) -> Iterator[str]:
    kept = next(one for one in receipt.attempts if one.attempt == deal.attempt)
    yield say(language, "verify.receipt", file=file, hands=len(kept.hands), seat=receipt.seat)
    own = kept.seed is not None and deal.seeds.get(receipt.own) == kept.seed
    yield say(language, "verify.receipt_own" if own else "verify.receipt_out")
