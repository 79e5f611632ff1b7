"""How much of all k-way tables does the candidate keep, on a scale of a thousand?"""

from __future__ import annotations

import math
from itertools import combinations, islice
from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Better, Column, Family, Measurement, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.comparison import coded, comparable
from sdc.statistics.counts.contingency import joint_counts


@measure(
    family=Family.UTILITY,
    better=Better.HIGHER,
    unit=Unit.PER_MILLE,
    against="1000: nothing done",
    bounds=(0, 1000),
    parts="smallest marginals",
    variants=({"k": 3, "marginals": 5},),
)
def k_marginals(
    pair: ReleasePair,
    *,
    k: Annotated[int, Field(ge=1, le=5)] = 2,
    marginals: Annotated[int, Field(ge=1)] = 500,
    groups: Annotated[int, Field(ge=1, le=1000)] = 20,
    variables: list[Column] | None = None,
    rng: np.random.Generator,
) -> Measurement | NotAssessed:
    """The mean over tables of k variables of 1000 (1 - total variation): 1000 if equal, 0 if disjoint.

    All tables of k variables where there are no more than `marginals`, else that many drawn at random.
    Numbers are cut into `groups` of equal frequency on both tables pooled; a recoded variable is compared in
    the candidate's own categories; missing is a category. A score, not a test: no p-value holds for dependent
    tables.

    Formula: mean over tables T of 1000 (1 − ½ Σ_c |p_c − q_c|).

    Reference: Task, Bhagat, Streat, Simpson and Howarth (2022), SDNist: Benchmark data and evaluation tools
    for data synthesizers, NIST, doi:10.18434/mds2-2943.
    """
    columns = comparable(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    if len(columns) < k:
        return NotAssessed(f"tables of {k} variables need as many, and {len(columns)} can be compared")
    codes = [coded(pair, column, groups) for column in columns]
    scores = []
    for chosen in _chosen(len(columns), k, marginals, rng):
        held = [codes[place] for place in chosen]
        counts = joint_counts(
            [each.original for each in held], [each.candidate for each in held], [each.size for each in held]
        )
        scores.append(1000 * (1 - counts.total_variation))
    return Measurement(math.fsum(scores) / len(scores), {"smallest": min(scores), "marginals": len(scores)})


def _chosen(columns: int, k: int, most: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """All combinations in order, or as many as wanted of them at random."""
    if math.comb(columns, k) <= most:
        return list(combinations(range(columns), k))
    drawn: dict[tuple[int, ...], None] = {}
    tries = iter(lambda: tuple(sorted(rng.choice(columns, k, replace=False).tolist())), None)
    for combination in tries:
        drawn[combination] = None
        if len(drawn) == most:
            break
    return list(islice(drawn, most))
