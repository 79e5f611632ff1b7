"""How many sample uniques would a log-linear model of the keys expect to be matched rightly?"""

from __future__ import annotations

from math import prod
from typing import Literal

import numpy as np

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
from sdc.data.classes import Combinations
from sdc.data.release_pair import ReleasePair
from sdc.measures.frequencies import record_weights
from sdc.statistics.regression.log_linear import (
    Multiplier,
    SparseTable,
    fitted_hierarchy,
    fitted_main_effects,
    uniques_at_risk,
)

Model = Literal["standard", "clogg_eliason", "pseudo_likelihood", "weighted"]
LARGEST_GRID = 5_000_000


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
    parts=(
        "tau1:lower:0.. tau2:lower:0.. tau1_population:lower:0.. tau2_population:lower:0.."
        " sample_uniques:lower:0.."
    ),
)
def log_linear_risk(
    pair: ReleasePair,
    *,
    model: Model = "standard",
    terms: list[list[Column]] | None = None,
    keys: list[Column] | None = None,
) -> Measurement | NotAssessed:
    """tau2 / n: the expected number of correct matches of sample uniques, over the candidate's records.

    A Poisson log-linear model is fitted to the table of the keys, every combination of levels a cell. With
    lambda its expected sample count and p = 1/weight of the unique record, v = (1 - p) lambda: tau1 = sum of
    exp(-v), the uniques expected to be alone in the population, tau2 = sum of (1 - exp(-v))/v. standard
    ignores the weights in the fit; clogg_eliason has the offset log(count/weights + 0.1); pseudo_likelihood
    fits weights scaled to the sample; weighted has the cell's weights as a predictor. `terms` are the margins
    of the model, by default each key alone. A missing key is a level of its own.

    As in common software lambda is the sample's, which overstates the risk; tau1_population and
    tau2_population take the population's, lambda / p.

    Formula: tau2 / n, tau2 = Σ_{f_j = 1} (1 − exp(−v_j)) / v_j, v_j = (1 − p_j) λ_j.

    Reference: Skinner and Holmes (1998), Estimating the re-identification risk per record in microdata;
    Skinner and Shlomo (2008), doi:10.1198/016214507000001328; Clogg and Eliason (1987),
    doi:10.1177/0049124187016001002.
    """
    weights = record_weights(pair)
    if isinstance(weights, NotAssessed):
        return weights
    chosen = list(keys or pair.roles.quasi_identifiers)
    if pair.roles.weight not in pair.candidate.columns:
        return NotAssessed(f"the candidate has no {pair.roles.weight}")
    outside = [name for term in terms or [] for name in term if name not in chosen]
    if outside:
        return NotAssessed(f"terms name what is no key: {', '.join(outside)}")
    combinations = pair.combinations(chosen)
    margins = [[chosen.index(name) for name in term] for term in terms or [[name] for name in chosen]]
    expected = _expected(combinations, model, margins)
    if isinstance(expected, NotAssessed):
        return expected
    assert combinations.weights is not None
    unique, records = combinations.count == 1, int(combinations.count.sum())
    inclusion = np.minimum(1 / combinations.weights[unique], 1.0)
    tau1, tau2 = uniques_at_risk(expected[unique], inclusion)
    population1, population2 = uniques_at_risk(expected[unique] / inclusion, inclusion)
    parts = {
        "tau1": tau1,
        "tau2": tau2,
        "tau1_population": population1,
        "tau2_population": population2,
        "sample_uniques": int(unique.sum()),
    }
    return Measurement(tau2 / records, parts)


def _expected(combinations: Combinations, model: Model, margins: list[list[int]]) -> Array | NotAssessed:
    count, weights = combinations.count.astype(float), combinations.weights
    assert weights is not None
    codes = combinations.codes - combinations.codes.min(axis=0)
    levels = tuple(int(number) + 1 for number in codes.max(axis=0))
    response = np.rint(weights * count.sum() / weights.sum()) if model == "pseudo_likelihood" else count
    multiplier = (
        Multiplier(count / weights + 0.1, 0.1)
        if model == "clogg_eliason"
        else Multiplier(np.ones(count.size))
    )
    predictor = weights / weights.max() if model == "weighted" else None
    table = SparseTable(codes, levels, response)
    if sorted(margins) == [[key] for key in range(len(levels))]:
        expected = fitted_main_effects(table, multiplier, predictor)
        return NotAssessed("the model did not settle") if expected is None else expected
    if prod(levels) > LARGEST_GRID:
        return NotAssessed(
            f"terms of several keys need a grid of {prod(levels)} cells, more than {LARGEST_GRID}"
        )
    expected = fitted_hierarchy(table, multiplier, margins, predictor)
    return NotAssessed("the model did not settle") if expected is None else expected
