"""How likely is an intruder who looks up a person's exact keys to find the person's target?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.classes import Classed
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.classing import Binning, ClassEdges, ClassesOf
from sdc.measures.found import Found
from sdc.measures.key_matching import compared_by, found_by, found_in, riskiest
from sdc.statistics.counts.equivalence import alike, narrow


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="original: nothing done; base_rate: the shares of the target alone",
    bounds=(0, 1),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    parts="original base_rate matched_share zero_for_unmatched:lower:0..1 value.VARIABLE:lower:0..1",
)
def correct_attribution(
    pair: ReleasePair,
    *,
    keys: list[Column] | None = None,
    target: Column | None = None,
    bins: Annotated[int, Field(ge=1)] | None = None,
    binning: Binning = "equal_frequency",
    classes: ClassesOf = "pooled",
    edges: ClassEdges | None = None,
) -> Measurement | NotAssessed:
    """The mean CAP of the candidate over the original records whose keys it has.

    CAP of an original record: of the candidate's records with its keys, the share with its target. Without a
    match it is undefined and left out; zero_for_unmatched counts it as 0. original is the same mean were the
    original released, over all its records; base_rate the chance of guessing by the target's distribution
    alone, the sum of its squared shares. Keys and target match by equality, generalised columns by
    containment (ranges of keys may overlap); numbers in classes where `bins` (of both tables pooled, or of
    the candidate: `classes`) or `edges` say so. A missing key or target is a value of its own. Without
    `target`, the sensitive variable with the largest value. The CAP of each original record, and whether it
    matched, are kept by record.

    Formula: (1 / |M|) Σ_{i in M} s(k_i, t_i) / s(k_i), with s the candidate's counts of key and target and M
    the original records with s(k_i) > 0.

    Reference: Elliot (2014), Final report on the disclosure risk associated with the synthetic data produced
    by the SYLLS team; Taub, Elliot, Pampaka and Smith (2018), doi:10.1007/978-3-319-99771-1_9; Qu (2024),
    (2.2)-(2.5).
    """
    compared = compared_by(
        pair,
        keys or pair.roles.quasi_identifiers,
        bins=bins,
        binning=binning,
        edges=edges,
        classes=classes,
        overlap=True,
    )
    if isinstance(compared, NotAssessed):
        return compared

    def attributed(variable: str) -> Measurement | NotAssessed:
        column = compared_by(pair, [variable], bins=bins, binning=binning, edges=edges, classes=classes)
        if isinstance(column, NotAssessed):
            return column
        exact, released = found_by(pair, compared, column[0])
        if not released.matched.any():
            return NotAssessed("no original record has keys that the candidate has")
        if any(isinstance(each, str) and pair.containment(each) for each in (*compared, *column)):
            exact = _found_in_original(pair, compared, column[0])
        return _attribution(released, exact, pair.places(column[0], Side.ORIGINAL))

    return attributed(target) if target else riskiest(pair.roles.sensitive, attributed)


def _found_in_original(pair: ReleasePair, keys: list[str | Classed], target: str | Classed) -> Found:
    """What each record would find if the original were released as it is.

    Columns that the candidate generalised are compared by the original's own values.
    """

    def exact(column: str | Classed) -> Array:
        return (
            pair.codes(column, Side.ORIGINAL)
            if isinstance(column, str) and pair.containment(column)
            else pair.places(column, Side.ORIGINAL)
        )

    classes = narrow(*alike(exact(column) for column in keys))
    return found_in(classes, exact(target), pair.original.rows)[0]


def _attribution(released: Found, exact: Found, targets: Array) -> Measurement:
    matched, cap = released.matched, released.share
    summed, records = float(cap.sum()), cap.size
    parts = {
        "original": float(exact.share.mean()),
        "base_rate": float((np.bincount(targets + 1).astype(float) ** 2).sum()) / records**2,
        "matched_share": float(matched.mean()),
        "zero_for_unmatched": summed / records,
    }
    return Measurement(summed / int(matched.sum()), parts, by_record={"cap": cap, "matched": matched})
