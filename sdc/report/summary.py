"""What a board must see first: the tightest criteria, doubtful numbers, and the cost of the choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.catalogue.finding import Otherwise
from sdc.catalogue.registry import find_measure
from sdc.gate.pareto import MapAxis
from sdc.report import wording
from sdc.report.findings import criteria, findings
from sdc.report.readings import worth_a_look
from sdc.report.views import Summary, Tight

if TYPE_CHECKING:
    from sdc.catalogue.finding import Finding
    from sdc.gate.judged import JudgedCandidate
    from sdc.report.edition import Rules
    from sdc.report.facts import RunFacts
    from sdc.report.views import FindingView

MOST_TIGHT, MOST_OTHERS = 3, 3


def summary(facts: RunFacts, rules: Rules) -> Summary | None:
    """The first screen, where there is a candidate to show.

    For a run that published nothing, the public edition does not even show what is tightest.
    """
    focus = facts.focus
    if focus is None or (rules.public and facts.chosen is None):
        return None
    return Summary(
        _tightest(facts, focus, rules),
        worth_a_look(facts, focus, rules),
        () if rules.public else costs(facts, focus),
    )


def _tightest(facts: RunFacts, candidate: JudgedCandidate, rules: Rules) -> tuple[Tight, ...]:
    """The criteria with the smallest margins for their limits, what is only noted last."""
    views = {
        (view.name, view.limit): view
        for view in findings(facts, candidate, rules, facts.rows.get("original"))
    }
    ordered = sorted(
        criteria(candidate.decision),
        key=lambda finding: (finding.otherwise is Otherwise.NOTE, finding.relative_margin),
    )
    shown = [view for finding in ordered if (view := _view_of(finding, views))]
    return tuple(
        Tight(view.name, view.anchor, view.state, _reads(view), view.told.driver)
        for view in shown[:MOST_TIGHT]
    )


def _view_of(finding: Finding, views: dict[tuple[str, str], FindingView]) -> FindingView | None:
    named = [view for (name, _), view in views.items() if name.partition(",")[0] == finding.criterion]
    exact = [
        view for view in named if view.limit.startswith(wording.limit(finding.at_least, finding.at_most))
    ]
    return next(iter(exact or named), None)


def _reads(view: FindingView) -> str:
    """Value, limit and margin in one line."""
    value = f"{view.value.text}{f' ({view.judged})' if view.judged else ''}" if view.value else "no value"
    margin = f": {view.margin}" if view.margin else ""
    return f"{value}, {view.limit}{margin}"


def costs(facts: RunFacts, chosen: JudgedCandidate) -> tuple[str, ...]:
    """For each other candidate, where it is better than the chosen one and where it is worse.

    Criteria and the preferred measurement are compared.
    """
    said = []
    for other in facts.candidates:
        found = (
            []
            if other.name == chosen.name
            else [*_by_criteria(chosen, other), *_by_preference(facts, chosen, other)]
        )
        better = [words for is_better, words in found if is_better]
        worse = [words for is_better, words in found if not is_better]
        told = [f"better on {wording.listed(better)}"] if better else []
        told += [f"worse on {wording.listed(worse)}"] if worse else []
        if found:
            said.append(f"“{other.name}” ({facts.said_of(other)}) is {' and '.join(told)}.")
    return tuple(said[:MOST_OTHERS])


def _by_criteria(chosen: JudgedCandidate, other: JudgedCandidate) -> list[tuple[bool, str]]:
    """Criteria both are judged by, with numbers that are not said alike."""
    mine, theirs = (
        {finding.criterion: finding for finding in criteria(each.decision)} for each in (chosen, other)
    )
    both = [(mine[name], theirs[name]) for name in mine if name in theirs]
    return [
        (their.relative_margin > my.relative_margin, _instead(my.criterion, their.value, my.value))
        for my, their in both
        if my.value is not None and their.value is not None and _differ(my.value, their.value)
    ]


def _by_preference(
    facts: RunFacts, chosen: JudgedCandidate, other: JudgedCandidate
) -> list[tuple[bool, str]]:
    """The measurement by which the profile prefers candidates, where no criterion shows it already."""
    prefer = facts.profile.prefer
    if prefer is None or any(finding.criterion == prefer.measure for finding in criteria(chosen.decision)):
        return []
    named = [each for each in facts.profile.criteria if each.alias == prefer.measure]
    axis = MapAxis(
        prefer.measure, prefer.part, find_measure(named[0].measure if named else prefer.measure).better
    )
    mine, theirs = (axis.value(each.assessments) for each in (chosen, other))
    if mine is None or theirs is None or not _differ(mine, theirs):
        return []
    return [(axis.badness(theirs) < axis.badness(mine), _instead(axis.label, theirs, mine))]


def _differ(mine: float, theirs: float) -> bool:
    return wording.number(mine, 3) != wording.number(theirs, 3)


def _instead(name: str, theirs: float, mine: float) -> str:
    return f"{name} ({wording.number(theirs, 3)} instead of {wording.number(mine, 3)})"
