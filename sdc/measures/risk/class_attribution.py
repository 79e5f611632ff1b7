"""How likely is an intruder who matches keys by class to name the right class of the target?"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sdc.catalogue import Better, Column, Family, Need, measure
from sdc.classing import Binning, ClassEdges
from sdc.matching import compared_by, riskiest
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair
from sdc.statistics.attribution import AttributionCells, knowing_homogeneous, knowing_membership


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    bounds=(0, 1),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    parts="p_original gain:higher:-1..1 worst_gain:higher:-1..1 best_gain matched_share matched_records value.VARIABLE:lower:0..1",
)
def class_attribution(
    pair: ReleasePair,
    *,
    keys: list[Column] | None = None,
    target: Column | None = None,
    bins: Annotated[int, Field(ge=1)] | None = 5,
    binning: Binning = "equal_frequency",
    edges: ClassEdges | None = None,
    knowledge: Literal["standard", "high", "low"] = "standard",
    inclusion_probability: Annotated[float, Field(ge=0, le=1)] = 0.5,
) -> Measurement | NotAssessed:
    """P_a(correct match): the chance that a candidate record in a person's key class has the person's target class.

    CAP_A = 1{an original record is there} x (candidate records with key and target) / (with the key); its mean over the
    matching set, the original records whose key class the candidate has. p_original is the same were the original
    released, on the same set; gain = p_original - value; worst_gain and best_gain are the extremes of CAP_O - CAP_A over
    classes with original records. The thesis prints (2.12) and (2.13) with the sign reversed.

    Numbers are compared by the `edges` given (classes [a, b), the last closed; a value beyond them matches
    nothing), else in `bins` classes of equal frequency or equal length made on both tables pooled (outer classes
    open), a variable with no more values than bins by its values; generalised columns by the candidate's labels. A
    missing key or target is a category of its own. knowledge: high, the intruder knows the target of keys whose
    original records all share one; low, a person is in the candidate with `inclusion_probability` only and outside
    it every target class is as likely. Without `target`, the sensitive variable with the largest value.

    Reference: Qu (2024), Contributions to Statistical Theory of Data Privacy, (2.6)-(2.13); Elliot (2014), Final report on the disclosure risk
    associated with the synthetic data produced by the SYLLS team.
    """
    compared = compared_by(pair, keys or pair.roles.quasi_identifiers, bins=bins, binning=binning, edges=edges)
    if isinstance(compared, NotAssessed):
        return compared

    def attributed(variable: str) -> Measurement | NotAssessed:
        classes = compared_by(pair, [variable], bins=bins, binning=binning, edges=edges)
        if isinstance(classes, NotAssessed):
            return classes
        table = pair.crosstab(compared, classes[0])
        cells = AttributionCells.of(table.offsets, table.original, table.candidate)
        return _attribution(cells, knowledge, inclusion_probability, len(table.levels) + int((table.target < 0).any()))

    return attributed(target) if target else riskiest(pair.roles.sensitive, attributed)


def _attribution(cells: AttributionCells, knowledge: str, inclusion: float, levels: int) -> Measurement | NotAssessed:
    matched = cells.matched
    if not matched.any():
        return NotAssessed("no original record has a key class that the candidate has")
    scores = knowing_homogeneous(cells) if knowledge == "high" else cells.in_candidate
    if knowledge == "low":
        scores = knowing_membership(scores, inclusion, levels)
    value, p_original = cells.mean(scores, matched), cells.mean(cells.in_original, matched)
    gains = (cells.in_original - scores)[matched]
    parts = {
        "p_original": p_original,
        "gain": p_original - value,
        "worst_gain": gains.min(),
        "best_gain": gains.max(),
        "matched_share": cells.matched_records / cells.records.sum(),
        "matched_records": cells.matched_records,
    }
    return Measurement(value, parts)
