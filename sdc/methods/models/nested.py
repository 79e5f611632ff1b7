"""A value drawn from those observed with the very same value of another variable."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.catalogue import model
from sdc.statistics.synthesis.donors import Donors
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors


@model()
def nested(target: CompleteFeature, observed: Predictors, rng: np.random.Generator, *, within: str) -> Draw:
    """For a variable whose values belong to those of a coarser one (`within`): an occupation to its group.

    The coarser variable is the only predictor; a record whose value of it was never observed gets any value.

    Reference: Nowok, Raab, Dibben (2016), doi:10.18637/jss.v074.i11.
    """
    del rng, within
    keys = np.unique(_rows(observed), axis=0)
    donors = Donors.of(_places(keys, observed))
    return lambda synthetic, _, stream: target.values[donors.drawn(_places(keys, synthetic), stream)]


def _rows(predictors: Predictors) -> Array:
    return np.column_stack([feature.values.astype(np.float64) for feature in predictors])


def _places(keys: Array, predictors: Predictors) -> Array:
    """The place of each record among the keys, one past the last for a record that has none of them."""
    rows = _rows(predictors)
    joint = np.unique(np.concatenate([keys, rows]), axis=0, return_inverse=True)[1].reshape(-1)
    place = np.full(joint.max() + 1, len(keys))
    place[joint[: len(keys)]] = np.arange(len(keys))
    return np.asarray(place[joint[len(keys) :]])
