"""Where did a run begin?

Its profile and the lists it names, byte for byte, and the place its relative paths start from.
"""

from __future__ import annotations

from pathlib import Path

from sdc.profile.list_files import ProfileFiles
from sdc.run import digest, durable
from sdc.run.directory import ORIGIN


def kept_files(files: ProfileFiles, version: str | None = None) -> dict[str, bytes]:
    """What a run keeps of its beginning, by name.

    `version` is the one it was given from outside, by its schedule.
    """
    origin = {"profile": str(files.path), "base": str(files.path.parent), "version": version}
    return {**files.as_kept(), ORIGIN: digest.canonical(origin)}


def keep_origin(directory: Path, files: ProfileFiles, version: str | None = None) -> None:
    for name, content in kept_files(files, version).items():
        place = directory / name
        place.parent.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
        durable.write(place, content)
