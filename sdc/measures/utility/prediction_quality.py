"""Do regressions on the candidate predict the same?"""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Better, Family, Measurement, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.model_fits import FittedModels, fitted_models
from sdc.measures.model_frame import Formula
from sdc.measures.survey_sample import is_weighted


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="0: nothing done",
    parts=(
        "models_left_out weighted unweighted original.NUMBER candidate.NUMBER difference.NUMBER"
        " exchanged.NUMBER"
    ),
    variants=({"models": ["income ~ age + sex", "health ~ age"]},),
)
def prediction_quality(
    pair: ReleasePair, *, models: Annotated[list[Formula], Field(min_length=1)] | None = None
) -> Measurement | NotAssessed:
    """The largest relative difference of the mean fitted values over the models.

    The difference is |original - candidate| / |original|.

    Each table's mean is over its own records and the model fitted to them. Survey weights count in the fit,
    where the release has a weight; `unweighted` is the value without. Models are formulas as in
    interval_overlap, `log(income) ~ age + sex` (least squares) or `health == bad ~ age * region` (logistic);
    unless named, each sensitive variable is explained by the keys. Records with a missing value in a model
    are left out. `difference.N` is the value of model N, `original.N` and `candidate.N` are the mean fitted
    values.

    Without weights the mean fitted value is the mean response, whatever explains it. `exchanged.N` therefore
    shows what the coefficients do: the mean absolute difference between both models' predictions for the
    original's records, over the mean absolute prediction of the original's. No p-value is given: the tables
    are dependent.

    Formula: max over models of |mean(ŷ_x) − mean(ŷ_y)| / |mean(ŷ_x)|.

    Reference: Templ (2017), Statistical Disclosure Control for Microdata, doi:10.1007/978-3-319-50272-4.
    """
    weighted = is_weighted(pair)
    found = fitted_models(pair, models, weighted=weighted)
    if isinstance(found, NotAssessed):
        return found
    parts = _parts(found)
    if lacking := [number for number in found.fits if f"difference.{number}" not in parts]:
        return NotAssessed(
            f"the mean fitted value of model {lacking[0]} is 0 in the original, so that no difference has a"
            " relative size"
        )
    if weighted and not isinstance(plain := fitted_models(pair, models, weighted=False), NotAssessed):
        parts["unweighted"] = _largest(_parts(plain))
    parts.update({"models_left_out": found.left_out, "weighted": weighted})
    return Measurement(_largest(parts), parts)


def _parts(found: FittedModels) -> dict[str, float]:
    parts: dict[str, float] = {}
    for number, fits in found.fits.items():
        before, after = _mean(fits.original.fitted), _mean(fits.candidate.fitted)
        parts.update({f"original.{number}": before, f"candidate.{number}": after})
        size = _mean(np.abs(fits.original.fitted))
        if before or not after:
            parts[f"difference.{number}"] = abs(before - after) / abs(before) if after != before else 0.0
        if size:
            parts[f"exchanged.{number}"] = (
                _mean(np.abs(fits.candidate_on_original - fits.original.fitted)) / size
            )
    return parts


def _largest(parts: dict[str, float]) -> float:
    return max((number for name, number in parts.items() if name.startswith("difference.")), default=0.0)


def _mean(values: Array) -> float:
    return math.fsum(values) / values.size
