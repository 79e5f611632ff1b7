"""What the average over repeated releases of perturbed or synthetic values gives away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sdc.arrays import Array
from sdc.catalogue.measurement import NotAssessed
from sdc.catalogue.protection import untrue
from sdc.data.coded_tables import Side
from sdc.data.release_pair import EarlierRelease, ReleasePair
from sdc.statistics.attribution.averaging import (
    averages,
    counts_of_cells,
    error_ratio,
    recovered_only_by_averaging,
)

if TYPE_CHECKING:
    from sdc.data.table import Table

Labelled = list[tuple[Array, Sequence[str]]]
"""Columns as codes, with the texts these stand for."""


def averaged_numbers(
    pair: ReleasePair,
    side_by_side: Sequence[tuple[EarlierRelease, Array]],
    elsewhere: Sequence[EarlierRelease],
    tolerance: float,
) -> dict[str, float]:
    """How much closer the average over releases comes to the numbers that the candidate perturbs.

    It also gives the records that only the average reveals.

    `side_by_side` are releases with, for each original record, the record that is the same person, -1 where
    none. A variable that a release `elsewhere` shows too, and not drawn from a model, is left out: whose
    values those are is not known.
    """
    recovered: dict[str, Array] = {}
    ratios: dict[str, float] = {}
    for column in sorted(untrue(pair.steps)):
        if not _is_number(pair, column) or any(_shows(release, column) for release in elsewhere):
            continue
        truth = pair.numbers(column, Side.ORIGINAL)
        releases = [
            pair.numbers(column, Side.CANDIDATE),
            *(_numbers(release, at, column) for release, at in side_by_side if _shows(release, column)),
        ]
        recovered[column] = recovered_only_by_averaging(truth, releases, tolerance)
        ratio = error_ratio(truth, releases)
        if ratio is not None:
            ratios[column] = ratio
    if not recovered:
        return {}
    return {
        "recovered_by_averaging": int(np.any(list(recovered.values()), axis=0).sum()),
        **{f"recovered_by_averaging.{column}": int(found.sum()) for column, found in recovered.items()},
        **({"rmse_ratio": min(ratios.values())} if ratios else {}),
        **{f"rmse_ratio.{column}": ratio for column, ratio in ratios.items()},
    }


def _numbers(release: EarlierRelease, places: Array, column: str) -> Array:
    """What a release shows of each person, NaN where nothing."""
    return np.where(places >= 0, release.table.numbers(column)[np.maximum(places, 0)], np.nan)


def _is_number(pair: ReleasePair, column: str) -> bool:
    return column in pair.roles.numeric and all(
        column in table.columns and table.is_numeric(column) for table in (pair.original, pair.candidate)
    )


def _shows(release: EarlierRelease, column: str) -> bool:
    """Whether it has numbers of this variable that belong to some person."""
    drawn = any(step.invents_records and column in step.touched for step in release.steps)
    return not drawn and column in release.table.columns and release.table.is_numeric(column)


@dataclass(frozen=True)
class AveragedCells:
    """Counts of the classes on the keys, averaged over `releases` releases.

    `singled_out`: the original records that are alone in their class, where the average shows this and no
    release alone does. `error_ratio`: the error of the averaged counts over that of the candidate's, None
    where the candidate's are exact.
    """

    releases: int
    singled_out: Array
    error_ratio: float | None


def averaged_cells(
    pair: ReleasePair, keys: Sequence[str], earlier: Sequence[EarlierRelease], bins: int
) -> AveragedCells | NotAssessed:
    """Averages the candidate with those earlier releases that have classes in common with it on every key.

    Numbers are put into `bins` classes.
    """
    labelled = [key for key in keys if not _is_number(pair, key)]
    problem = pair.incomparable(labelled)
    if problem is not None:
        return problem
    edges = {key: np.array(pair.classed(key, bins=bins).edges) for key in keys if key not in labelled}
    now, *before = (
        _classes(table, keys, edges) for table in (pair.candidate, *(release.table for release in earlier))
    )
    assert now is not None
    alike = [table for table in before if table is not None and _have_common_classes(now, table)]
    place, counts = counts_of_cells(_on_common_levels([_labels(pair, keys, edges), now, *alike]))
    truth = counts[0].astype(np.float64)
    estimates = [count * (pair.original.rows / count.sum()) for count in counts[1:]]
    tells = [np.floor(estimate + 0.5) == 1 for estimate in (averages(estimates), *estimates)]
    only_together = (truth == 1) & tells[0] & ~np.any(tells[1:], axis=0)
    return AveragedCells(len(estimates), only_together[place], error_ratio(truth, estimates))


def _classes(table: Table, keys: Sequence[str], edges: Mapping[str, Array]) -> Labelled | None:
    """The keys of a release in classes, None where it lacks one or has labels for what are numbers now."""
    if not set(keys) <= set(table.columns) or not all(table.is_numeric(key) for key in edges):
        return None
    return [_binned(table, key, edges[key]) if key in edges else table.codes(key) for key in keys]


def _labels(pair: ReleasePair, keys: Sequence[str], edges: Mapping[str, Array]) -> Labelled:
    """The original's keys in the same classes, under the candidate's labels where it was generalised."""
    columns: Labelled = []
    for key in keys:
        codes, levels = _binned(pair.original, key, edges[key]) if key in edges else pair.original.codes(key)
        generalised = None if key in edges else pair.containment(key)
        columns.append((codes, levels if generalised is None else generalised.labels(levels)))
    return columns


def _binned(table: Table, key: str, edges: Array) -> tuple[Array, Sequence[str]]:
    numbers = table.numbers(key)
    codes = np.where(np.isnan(numbers), -1, np.searchsorted(edges, numbers, side="right"))
    return codes, [str(place) for place in range(edges.size + 1)]


def _have_common_classes(mine: Labelled, theirs: Labelled) -> bool:
    return all(set(held) & set(others) for (_, held), (_, others) in zip(mine, theirs, strict=True))


def _on_common_levels(tables: Sequence[Labelled]) -> list[list[Array]]:
    made: list[list[Array]] = [[] for _ in tables]
    for columns in zip(*tables, strict=True):
        position = {
            label: place
            for place, label in enumerate(dict.fromkeys(label for _, levels in columns for label in levels))
        }
        for held, (codes, levels) in zip(made, columns, strict=True):
            held.append(np.array([*(position[label] for label in levels), -1])[codes])
    return made
