"""Draws records that break a relation again until none does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from sdc.errors import CannotProtect
from sdc.statistics.synthesis.feature import Predictors

if TYPE_CHECKING:
    from sdc.arrays import Array
    from sdc.methods.restrictions import Restrictions
    from sdc.statistics.synthesis.fitted import Fitted


TRIES = 20
MOST_VALUES = 2_000


def repaired(
    name: str,
    model: Fitted | None,
    predictors: Predictors,
    values: Mapping[str, Array],
    fixed: Array,
    restrictions: Restrictions,
    observed: Array,
    rng: np.random.Generator,
) -> Array:
    """The values of a variable just drawn; records that break a relation were drawn again by its model.

    A record that breaks it twenty times more gets an observed value that keeps it, drawn evenly among these.
    """
    made = values[name].copy()
    wrong = np.flatnonzero(restrictions.broken(name, values, len(made)))
    stuck = wrong[fixed[wrong]] if model is not None else wrong
    if stuck.size:
        raise CannotProtect(
            "sequential",
            f"{stuck.size} records break a constraint of {name}, whose value follows from others and cannot"
            " be drawn again",
        )
    if wrong.size and model is not None:
        again = np.repeat(wrong, TRIES)
        tried = model.drawn([feature.at(again) for feature in predictors], again.size, rng).reshape(-1, TRIES)
        wrong = _take(name, made, wrong, tried, values, restrictions)
    if wrong.size:
        found = np.unique(observed)
        for record in wrong:
            pool = rng.permutation(found)[:MOST_VALUES]
            left = _take(name, made, np.array([record]), pool[None, :], values, restrictions)
            if left.size:
                problem = (
                    f"no observed value of {name} keeps the constraints beside what was drawn before; draw it"
                    " earlier, or what it depends on after it"
                )
                raise CannotProtect("sequential", problem)
    return made


def _take(
    name: str,
    made: Array,
    records: Array,
    tried: Array,
    values: Mapping[str, Array],
    restrictions: Restrictions,
) -> Array:
    """Give each record the first of the tried values that keeps the relations.

    It returns the records for which no value does.
    """
    count = tried.shape[1]
    place = np.repeat(records, count)
    held = {other: column[place] for other, column in values.items()}
    held[name] = tried.ravel()
    good = ~restrictions.broken(name, held, place.size).reshape(-1, count)
    found = good.any(axis=1)
    made[records[found]] = tried[found, good[found].argmax(axis=1)]
    return np.asarray(records[~found])
