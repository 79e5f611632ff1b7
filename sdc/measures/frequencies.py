"""How many records, and people behind them, share each record's keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import NotAssessed
from sdc.data.release_pair import ReleasePair, Side
from sdc.data.roles import MissingRule
from sdc.data.sharing import shared
from sdc.measures.overlapping_labels import Contained, overlapping
from sdc.statistics.counts.wildcard import matching_records

if TYPE_CHECKING:
    from sdc.arrays import Array


MICRO = 1e6
"""Weights are summed in millionths, as whole numbers: the same sum in whatever order."""


@dataclass(frozen=True)
class Frequencies:
    """Sample frequency and estimated population frequency of each class of keys.

    `place` is the class of each record.
    """

    place: Array
    records: Array
    sample: Array
    population: Array


@dataclass(frozen=True)
class PopulationSizes:
    """How many classes, with how many records, have a given size in candidate and population.

    With missing keys as wildcards the size of a class is the number of records its combination matches.
    """

    sample: Array
    population: Array
    classes: Array
    records: Array


def frequencies(
    pair: ReleasePair, keys: Sequence[str], missing: MissingRule | None = None
) -> Frequencies | NotAssessed:
    """Frequencies in the candidate, and estimates of the population's by sums of weights.

    Missing keys follow the rule given, or that of the pair.
    """
    return _frequencies(pair, tuple(keys), missing or pair.missing)


@shared
def _frequencies(pair: ReleasePair, keys: tuple[str, ...], rule: MissingRule) -> Frequencies | NotAssessed:
    import numpy as np

    weights = record_weights(pair)
    if isinstance(weights, NotAssessed):
        return weights
    classes = pair.record_classes(keys)
    summed = np.bincount(classes.place, np.rint(weights * MICRO), minlength=classes.count.size).astype(
        np.int64
    )
    both = np.column_stack([classes.count, summed])
    if rule is MissingRule.WILDCARD:
        both = matching_records(classes.codes, both)
    return Frequencies(classes.place, classes.count, both[:, 0], both[:, 1] / MICRO)


def population_sizes(
    pair: ReleasePair, keys: Sequence[str], missing: MissingRule | None = None
) -> PopulationSizes | NotAssessed:
    """Classes of the candidate by their size there and in the population file.

    Generalised keys are matched by the label that holds a value.
    """
    import numpy as np

    population = pair.population
    if population is None:
        return NotAssessed("this release has no population file")
    lacking = [key for key in keys if key not in population.columns]
    if lacking:
        return NotAssessed(f"not in the population file: {', '.join(lacking)}")
    wildcard = (missing or pair.missing) is MissingRule.WILDCARD
    if problem := pair.incomparable(keys, overlap=not wildcard):
        return problem
    if overlapping(pair, keys):
        contained = Contained.of(pair, keys, Side.POPULATION)
        records = np.bincount(contained.released)
        return PopulationSizes(
            records, contained.held(Side.POPULATION), np.ones(records.size, dtype=np.int64), records
        )
    if not wildcard:
        sizes = pair.paired_sizes(keys, Side.CANDIDATE, Side.POPULATION)
        held = sizes.first > 0
        sample, classes = sizes.first[held], sizes.classes[held]
        return PopulationSizes(sample, sizes.second[held], classes, sample * classes)
    cells = pair.cells(keys, Side.POPULATION)
    both, held = np.column_stack([cells.candidate, cells.original]), cells.candidate > 0
    matched = matching_records(cells.codes[held], both[held], (cells.codes, both))
    return PopulationSizes(
        matched[:, 0], matched[:, 1], np.ones(matched.shape[0], dtype=np.int64), cells.candidate[held]
    )


def record_weights(pair: ReleasePair) -> Array | NotAssessed:
    """The weights of the candidate's records; the original's where only it has them and rows are aligned."""
    weight = pair.roles.weight
    if weight is None:
        return NotAssessed("this release has no weight")
    sides = [
        side
        for side in (Side.CANDIDATE, *([Side.ORIGINAL] if pair.aligned else []))
        if weight in pair.table(side).columns
    ]
    if not sides:
        return NotAssessed(
            f"the candidate has no {weight}, and its records are not those of the original in order"
        )
    if not pair.candidate.rows:
        return NotAssessed("the candidate has no records")
    weights = pair.numbers(weight, sides[0])
    unusable = int((~(weights > 0)).sum())
    return (
        NotAssessed(f"records whose {weight} is missing or not positive: {unusable}") if unusable else weights
    )
