"""The page about the demonstration names every file beside it."""

from __future__ import annotations

from pathlib import Path

DEMO = Path(__file__).parents[2] / "profiles" / "demo"


def test_every_profile_and_file_of_the_demonstration_is_named():
    page = (DEMO / "README.md").read_text(encoding="utf-8")
    files = [
        path.name
        for path in DEMO.iterdir()
        if path.is_file() and path.name != "README.md" and not path.name.startswith(".")
    ]
    assert {"published.yaml", "candidates.yaml"} <= set(files)
    assert [name for name in files if f"`{name}`" not in page] == []
