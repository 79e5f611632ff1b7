"""How much privacy, proved differentially, did the candidate spend?"""

from __future__ import annotations

import math
from math import inf

from sdc.catalogue import Better, Family, measure
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair


@measure(family=Family.RISK, better=Better.LOWER, bounds=(0, inf))
def privacy_budget(pair: ReleasePair) -> Measurement | NotAssessed:
    """The sum of epsilon over the steps that made the candidate, by basic composition; delta is the sum of their deltas.

    epsilon.PLACE.METHOD and delta.PLACE.METHOD are those of each step. A candidate with a step that carries no proof, or whose
    making is not known, has no budget.

    Reference: Dwork and Roth (2014), The algorithmic foundations of differential privacy, section 3.5.1, doi:10.1561/0400000042.
    """
    if not pair.steps:
        return NotAssessed("no steps are known that made this candidate")
    unproved = [step.method for step in pair.steps if step.budget is None]
    if unproved:
        return NotAssessed(f"steps without a proved guarantee: {', '.join(unproved)}")
    spent = {f"{place}.{step.method}": step.budget for place, step in enumerate(pair.steps, start=1) if step.budget is not None}
    epsilon, delta = (math.fsum(getattr(budget, name) for budget in spent.values()) for name in ("epsilon", "delta"))
    by_step = {f"{name}.{step}": getattr(budget, name) for step, budget in spent.items() for name in ("epsilon", "delta")}
    return Measurement(epsilon, {"delta": delta, **by_step})
