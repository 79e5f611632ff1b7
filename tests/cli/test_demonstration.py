"""The demonstration is found in the source tree, and unpacked from an installed package."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sdc.cli import demonstration as module
from sdc.cli.demonstration import demonstration

ROOT = Path(__file__).parents[2]


def test_the_source_tree_is_used_where_it_is(tmp_path):
    assert demonstration(tmp_path / "sdc-demo") == ROOT / "profiles" / "demo" / "published.yaml"
    assert not (tmp_path / "sdc-demo").exists()


def test_an_installed_package_is_unpacked_and_what_was_edited_stays(
    tmp_path, monkeypatch: pytest.MonkeyPatch
):
    packed, folder = tmp_path / "packed", tmp_path / "sdc-demo"
    packed.mkdir()
    for name in ("published.yaml", "households.csv", "__init__.py"):
        (packed / name).write_text(f"as packed: {name}")
    monkeypatch.setattr(module, "SOURCE_TREE", tmp_path / "nowhere")
    monkeypatch.setattr(module, "INSTALLED", packed)
    folder.mkdir()
    (folder / "households.csv").write_text("edited")
    assert demonstration(folder) == folder / "published.yaml"
    assert sorted(place.name for place in folder.iterdir()) == ["households.csv", "outbox", "published.yaml"]
    assert (folder / "households.csv").read_text() == "edited"
    assert (folder / "published.yaml").read_text() == "as packed: published.yaml"


def test_the_wheel_has_every_profile_and_data_file_of_the_demonstration():
    built = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    packed = {Path(source).name for source in built["force-include"]}
    shown = {
        place.name
        for place in (ROOT / "profiles" / "demo").iterdir()
        if place.suffix in (".yaml", ".csv", ".md")
    }
    assert packed == shown
