"""How likely is an intruder who matches keys by class to name the right class of the target?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.classes import Classed
from sdc.data.release_pair import ReleasePair
from sdc.measures.attribution_table import AttributionTable, attribution_table
from sdc.measures.classing import Binning, ClassEdges, ClassesOf
from sdc.measures.key_matching import compared_by, riskiest
from sdc.statistics.attribution.lookup import AttributionCells, knowing_homogeneous, knowing_membership


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="p_original: nothing done",
    bounds=(0, 1),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    parts=(
        "p_original p_original_all gain:higher:-1..1 worst_gain:higher:-1..1 best_gain matched_share"
        " matched_records value.VARIABLE:lower:0..1 classes_left_out cap_original.TEXT cap_candidate.TEXT"
        " records.TEXT worst_class.TEXT"
    ),
)
def class_attribution(
    pair: ReleasePair,
    *,
    keys: list[Column] | None = None,
    target: Column | None = None,
    bins: Annotated[int, Field(ge=1)] | None = 5,
    binning: Binning = "equal_frequency",
    classes: ClassesOf = "pooled",
    edges: ClassEdges | None = None,
    knowledge: Literal["standard", "high", "low"] = "standard",
    inclusion_probability: Annotated[float, Field(ge=0, le=1)] | Literal["population"] = 0.5,
    by_class: bool = False,
    least: Annotated[int, Field(ge=1)] = 10,
) -> Measurement | NotAssessed:
    """P_a: the chance that a candidate record in a person's key class has the person's target class.

    CAP_A = 1{an original record is there} x (candidate records with key and target) / (with the key); its
    mean over the matching set, the original records whose key class the candidate has. p_original is the same
    were the original released, on the same set, and p_original_all over all original records, those whose key
    class the candidate does not have counting 0; gain = p_original - value; worst_gain and best_gain are the
    extremes of CAP_O - CAP_A over classes with original records. The thesis prints (2.12) and (2.13) with the
    sign reversed.

    Numbers are compared by the `edges` given (classes [a, b), the last closed; a value beyond them matches
    nothing), else in `bins` classes of equal frequency or equal length made on both tables pooled (outer
    classes open) or, with `classes: candidate`, on the candidate alone (a value beyond its smallest and
    largest is in no class), a variable with no more values than bins by its values; generalised columns by
    the candidate's labels. Where ranges of keys overlap a person is matched with every range that holds the
    key, and CAP_O is that of the originals in the same ranges. A missing key or target is a category of its
    own. knowledge: high, the intruder knows the target of keys whose original records all share one; low, a
    person is in the candidate with `inclusion_probability` only (a number, or from the population file: the
    original's records of the key class over the population's) and outside it every target class is as likely.
    With `by_class`, cap_original, cap_candidate and records by class name up to a hundred classes of at least
    `least` original records, those of the smallest gain first; worst_class names the one whose gain is
    smallest, and classes_left_out counts the others (all, where ranges overlap). Names of classes are for the
    internal report. Without `target`, the sensitive variable with the largest value.

    Formula: P_a = (1 / |M|) Σ_{i in M} s(K_i, T_i) / s(K_i), with s the candidate's counts and M the original
    records with s(K_i) > 0.

    Reference: Qu (2024), Contributions to Statistical Theory of Data Privacy, (2.6)-(2.13); Elliot (2014),
    Final report on the disclosure risk associated with the synthetic data produced by the SYLLS team.
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
    population = inclusion_probability == "population"
    if population and (problem := _no_population(pair, compared)):
        return problem

    def attributed(variable: str) -> Measurement | NotAssessed:
        column = compared_by(pair, [variable], bins=bins, binning=binning, edges=edges, classes=classes)
        if isinstance(column, NotAssessed):
            return column
        table = attribution_table(pair, compared, column[0], population=population)
        if not table.cells.matched.any():
            return NotAssessed("no original record has a key class that the candidate has")
        scores = _scores(
            table,
            knowledge,
            table.inclusion if isinstance(inclusion_probability, str) else inclusion_probability,
        )
        named = table.named(scores, least) if by_class else {}
        return Measurement(
            table.cells.mean(scores, table.cells.matched), {**_parts(table.cells, scores), **named}
        )

    return attributed(target) if target else riskiest(pair.roles.sensitive, attributed)


def _no_population(pair: ReleasePair, keys: Sequence[str | Classed]) -> NotAssessed | None:
    if pair.population is None:
        return NotAssessed("this release has no population file")
    names = [key if isinstance(key, str) else key.name for key in keys]
    lacking = [name for name in names if name not in pair.population.columns]
    return NotAssessed(f"not in the population file: {', '.join(lacking)}") if lacking else None


def _scores(table: AttributionTable, knowledge: str, inclusion: float | Array) -> Array:
    if knowledge == "high":
        return knowing_homogeneous(table.cells)
    return (
        knowing_membership(table.cells.in_candidate, inclusion, table.levels)
        if knowledge == "low"
        else table.cells.in_candidate
    )


def _parts(cells: AttributionCells, scores: Array) -> dict[str, float]:
    matched = cells.matched
    p_original = cells.mean(cells.in_original, matched)
    gains = (cells.in_original - scores)[matched]
    share = cells.matched_records / float(cells.records.sum())
    return {
        "p_original": p_original,
        "p_original_all": p_original * share,
        "gain": p_original - cells.mean(scores, matched),
        "worst_gain": gains.min(),
        "best_gain": gains.max(),
        "matched_share": share,
        "matched_records": cells.matched_records,
    }
