"""The client's own checks: types, accessibility of its markup, units; and how it is built."""

import zipfile
from pathlib import Path

import pytest

import hatch_build
from penultima.server import schema


@pytest.mark.parametrize("script", ["check", "test"])
def test_the_client_passes_its_own_checks(script: str) -> None:
    assert hatch_build.main([script]) == 0


def test_the_types_are_those_of_the_server() -> None:
    written = (hatch_build.WEB / "src" / "net" / "wire.ts").read_text("utf-8")
    assert written == schema.typescript()  # make wire


def test_what_is_installed_is_what_the_sources_make() -> None:
    assert not hatch_build.stale()


def test_the_built_client_is_shipped_and_names_nothing_from_elsewhere() -> None:
    pages = list(hatch_build.BUILT.rglob("*.*"))
    assert hatch_build.BUILT / "index.html" in pages
    for page in pages:
        if page.suffix in (".js", ".css", ".html"):
            text = page.read_text("utf-8")
            hosts = {part.split("/")[0] for part in text.split("https://")[1:]}
            assert hosts <= {"svelte.dev"}, page  # where its errors are explained


def test_a_wheel_holds_the_client(tmp_path: Path) -> None:
    from hatchling.builders.wheel import WheelBuilder

    builder = WheelBuilder(str(hatch_build.ROOT))
    wheel = next(builder.build(directory=str(tmp_path), versions=["standard"]))
    names = zipfile.ZipFile(wheel).namelist()
    assert "penultima/web/index.html" in names
    assert any(name.startswith("penultima/web/assets/") for name in names)
