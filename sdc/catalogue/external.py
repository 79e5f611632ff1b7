"""A candidate made elsewhere: in R, SAS or by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from sdc.catalogue.protection import Protection
from sdc.catalogue.registry import Method, Touches, find_method, methods
from sdc.errors import Fault


@dataclass(frozen=True)
class ExternalFile:
    """A protected file, and what its makers say they did."""

    path: Path
    protection: Protection
    aligned: bool


def external_file(*, path: Path, protection: Protection, aligned: bool = False) -> ExternalFile:
    """A file with the released variables, CSV written as the source is, or Parquet.

    It is a candidate's only step.

    `protection` is what happened to the truth of its records; it decides which measures may be believed.
    `aligned`: record i of the file is record i of the source after the holdout was set aside; then every
    value that claims to be true is compared with the original's. The path is relative to the profile.
    """
    return ExternalFile(path, protection, aligned)


def misaligned(external: ExternalFile, path: Path, records: int, originals: int) -> list[Fault]:
    """A file said to be in place has the original's records."""
    if not external.aligned or records == originals:
        return []
    problem = f"it is said to be aligned and has {records:,} records, the original {originals:,}"
    return [Fault(str(path), problem, "write aligned: false")]


def absent(path: Path, columns: Sequence[str], released: Sequence[str]) -> list[Fault]:
    """A file has every released variable."""
    lacking = [name for name in released if name not in columns]
    return [
        Fault(f"{path}, column {name!r}", "the file lacks this released variable", "add it; it may be empty")
        for name in lacking
    ]


EXTERNAL = Method(external_file, Protection.PERTURBATIVE, aligned=False, touches=Touches.ALL)


class Stepped(Protocol):
    """A method with its options: a step as planned or as applied."""

    @property
    def method(self) -> str: ...
    @property
    def options(self) -> Mapping[str, Any]: ...


def makers() -> dict[str, Method]:
    """Everything that may stand as a step: the methods, and a file made elsewhere."""
    return {**methods(), EXTERNAL.name: EXTERNAL}


def maker(step: Stepped) -> Method:
    """The method of a step; of a file made elsewhere, what is said of it."""
    if step.method != EXTERNAL.name:
        return find_method(step.method)
    said = external_file(**EXTERNAL.arguments(step.options))
    return replace(EXTERNAL, protection=said.protection, aligned=said.aligned)


def external_of(steps: Sequence[Stepped]) -> ExternalFile | None:
    """The file a candidate is, if it is one."""
    return (
        external_file(**EXTERNAL.arguments(steps[0].options))
        if steps and steps[0].method == EXTERNAL.name
        else None
    )
