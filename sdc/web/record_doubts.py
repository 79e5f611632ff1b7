"""Says which numbers of a sealed record cannot be believed, by the rules that its report follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sdc.audit.candidate_record import CandidateRecord, profile_of
from sdc.catalogue.external import EXTERNAL
from sdc.catalogue.registry import measures, methods
from sdc.report.doubts import doubt_after

MARK = "cannot be believed"


def doubts(record: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Why a number cannot be believed, by its candidate and its name: a measurement or a criterion.

    Those that can be believed are not there, nor what an earlier version wrote in another form.
    """
    profile = profile_of(record)
    if profile is None:
        return {}
    known = methods().keys() | {EXTERNAL.name}
    return {
        (held["name"], name): reason
        for held in record["candidates"]
        if all(step["method"] in known for step in held["steps"])
        for name, taken, part in _numbers(held)
        if (
            reason := doubt_after(
                CandidateRecord.from_record(held).steps,
                profile.roles,
                taken["measure"],
                taken["options"],
                part,
            )
        )
    }


def _numbers(held: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], str | None]]:
    """Every measurement that has a value, and every criterion on a part of one."""
    judged = [str(finding["criterion"]) for finding in held["findings"]]
    for taken in held["measurements"]:
        if taken["value"] is None or taken["measure"] not in measures():
            continue
        yield taken["as"], taken, None
        head = f"{taken['as']}."
        yield from ((name, taken, name.removeprefix(head)) for name in judged if name.startswith(head))
