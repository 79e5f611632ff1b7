"""Are the files of a run still those its sealed record vouches for?

The record has the SHA-256 of every file that publishing needs and of the report people decide by, of the very
bytes that were written. What leaves later is read from such files only, or refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdc.errors import CannotApprove
from sdc.run import digest
from sdc.run.directory import JOURNAL, RECORD, WAREHOUSE


@dataclass(frozen=True)
class Compared:
    """Files that are not those of the record, and files that are gone."""

    altered: tuple[str, ...]
    gone: tuple[str, ...]


def compared(directory: Path, record: Mapping[str, Any]) -> Compared:
    """Every file the record vouches for, as it lies there now."""
    altered, gone = [], []
    for name, sha256 in sorted(record.get("files", {}).items()):
        place = directory / name
        if not place.is_file():
            gone.append(name)
        elif digest.of_file(place) != sha256:
            altered.append(name)
    if WAREHOUSE in record.get("files", {}) and (directory / JOURNAL).exists():
        altered.append(JOURNAL)
    return Compared(tuple(altered), tuple(gone))


def require_unaltered(directory: Path, record: Mapping[str, Any], needed: Iterable[str] = ()) -> None:
    """CannotApprove, naming the file, unless all that the record vouches for is as it was, and all that is needed among it."""
    unknown = [name for name in needed if name not in record.get("files", {})]
    if unknown:
        problem = (
            f"its sealed record does not vouch for {', '.join(unknown)}; it was made by an earlier version:"
            " run the release again"
        )
        raise CannotApprove(f"run {directory.name} cannot be published: {problem}")
    found = compared(directory, record)
    if found.altered or found.gone:
        told = [
            *(f"{name} was altered" for name in found.altered),
            *(f"{name} is gone" for name in found.gone),
        ]
        raise CannotApprove(
            f"run {directory.name} is not as it was decided on: {', '.join(told)} since its record was sealed"
        )


def read(directory: Path, record: Mapping[str, Any], name: str) -> bytes:
    """The bytes of a file, if they are those the record vouches for."""
    place = directory / name
    data = place.read_bytes() if place.is_file() else b""
    if digest.of_bytes(data) != record.get("files", {}).get(name):
        raise CannotApprove(
            f"run {directory.name} is not as it was decided on: {name} was altered since its record was"
            " sealed"
        )
    return data


def sealed_outcome(directory: Path) -> str:
    """What the record in a run's directory says became of the run, whether or not the ledger knows that record."""
    try:
        return str(json.loads((directory / RECORD).read_bytes())["outcome"])
    except (OSError, ValueError, KeyError, TypeError):
        return "not readable"
