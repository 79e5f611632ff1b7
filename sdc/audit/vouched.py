"""Compares the files of a run with those its sealed record vouches for.

The record has the SHA-256 of every file that publishing needs and of the report people decide by, of the very
bytes that were written. What leaves later is read from such files only, or refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.errors import CannotApprove
from sdc.run import digest

if TYPE_CHECKING:
    from sdc.run.directory import RunDirectory


@dataclass(frozen=True)
class ComparedFiles:
    """Files that are not those of the record, and files that are gone."""

    altered: tuple[str, ...]
    gone: tuple[str, ...]


def compared(directory: RunDirectory, record: Mapping[str, Any]) -> ComparedFiles:
    """Every file the record vouches for, as it lies there now."""
    altered, gone = [], []
    for name, sha256 in sorted(record.get("files", {}).items()):
        place = directory.file(name)
        if not place.is_file():
            gone.append(name)
        elif digest.of_file(place) != sha256:
            altered.append(name)
    if directory.name_of(directory.warehouse) in record.get("files", {}) and directory.journal.exists():
        altered.append(directory.name_of(directory.journal))
    return ComparedFiles(tuple(altered), tuple(gone))


def require_unaltered(
    directory: RunDirectory, record: Mapping[str, Any], needed: Iterable[Path] = ()
) -> None:
    """CannotApprove, naming the file, unless all that the record vouches for is as it was.

    What is needed must be among it.
    """
    unknown = [name for name in map(directory.name_of, needed) if name not in record.get("files", {})]
    if unknown:
        problem = (
            f"its sealed record does not vouch for {', '.join(unknown)}; it was made by an earlier version:"
            " run the release again"
        )
        raise CannotApprove(f"run {directory.run} cannot be published: {problem}")
    found = compared(directory, record)
    if found.altered or found.gone:
        told = [
            *(f"{name} was altered" for name in found.altered),
            *(f"{name} is gone" for name in found.gone),
        ]
        raise CannotApprove(
            f"run {directory.run} is not as it was decided on: {', '.join(told)} since its record was sealed"
        )


def read(directory: RunDirectory, record: Mapping[str, Any], place: Path) -> bytes:
    """The bytes of a file, if they are those the record vouches for."""
    name = directory.name_of(place)
    data = place.read_bytes() if place.is_file() else b""
    if digest.of_bytes(data) != record.get("files", {}).get(name):
        raise CannotApprove(
            f"run {directory.run} is not as it was decided on: {name} was altered since its record was sealed"
        )
    return data


def sealed_outcome(directory: RunDirectory) -> str:
    """What the record on the disk says became of the run, whether or not the ledger knows that record."""
    try:
        return str(json.loads(directory.record.read_bytes())["outcome"])
    except (OSError, ValueError, KeyError, TypeError):
        return "not readable"
