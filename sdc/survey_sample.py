"""How do variables of a pair come out as weighted samples?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sdc.comparison import is_number
from sdc.labelled import labelled
from sdc.release_pair import ReleasePair, Side
from sdc.statistics.indicators import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


def is_weighted(pair: ReleasePair) -> bool:
    """Do both tables hold the survey weight as numbers?"""
    weight = pair.roles.weight
    tables = (pair.original, pair.candidate)
    return weight is not None and all(weight in table.columns for table in tables) and is_number(pair, weight)


def survey_weights(pair: ReleasePair, side: Side, *, weighted: bool) -> Array:
    """The weight of each record: 0 where it is missing or not positive, 1 everywhere if not weighted."""
    import numpy as np

    if not weighted:
        return np.ones(pair.table(side).rows)
    assert pair.roles.weight is not None
    weights = pair.numbers(pair.roles.weight, side)
    return np.where(weights > 0, weights, 0.0)


def sample(pair: ReleasePair, column: str, side: Side, *, weighted: bool, by: Sequence[str] = (), domains: Sequence[tuple[int, int]] = ()) -> Sample:
    """A column's values with their weights; records without a value or a weight are left out.

    Numbers come as they are, all else as codes of its labels. A domain is the place of its variable in `by` and a code of it.
    """
    import numpy as np

    weights = survey_weights(pair, side, weighted=weighted)
    numeric = is_number(pair, column)
    values = pair.numbers(column, side) if numeric else labelled(pair, column).codes(side)
    held = (~np.isnan(values) if numeric else values >= 0) & (weights > 0)
    groups = [labelled(pair, name).codes(side)[held] for name in by]
    return Sample.of(values[held], weights[held], groups, domains, categories=None if numeric else len(labelled(pair, column).labels))
