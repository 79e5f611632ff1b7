"""How many people does a key in the candidate lead to one target, and the right one?"""

from __future__ import annotations

from math import inf
from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.classes import Crosstab
from sdc.data.release_pair import ReleasePair
from sdc.measures.classing import Binning, ClassEdges
from sdc.measures.key_matching import compared_by, riskiest
from sdc.statistics.attribution.disclosure import DisclosureCells


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.PER_CENT_OF_ORIGINAL,
    against="in_original_disclosive: nothing done",
    bounds=(0, 100),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    parts=(
        "disco:lower:0..100 disdio:lower:0..100 dcap:lower:0..100 tcap:lower:0..100 base_cap cap_original"
        " cap_candidate:lower:0..100 keys_in_candidate in_original_disclosive"
        " in_candidate_disclosive:lower:0..100 candidate_disclosive:lower:0..100 largest_denominator"
        " mean_denominator value.VARIABLE:lower:0..100"
    ),
)
def attribute_disclosure(
    pair: ReleasePair,
    *,
    keys: list[Column] | None = None,
    target: Column | None = None,
    bins: Annotated[int, Field(ge=1)] | None = 5,
    binning: Binning = "equal_frequency",
    edges: ClassEdges | None = None,
    denominator_limit: Annotated[int, Field(ge=1)] | None = None,
    exclude_missing: bool = False,
) -> Measurement | NotAssessed:
    """Original records whose key has one target only in the candidate, the right one, in percent (DiSCO).

    In percent of original records too: in_original_disclosive (DiO: one target in the original),
    keys_in_candidate (iSO), in_candidate_disclosive (DiS: one target in the candidate, right or wrong),
    disdio (DiSCO and DiO), base_cap (sum of squared target shares), cap_original, dcap (mean candidate share
    of the true target, 0 where the key is absent), tcap (DiSCO among keys in the candidate); of candidate
    records cap_candidate and candidate_disclosive. largest_ and mean_denominator are of the original records
    in the (key, target) cells counted in DiSCO; with `denominator_limit`, larger cells are not counted there:
    a fact true of so many is no secret of one.

    Keys are compared by value, or by the classes of the `edges` given; a numeric target in `bins` classes
    made on both tables pooled; generalised columns by containment. A missing target is a level of its own;
    with `exclude_missing` it discloses nothing. Without `target`, the sensitive variable with the largest
    value.

    Formula: DiSCO = 100 / n × Σ_i 1{p(t_i | q_i) = 1}, where p(t | q) = (candidate records with key q and
    target t) / (candidate records with key q).

    Reference: Raab, Nowok and Dibben (2024), Practical privacy metrics for synthetic data,
    doi:10.48550/arXiv.2406.16826; Taub, Elliot, Pampaka and Smith (2018), doi:10.1007/978-3-319-99771-1_9.
    """
    compared = compared_by(pair, keys or pair.roles.quasi_identifiers, edges=edges)
    if isinstance(compared, NotAssessed):
        return compared

    def disclosed(variable: str) -> Measurement | NotAssessed:
        classes = compared_by(pair, [variable], bins=bins, binning=binning, edges=edges)
        if isinstance(classes, NotAssessed):
            return classes
        return _disclosure(
            pair.crosstab(compared, classes[0]), denominator_limit or inf, exclude_missing=exclude_missing
        )

    return disclosed(target) if target else riskiest(pair.roles.sensitive, disclosed)


def _disclosure(table: Crosstab, limit: float, *, exclude_missing: bool) -> Measurement | NotAssessed:
    own, released = table.original, table.candidate
    records, candidates = int(own.sum()), int(released.sum())
    if not records or not candidates:
        return NotAssessed("one of the tables has no records")
    cells = DisclosureCells(table.offsets, own, released, table.target >= (0 if exclude_missing else -1))
    in_original, in_candidate = cells.only(own), cells.only(released)
    right = in_candidate & (own > 0) & (own <= limit)
    by_target = np.bincount(table.target + 1, own)
    found = cells.in_class(released) > 0
    counted = {
        "in_original_disclosive": own[in_original],
        "keys_in_candidate": own[found],
        "in_candidate_disclosive": own[cells.of_key(in_candidate)],
        "disco": own[right],
        "disdio": own[right & in_original],
    }
    parts = {name: 100 * int(held.sum()) / records for name, held in counted.items()}
    parts["base_cap"] = 100 * float((by_target**2).sum()) / records**2
    parts["cap_original"] = 100 * cells.mean_share(own, own)
    parts["cap_candidate"] = 100 * cells.mean_share(released, released)
    parts["dcap"] = 100 * cells.mean_share(own, released)
    parts["tcap"] = 100 * int(own[right].sum()) / max(int(own[found].sum()), 1)
    parts["candidate_disclosive"] = 100 * int(released[in_candidate].sum()) / candidates
    parts["largest_denominator"] = int(own[right].max(initial=0))
    parts["mean_denominator"] = float(own[right].mean()) if right.any() else 0.0
    return Measurement(parts["disco"], parts)
