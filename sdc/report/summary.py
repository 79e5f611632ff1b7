"""What a board must see first: the tightest criteria, doubtful numbers, and the cost of the choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.finding import Otherwise
from sdc.catalogue.registry import find_measure
from sdc.gate.pareto import MapAxis
from sdc.report import wording
from sdc.report.findings import criteria, findings
from sdc.report.judged_findings import interval_of, judged, measured
from sdc.report.readings import worth_a_look
from sdc.report.views import Summary, Tight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.catalogue.finding import Finding
    from sdc.gate.judged import JudgedCandidate
    from sdc.report.edition import Rules
    from sdc.report.facts import RunFacts
    from sdc.report.views import FindingView

MOST_TIGHT, MOST_OTHERS, MOST_NAMED, MOST_LOOKS = 3, 3, 3, 4


def summary(facts: RunFacts, rules: Rules) -> Summary | None:
    """The first screen, where there is a candidate to show.

    For a run that published nothing, the public edition does not even show what is tightest.
    """
    focus = facts.focus
    if focus is None or (rules.public and facts.chosen is None):
        return None
    return Summary(
        _tightest(facts, focus, rules),
        _first(worth_a_look(facts, focus, rules)),
        () if rules.public else costs(facts, focus),
    )


def _first(lines: Sequence[str]) -> tuple[str, ...]:
    """As many lines as the first screen has room for, and how many more there are."""
    more = len(lines) - MOST_LOOKS
    return (*lines[:MOST_LOOKS], *([f"{more} more: see the lists of risk and utility"] if more > 0 else []))


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

    Criteria and the preferred measurement are compared; those that differ most in their margins are named.
    """
    said = []
    for other in facts.candidates:
        if other.name == chosen.name:
            continue
        found = sorted(_by_criteria(facts, chosen, other), key=lambda each: -abs(each.gain))
        preferred = _by_preference(facts, chosen, other)
        better, worse = (
            _named([each for each in found if is_so(each)], [each for each in preferred if is_so(each)])
            for is_so in (Gain.is_better, Gain.is_worse)
        )
        told = [f"better on {better}"] if better else []
        told += [f"worse on {worse}"] if worse else []
        if told:
            said.append(f"“{other.name}” ({facts.said_of(other)}) is {' and '.join(told)}.")
    return tuple(said[:MOST_OTHERS])


@dataclass(frozen=True)
class Gain:
    """By how much another candidate is better than the chosen one, in shares of a limit, and in words."""

    gain: float
    words: str

    def is_better(self) -> bool:
        return self.gain > 0

    def is_worse(self) -> bool:
        return self.gain < 0


def _named(found: Sequence[Gain], preferred: Sequence[Gain]) -> str:
    """The first of the differences in words, what is preferred, and how many more there are."""
    shown = found[: MOST_NAMED - len(preferred)]
    words = [each.words for each in (*shown, *preferred)]
    more = len(found) - len(shown)
    return wording.listed([*words, *([f"{more} more"] if more else [])]) if words else ""


def _by_criteria(facts: RunFacts, chosen: JudgedCandidate, other: JudgedCandidate) -> list[Gain]:
    """Criteria both are judged by, with numbers that are not said alike."""
    mine, theirs = (
        {finding.criterion: finding for finding in criteria(each.decision)} for each in (chosen, other)
    )
    found = []
    for name in mine:
        my, their = mine[name], theirs.get(name)
        if their is None or my.value is None or their.value is None or not _differ(my.value, their.value):
            continue
        if their.relative_margin == my.relative_margin:
            continue
        is_end = any(_is_end(facts, each, held) for each, held in ((chosen, my), (other, their)))
        words = _instead(name, their.value, my.value, "judged at " if is_end else "")
        found.append(Gain(their.relative_margin - my.relative_margin, words))
    return found


def _is_end(facts: RunFacts, candidate: JudgedCandidate, finding: Finding) -> bool:
    """Whether the number that was judged is not the estimate but an end of its interval."""
    about = judged(finding, facts.profile)
    taken = measured(candidate, about) if interval_of(candidate, about) else None
    return taken is not None and taken.estimate != finding.value


def _by_preference(facts: RunFacts, chosen: JudgedCandidate, other: JudgedCandidate) -> list[Gain]:
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
    gain = (axis.badness(mine) - axis.badness(theirs)) / (abs(mine) or 1.0)
    return [Gain(gain, _instead(axis.label, theirs, mine))]


def _differ(mine: float, theirs: float) -> bool:
    return wording.number(mine, 3) != wording.number(theirs, 3)


def _instead(name: str, theirs: float, mine: float, judged_at: str = "") -> str:
    return f"{name} ({judged_at}{wording.number(theirs, 3)} instead of {wording.number(mine, 3)})"
