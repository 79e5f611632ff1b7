"""The limits of a profile as Great Expectations suites, ready to be saved as JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sdc.catalogue.finding import Otherwise
from sdc.gate.decision import Limit
from sdc.gate.scorecard import scorecard_limits
from sdc.gate.table_facts import table_limits
from sdc.gate.validation import great_expectations, suite_of

if TYPE_CHECKING:
    from sdc.catalogue.protection import Step
    from sdc.profile import Profile

SEVERITY = {Otherwise.WITHHOLD: "critical", Otherwise.REFER: "warning", Otherwise.NOTE: "info"}
LARGEST = sys.float_info.max
SCORECARD = "gate.scorecard"
TABLE_FACTS = "gate.table_facts"


@dataclass(frozen=True)
class Suites:
    """Both suites of one candidate as JSON: over its scorecard, and over the facts counted on its table."""

    scorecard: Mapping[str, Any]
    candidate: Mapping[str, Any]


def build_suites(profile: Profile, candidate: str, steps: Sequence[Step]) -> Suites:
    """The suites a candidate must satisfy, from the profile and what was done to the candidate."""
    scorecard = _suite(profile, candidate, SCORECARD, scorecard_limits(profile, candidate), _of_value)
    facts = _suite(profile, candidate, TABLE_FACTS, table_limits(profile, steps), _of_count)
    return Suites(scorecard, facts)


def limits_of(suite: Mapping[str, Any]) -> tuple[Limit, ...]:
    """The limits a saved suite was made from."""
    return tuple(Limit(**limit) for limit in suite["meta"]["limits"])


def _suite(
    profile: Profile,
    candidate: str,
    name: str,
    limits: Sequence[Limit],
    of_limit: Callable[[Any, Limit], list[Any]],
) -> dict[str, Any]:
    expectations = great_expectations().expectations
    shape = [
        expectations.ExpectTableRowCountToEqual(
            value=1, severity="critical", meta={"column": name, "checks": "one row"}
        ),
        expectations.ExpectTableColumnsToMatchSet(
            column_set=[limit.column for limit in limits],
            exact_match=True,
            severity="critical",
            meta={"column": name, "checks": "columns"},
        ),
    ]
    made = [expectation for limit in limits for expectation in of_limit(expectations, limit)]
    about = {"profile": profile.name, "candidate": candidate, "limits": [asdict(limit) for limit in limits]}
    saved: dict[str, Any] = suite_of(f"{profile.name}.{candidate}.{name}", shape + made, about).to_json_dict()
    return saved


def _of_value(expectations: Any, limit: Limit) -> list[Any]:
    """Expectations that a value is present, finite and within its range.

    The range alone would let nulls pass, and infinity where only a minimum is set.
    """
    between = expectations.ExpectColumnValuesToBeBetween
    present, finite, in_range = _metas(limit)
    low, high = _bounds(limit)
    return [
        expectations.ExpectColumnValuesToNotBeNull(column=limit.column, severity="critical", meta=present),
        between(column=limit.column, min_value=-LARGEST, max_value=LARGEST, severity="critical", meta=finite),
        between(
            column=limit.column,
            min_value=low,
            max_value=high,
            severity=SEVERITY[limit.otherwise],
            meta=in_range,
        ),
    ]


def _of_count(expectations: Any, limit: Limit) -> list[Any]:
    """Expectations that one count among many is present, finite and within its range.

    The maximum of a single value fails on nulls by itself, and costs a tenth of the time.

    Where a count out of range is not critical, one that is no number still is.
    """
    _, finite, in_range = _metas(limit)
    largest = expectations.ExpectColumnMaxToBeBetween
    low, high = _bounds(limit)
    made = [
        largest(
            column=limit.column,
            min_value=low,
            max_value=high,
            severity=SEVERITY[limit.otherwise],
            meta=in_range,
        )
    ]
    if limit.otherwise is not Otherwise.WITHHOLD:
        made.append(
            largest(
                column=limit.column, min_value=-LARGEST, max_value=LARGEST, severity="critical", meta=finite
            )
        )
    return made


def _metas(limit: Limit) -> list[dict[str, Any]]:
    known = {"column": limit.column, "because": limit.because, "source": limit.source}
    return [{**known, "checks": "present"}, {**known, "checks": "finite"}, {**known, "checks": "range"}]


def _bounds(limit: Limit) -> tuple[float, float]:
    return (-LARGEST if limit.at_least is None else limit.at_least), (
        LARGEST if limit.at_most is None else limit.at_most
    )
