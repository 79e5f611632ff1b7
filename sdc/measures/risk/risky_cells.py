"""How many records stand in a small cell of some low-dimensional table of the keys?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import (
    NON_PERTURBATIVE,
    Better,
    Column,
    Examines,
    Family,
    Measurement,
    Need,
    NotAssessed,
    Unit,
    measure,
)
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import MissingRule
from sdc.statistics.counts.subsets import KeyTable, key_tables
from sdc.statistics.counts.wildcard import matching_records


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE_OF_CANDIDATE,
    against="0: nobody in a small cell",
    bounds=(0, 1),
    needs=(Need.QUASI_IDENTIFIERS,),
    valid_after=NON_PERTURBATIVE,
    examines=Examines.KEYS,
    alternatives=("replicated_uniques", "class_attribution"),
    parts="cells cells.NUMBER:lower:0.. share.NUMBER:lower:0..1",
)
def risky_cells(
    pair: ReleasePair,
    *,
    k: Annotated[int, Field(ge=2)] = 3,
    dimension: Annotated[int, Field(ge=1, le=6)] = 3,
    keys: list[Column] | None = None,
    missing: MissingRule | None = None,
) -> Measurement | NotAssessed:
    """The share of candidate records in a cell of fewer than `k` records, in any small table of the keys.

    Tables have up to `dimension` keys. cells and share with a number are those of the tables of so many keys;
    cells counts non-empty cells below k over all tables. A missing key is a category of its own or, as a
    wildcard, matches every value.

    Formula: (1 / n) Σ_i 1{min over tables T of f_T(i) < k}.

    Reference: Hundepool et al. (2012), Statistical Disclosure Control, section 3.3.2,
    doi:10.1002/9781118348239.
    """
    chosen = list(keys or pair.roles.quasi_identifiers)
    classes = pair.record_classes(chosen)
    if not classes.place.size:
        return NotAssessed("the candidate has no records")
    wildcard = (missing or pair.missing) is MissingRule.WILDCARD
    largest = min(dimension, len(chosen))
    risky = np.zeros((largest + 1, classes.count.size), dtype=bool)
    cells = np.zeros(largest + 1, dtype=np.int64)
    for table in key_tables(classes.codes, classes.count, largest):
        sizes = (
            matching_records(_cells(table, classes.codes), table.records)
            if wildcard and table.missing.any()
            else table.records
        )
        cells[len(table.keys)] += np.count_nonzero(sizes < k)
        risky[len(table.keys)] |= (sizes < k)[table.place]
    records = classes.place.size
    parts = {"cells": cells.sum()}
    for size in range(1, largest + 1):
        parts |= {f"cells.{size}": cells[size], f"share.{size}": classes.count[risky[size]].sum() / records}
    return Measurement(classes.count[risky.any(axis=0)].sum() / records, parts)


def _cells(table: KeyTable, codes: Array) -> Array:
    """The codes of the cells of a table of some keys."""
    some = np.zeros(table.records.size, dtype=np.int64)
    some[table.place] = np.arange(table.place.size)
    cells: Array = codes[np.ix_(some, np.array(table.keys))]
    return cells
