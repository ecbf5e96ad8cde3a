"""The fair deal: promised seeds make the key, and a record shows whether they did."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from penultima.cli import main
from penultima.edition import shipped
from penultima.errors import RecordError
from penultima.fair import SERVER, FairDeal, commitment, new_seed
from penultima.game import Match
from penultima.record import Record


def a_deal(*seats: int, table: str = "T1", attempt: int = 1) -> FairDeal:
    who = [SERVER, *(str(seat) for seat in seats)]
    seeds = {name: hashlib.sha256(name.encode()).hexdigest() for name in who}
    promised = {n: commitment(table, attempt, n, bytes.fromhex(s)) for n, s in seeds.items()}
    return FairDeal(table, attempt, promised, seeds)


def a_match(deal: FairDeal) -> Record:
    match = Match(shipped("classic").sheet, ["Ana", "Boris", "Bot"], deal.key())
    for _ in range(20):
        seat = match.game.turn
        match.play(seat, match.legal(seat)[0])
    return replace(match.record(), fair=deal)


def test_the_layout_of_the_key_is_what_the_documentation_says() -> None:
    deal = a_deal(0, 2)
    told = b"penultima fair deal 1 key\0T1\x001\0" + bytes.fromhex(deal.seeds[SERVER])
    for who in ("0", "2"):
        told += b"\0" + who.encode() + b"\0" + bytes.fromhex(deal.seeds[who])
    key = b"".join((word & 0xFFFFFFFF).to_bytes(4, "little") for word in deal.key())
    assert key == hashlib.sha256(told).digest()


def test_every_seed_and_name_changes_the_key() -> None:
    keys = [a_deal(0, 1).key(), a_deal(0, 2).key(), a_deal(0).key(), a_deal().key()]
    keys += [a_deal(0, 1, table="T2").key(), a_deal(0, 1, attempt=2).key()]
    deal = a_deal(0, 1)
    keys.append(replace(deal, seeds=deal.seeds | {"1": "00" * 32}).key())
    assert len({tuple(key) for key in keys}) == len(keys)


def test_seeds_are_fresh_and_long_enough() -> None:
    assert len(new_seed()) == 32
    assert new_seed() != new_seed()


def test_a_record_keeps_the_deal() -> None:
    record = a_match(a_deal(0, 1))
    again = Record.from_text(record.to_text())
    assert again.fair == record.fair
    assert again.to_text() == record.to_text()
    Match.replay(again)


Change = Callable[[FairDeal], FairDeal]
FORGERIES: dict[str, tuple[Change, str]] = {
    "another seed of the server": (
        lambda deal: replace(deal, seeds=deal.seeds | {SERVER: "ab" * 32}),
        "server",
    ),
    "another seed of a person": (
        lambda deal: replace(deal, seeds=deal.seeds | {"1": "ab" * 32}),
        "“1”",
    ),
    "another promise": (
        lambda deal: replace(deal, commitments=deal.commitments | {"0": "ab" * 32}),
        "“0”",
    ),
    "another table": (lambda deal: replace(deal, table="T2"), "server"),
    "another attempt": (lambda deal: replace(deal, attempt=2), "server"),
    "a whole other deal": (lambda deal: a_deal(0), "key"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_deal_is_found(forgery: str) -> None:
    change, told = FORGERIES[forgery]
    record = a_match(a_deal(0, 1))
    forged = replace(record, fair=change(a_deal(0, 1)))
    with pytest.raises(RecordError, match=told):
        Match.replay(Record.from_text(forged.to_text()))


def test_lines_that_are_no_deal_are_refused() -> None:
    text = a_match(a_deal(0, 1)).to_text()
    lines = text.split("\n")
    first = next(n for n, line in enumerate(lines) if line.startswith("deal "))
    spoiled = [
        ("deal T1 1", "deal T1"),
        ("deal T1 1", "deal T1 0"),
        ("deal T1 1", "deal ../x 1"),
        ("commit server", "commit waiter"),
        ("reveal 1 ", "reveal 9 "),
        (lines[first + 1] + "\n", ""),
        (lines[first + 2], lines[first + 1]),
    ]
    for have, instead in spoiled:
        assert have in text
        with pytest.raises(RecordError, match="line"):
            Record.from_text(text.replace(have, instead, 1))


def test_verify_says_that_a_record_is_good(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "match.pen"
    file.write_text(a_match(a_deal(0, 1)).to_text(), "utf-8")
    assert main(["verify", str(file)]) == 0
    assert "3 seeds" in capsys.readouterr().out
    assert main(["verify", str(file), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["verified"]
    assert answer["fair_deal"]
    plain = replace(a_match(a_deal(0)), fair=None)
    file.write_text(plain.to_text(), "utf-8")
    assert main(["verify", str(file), "--lang", "es"]) == 0
    assert "reparto" in capsys.readouterr().out


def test_verify_names_the_first_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "match.pen"
    text = a_match(a_deal(0, 1)).to_text()
    moved = text.replace("\nround 1\n0:", "\nround 1\n1:").replace("\nround 1\n2:", "\nround 1\n1:")
    assert moved != text
    file.write_text(moved, "utf-8")
    assert main(["verify", str(file)]) == 1
    assert "Round 1, action 1" in capsys.readouterr().err
    assert main(["verify", str(tmp_path / "none.pen")]) == 1
    assert "none.pen" in capsys.readouterr().err
