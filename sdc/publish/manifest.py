"""Is a bundle complete and unaltered? Its manifest has the size and SHA-256 of every file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sdc import digest

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = "MANIFEST.json"


def as_json(folder: Path, *, bundle: str, run: str) -> bytes:
    """The manifest of all files in a folder. It names the run: two runs never have the same."""
    files = [
        {"path": place.name, "bytes": place.stat().st_size, "sha256": digest.of_file(place)}
        for place in sorted(folder.iterdir())
        if place.name != MANIFEST
    ]
    return json.dumps({"bundle": bundle, "run": run, "files": files}, indent=2).encode() + b"\n"


def faults(folder: Path) -> list[str]:
    """What is wrong with a bundle as it lies on disk: files missing, added or altered."""
    held = json.loads((folder / MANIFEST).read_bytes())
    listed = {each["path"]: each for each in held["files"]}
    present = {place.name for place in folder.iterdir()} - {MANIFEST}
    found = [f"{name} is not in the manifest" for name in sorted(present - listed.keys())]
    found += [f"{name} is missing" for name in sorted(listed.keys() - present)]
    for name in sorted(present & listed.keys()):
        place = folder / name
        if (place.stat().st_size, digest.of_file(place)) != (listed[name]["bytes"], listed[name]["sha256"]):
            found.append(f"{name} was altered")
    return found
