"""Says what would have to change so that a criterion holds: from which value to which limit, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.report import wording
from sdc.report.judged_findings import limit_of
from sdc.report.trials import said_of_trials

if TYPE_CHECKING:
    from sdc.catalogue.finding import Finding
    from sdc.gate.judged import JudgedCandidate
    from sdc.report.facts import RunFacts
    from sdc.report.views import Told


def change(
    facts: RunFacts,
    candidate: JudgedCandidate,
    finding: Finding,
    value: str,
    *,
    secret: bool = False,
    how: Told | None = None,
    trials: bool = False,
) -> str:
    """What would have passed, what drives the number, how many records it is, and who else passes.

    With `trials` also which change of the steps gets there.
    """
    limit = limit_of(finding, facts.profile)
    if secret:
        return f"“{finding.criterion}” must be {limit}{_source(finding)}."
    tried = said_of_trials(facts.trials, finding, candidate.decision.findings) if trials else ""
    others = [
        other.name
        for other in facts.candidates
        if other.name != candidate.name
        and any(held.criterion == finding.criterion and held.holds for held in other.decision.findings)
    ]
    return " ".join(filter(None, (needed(finding, value, limit, how), tried, _passing(others))))


def needed(finding: Finding, value: str, limit: str, how: Told | None = None) -> str:
    """From which value to which limit, by which rule, what drives the number and how many records it is."""
    name, source = f"“{finding.criterion}”", _source(finding)
    if finding.value is None:
        return f"{name} must be measured and be {limit}{source}; it was not assessed."
    if finding.at_least is None and finding.at_most is None:
        return f"{name} must hold{source}."
    if finding.margin is not None and finding.margin >= 0:
        return f"{name} is {value} and was refused all the same{source}."
    way = "rise" if is_below(finding) else "fall"
    drives = f" It is driven by {how.driver}." if how and how.driver else ""
    stands = f" {wording.sentence(how.records, '')}." if how and how.records else ""
    return f"{name} must {way} from {value} to {limit}{source}.{drives}{stands}"


def is_below(finding: Finding) -> bool:
    return finding.at_least is not None and finding.value is not None and finding.value < finding.at_least


def _source(finding: Finding) -> str:
    return f" ({finding.because})" if finding.because else ""


def _passing(others: list[str]) -> str:
    if not others:
        return ""
    named = wording.listed([f"“{other}”" for other in others])
    one = len(others) == 1
    return f"The candidate{'' if one else 's'} {named} {'meets' if one else 'meet'} it."
