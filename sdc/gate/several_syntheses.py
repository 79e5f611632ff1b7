"""Joins the facts of several syntheses that leave together: of each fact, the worst counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sdc.gate.comparison_facts import comparison_limits
from sdc.gate.copies import ComparisonFact

if TYPE_CHECKING:
    from sdc.gate.decision import Limit
    from sdc.profile import Profile


def worst_facts(limits: Sequence[Limit], found: Sequence[Mapping[str, int | None]]) -> dict[str, int | None]:
    """The facts of the tables, each that of the table which is worst by its limit."""
    by_column = {limit.column: limit for limit in limits}
    return {
        column: found[_worst(by_column[column], [each[column] for each in found])][column]
        for column in found[0]
    }


def worst_comparison(
    profile: Profile, found: Sequence[Mapping[str, ComparisonFact]]
) -> dict[str, ComparisonFact]:
    """The same for what was found beside the original; its words say which synthesis it is."""
    if len(found) == 1:
        return dict(found[0])
    worst = {}
    for limit in comparison_limits(profile):
        place = _worst(limit, [each[limit.column].number for each in found])
        fact = found[place][limit.column]
        words = f"synthesis {place + 1} of {len(found)}: {fact.words}" if fact.words else ""
        worst[limit.column] = ComparisonFact(fact.number, words)
    return worst


def _worst(limit: Limit, numbers: Sequence[float | None]) -> int:
    """The place of the number nearest to its limits or furthest beyond; one that is not there is worst.

    Of a count that is reported and not limited, the largest is told.
    """
    is_reported = limit.at_least == 0 and limit.at_most is None

    def margin(place: int) -> float:
        number = numbers[place]
        if number is None:
            return -math.inf
        return -number if is_reported else limit.margin(number)

    return min(range(len(numbers)), key=margin)
