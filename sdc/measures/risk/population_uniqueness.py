"""How likely is a record that is unique in the candidate to be unique in the population too?"""

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
from sdc.measures.frequencies import population_sizes, record_weights
from sdc.statistics.uniqueness.population import bayes, bayes_as_printed, pitman, slide_negative_binomial

ESTIMATORS = {"bayes": bayes, "zayatz": bayes, "pitman": pitman, "snb": slide_negative_binomial}


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="1: who is alone in the candidate is alone in the population",
    bounds=(0, 1),
    needs=(Need.QUASI_IDENTIFIERS,),
    valid_after=NON_PERTURBATIVE,
    examines=Examines.KEYS,
    alternatives=("replicated_uniques", "class_attribution"),
    parts="sample_uniques:lower:0.. population_uniques_among_them:lower:0.. as_printed",
)
def population_uniqueness(
    pair: ReleasePair,
    *,
    estimator: Literal["known", "bayes", "pitman", "zayatz", "snb"] | None = None,
    population_size: Annotated[int, Field(ge=1)] | None = None,
    keys: list[Column] | None = None,
    missing: MissingRule | None = None,
) -> Measurement | NotAssessed:
    """RFUE: the share of the candidate's unique classes that are unique in the population as well.

    known: counted in the population file (the default where there is one), generalised keys by containment.
    bayes (the default else), the same as Zayatz: Bayes' rule with the sample's class sizes as prior and
    hypergeometric P(f = 1 | F = i). pitman: Pitman's sampling formula, snb: slide negative binomial, both by
    maximum likelihood. The population size is the one given, else that of the population file, else the sum
    of weights. as_printed is the thesis's formula, whose denominator uses P(f = i | F = i) and overstates. A
    candidate without uniques has 0.

    Formula: P(F = 1 | f = 1) = Σ_c 1{f_c = 1, F_c = 1} / Σ_c 1{f_c = 1}, F_c known or estimated.

    Reference: Qu (2024), Definition 2.1.3; Zayatz (1991), Estimation of the percent of unique population
    elements on a microdata file using the sample; Hoshino (2001), Applying Pitman's sampling formula to
    microdata disclosure risk assessment; Chen and McNulty (1998), Estimation of identification disclosure
    risk in microdata; compared by Dankar et al. (2012), doi:10.1186/1472-6947-12-66.
    """
    chosen = keys or pair.roles.quasi_identifiers
    sizes = pair.class_sizes(chosen, missing=missing)
    if not sizes.total_records:
        return NotAssessed("the candidate has no records")
    uniques = sizes.classes_of(1)
    size = population_size or _population_size(pair)
    way = estimator or ("known" if pair.population is not None else "bayes")
    if way == "known":
        held = population_sizes(pair, chosen, missing)
        if isinstance(held, NotAssessed):
            return held
        both = int(held.classes[(held.sample == 1) & (held.population == 1)].sum())
        value = both / uniques if uniques else 0.0
    elif size is None:
        return NotAssessed(
            "the size of the population is not known: no population_size, population file or weight"
        )
    elif size < sizes.total_records:
        return NotAssessed(
            f"a population of {size} is smaller than the candidate's {sizes.total_records} records"
        )
    else:
        value = ESTIMATORS[way](sizes.size, sizes.classes, size) if uniques else 0.0
    parts = {"sample_uniques": uniques, "population_uniques_among_them": value * uniques}
    if size is not None and size >= sizes.total_records:
        parts["as_printed"] = bayes_as_printed(sizes.size, sizes.classes, size) if uniques else 0.0
    return Measurement(value, parts)


def _population_size(pair: ReleasePair) -> int | None:
    if pair.population is not None:
        return pair.population.rows
    weights = record_weights(pair)
    return None if isinstance(weights, NotAssessed) else round(float(weights.sum()))
