"""The independent verifier (`docs/verifier.html`), in a real browser: it deals as the core does."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page

from penultima.edition import SHIPPED, shipped
from penultima.fair import SERVER, FairDeal, GivenUp, commitment
from penultima.game import Match, replayed
from penultima.notation import cards_text
from penultima.receipt import Attempt, Receipt, write
from penultima.record import Record
from tests.web.browser import Browser

PAGE = Path(__file__).parent.parent.parent / "docs" / "verifier.html"
MATCHES = 8  # of each edition
TABLE = "abc234"


def promised(attempt: int, *seats: int, luck: str = "") -> tuple[dict[str, str], dict[str, str]]:
    seeds = {
        who: hashlib.sha256(f"{attempt} {who} {luck}".encode()).hexdigest()
        for who in (SERVER, *map(str, seats))
    }
    made = {w: commitment(TABLE, attempt, w, bytes.fromhex(s)) for w, s in seeds.items()}
    return made, seeds


def a_deal(luck: str = "") -> FairDeal:
    """The second attempt counts: in the first one seat 2 kept its seed back."""
    given, shown = promised(1, 0, 1, 2, luck=luck)
    earlier = GivenUp(1, given, {"0": shown["0"], "1": shown["1"]}, [2])
    return FairDeal(TABLE, 2, *promised(2, 0, 1, luck=luck), [earlier], [2])


def a_record(edition: str, seed: int, seats: int = 4, **options: Any) -> Record:
    """A match of a few rounds, played at random."""
    random, deal = Random(seed), a_deal(f"{edition} {seed}")
    sheet = shipped(edition).with_options({"target": 300, **options}).sheet
    match = Match(sheet, [f"P{n}" for n in range(seats)], deal.key())
    while match.over != "match" and len(match.rounds) < 4:
        if match.over == "round":
            match.next_round()
            continue
        turns = [seat for seat in range(seats) if match.legal(seat)]
        seat = random.choice(turns)
        legal = match.legal_texts(seat)
        cards = [one for one in legal if one not in ("draw", "keep", "call", "catch")]
        match.play(seat, random.choice(cards or legal))
    return replace(match.record(), fair=deal)


def hands_of(record: Record, seat: int) -> dict[str, list[str]]:
    return {
        str(step.round): cards_text(record.sheet, step.match.game.hands[seat])
        for step in replayed(record)
        if step.action is None
    }


def a_receipt(record: Record, seat: int = 0) -> Receipt:
    deal = record.fair
    assert deal is not None
    first = deal.given_up[0]
    return Receipt(
        TABLE,
        seat,
        attempts=[
            Attempt(1, promises=first.commitments, complete=True, reveals=first.seeds),
            Attempt(
                2,
                seed=deal.seeds[str(seat)],
                given=True,
                promises=deal.commitments,
                complete=True,
                reveals=deal.seeds,
                dealt=True,
                hands=hands_of(record, seat),
            ),
        ],
    )


@pytest.fixture
def page(browser: Browser) -> Page:
    page = browser.page(browser.context())
    page.goto(PAGE.as_uri())
    return page


def judge(page: Page, text: str, receipt: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate("([one, other]) => check(one, other)", [text, receipt])
    return found


@pytest.mark.parametrize("edition", SHIPPED)
def test_it_deals_as_the_core_does(edition: str, page: Page) -> None:
    for seed in range(MATCHES):
        seats = 2 + seed
        record = a_record(edition, seed, seats, hand_size=seed % 5 + 3)
        found = judge(page, record.to_text(), write(a_receipt(record)).decode())
        assert found["good"], [text for kind, text in found["checks"] if kind == "bad"]
        for seat in range(seats):
            dealt = {str(n): one["hands"][seat] for n, one in enumerate(found["deals"], 1)}
            told = hands_of(record, seat)
            assert {n: sorted(hand) for n, hand in dealt.items()} == {
                n: sorted(hand) for n, hand in told.items()
            }


def test_a_wild_draw_four_that_is_turned_goes_back(page: Page) -> None:
    """And a tie for the dealer is broken: both are seldom, so many keys are tried."""
    met: set[str] = set()
    for seed in range(400):
        deal = a_deal(str(seed))
        match = Match(shipped("classic").sheet, [f"P{n}" for n in range(6)], deal.key())
        happened = [event.what for event in match.opening]
        new = {"return"} & set(happened) | ({"tie"} if happened.count("cut") > 6 else set())
        if new - met:
            met |= new
            record = replace(match.record(), fair=deal)
            assert judge(page, record.to_text(), write(a_receipt(record)).decode())["good"]
    assert met == {"return", "tie"}


def other(text: str) -> str:
    return text[:-1] + ("0" if text[-1] != "0" else "1")


FORGERIES: dict[str, Callable[[str], str]] = {
    "a seed of the server": lambda text: _line(text, "reveal server"),
    "a promise": lambda text: _line(text, "commit 1"),
    "the key": lambda text: _line(text, "key"),
    "the code": lambda text: _line(text, "code"),
    "the attempts": lambda text: text.replace("given_up 1 2", "given_up 1 0"),
    "a number of an attempt": lambda text: text.replace("given_up 1 2", "given_up 7 2"),
    "the ruleset": lambda text: text.replace('"count":2', '"count":1', 1),
    "who decided": lambda text: text.replace("\ncode ", "\nalone\ncode "),
    "a line": lambda text: text.replace("attempt 2\n", "attempt 9\n"),
}


def _line(text: str, start: str) -> str:
    line = [one for one in text.split("\n") if one.startswith(f"{start} ")][-1]
    return text.replace(line, other(line))


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_record_is_found_out(what: str, page: Page, tmp_path: Path) -> None:
    text = a_record("classic", 1).to_text()
    forged = FORGERIES[what](text)
    assert forged != text
    right = "Everything that was checked is right"
    for name, content, verdict in (("true", text, right), ("forged", forged, "wrong")):
        file = tmp_path / f"{name}.pen"
        file.write_text(content, "utf-8")
        page.get_by_label("Record").set_input_files(file)
        page.get_by_role("status").get_by_text(verdict).wait_for()


def test_a_card_that_was_not_dealt_is_found_out(page: Page) -> None:
    for seed in range(50):
        text = a_record("classic", seed).to_text()
        first = text.split("\nround 1\n")[1].split(" ")[0]
        if first[2:] in ("r1", "b1", "g1", "y1"):
            continue
        hand = judge(page, text)["deals"][0]
        if hand["turned"] not in ("r9", "b9", "g9", "y9"):
            continue
        card = next(c for c in ("r1", "b1", "g1", "y1") if c not in hand["hands"][int(first[0])])
        forged = text.replace(f"\nround 1\n{first} ", f"\nround 1\n{first[:2]}{card} ")
        assert not judge(page, forged)["good"]
        return
    raise AssertionError("no match began with a nine")


def test_another_deal_than_the_one_that_was_shown_is_found_out(page: Page) -> None:
    record = a_record("classic", 2)
    receipt = a_receipt(record)
    assert judge(page, record.to_text(), write(receipt).decode())["good"]
    changed = json.loads(write(receipt))
    changed["attempts"][1]["promises"][SERVER] = "ab" * 32
    assert not judge(page, record.to_text(), json.dumps(changed))["good"]
    changed = json.loads(write(receipt))
    changed["attempts"][1]["hands"]["1"][0] = "W"
    assert not judge(page, record.to_text(), json.dumps(changed))["good"]
    changed = json.loads(write(receipt))
    changed["attempts"][0]["attempt"] = 0
    assert not judge(page, record.to_text(), json.dumps(changed))["good"]
    changed["table"] = "zzzzzz"
    assert not judge(page, record.to_text(), json.dumps(changed))["good"]


def test_records_of_earlier_versions_are_read(page: Page) -> None:
    record = a_record("classic", 3)
    assert record.fair is not None
    old = replace(record, fair=replace(record.fair, layout=1, given_up=[], without=[]))
    found = judge(page, old.to_text())
    assert found["good"]
    assert any("not listed" in text for _, text in found["checks"])
    plain = judge(page, replace(record, fair=None).to_text())
    assert plain["good"]
    assert any("cannot be judged" in text for _, text in plain["checks"])
