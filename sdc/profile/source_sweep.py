"""Expands the source of a profile into several, each compared by itself.

    source:
      sweep: {path: [a.csv, b.csv], where: [age >= 18, age >= 65]}  # four sources

Every key of `source` may be swept. Only a comparison takes several sources: a release has one.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sdc.errors import BadProfile, Fault
from sdc.profile.document import kind_of

if TYPE_CHECKING:
    from sdc.profile.document import Document
    from sdc.profile.list_files import ProfileFiles

PLACE = ("source", "sweep")


@dataclass(frozen=True)
class SweptSource:
    """One of the sources a profile stands for: the profile with that source, and what sets it apart."""

    files: ProfileFiles
    values: dict[str, Any]

    @property
    def name(self) -> str:
        return ", ".join(f"{key} {value}" for key, value in self.values.items())


def swept_sources(files: ProfileFiles) -> tuple[SweptSource, ...]:
    """Every source of the profile; the one it has where nothing is swept."""
    source = files.document.values.get("source")
    if not isinstance(source, dict) or "sweep" not in source:
        return (SweptSource(files, {}),)
    sweep = source["sweep"]
    if faults := _faults(files.document, sweep, source):
        raise BadProfile(faults)
    fixed = {key: held for key, held in source.items() if key != "sweep"}
    chosen = (dict(zip(sweep, values, strict=True)) for values in itertools.product(*sweep.values()))
    return tuple(
        SweptSource(
            _with_source(files, {**fixed, **values}), {key: str(held) for key, held in values.items()}
        )
        for values in chosen
    )


def _faults(document: Document, sweep: Any, source: dict[str, Any]) -> list[Fault]:
    if not isinstance(sweep, dict) or not sweep:
        return [
            document.fault(
                PLACE, f"sweep: is followed by {kind_of(sweep)}", "write sweep: {path: [a.csv, b.csv]}"
            )
        ]
    found = []
    for key, values in sweep.items():
        if not isinstance(values, list) or not values:
            found.append(
                document.fault(
                    (*PLACE, key), f"{key!r} is swept over {kind_of(values)}", f"write {key}: [value, value]"
                )
            )
        elif key in source:
            found.append(
                document.fault((*PLACE, key), f"{key!r} is swept, and fixed beside it", "take one out")
            )
    return found


def sweep_faults(document: Document) -> list[Fault]:
    """A profile with several sources cannot be read as one that has one."""
    source = document.values.get("source")
    if not isinstance(source, dict) or "sweep" not in source:
        return []
    problem = "source.sweep stands for several sources, and this takes one"
    return [document.fault(PLACE, problem, "run `sdc compare`, or name one source")]


def _with_source(files: ProfileFiles, source: dict[str, Any]) -> ProfileFiles:
    values = {**files.document.values, "source": source}
    return replace(files, document=replace(files.document, values=values))
