"""Where did a run begin? Its profile and the lists it names, byte for byte, and the place its relative paths start from."""

from __future__ import annotations

import json
from pathlib import Path

from sdc import durable
from sdc.profile.list_files import keep_lists


def keep_origin(directory: Path, profile_path: Path, version: str | None = None) -> None:
    """`version` is the one a run was given from outside, by its schedule."""
    durable.write(directory / "profile.yaml", profile_path.read_bytes())
    origin = {"profile": str(profile_path), "base": str(profile_path.parent), "version": version}
    for place, content in keep_lists(profile_path, directory):
        place.parent.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
        durable.write(place, content)
    durable.write(directory / "origin.json", json.dumps(origin).encode())
