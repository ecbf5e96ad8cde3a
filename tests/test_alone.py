"""A table on one device: what a server's table would do, told in the same frames."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from penultima.alone import Alone, editions, problem
from penultima.edition import SHIPPED
from penultima.errors import RecordError
from penultima.locale import LANGUAGES
from penultima.record import RULES
from penultima.server import wire
from penultima.server.core import packed
from tests import solo
from tests.solo import Solo, new_table

AT = 1_000


def sit(edition: str = "classic", **options: object) -> Solo:
    return Solo(Alone.open(new_table(edition, **options), AT), AT)  # type: ignore[arg-type]


@pytest.mark.parametrize("edition", SHIPPED)
def test_a_match_is_played_and_told_in_the_frames_of_a_server(edition: str) -> None:
    here = sit(edition)
    here.play_match()
    assert here.state["view"]["over"] == "match"
    for frame in here.frames:
        msgspec.json.decode(frame, type=wire.AnyOutgoing)


@pytest.mark.parametrize("edition", SHIPPED)
def test_what_was_kept_goes_on_as_it_was(edition: str) -> None:
    here = sit(edition, target=100_000)
    for _ in range(150):
        here.step()
    before = here.table.table
    again = Solo(Alone.resume(here.table.kept, here.now), here.now, seed=2)
    after = again.table.table
    assert after.playing.game.to_bytes() == before.playing.game.to_bytes()
    assert (after.stage, after.decision, after.seq) == (before.stage, before.decision, before.seq)
    for _ in range(150):
        again.step()


def test_time_that_was_away_does_not_count() -> None:
    here = sit()
    while here.state["stage"] != "playing":
        here.step()
    later = here.now + 86_400_000
    due = Alone.resume(here.table.kept, later).due()
    assert due is None or due > later


def test_another_match_forgets_the_one_before() -> None:
    here = sit(target=200)
    here.play_match()
    long = len(here.table.kept)
    assert here.state["matches"] == 0  # no server has its record
    assert here.send("begin")["refused"] is None
    while here.state["stage"] != "playing":
        here.step()
    assert len(here.table.kept) < long
    again = Solo(Alone.resume(here.table.kept, here.now), here.now, seed=2)
    assert again.state["view"]["hand"] == here.state["view"]["hand"]
    again.play_match()


@pytest.mark.parametrize(("reaction", "last"), [(120, False), (3_900, True), (20, True)])
def test_a_race_is_measured_on_the_device(reaction: int, last: bool) -> None:
    """Nobody is faster than 100 ms: that was pressed by chance, and comes last."""
    here = sit("chili", target=1_000_000)
    here.reaction = reaction
    while here.state["race"] is None or 0 not in here.state["race"]["racers"]:
        here.step()
    here.events.clear()
    while here.state["race"] is not None:
        here.step()
    dropped = [event["seat"] for event in here.events if event["what"] == "drop"]
    assert (0 not in dropped) == last


def test_who_never_presses_comes_last() -> None:
    here = sit("chili", target=1_000_000)
    while here.state["race"] is None or 0 not in here.state["race"]["racers"]:
        here.step()
    here.events.clear()
    while here.state["race"] is not None:
        here.wait()
    assert 0 not in [event["seat"] for event in here.events if event["what"] == "drop"]


def test_a_copy_of_a_command_is_not_done_again() -> None:
    here = sit()
    while here.state["stage"] != "playing" or here.state["view"]["turn"] != 0:
        here.step()
    action, decision = here.state["view"]["legal"][0], here.state["decision"]
    command = {"type": "act", "id": "twice", "action": action, "decision": decision}
    first = here.table.receive(json.dumps(command), here.now)
    second = here.table.receive(json.dumps(command), here.now)
    assert first[-1] == second[-1]
    assert len(second) == 1


@pytest.mark.parametrize("frame", ['{"type": "ready", "id": 5', "[]", '{"type": "fly", "id": "x"}'])
def test_a_frame_that_is_not_understood_is_answered_and_harms_nothing(frame: str) -> None:
    here = sit()
    before = here.table.kept
    told = [json.loads(one) for one in here.table.receive(frame, here.now)]
    assert [one["type"] for one in told] == ["problem"]
    assert told[0]["id"] == ("x" if "fly" in frame else None)
    assert here.table.kept == before


def test_hints_and_rules() -> None:
    here = sit(hand_size=3)
    while here.state["stage"] != "playing" or here.state["view"]["turn"] != 0:
        here.step()
    told = here.send("hint")
    assert told["type"] == "advice"
    assert {row["action"] for row in told["actions"]} <= {*here.state["view"]["legal"], None}
    for language in LANGUAGES:
        assert here.table.rules(language).startswith("# ")


def test_who_leaves_ends_the_table() -> None:
    here = sit()
    assert here.send("leave") == {"type": "bye", "reason": "closed", "retry": None}
    assert here.table.kept == ""
    assert here.table.due() is None


def test_the_packed_core_is_whole_and_needs_no_library(tmp_path: Path) -> None:
    """Without any package but itself it plays the very match that is played here."""
    files = json.loads(packed())
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    start = sit("chili", target=100)
    start.play_match()
    start.send("begin")
    kept = start.table.kept
    here = Solo(Alone.resume(kept, 5_000), 5_000, seed=2)
    here.play_match()
    program = (
        f"import runpy, sys; sys.path.insert(0, {str(tmp_path)!r});"
        f" runpy.run_path({solo.__file__!r}, run_name='__main__');"
        " print(); print(*sys.modules)"
    )
    there = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], input=kept, capture_output=True, text=True
    )
    assert there.returncode == 0, there.stderr
    *frames, loaded = there.stdout.splitlines()
    assert [json.loads(frame) for frame in frames] == [json.loads(frame) for frame in here.frames]
    modules = {name.replace(".", "/") for name in loaded.split() if name.startswith("penultima")}
    packed_modules = {
        name.removesuffix(".py").removesuffix("/__init__") for name in files if name.endswith(".py")
    }
    assert packed_modules == modules | {"msgspec"}  # and nothing that is not needed


def test_a_table_that_cannot_be_opened_says_why() -> None:
    wanted = new_table("classic", 10, hand_size=20)
    said = {problem(wanted, language) for language in LANGUAGES}
    assert len(said) == len(LANGUAGES) and "" not in said
    assert problem(new_table("classic", stacking="same"), "en") == ""


def test_the_editions_are_offered_as_a_server_offers_them() -> None:
    offered = msgspec.json.decode(editions(), type=wire.Editions)
    assert [offer.edition.id for offer in offered.editions] == list(SHIPPED)


def test_sharp_plays_with_a_budget_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penultima.alone.SHARP", "sharp:4")
    here = Solo(Alone.open(new_table("classic", 2, bot="sharp", target=1), AT), AT)
    here.play_match()
    assert here.state["view"]["over"] == "match"


def test_a_match_of_other_rules_is_not_gone_on_with() -> None:
    kept = sit().table.kept
    assert f'"rules":{RULES}' in kept
    with pytest.raises(RecordError) as refused:
        Alone.resume(kept.replace(f'"rules":{RULES}', f'"rules":{RULES - 1}'), 1_000)
    assert refused.value.code == "rules"
