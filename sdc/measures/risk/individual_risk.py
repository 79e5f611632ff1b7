"""How many people could be re-identified, given how rare their keys are in the population?"""

from __future__ import annotations

from typing import Annotated, Literal

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
from sdc.statistics.uniqueness.reidentification import negative_binomial_risk


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE_OF_CANDIDATE,
    against="0: nobody",
    bounds=(0, 1),
    needs=(Need.QUASI_IDENTIFIERS, Need.WEIGHT),
    valid_after=NON_PERTURBATIVE,
    examines=Examines.KEYS,
    alternatives=("class_attribution", "record_linkage"),
    parts="expected_reidentifications:lower:0.. largest:lower:0..1 share_above:lower:0..1",
)
def individual_risk(
    pair: ReleasePair,
    *,
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.1,
    method: Literal["approximate", "exact"] = "approximate",
    keys: list[Column] | None = None,
    missing: MissingRule | None = None,
) -> Measurement | NotAssessed:
    """The expected number of re-identifications over the number of records.

    A record whose keys f records of the candidate share is re-identified with probability E[1/F | f], F
    negative binomial with p = f / sum of weights: in closed form for f = 1 and 2, above by p / (f - (1 - p)),
    which is up to 4 % off at f = 3, or with method `exact` by the expectation itself. A missing key is a
    category of its own or, as a wildcard, matches every value. share_above counts risks above `threshold`;
    the risk of each record is kept by record.

    Formula: (1 / n) Σ_i E[1 / F | f_i], F | f negative binomial, p = f / Σ w; for f = 1: p / (1 − p) × ln(1 /
    p).

    Reference: Benedetti and Franconi (1998), Statistical and technological solutions for controlled data
    dissemination; Polettini (2003), Some remarks on the individual risk methodology; Franconi and Polettini
    (2004), doi:10.1007/978-3-540-25955-8_20.
    """
    found = frequencies(pair, keys or pair.roles.quasi_identifiers, missing)
    if isinstance(found, NotAssessed):
        return found
    risk = negative_binomial_risk(found.sample, found.population, exact=method == "exact")
    expected, records = float((found.records * risk).sum()), int(found.records.sum())
    parts = {
        "expected_reidentifications": expected,
        "largest": risk.max(),
        "share_above": found.records[risk > threshold].sum() / records,
    }
    by_record = {
        "risk": risk[found.place],
        "sample_frequency": found.sample[found.place],
        "population_frequency": found.population[found.place],
    }
    return Measurement(expected / records, parts, by_record=by_record)
