"""How many records stand in a small cell of some low-dimensional table of the keys?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import NON_PERTURBATIVE, Better, Column, Examines, Family, Need, measure
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair
from sdc.roles import MissingRule
from sdc.statistics.subsets import key_tables


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    bounds=(0, 1),
    needs=(Need.QUASI_IDENTIFIERS,),
    valid_after=NON_PERTURBATIVE,
    examines=Examines.KEYS,
    alternatives=("replicated_uniques", "class_attribution"),
)
def risky_cells(
    pair: ReleasePair,
    *,
    k: Annotated[int, Field(ge=2)] = 3,
    dimension: Annotated[int, Field(ge=1, le=6)] = 3,
    keys: list[Column] | None = None,
    missing: MissingRule | None = None,
) -> Measurement | NotAssessed:
    """The share of candidate records in a cell of fewer than `k` records, in any table of up to `dimension` keys.

    cells and share with a number are those of the tables of so many keys; cells counts non-empty cells below k over all tables. A
    missing key is a category of its own; as a wildcard it leaves the record out of the tables with that key.

    Reference: Hundepool et al. (2012), Statistical Disclosure Control, section 3.3.2, doi:10.1002/9781118348239.
    """
    chosen = list(keys or pair.roles.quasi_identifiers)
    classes = pair.record_classes(chosen)
    if not classes.place.size:
        return NotAssessed("the candidate has no records")
    left_out = (missing or pair.missing) is MissingRule.WILDCARD
    largest = min(dimension, len(chosen))
    risky = np.zeros((largest + 1, classes.count.size), dtype=bool)
    cells = np.zeros(largest + 1, dtype=np.int64)
    for table in key_tables(classes.codes, classes.count, largest):
        held = ~table.missing if left_out else np.ones(classes.count.size, dtype=bool)
        small = (table.records < k)[table.place] & held
        cells[len(table.keys)] += np.unique(table.place[small]).size
        risky[len(table.keys)] |= small
    records = classes.place.size
    parts = {"cells": cells.sum()}
    for size in range(1, largest + 1):
        parts |= {f"cells.{size}": cells[size], f"share.{size}": classes.count[risky[size]].sum() / records}
    return Measurement(classes.count[risky.any(axis=0)].sum() / records, parts)
