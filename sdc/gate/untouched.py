"""Asks whether the gate would stop the original itself: criteria that it meets promise nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.catalogue.protection import composed
from sdc.catalogue.registry import find_measure
from sdc.catalogue.units import Better
from sdc.catalogue.validity import BUDGET_MEASURE, INFORMATION_ONLY
from sdc.gate.copies import ComparisonFact
from sdc.gate.decision import JudgedNumber
from sdc.gate.scorecard import judged, read
from sdc.profile.criteria import is_of_some_values, keys_covered, promises
from sdc.profile.parts import judged_number
from sdc.profile.wording import listed
from sdc.spelling import said

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sdc.catalogue.measurement import Assessment
    from sdc.catalogue.protection import Step
    from sdc.gate.decision import Limit
    from sdc.profile import Criterion, Profile

BUDGETS = ((BUDGET_MEASURE, None), ("release_difference", "summed_epsilon"))
NAME = "original"
"""As which candidate the original is measured."""


def original_stopped(
    profile: Profile,
    candidate: str,
    steps: Sequence[Step],
    rows: int,
    measured: Callable[[Criterion], Assessment],
) -> ComparisonFact:
    """Whether the criteria of risk stop the untouched original, whichever of its keys others know.

    They are measured one after the other, those that only count first, until those that stop the original
    cover every key: 1, else 0. A criterion that names keys or variables covers only those. One that cannot be
    assessed on the original stops nothing. A privacy budget is not measured: the original has none, so every
    limit stops it. It counts where the candidate's delta is below one in the number of records: with more, a
    whole record may leave.
    """
    asked = [
        (limit, criterion)
        for limit, criterion in judged(profile, candidate)
        if promises(criterion) and criterion.measure not in INFORMATION_ONLY
    ]
    bare, stopping = set(profile.roles.quasi_identifiers), list[str]()
    for limit, criterion in sorted(asked, key=lambda each: find_measure(each[1].measure).takes_rng):
        covered = keys_covered(criterion, profile.roles)
        if is_of_some_values(criterion, profile.roles) or (bare and not bare & covered):
            continue
        told = (
            _budget_stops(limit, steps, rows)
            if _limits_budget(criterion)
            else _stops(limit, criterion, measured)
        )
        if told:
            stopping.append(told)
            bare -= covered
        if stopping and not bare:
            return ComparisonFact(1, "; ".join(stopping))
    return ComparisonFact(
        0, f"none of those that would stop it looks at {listed(sorted(bare), 'and')}" if stopping else ""
    )


def _stops(limit: Limit, criterion: Criterion, measured: Callable[[Criterion], Assessment]) -> str:
    value = read(limit, criterion, NAME, [measured(criterion)]).value
    if value is None or not _harms(limit, criterion, value):
        return ""
    return (
        f"{limit.criterion} of the original is {said(value)}, and"
        f" {limit.check(NAME, JudgedNumber(value)).would_pass} is demanded"
    )


def _budget_stops(limit: Limit, steps: Sequence[Step], rows: int) -> str:
    spent = composed(steps)
    return (
        f"{limit.criterion}: the original has no proved guarantee"
        if spent is not None and spent.delta * rows < 1
        else ""
    )


def _limits_budget(criterion: Criterion) -> bool:
    """Whether it limits epsilon, of the candidate or of all releases together, low enough to protect."""
    largest = find_measure(BUDGET_MEASURE).protects_within[1]
    return (
        (criterion.measure, criterion.part) in BUDGETS
        and criterion.at_most is not None
        and criterion.at_most <= largest
    )


def _harms(limit: Limit, criterion: Criterion, value: float) -> bool:
    """Whether the value is out of range on the side where it is bad."""
    if judged_number(find_measure(criterion.measure), criterion.part).better is Better.HIGHER:
        return limit.at_least is not None and value < limit.at_least
    return limit.at_most is not None and value > limit.at_most
