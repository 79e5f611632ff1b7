"""Where did a run begin? Its profile, byte for byte, and the place its relative paths start from."""

from __future__ import annotations

import json
from pathlib import Path

from sdc import durable


def keep_origin(directory: Path, profile_path: Path, version: str | None = None) -> None:
    """`version` is the one a run was given from outside, by its schedule."""
    durable.write(directory / "profile.yaml", profile_path.read_bytes())
    origin = {"profile": str(profile_path), "base": str(profile_path.parent), "version": version}
    durable.write(directory / "origin.json", json.dumps(origin).encode())
