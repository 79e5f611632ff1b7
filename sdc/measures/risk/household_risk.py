"""How many people could be re-identified when one member found gives away the whole household?"""

from __future__ import annotations

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
from sdc.measures.frequencies import frequencies
from sdc.statistics.uniqueness.reidentification import household_risk as risk_in_household
from sdc.statistics.uniqueness.reidentification import negative_binomial_risk


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE_OF_CANDIDATE,
    against="0: nobody",
    bounds=(0, 1),
    needs=(Need.QUASI_IDENTIFIERS, Need.WEIGHT, Need.HOUSEHOLD),
    valid_after=NON_PERTURBATIVE,
    examines=Examines.KEYS,
    alternatives=("class_attribution", "record_linkage"),
    parts="expected_reidentifications:lower:0.. largest:lower:0..1 share_above:lower:0..1",
)
def household_risk(
    pair: ReleasePair,
    *,
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.1,
    keys: list[Column] | None = None,
    missing: MissingRule | None = None,
) -> Measurement | NotAssessed:
    """The expected share of people who are re-identified through any member of their household.

    It is the expected number of these people over the number of records. A household is found with
    probability 1 - prod(1 - r_i) over the individual risks r_i of its members (see individual_risk,
    approximate); every member has this risk. A record without a household number is a household of its own.
    The household numbers are those of the candidate.

    Formula: (1 / n) Σ_h |h| (1 − Π_{i in h} (1 − r_i)).

    Reference: Templ, Kowarik and Meindl (2015), doi:10.18637/jss.v067.i04, section 3.5.
    """
    household = pair.roles.household
    assert household is not None
    if household not in pair.candidate.columns:
        return NotAssessed(f"the candidate has no {household}")
    found = frequencies(pair, keys or pair.roles.quasi_identifiers, missing)
    if isinstance(found, NotAssessed):
        return found
    own = negative_binomial_risk(found.sample, found.population)[found.place]
    risk = risk_in_household(own, pair.grouping(household))
    expected = float(risk.sum())
    parts = {
        "expected_reidentifications": expected,
        "largest": risk.max(),
        "share_above": float((risk > threshold).mean()),
    }
    return Measurement(expected / risk.size, parts, by_record={"risk": own, "household_risk": risk})
