"""What must a board see first? The tightest criteria, what nobody judges and looks bad, and what the choice of the candidate costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.report import wording
from sdc.report.findings import criteria, findings
from sdc.report.readings import worth_a_look
from sdc.report.views import Summary, Tight

if TYPE_CHECKING:
    from sdc.gate import Finding
    from sdc.report.edition import Rules
    from sdc.report.facts import CandidateFacts, RunFacts
    from sdc.report.views import FindingView

MOST_TIGHT, MOST_OTHERS = 3, 3


def summary(facts: RunFacts, rules: Rules) -> Summary | None:
    """The first screen, where there is a candidate to speak of."""
    focus = facts.focus
    if focus is None:
        return None
    return Summary(_tightest(facts, focus, rules), worth_a_look(facts, focus, rules), () if rules.public else costs(facts, focus))


def _tightest(facts: RunFacts, candidate: CandidateFacts, rules: Rules) -> tuple[Tight, ...]:
    """The criteria with the smallest margins for their limits, what is only noted last."""
    views = {(view.name, view.limit): view for view in findings(facts, candidate, rules, facts.rows.get("original"))}
    ordered = sorted(criteria(candidate.decision), key=lambda finding: (finding.otherwise == "note", finding.relative_margin))
    shown = [view for finding in ordered if (view := _view_of(finding, views))]
    return tuple(Tight(view.name, view.anchor, view.state, _reads(view), view.told.driver) for view in shown[:MOST_TIGHT])


def _view_of(finding: Finding, views: dict[tuple[str, str], FindingView]) -> FindingView | None:
    named = [view for (name, _), view in views.items() if name.partition(",")[0] == finding.criterion]
    exact = [view for view in named if view.limit.startswith(wording.limit(finding.at_least, finding.at_most))]
    return next(iter(exact or named), None)


def _reads(view: FindingView) -> str:
    """Value, limit and margin in one line."""
    value = f"{view.value.text}{f' ({view.judged})' if view.judged else ''}" if view.value else "no value"
    margin = f": {view.margin}" if view.margin else ""
    return f"{value}, {view.limit}{margin}"


def costs(facts: RunFacts, chosen: CandidateFacts) -> tuple[str, ...]:
    """For each other candidate the gate does not withhold: on which criteria it has more to spare than the chosen one, and on which less."""
    mine = {finding.criterion: finding for finding in criteria(chosen.decision) if finding.value is not None}
    said = []
    for other in facts.candidates:
        theirs = {finding.criterion: finding for finding in criteria(other.decision) if finding.value is not None}
        both = [name for name in mine if name in theirs and mine[name].value != theirs[name].value]
        if other.name == chosen.name or not both:
            continue
        more = [_instead(mine[name], theirs[name]) for name in both if theirs[name].relative_margin > mine[name].relative_margin]
        less = [_instead(mine[name], theirs[name]) for name in both if theirs[name].relative_margin < mine[name].relative_margin]
        told = [f"has more to spare on {wording.listed(more)}" if more else "", f"less on {wording.listed(less)}" if less else ""]
        verdict = facts.said_of(other)
        said.append(f"“{other.name}” ({verdict}) {' and '.join(filter(None, told)) if more else f'has {told[1]}'}.")
    return tuple(said[:MOST_OTHERS])


def _instead(mine: Finding, theirs: Finding) -> str:
    assert mine.value is not None
    assert theirs.value is not None
    return f"{mine.criterion} ({wording.number(theirs.value, 3)} instead of {wording.number(mine.value, 3)})"
