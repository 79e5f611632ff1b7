"""Names the software of a run: versions of packages, and one digest of the code."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
from functools import cache
from pathlib import Path

from sdc.run import digest

DISTRIBUTION = "sdc-release"
PACKAGES = ("sdc", "tasks", "flows")
NO_CODE = {"__pycache__", "demonstration"}
"""Folders of the packages that hold no code: what Python keeps, and the data that only a wheel has."""


@cache
def code_digest() -> str:
    """One SHA-256 over the names and contents of all files of the installed packages."""
    return digest.of_bytes(digest.canonical(_code_files()))


@cache
def versions() -> dict[str, str]:
    """The versions of this package and of what it requires."""
    required = [line for line in importlib.metadata.requires(DISTRIBUTION) or [] if "extra ==" not in line]
    names = sorted({DISTRIBUTION, *(re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0] for line in required)})
    return {name: importlib.metadata.version(name) for name in names}


def _code_files() -> dict[str, str]:
    specs = [importlib.util.find_spec(name) for name in PACKAGES]
    roots = [
        Path(place) for spec in specs if spec is not None for place in spec.submodule_search_locations or ()
    ]
    files = (
        place
        for root in roots
        for place in root.rglob("*")
        if place.is_file() and not NO_CODE.intersection(place.parts)
    )
    return {
        place.relative_to(
            next(root for root in roots if root in place.parents).parent
        ).as_posix(): digest.of_file(place)
        for place in files
    }
