"""Shows which candidate meets which criterion, and by how much."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sdc.catalogue.finding import Otherwise
from sdc.report import wording
from sdc.report.comparison_views import Matrix, MatrixCell, MatrixColumn, MatrixRow
from sdc.report.findings import STATES, margin, state
from sdc.report.judged_findings import find_doubt, judged, limit_of, reading_of

if TYPE_CHECKING:
    from sdc.catalogue.finding import Finding
    from sdc.gate.decision import Decision
    from sdc.gate.judged import JudgedCandidate
    from sdc.report.edition import Rules
    from sdc.report.facts import RunFacts

Key = tuple[str, str, float | None, float | None]
MOST_NAMED = 2


def matrix(facts: RunFacts, rules: Rules) -> Matrix | None:
    """All candidates by all criteria, where there are several candidates and the edition shows them."""
    if rules.public or len(facts.candidates) < 2:
        return None
    candidates = sorted(facts.candidates, key=lambda candidate: -candidate.decision.worst_margin())
    held = {
        candidate.name: {_key(finding): finding for finding in _criteria(candidate.decision)}
        for candidate in candidates
    }
    keys = list(dict.fromkeys(key for found in held.values() for key in found))
    keys.sort(key=lambda key: min(found[key].relative_margin for found in held.values() if key in found))
    rows = [
        MatrixRow(
            name,
            family,
            next(limit_of(found[key], facts.profile) for found in held.values() if key in found),
            tuple(_cell(facts, each, held[each.name].get(key), rules) for each in candidates),
        )
        for key in keys
        for name, family, *_ in [key]
    ]
    checked = [_checked(each.decision) for each in candidates]
    if any(cell.state != "holds" for cell in checked):
        rows.insert(0, MatrixRow("checks of the table", "gate", "all must hold", tuple(checked)))
    columns = [
        MatrixColumn(each.name, facts.said_of(each), tightest(each.decision), each.name == facts.chosen)
        for each in candidates
    ]
    return Matrix(tuple(columns), tuple(rows))


def _checked(decision: Decision) -> MatrixCell:
    """How the gate's own checks of a candidate stand.

    It names those that do not hold and are not only noted.
    """
    failed = [finding for finding in decision.missed() if not finding.family.measured]
    if not failed:
        return MatrixCell("holds", "all hold")
    worst = min((state(finding) for finding in failed), key=STATES.index)
    named = wording.listed([wording.check(finding.criterion) for finding in failed[:MOST_NAMED]])
    more = f" and {len(failed) - MOST_NAMED} more" if len(failed) > MOST_NAMED else ""
    return MatrixCell(
        worst, f"{len(failed)} {'does' if len(failed) == 1 else 'do'} not hold", f"{named}{more}"
    )


def _criteria(decision: Decision) -> list[Finding]:
    return [finding for finding in decision.findings if finding.family.measured]


def _key(finding: Finding) -> Key:
    return finding.criterion, finding.family, finding.at_least, finding.at_most


def tightest(decision: Decision) -> str:
    """The criterion with the smallest margin, in words."""
    judged = [finding for finding in _criteria(decision) if finding.otherwise is not Otherwise.NOTE]
    if not judged:
        return "nothing is judged"
    worst = min(judged, key=lambda finding: finding.relative_margin)
    share = worst.relative_margin
    if not math.isfinite(share):
        return f"{worst.criterion} has no value"
    if share == 0:
        return f"{worst.criterion}: exactly at the limit"
    zero = 0 in (worst.at_least, worst.at_most) and abs(share) == abs(worst.margin or 0)
    by = wording.number(abs(share), 3) if zero else f"{wording.number(100 * abs(share), 2)} % of the limit"
    return f"{worst.criterion}: {by} to spare" if worst.holds else f"{worst.criterion}: misses by {by}"


def _cell(facts: RunFacts, candidate: JudgedCandidate, finding: Finding | None, rules: Rules) -> MatrixCell:
    if finding is None:
        return MatrixCell()
    about = judged(finding, facts.profile)
    if finding.value is None:
        return MatrixCell(state(finding), "no value", doubt=find_doubt(facts.profile, candidate, about))
    text = reading_of(candidate, finding, facts.profile)
    return MatrixCell(
        state(finding), text, margin(finding, rules), find_doubt(facts.profile, candidate, about)
    )
