"""How small is the smallest crowd a record can hide in?"""

from __future__ import annotations

from math import inf
from typing import Annotated

from pydantic import Field

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

COUNTED = range(2, 21)
"""The sizes below which people are counted, so that another k can be asked about later."""


@measure(
    family=Family.RISK,
    better=Better.HIGHER,
    unit=Unit.RECORDS_IN_CLASS,
    against="1: somebody stands alone",
    usual="3: Benschop, Machingauta and Welch 2019",
    bounds=(1, inf),
    needs=(Need.QUASI_IDENTIFIERS,),
    valid_after=NON_PERTURBATIVE,
    examines=Examines.KEYS,
    alternatives=("class_attribution",),
    parts=" ".join(
        ("share_below_k:lower:0..1 classes", *(f"records_below_{size}:lower:0.." for size in COUNTED))
    ),
)
def k_anonymity(
    pair: ReleasePair,
    *,
    k: Annotated[int, Field(ge=1)] = 3,
    keys: list[Column] | None = None,
    missing: MissingRule | None = None,
) -> Measurement | NotAssessed:
    """The size of the smallest class on the keys of the candidate.

    A missing key is a category of its own (an intruder sees the blank too) or, as a wildcard, matches every
    value.

    Formula: k = min_c f_c over the classes c with f_c ≥ 1 records.

    Reference: Sweeney (2002), doi:10.1142/S0218488502001648.
    """
    sizes = pair.class_sizes(keys or pair.roles.quasi_identifiers, missing=missing)
    if not sizes.total_records:
        return NotAssessed("the candidate has no records")
    share = sizes.records_below(k) / sizes.total_records
    below = {f"records_below_{size}": sizes.records_below(size) for size in COUNTED}
    return Measurement(sizes.smallest, {"share_below_k": share, "classes": sizes.total_classes, **below})
