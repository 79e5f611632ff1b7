"""What the gate would say of a run at other limits: the numbers are those of its sealed record."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sdc.catalogue.finding import Finding
from sdc.gate.decision import Decision, Limit
from sdc.report import wording
from sdc.spelling import counted
from sdc.web.criteria import ends_of, reading_of
from sdc.web.record_doubts import MARK, doubts

if TYPE_CHECKING:
    from sdc.audit.record import RunView

AT_LEAST, AT_MOST = "at_least", "at_most"
MOST_CHARACTERS = 40
BELOW = "records_below_"


@dataclass(frozen=True)
class Asked:
    """One criterion in the form: what the profile demands, and what is asked instead."""

    criterion: str
    demanded: str
    at_least: str
    at_most: str
    fault: str = ""
    has_least: bool = False
    has_most: bool = False


@dataclass(frozen=True)
class OtherVerdict:
    """A candidate now and at the limits asked for, in sentences."""

    candidate: str
    before: str
    after: str
    changes: tuple[str, ...]

    @property
    def is_change(self) -> bool:
        return self.before != self.after or bool(self.changes)


@dataclass(frozen=True)
class WhatIf:
    """The form and its answer."""

    run: str
    asked: tuple[Asked, ...]
    outcomes: tuple[OtherVerdict, ...]
    is_asked: bool


def what_if(view: RunView, query: Mapping[str, str]) -> WhatIf:
    """The verdict on every candidate, were the limits those of the form; nothing is measured or recorded."""
    record = view.record or {}
    candidates: Sequence[Mapping[str, Any]] = record.get("candidates", ())
    judged = {held["name"]: Decision.from_record(held["name"], held["findings"]) for held in candidates}
    asked = tuple(_asked(judged, query))
    limits = {each.criterion: each for each in asked if not each.fault}
    doubted = doubts(record) if record else {}
    outcomes = tuple(
        _outcome(held, judged[held["name"]], limits, doubted)
        for held in candidates
        if judged[held["name"]].findings
    )
    return WhatIf(view.row.run, asked, outcomes, bool(query))


def _asked(judged: Mapping[str, Decision], query: Mapping[str, str]) -> Iterator[Asked]:
    """Every criterion of some candidate, once."""
    seen: dict[str, Finding] = {}
    for decision in judged.values():
        for finding in decision.findings:
            if finding.family.measured:
                seen.setdefault(finding.criterion, finding)
    for name, finding in seen.items():
        least, most = (
            query.get(f"{end}.{name}", _written(getattr(finding, end))).strip()[:MOST_CHARACTERS]
            for end in (AT_LEAST, AT_MOST)
        )
        wrong = next((text for text in (least, most) if text and _number(text) is None), "")
        nothing = not least and not most
        yield Asked(
            name,
            wording.limit(finding.at_least, finding.at_most),
            least,
            most,
            f"“{wrong}” is no number" if wrong else "a criterion needs a limit" if nothing else "",
            has_least=finding.at_least is not None,
            has_most=finding.at_most is not None,
        )


def _outcome(
    held: Mapping[str, Any],
    decision: Decision,
    limits: Mapping[str, Asked],
    doubted: Mapping[tuple[str, str], str],
) -> OtherVerdict:
    findings = tuple(
        _judged(held, finding, limits[finding.criterion]) if finding.criterion in limits else finding
        for finding in decision.findings
    )
    changes = [
        _sentence(held, after)
        + (f"; it {MARK}: {reason}" if (reason := doubted.get((held["name"], after.criterion))) else "")
        for before, after in zip(decision.findings, findings, strict=True)
        if (before.at_least, before.at_most) != (after.at_least, after.at_most)
    ]
    after = replace(decision, findings=findings)
    return OtherVerdict(
        held["name"], decision.verdict.of_candidate, after.verdict.of_candidate, tuple(changes)
    )


def _judged(held: Mapping[str, Any], finding: Finding, asked: Asked) -> Finding:
    """The finding at other limits. A value that is not known, or was refused, stays so.

    Of an interval the end is judged that is the worse one at these limits.
    """
    least, most = _number(asked.at_least), _number(asked.at_most)
    if (least, most) == (finding.at_least, finding.at_most):
        return finding
    changed = replace(finding, at_least=least, at_most=most)
    if finding.value is None or finding.relative_margin == -math.inf:
        return changed
    limit = Limit(finding.criterion, finding.criterion, finding.family, least, most, finding.otherwise)
    value = min(ends_of(finding, held["measurements"]), key=limit.margin)
    margin = limit.margin(value)
    return replace(changed, value=value, margin=margin, holds=margin >= 0)


def _sentence(held: Mapping[str, Any], finding: Finding) -> str:
    """What a criterion says at its new limit, with the people it is about where the record counts them."""
    demanded = wording.limit(finding.at_least, finding.at_most)
    if finding.value is None:
        return f"{finding.criterion} has no value, so it cannot hold at any limit"
    value = reading_of(finding, held["measurements"])
    said = f"{finding.criterion} is {value}: {demanded} {'holds' if finding.holds else 'does not hold'}"
    people = _people(held, finding)
    return f"{said}; {people}" if people else said


def _people(held: Mapping[str, Any], finding: Finding) -> str:
    """How many records are in classes below the size asked for, where the measurement counted them."""
    measured = next((each for each in held["measurements"] if each["as"] == finding.criterion), None)
    if measured is None or finding.at_least is None:
        return ""
    return in_smaller_classes(measured.get("parts") or {}, finding.at_least)


def in_smaller_classes(parts: Mapping[str, float], size: float) -> str:
    """How many people are in classes below a size, by the sizes that were counted; empty where none was.

    Between two sizes that were counted there are at least as many as below the one, at most as many as
    below the other.
    """
    known = {
        int(name.removeprefix(BELOW)): int(count)
        for name, count in parts.items()
        if name.startswith(BELOW) and name.removeprefix(BELOW).isdigit()
    }
    fewest = max((count for asked, count in known.items() if asked <= size), default=0)
    most = 0 if size <= 1 else min((count for asked, count in known.items() if asked >= size), default=None)
    if not known or (most is None and not fewest):
        return ""
    if most is None:
        many = f"at least {counted(fewest, 'person', 'people')}"
    elif fewest == most:
        many = counted(most, "person", "people")
    else:
        between = f"between {fewest:,} and" if fewest else "at most"
        many = f"{between} {counted(most, 'person', 'people')}"
    return f"{many} in smaller classes"


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _written(limit: float | None) -> str:
    return "" if limit is None else f"{limit:g}"
