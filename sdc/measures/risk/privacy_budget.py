"""How much privacy, proved differentially, did the candidate spend?"""

from __future__ import annotations

import math
from math import inf

from sdc.catalogue import Better, Column, Family, Measurement, NotAssessed, Unit, covered, measure
from sdc.data.release_pair import ReleasePair

LARGEST_EPSILON = 20
"""A little above 19.61, the budget of the redistricting files of the 2020 census (Abowd et al. 2022)."""


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.EPSILON,
    against="0: nothing is learnt",
    usual="20: Abowd et al. 2022, the largest an office has published under",
    bounds=(0, inf),
    parts="delta covered epsilon.NUMBER.TEXT delta.NUMBER.TEXT",
    protects_within=(0, LARGEST_EPSILON),
)
def privacy_budget(pair: ReleasePair, *, variables: list[Column] | None = None) -> Measurement | NotAssessed:
    """The sum of epsilon over the steps that made the candidate, by basic composition.

    Delta is the sum of their deltas.

    epsilon.PLACE.METHOD and delta.PLACE.METHOD are those of each step. A candidate has no budget if a step
    carries no proof or if it is not known how it was made. Nor has it one if a variable was neither drawn nor
    noised by any step: what was spent on others does not cover a variable that is released unchanged.
    `variables` names the variables the promise is meant for, where it is not all of them; then it says
    nothing about a record's other values. `covered` counts them. A limit above 20, or one on delta or on a
    single step alone, is no promise: no office has published under a larger epsilon.

    Formula: ε = Σ_s ε_s, δ = Σ_s δ_s over the steps s.

    Reference: Dwork and Roth (2014), The algorithmic foundations of differential privacy, section 3.5.1,
    doi:10.1561/0400000042; Abowd et al. (2022), The 2020 Census Disclosure Avoidance System TopDown
    Algorithm, doi:10.1162/99608f92.529e3cb9.
    """
    if not pair.steps:
        return NotAssessed("no steps are known that made this candidate")
    unproved = [step.method for step in pair.steps if step.budget is None]
    if unproved:
        return NotAssessed(f"steps without a proved guarantee: {', '.join(unproved)}")
    wanted = variables or pair.candidate.columns
    if bare := [name for name in wanted if name not in covered(pair.steps)]:
        return NotAssessed(
            f"no proved guarantee covers {', '.join(bare)}, released as they were; name in variables those it"
            " is meant for"
        )
    spent = {
        f"{place}.{step.method}": step.budget
        for place, step in enumerate(pair.steps, start=1)
        if step.budget is not None
    }
    epsilon, delta = (
        math.fsum(getattr(budget, name) for budget in spent.values()) for name in ("epsilon", "delta")
    )
    by_step = {
        f"{name}.{step}": getattr(budget, name)
        for step, budget in spent.items()
        for name in ("epsilon", "delta")
    }
    return Measurement(epsilon, {"delta": delta, "covered": len(wanted), **by_step})
