"""How many people could be found in the candidate by looking for the record most like theirs?"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import NOT_SYNTHETIC, Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.data.roles import MissingRule
from sdc.measures.neighbours import neighbours, placed, shared_columns
from sdc.statistics.neighbours.space import Distance


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE_OF_ORIGINAL,
    against="1: nothing done, nobody alike; baseline!: chance",
    bounds=(0, 1),
    needs=(Need.ALIGNED,),
    valid_after=NOT_SYNTHETIC,
    alternatives=("membership_inference", "linkability"),
    parts="share_within_k:lower:0..1 baseline share_own_category:lower:0..1 share_wildcard:lower:0..1",
)
def record_linkage(
    pair: ReleasePair,
    *,
    distance: Distance = "gower",
    k: Annotated[int, Field(ge=1)] = 3,
    variables: list[Column] | None = None,
    missing: MissingRule | None = None,
) -> Measurement | NotAssessed:
    """The share of original records whose nearest candidate record is their own.

    The intruder knows the true values of the `variables` (the quasi-identifiers where none are named, all
    analysed variables where there are none) and takes the nearest record of the candidate. Every record is
    compared with every other, exactly. Where t records are equally near (to nine digits) and the own is one
    of them, it counts 1/t; share_within_k is the chance that it is among the k nearest, ties broken at
    random; baseline is a blind guess. gower: the mean of |a - b| over the range of both tables for numbers,
    dates and declared orders, of 0 or 1 for equal or different categories. euclidean: the root of the sum of
    squared differences, in standard deviations of the original, and of those 0s and 1s. Generalised values
    count as their label. A missing value is a category (1 from any value) or, as a wildcard, 0 from every
    value; without `missing` it is the rule under which more are found, and both are parts. The chance of each
    record is kept by record.

    Formula: (1 / n) Σ_i 1{i in N_i} / |N_i|, N_i the candidate records nearest to x_i.

    Reference: Domingo-Ferrer, Torra (2003), doi:10.1023/A:1025666923033; Gower (1971), doi:10.2307/2528823.
    """
    if pair.original.rows != pair.candidate.rows:
        return NotAssessed(
            f"the original has {pair.original.rows} records and the candidate {pair.candidate.rows}: they are"
            " not aligned"
        )
    columns = shared_columns(pair, variables or pair.roles.quasi_identifiers or None)
    if isinstance(columns, NotAssessed):
        return columns
    found = {
        rule: _linked(pair, columns, distance, k, rule)
        for rule in ([missing] if missing else list(MissingRule))
    }
    worst = max(found, key=lambda rule: math.fsum(found[rule][0].tolist()))
    linked, within = (chances.tolist() for chances in found[worst])
    records = pair.original.rows
    by_rule = {
        f"share_{rule.value}": math.fsum(chances.tolist()) / records for rule, (chances, _) in found.items()
    }
    parts = {"share_within_k": math.fsum(within) / records, "baseline": 1 / records, **by_rule}
    return Measurement(math.fsum(linked) / records, parts, by_record={"linked": found[worst][0]})


def _linked(
    pair: ReleasePair, columns: tuple[str, ...], distance: Distance, k: int, rule: MissingRule
) -> tuple[Array, Array]:
    """For each record the chance that it is found as the nearest, and among the k nearest."""
    from sdc.statistics.neighbours.search import between

    candidate = neighbours(pair, columns, Side.CANDIDATE, distance, rule)
    original = placed(pair, columns, Side.ORIGINAL)
    own = between(candidate.space, original, candidate.points)
    nearer, as_near = candidate.ranks(original, own, enough=k)
    as_near = np.maximum(as_near, 1)
    return np.where(nearer == 0, 1 / as_near, 0.0), np.clip((k - nearer) / as_near, 0.0, 1.0)
