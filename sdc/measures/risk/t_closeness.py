"""How much more does a person's class reveal about a sensitive variable than the table alone?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import (
    NON_PERTURBATIVE,
    Better,
    Column,
    Family,
    Measurement,
    Need,
    NotAssessed,
    Unit,
    measure,
)
from sdc.data.classes import Classed
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import MissingRule
from sdc.measures.classing import Binning, ClassEdges, Classing
from sdc.measures.comparison import classed, edges_amiss
from sdc.statistics.attribution.closeness import (
    USUAL_DISTANCE,
    equal_distances,
    hierarchical_distances,
    kl_distances,
    ordered_distances,
)
from sdc.statistics.coarsening.labels import read_labels

if TYPE_CHECKING:
    from sdc.data.classes import TargetCounts


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.NATS_OR_SHARE,
    against="0: every class is like the table",
    bounds=(0, inf),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    valid_after=NON_PERTURBATIVE,
    alternatives=("class_attribution", "attribute_disclosure"),
    parts="mean_distance:lower:0.. distance.VARIABLE:lower:0.. mean_distance.VARIABLE:lower:0..",
)
def t_closeness(
    pair: ReleasePair,
    *,
    distance: Literal["kl", "equal", "ordered", "hierarchical"] = USUAL_DISTANCE,
    keys: list[Column] | None = None,
    sensitive: list[Column] | None = None,
    bins: Annotated[int, Field(ge=1)] | None = None,
    binning: Binning = "equal_frequency",
    edges: ClassEdges | None = None,
    hierarchy: dict[str, list[str]] | None = None,
    missing: MissingRule | None = None,
) -> Measurement | NotAssessed:
    """The largest distance between a sensitive variable in a class and in the whole candidate.

    kl: Kullback-Leibler divergence, natural logarithm. equal: total variation. ordered: earth mover's
    distance with value i at |i - j|/(m - 1) from value j, in declared order or by size. hierarchical: the
    same with two values as far apart as their lowest common ancestor is high; `hierarchy` gives the ancestors
    of each value, nearest first, the root last. Records with a missing sensitive value are left out; a
    missing key is a category of its own or, as a wildcard, matches every value. Numbers count by value, or by
    the classes of `edges` ([a, b), the last closed, open ones below and above) or of `bins` of equal
    frequency or length (`binning`) on both tables pooled. mean_distance is the mean over classes.

    Formula: max over classes c of D(P_c, P); ordered: (1 / (m − 1)) Σ_i |Σ_{j ≤ i} (p_cj − p_j)|, equal: ½
    Σ_j |p_cj − p_j|, kl: Σ_j p_cj ln(p_cj / p_j).

    Reference: Li, Li and Venkatasubramanian (2007), t-closeness, doi:10.1109/ICDE.2007.367856; Qu (2024),
    Definition 2.4.1.
    """
    largest: dict[str, float] = {}
    mean: dict[str, float] = {}
    variables, classing = sensitive or pair.roles.sensitive, Classing(bins, binning, edges or {})
    if amiss := edges_amiss(pair, variables, classing.edges):
        return amiss
    for variable in variables:
        target = classed(pair, variable, classing)
        chosen = keys or pair.roles.quasi_identifiers
        counts = pair.target_counts(chosen, target, missing=missing).observed()
        if not counts.records.size:
            return NotAssessed(f"{variable} has no values in the candidate")
        own = pair.target_counts(chosen, target, missing=MissingRule.OWN_CATEGORY)
        overall = np.bincount(own.target, own.count, minlength=len(counts.levels))
        found = _distances(pair, target, counts, overall, distance, hierarchy or {})
        if isinstance(found, NotAssessed):
            return found
        largest[variable], mean[variable] = found.max(), found.mean()
    parts = {
        **{f"distance.{name}": value for name, value in largest.items()},
        **{f"mean_distance.{name}": value for name, value in mean.items()},
    }
    return Measurement(max(largest.values()), {"mean_distance": max(mean.values()), **parts})


def _distances(
    pair: ReleasePair,
    target: str | Classed,
    counts: TargetCounts,
    overall: Array,
    distance: str,
    hierarchy: Mapping[str, Sequence[str]],
) -> Array | NotAssessed:
    if distance in ("kl", "equal"):
        return (kl_distances if distance == "kl" else equal_distances)(
            counts.count, counts.target, counts.offsets, overall
        )
    name = target if isinstance(target, str) else target.name
    if distance == "hierarchical":
        ancestors = _ancestors(counts.levels, hierarchy)
        if ancestors is None:
            return NotAssessed(
                f"hierarchical distances need the ancestors of every value of {name}, up to one root and all"
                " equally many"
            )
        return hierarchical_distances(counts.count, counts.target, counts.offsets, overall, ancestors)
    # An empty class has no rank of its own: it would shorten the distances of the others.
    ranks = (
        np.maximum(np.cumsum(overall > 0) - 1, 0)
        if isinstance(target, Classed)
        else _ranks(pair, name, counts.levels)
    )
    if ranks is None:
        return NotAssessed(f"ordered distances need an order of the values of {name}: declare it ordinal")
    return ordered_distances(counts.count, ranks[counts.target], counts.offsets, np.bincount(ranks, overall))


def _ranks(pair: ReleasePair, variable: str, levels: Sequence[str]) -> Array | None:
    """The place of each value in declared order, or by size; None where there is neither."""
    declared = pair.roles[variable]
    if declared.order:
        place = {level: rank for rank, level in enumerate(declared.order)}
        return np.array([place[level] for level in levels]) if set(levels) <= set(place) else None
    if not declared.numeric:
        return None
    partition = read_labels(levels)
    if not partition.sound:
        return None
    by_size = {level: rank for rank, level in enumerate(partition.labels)}
    return np.array([by_size[level] for level in levels])


def _ancestors(levels: Sequence[str], hierarchy: Mapping[str, Sequence[str]]) -> list[Array] | None:
    """Numbers of the ancestors of each value, by height.

    It is None where the hierarchy is not one tree of equal height.
    """
    lines = [hierarchy.get(level, ()) for level in levels]
    if len({len(line) for line in lines}) != 1 or not lines[0] or len({line[-1] for line in lines}) != 1:
        return None
    return [
        np.unique([line[height] for line in lines], return_inverse=True)[1] for height in range(len(lines[0]))
    ]
