"""A variable as a model sees it: numbers, or codes of categories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array


@dataclass(frozen=True)
class CompleteFeature:
    """Values without gaps: numbers where `levels` is 0, else codes from 0 to levels - 1.

    Where `ordered`, the codes are in order.
    """

    values: Array
    levels: int = 0
    ordered: bool = False

    @property
    def numeric(self) -> bool:
        return self.levels == 0

    def at(self, rows: Array) -> CompleteFeature:
        return CompleteFeature(self.values[rows], self.levels, self.ordered)


Predictors = Sequence[CompleteFeature]
Draw = Callable[[Predictors, int, np.random.Generator], Array]
"""A fitted model: values for this many records that have these predictors."""

COMPONENTS = 3


def scored(predictor: CompleteFeature, target: CompleteFeature) -> Array:
    """Numbers for each level of an unordered predictor: levels alike in the target are neighbours.

    There is a row for each level.

    For a numeric target it is the mean; for a categorical one the first principal components of the shares of
    its categories. With two categories a split along them is the best possible, with more a near one. Levels
    not seen get the mean.

    Reference: Breiman et al. (1984), theorem 4.5; Coppersmith, Hong, Hosking (1999),
    doi:10.1023/A:1009869804967.
    """
    count = np.bincount(predictor.values, minlength=predictor.levels)
    seen = count > 0
    if target.numeric:
        total = np.bincount(predictor.values, target.values, minlength=predictor.levels)
        return np.where(seen, total / np.maximum(count, 1), target.values.mean())[:, None]
    shares = np.bincount(
        predictor.values * target.levels + target.values, minlength=predictor.levels * target.levels
    ).astype(np.float64)
    shares = shares.reshape(predictor.levels, target.levels) / np.maximum(count, 1)[:, None]
    overall = np.bincount(target.values, minlength=target.levels) / len(target.values)
    centred = np.where(seen[:, None], shares - overall, 0.0)
    _, vectors = np.linalg.eigh((centred * count[:, None]).T @ centred)
    first = vectors[:, ::-1][:, : max(1, min(COMPONENTS, target.levels - 1, predictor.levels - 1))]
    # The last bits of linear algebra are not the same everywhere; the order of levels should be.
    along: Array = np.round(centred @ first, 12)
    return along


def spread_of(values: Array) -> float:
    """The power of two below the standard deviation, by which numbers are divided exactly; 1 for none."""
    deviation = float(values.std()) if values.size else 0.0
    return 2.0 ** np.floor(np.log2(deviation)) if deviation > 0 else 1.0
