"""Finds the profiles and data of the demonstration, in the source tree or in the installed package."""

from __future__ import annotations

import shutil
from pathlib import Path

SOURCE_TREE = Path(__file__).parents[2] / "profiles" / "demo"
INSTALLED = Path(__file__).parents[1] / "demonstration"
"""Where the wheel has the same files; see [tool.hatch.build.targets.wheel.force-include]."""
PROFILE = "published.yaml"


def demonstration(folder: Path) -> Path:
    """The profile of the demonstration release.

    An installed package is nobody's working place: from there the files are copied into the folder. What lies
    there already stays as it is.
    """
    if SOURCE_TREE.is_dir():
        return SOURCE_TREE / PROFILE
    (folder / "outbox").mkdir(parents=True, exist_ok=True)
    for file in sorted(INSTALLED.iterdir()):
        if file.suffix in (".yaml", ".csv", ".md") and not (folder / file.name).exists():
            shutil.copyfile(file, folder / file.name)
    return folder / PROFILE
