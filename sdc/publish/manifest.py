"""The manifest of a bundle: size and SHA-256 of every file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sdc.run import digest

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = "MANIFEST.json"
TOMBSTONE = "WITHDRAWN.json"
"""What a withdrawn release has in place of its data."""


def as_json(folder: Path, *, bundle: str, run: str, anchor: Mapping[str, Any] | None = None) -> bytes:
    """The manifest of all files in a folder, with the name of the run: no two runs have the same manifest.

    `anchor` is the last entry of the ledger when the bundle was made, signed by the home.
    """
    files = [
        {"path": place.name, "bytes": place.stat().st_size, "sha256": digest.of_file(place)}
        for place in sorted(folder.iterdir())
        if place.name != MANIFEST
    ]
    pinned = {"ledger": dict(anchor)} if anchor else {}
    return json.dumps({"bundle": bundle, "run": run, **pinned, "files": files}, indent=2).encode() + b"\n"


def anchor(held: Mapping[str, Any]) -> Mapping[str, Any]:
    """The entry of the ledger that a manifest fixes; None in bundles of earlier versions."""
    pinned = held.get("ledger")
    shaped = (
        isinstance(pinned, dict)
        and isinstance(pinned.get("sequence"), int)
        and isinstance(pinned.get("hash"), str)
    )
    return pinned if isinstance(pinned, dict) and shaped else {}


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


def bundles(outbox: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Bundles in an outbox with their manifests; an empty one where it cannot be read."""
    for place in sorted(place for place in outbox.iterdir() if not place.name.startswith(".")):
        try:
            held = json.loads((place / MANIFEST).read_bytes())
        except OSError:
            continue
        except ValueError:
            held = None
        yield place, held if isinstance(held, dict) else {}
