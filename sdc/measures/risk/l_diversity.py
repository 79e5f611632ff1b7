"""How many values of a sensitive variable remain possible once a person's class is known?"""

from __future__ import annotations

from math import inf
from typing import Annotated, Literal

from pydantic import Field

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
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import MissingRule
from sdc.measures.classing import Binning, ClassEdges, Classing
from sdc.measures.comparison import classed, edges_amiss
from sdc.statistics.attribution.diversity import USUAL_C, distinct_l, entropy_l, recursive_l


@measure(
    family=Family.RISK,
    better=Better.HIGHER,
    unit=Unit.VALUES_IN_CLASS,
    against="1: a class gives the value away",
    usual="2: Machanavajjhala et al. 2007",
    bounds=(1, inf),
    needs=(Need.QUASI_IDENTIFIERS, Need.SENSITIVE),
    valid_after=NON_PERTURBATIVE,
    alternatives=("class_attribution", "attribute_disclosure"),
    parts=(
        "share_of_classes_below_l:lower:0..1 share_of_records_below_l:lower:0..1 smallest.VARIABLE:higher:1.."
        " share_of_classes_below_l.VARIABLE:lower:0..1 share_of_records_below_l.VARIABLE:lower:0..1"
    ),
)
def l_diversity(
    pair: ReleasePair,
    *,
    variant: Literal["distinct", "entropy", "recursive"] = "distinct",
    l: Annotated[float, Field(ge=1)] = 2,  # noqa: E741
    c: Annotated[float, Field(gt=0)] = USUAL_C,
    keys: list[Column] | None = None,
    sensitive: list[Column] | None = None,
    bins: Annotated[int, Field(ge=1)] | None = None,
    binning: Binning = "equal_frequency",
    edges: ClassEdges | None = None,
    missing: MissingRule | None = None,
) -> Measurement | NotAssessed:
    """The smallest l over the classes on the keys of the candidate, and over the sensitive variables.

    distinct: the number of values in the class. entropy: exp of their Shannon entropy (natural logarithm).
    recursive: the largest l with r1 < c (r_l + ... + r_m), r being the counts in descending order, 1 where
    there is none. Records with a missing sensitive value are left out; a missing key is a category of its own
    or, as a wildcard, matches every value. The shares below `l` are those of the worst sensitive variable.
    Numbers count by value, or by the classes of `edges` ([a, b), the last closed, open ones below and above)
    or of `bins` of equal frequency or length (`binning`) on both tables pooled: by value, distinct l says
    little about a continuous variable.

    Formula: min over classes of the number of values (distinct), of exp(−Σ_s p_s ln p_s) (entropy), or of
    max{l: r_1 < c (r_l + … + r_m)} (recursive).

    Reference: Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007), l-diversity,
    doi:10.1145/1217299.1217302.
    """
    parts: dict[str, float] = {}
    variables, classing = sensitive or pair.roles.sensitive, Classing(bins, binning, edges or {})
    if amiss := edges_amiss(pair, variables, classing.edges):
        return amiss
    for variable in variables:
        target = classed(pair, variable, classing)
        counts = pair.target_counts(keys or pair.roles.quasi_identifiers, target, missing=missing).observed()
        if not counts.records.size:
            return NotAssessed(f"{variable} has no values in the candidate")
        if variant == "recursive":
            values = recursive_l(counts.count, counts.offsets, c)
        else:
            values = (distinct_l if variant == "distinct" else entropy_l)(counts.count, counts.offsets)
        records, below = counts.records, values < l
        parts[f"smallest.{variable}"] = values.min()
        parts[f"share_of_classes_below_l.{variable}"] = below.mean()
        parts[f"share_of_records_below_l.{variable}"] = records[below].sum() / records.sum()
    worst = {
        name: max(share for part, share in parts.items() if part.startswith(f"{name}."))
        for name in ("share_of_classes_below_l", "share_of_records_below_l")
    }
    return Measurement(
        min(value for part, value in parts.items() if part.startswith("smallest.")), {**worst, **parts}
    )
