"""Whom does this candidate single out together with what was released before?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from sdc.catalogue import NON_PERTURBATIVE, Better, Column, Examines, Family, Need, measure
from sdc.earlier import Located, blanks, located
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair
from sdc.roles import MissingRule
from sdc.statistics.release_join import Join, small_changes
from sdc.table import Table

Array = np.ndarray[Any, Any]


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    bounds=(0, 1),
    needs=(Need.ALIGNED, Need.QUASI_IDENTIFIERS),
    valid_after=NON_PERTURBATIVE,
    examines=Examines.KEYS,
    alternatives=("record_linkage", "class_attribution"),
)
def release_difference(
    pair: ReleasePair,
    *,
    k: Annotated[int, Field(ge=2)] = 3,
    keys: list[Column] | None = None,
    missing: MissingRule | None = None,
) -> Measurement | NotAssessed:
    """The share of records that are alone in their class on the keys of all releases together, and in none of them alone.

    A person's class in the join is made of the labels of the keys in the candidate and in every earlier release: the band
    20-29 now and 25-34 before leave those of 25 to 29. classes_below_k_in_join (and records_below_k_in_join) count classes
    of fewer than k in the join and of k or more in every release alone. newly_revealed_values: values blank in every
    earlier release and shown now; suppressed_in_vain: values blank now that an earlier release shows; both only where the
    records of all earlier releases are found in place. small_count_changes: classes, on the keys that have labels in
    common, which the candidate and an earlier release both show with counts that differ by less than k. A missing key is a
    category or, as a wildcard, matches every value. The size in the join is kept by record.

    Reference: Ganta, Kasiviswanathan, Smith (2008), doi:10.1145/1401890.1401926; Hundepool et al. (2012), Statistical
    Disclosure Control, doi:10.1002/9781118348239, on differencing.
    """
    if not pair.earlier:
        return NotAssessed("no earlier release of this source is known")
    if pair.original.rows != pair.candidate.rows:
        return NotAssessed(f"the original has {pair.original.rows} records and the candidate {pair.candidate.rows}: they are not aligned")
    if not pair.candidate.rows:
        return NotAssessed("the candidate has no records")
    chosen = tuple(key for key in (keys or pair.roles.quasi_identifiers) if key in pair.candidate.columns)
    found = [located(pair, table, chosen, number) for number, table in enumerate(pair.earlier, start=1)]
    for outcome in found:
        if isinstance(outcome, NotAssessed):
            return outcome
    before = [outcome for outcome in found if isinstance(outcome, Located)]
    now = [pair.candidate.codes(key) for key in chosen]
    wildcard = (missing or pair.missing) is MissingRule.WILDCARD
    join = Join.of([[codes for codes, _ in now], *(each.columns for each in before if each.columns)], wildcard=wildcard)
    below = join.below(k)
    parts = {
        "classes_below_k_in_join": join.classes(below),
        "records_below_k_in_join": int(below.sum()),
        "small_count_changes": sum(_small_changes(pair.candidate, each.table, each.keys, k) for each in before),
        "earlier_releases": len(before),
        **(_revealed(pair, before) if all(each.in_place for each in before) else {}),
    }
    return Measurement(join.below(2).mean(), parts, by_record={"size_in_join": join.together})


def _small_changes(candidate: Table, earlier: Table, keys: Sequence[str], k: int) -> int:
    columns: list[tuple[Array, Array]] = []
    for key in keys:
        (codes, levels), (before, labels) = candidate.codes(key), earlier.codes(key)
        if set(levels) & set(labels):
            position = {label: place for place, label in enumerate(dict.fromkeys([*levels, *labels]))}
            places = [np.array([*(position[label] for label in held), -1]) for held in (levels, labels)]
            columns.append((places[0][codes], places[1][before]))
    if not columns:
        return 0
    return small_changes(np.column_stack([mine for mine, _ in columns]), np.column_stack([theirs for _, theirs in columns]), k)


def _revealed(pair: ReleasePair, before: Sequence[Located]) -> dict[str, float]:
    """Values blank in every earlier release and shown now, and values blank now that an earlier release shows."""
    columns = [column for column in pair.roles.released if column in pair.candidate.columns]
    now = blanks(pair.candidate, columns)
    hidden, shown = np.zeros_like(now), np.zeros_like(now)
    for each in before:
        places = [place for place, column in enumerate(columns) if column in each.table.columns]
        then = blanks(each.table, [columns[place] for place in places])
        hidden[:, places] |= then
        shown[:, places] |= ~then
    return {"newly_revealed_values": int((hidden & ~shown & ~now).sum()), "suppressed_in_vain": int((now & shown).sum())}
