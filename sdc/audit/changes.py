"""Says what is new in a release since the one of the family before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sdc.audit.earlier_releases import chosen_of, releases, sealed_record
from sdc.data.roles import LEFT_BEHIND

if TYPE_CHECKING:
    from sdc.audit.ledger import Entry
    from sdc.catalogue.candidate import Candidate
    from sdc.catalogue.finding import Finding
    from sdc.profile import Profile
    from sdc.run.home import Home


def changes_since_last(
    home: Home,
    entries: Sequence[Entry],
    profile: Profile,
    run: str,
    candidate: Candidate,
    findings: Sequence[Finding],
) -> tuple[str, ...]:
    """Sentences on records, variables, methods and judged values; none for the first of a family."""
    history = releases(entries, profile.family, besides=run)
    if not history:
        return ()
    last = history[-1]
    record = sealed_record(home, last)
    before = chosen_of(last, record)
    if record is None or not before:
        return (f"The release before is {last.name}; its record is no longer kept, so it is not compared.",)
    told = [
        *_records(before, candidate),
        *_variables(record, profile),
        *_methods(before, candidate),
        *_judged(before, findings),
    ]
    return (
        f"The release before is {last.name}.",
        *(told or ["Records, variables, methods and judged values are the same."]),
    )


def _records(before: Mapping[str, Any], candidate: Candidate) -> Iterator[str]:
    rows = before.get("rows")
    if rows is not None and rows != candidate.rows:
        yield f"Records: {candidate.rows:,}; there were {rows:,}."


def _variables(record: Mapping[str, Any], profile: Profile) -> Iterator[str]:
    behind = {role.value for role in LEFT_BEHIND}
    plans = record.get("profile", {}).get("plan", {}).get("variables", {})
    then = {name for name, plan in plans.items() if plan.get("role") not in behind}
    now = {*profile.roles.released}
    for said, names in (("New variables", now - then), ("No longer there", then - now)):
        if names:
            yield f"{said}: {', '.join(sorted(names))}."


def _methods(before: Mapping[str, Any], candidate: Candidate) -> Iterator[str]:
    then = [step["method"] for step in before.get("steps", ())]
    now = [step.method for step in candidate.steps]
    if then != now:
        yield f"Methods: {', '.join(now) or 'none'}; before: {', '.join(then) or 'none'}."


def _judged(before: Mapping[str, Any], findings: Sequence[Finding]) -> Iterator[str]:
    then = {each["criterion"]: each.get("value") for each in before.get("findings", ())}
    for finding in findings:
        held = then.get(finding.criterion)
        if finding.value is not None and held is not None and f"{held:.4g}" != f"{finding.value:.4g}":
            yield f"{finding.criterion}: {finding.value:.4g}; before: {held:.4g}."
