"""Compares a run with the release that people approved, and says what is not materially the same.

A `Shape` is what a release consists of, whatever its records say; `compared` names in words whatever is not
as it was approved. Texts hold names, counts and judged numbers only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc.audit.fasttrack_memo import Drift, said
from sdc.catalogue.external import EXTERNAL
from sdc.catalogue.registry import measures
from sdc.data.roles import Role, VariableType

if TYPE_CHECKING:
    import pyarrow as pa

    from sdc.profile.plan import Fasttrack

WORDING = frozenset({"label", "unit"})
"""Keys of a variable that say what it is called, not what it is."""
POLICY = {
    "access": "who may have it",
    "missing_keys": "what a missing key means",
    "approval": "when people decide, and who",
}


@dataclass(frozen=True)
class Shape:
    """A candidate as its sealed record and its file have it.

    `kinds` says of each released column what its values are; `categories` has, for those with a code list,
    how many records have each code.
    """

    plan: Mapping[str, Any]
    steps: Sequence[Mapping[str, Any]]
    findings: Sequence[Mapping[str, Any]]
    kinds: Mapping[str, str]
    categories: Mapping[str, Mapping[str, int]]

    @classmethod
    def of(cls, record: Mapping[str, Any], rows: pa.Table) -> Shape:
        """The chosen candidate of a record, and the records it was stored with."""
        chosen = next(
            candidate for candidate in record["candidates"] if candidate["name"] == record["chosen"]
        )
        plan = record["profile"]["plan"]
        kinds = {column: _kind(rows.schema.field(column).type) for column in rows.column_names}
        coded = [
            column
            for column in rows.column_names
            if _has_codes(plan["variables"].get(column, {}), kinds[column])
        ]
        return cls(
            plan,
            chosen["steps"],
            chosen["findings"],
            kinds,
            {column: _counted(rows, column) for column in coded},
        )


def _kind(held: pa.DataType) -> str:
    from pyarrow import types

    if types.is_dictionary(held):
        return _kind(held.value_type)
    if types.is_boolean(held):
        return "yes or no"
    if types.is_temporal(held):
        return "dates"
    return "numbers" if types.is_integer(held) or types.is_floating(held) else "texts"


def _has_codes(variable: Mapping[str, Any], kind: str) -> bool:
    if variable.get("role") == Role.HOUSEHOLD:
        return False
    return kind == "texts" or variable.get("type") in (VariableType.CATEGORICAL, VariableType.ORDINAL)


def _counted(rows: pa.Table, column: str) -> dict[str, int]:
    counted = rows.column(column).combine_chunks().value_counts().to_pylist()
    return {str(each["values"]): each["counts"] for each in counted if each["values"] is not None}


def compared(approved: Shape, now: Shape, allowed: Fasttrack) -> tuple[tuple[str, ...], tuple[Drift, ...]]:
    """Why people must look again, if they must, and how far every judged number moved."""
    drifts = _drifts(approved.findings, now.findings)
    reasons = [
        *_of_variables(approved, now),
        *_of_categories(approved, now, allowed),
        *_of_methods(approved.steps, now.steps),
        *_of_plan(approved.plan, now.plan),
        *_of_findings(approved.findings, now.findings),
        *(_drifted(each, allowed.drift) for each in drifts if each.share > allowed.drift),
    ]
    return tuple(reasons), drifts


def _of_variables(approved: Shape, now: Shape) -> Iterator[str]:
    before, after = approved.plan["variables"], now.plan["variables"]
    yield from (f"{name} is a new variable" for name in after if name not in before)
    yield from (f"{name} is no variable any more" for name in before if name not in after)
    for name in (name for name in after if name in before):
        # A record of a version without words for codes has none.
        old, new = ({"values": {}, **each[name]} for each in (before, after))
        keys = [key for key in {**old, **new} if key not in WORDING and old.get(key) != new.get(key)]
        if keys:
            yield f"{name} has another {' and '.join(keys)} than was approved"
    for name in sorted(approved.kinds.keys() | now.kinds.keys()):
        then, held = approved.kinds.get(name, "nothing"), now.kinds.get(name, "nothing")
        if then != held and name in before and name in after:
            yield f"{name} is released as {held}, approved were {then}"


def _of_categories(approved: Shape, now: Shape, allowed: Fasttrack) -> Iterator[str]:
    for name in (name for name in now.categories if name in approved.categories):
        before, after = approved.categories[name], now.categories[name]
        fresh = sum(code not in before for code in after)
        if name in allowed.geography and len(after) > len(before):
            yield (
                f"{name} is finer: {len(after)} areas, {len(before)} {'was' if len(before) == 1 else 'were'}"
                " approved"
            )
        elif fresh:
            yield (
                f"{name} has {fresh} categor{'y' if fresh == 1 else 'ies'} that"
                f" {'was' if fresh == 1 else 'were'} not in the approved release"
            )
        if (
            name in allowed.geography
            and before
            and after
            and min(after.values()) < (1 - allowed.drift) * min(before.values())
        ):
            yield (
                f"the smallest area of {name} has {min(after.values())} records, {min(before.values())} were"
                " approved"
            )


def _of_methods(approved: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    before, after = ([step["method"] for step in steps] for steps in (approved, now))
    if EXTERNAL.name in after:
        yield "the candidate was made elsewhere, and how is not known here"
    if before != after:
        yield f"its methods are {', '.join(after) or 'none'}; approved were {', '.join(before) or 'none'}"
        return
    for place, (then, held) in enumerate(zip(approved, now, strict=True), start=1):
        if then["options"] != held["options"]:
            yield f"step {place}, {held['method']}, has other options than were approved"


def _of_plan(approved: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for family in ("risk", "utility"):
        before, after = (
            [{**criterion, "because": ""} for criterion in plan[family]] for plan in (approved, now)
        )
        changed = [_alias(criterion) for criterion in after if criterion not in before] + [
            _alias(criterion) for criterion in before if criterion not in after
        ]
        if changed:
            yield f"criteria of {family} are not those approved: {', '.join(dict.fromkeys(changed))}"
    yield from (
        f"another {key} than was approved ({words})"
        for key, words in POLICY.items()
        if approved.get(key) != now.get(key)
    )
    if approved["publish"]["outbox"] != now["publish"]["outbox"]:
        yield "another outbox than was approved (where it goes)"
    if approved["source"]["holdout_share"] != now["source"]["holdout_share"]:
        yield "another holdout_share than was approved: attacks were measured on other terms"


TOGETHER = {
    None: "{count} of the records are singled out together with earlier releases",
    "newly_revealed_values": "{count} values were blank in earlier releases and are shown now",
    "suppressed_in_vain": "{count} values are blank now and were shown in earlier releases",
}
"""What a look back may find, by part of its measurement; None is its value."""


def given_away(now: Mapping[str, Any]) -> Iterator[str]:
    """What a run gives away together with the releases before it.

    It must have been measured, and nothing found to which nobody set a limit.
    """
    looking = [name for name, measure in measures().items() if measure.looks_back]
    chosen: Mapping[str, Any] = next(
        (each for each in now["candidates"] if each["name"] == now["chosen"]), {}
    )
    taken = [measured for measured in chosen.get("measurements", ()) if measured["measure"] in looking]
    if not taken:
        yield (
            f"nobody measured what it gives away together with earlier releases: {' or '.join(looking)} is"
            " not in its profile"
        )
    criteria = [
        each for each in now["profile"]["plan"]["risk"] if not each.get("for") or now["chosen"] in each["for"]
    ]
    judged = {
        (_alias(each), each.get("part"))
        for each in criteria
        if each.get("at_least") is not None or each.get("at_most") is not None
    }
    for measured in taken:
        if measured["value"] is None:
            yield f"{measured['as']} is not assessed: {measured['not_assessed']}"
            continue
        for part, words in TOGETHER.items():
            count = measured["parts"].get(part, 0) if part else measured["value"]
            if count and (measured["as"], part) not in judged:
                yield f"{words.format(count=said(count))}, and no criterion limits it"


def _alias(criterion: Mapping[str, Any]) -> str:
    return str(criterion.get("as") or criterion["measure"])


def _keyed(findings: Sequence[Mapping[str, Any]]) -> dict[tuple[Any, ...], Mapping[str, Any]]:
    return {
        (found["family"], found["criterion"], found["at_least"], found["at_most"]): found
        for found in findings
    }


def _of_findings(approved: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    before = _keyed(approved)
    for key, found in _keyed(now).items():
        if key not in before:
            yield f"{found['criterion']} was not judged in the approved run"
        elif not found["holds"] and before[key]["holds"]:
            yield f"{found['criterion']} does not hold now, and it did when the release was approved"
    yield from (
        f"{found['criterion']} was judged in the approved run and is not now"
        for key, found in before.items()
        if key not in _keyed(now)
    )


def _drifts(approved: Sequence[Mapping[str, Any]], now: Sequence[Mapping[str, Any]]) -> tuple[Drift, ...]:
    """Of every number judged in both.

    The difference as a share of the approved value, or of the limit where that was zero.
    """
    before = _keyed(approved)
    both = [(before[key], found) for key, found in _keyed(now).items() if key in before]
    return tuple(
        Drift(found["criterion"], then["value"], found["value"], _share(then, found["value"]))
        for then, found in both
    )


def _share(then: Mapping[str, Any], now: float | None) -> float:
    if then["value"] == now:
        return 0.0
    if then["value"] is None or now is None:
        return math.inf
    limits = [abs(limit) for limit in (then["at_least"], then["at_most"]) if limit]
    scale = abs(then["value"]) or min(limits, default=0.0)
    return abs(now - then["value"]) / scale if scale else math.inf


def _drifted(drift: Drift, allowed: float) -> str:
    moved = f"{drift.criterion} was {said(drift.approved)} when approved and is {said(drift.now)}"
    return f"{moved}: a drift of {said(drift.share)}, {allowed:.3g} is allowed"
