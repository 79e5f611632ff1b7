"""How likely is a re-identification to be right, at worst and on average?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from sdc.catalogue import (
    NON_PERTURBATIVE,
    Better,
    Column,
    Examines,
    Family,
    Measurement,
    Need,
    NotAssessed,
    Unit,
    measure,
)
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import MissingRule
from sdc.measures.frequencies import frequencies, population_sizes

if TYPE_CHECKING:
    from sdc.arrays import Array


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="1: somebody stands alone",
    usual="0.09: European Medicines Agency 2018, guidance on policy 0070",
    bounds=(0, 1),
    needs=(Need.QUASI_IDENTIFIERS,),
    valid_after=NON_PERTURBATIVE,
    examines=Examines.KEYS,
    alternatives=("class_attribution", "record_linkage"),
    parts=(
        "prosecutor_max:lower:0..1 prosecutor_share_above:lower:0..1 marketer:lower:0..1"
        " journalist_max:lower:0..1 journalist_share_above:lower:0..1 marketer_population:lower:0..1"
    ),
)
def reidentification_risk(
    pair: ReleasePair,
    *,
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.2,
    keys: list[Column] | None = None,
    missing: MissingRule | None = None,
) -> Measurement | NotAssessed:
    """The prosecutor's largest risk: 1/f for the smallest class f on the keys of the candidate.

    The prosecutor knows who is in the file. prosecutor_share_above is the share of records with 1/f above
    `threshold`; marketer is the mean of 1/f over records, the share re-identified when everyone is tried. The
    journalist does not know who is in the file: 1/F with F the class in the population file (at least f,
    generalised keys by containment), else estimated by the sum of weights; where neither exists, the
    journalist's parts and marketer_population, the mean of 1/F, are left out.

    Formula: max_i 1 / f_i = 1 / min_c f_c; marketer = (1 / n) Σ_i 1 / f_i = classes / n.

    Reference: El Emam and Dankar (2008), doi:10.1197/jamia.M2716; Dankar and El Emam (2010),
    doi:10.1145/1754239.1754271.
    """
    chosen = keys or pair.roles.quasi_identifiers
    sizes = pair.class_sizes(chosen, missing=missing)
    if not sizes.total_records:
        return NotAssessed("the candidate has no records")
    prosecutor = 1 / sizes.size
    parts = {
        "prosecutor_max": prosecutor[0],
        "prosecutor_share_above": sizes.records[prosecutor > threshold].sum() / sizes.total_records,
        "marketer": _mean(prosecutor, sizes.records),
    }
    behind = _population(pair, chosen, missing)
    if behind is not None:
        journalist, records = 1 / behind[0], behind[1]
        parts["journalist_max"] = journalist.max()
        parts["journalist_share_above"] = records[journalist > threshold].sum() / records.sum()
        parts["marketer_population"] = _mean(journalist, records)
    return Measurement(prosecutor[0], parts)


def _population(
    pair: ReleasePair, keys: tuple[str, ...] | list[str], missing: MissingRule | None
) -> tuple[Array, Array] | None:
    """Population size of classes, and their records in the candidate."""
    import numpy as np

    counted = population_sizes(pair, keys, missing)
    if not isinstance(counted, NotAssessed):
        return np.maximum(counted.population, counted.sample), counted.records
    estimated = None if pair.roles.weight is None else frequencies(pair, keys, missing)
    if estimated is None or isinstance(estimated, NotAssessed):
        return None
    return np.maximum(estimated.population, estimated.sample), estimated.records


def _mean(risk: Array, records: Array) -> float:
    return float((risk * records).sum()) / int(records.sum())
