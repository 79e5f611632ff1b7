"""Which share of the classes on the keys has one record only?"""

from __future__ import annotations

from typing import Literal

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
from sdc.data.release_pair import ReleasePair, Side
from sdc.data.roles import MissingRule


@measure(
    family=Family.RISK,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="0: nobody stands alone",
    bounds=(0, 1),
    needs=(Need.QUASI_IDENTIFIERS,),
    valid_after=NON_PERTURBATIVE,
    examines=Examines.KEYS,
    alternatives=("replicated_uniques", "class_attribution"),
    parts="share_of_records:lower:0..1 classes unique_classes:lower:0..",
)
def unique_entries(
    pair: ReleasePair,
    *,
    table: Literal["candidate", "original", "population"] = "candidate",
    keys: list[Column] | None = None,
    missing: MissingRule | None = None,
) -> Measurement | NotAssessed:
    """PUE = (1/J) sum of 1{f_j = 1} over the J classes on the keys of a table.

    The definition divides by classes; `share_of_records` divides by records. A missing key is a category of
    its own or, as a wildcard, matches every value (a class is then a combination, its size the records it
    matches).

    Formula: PUE = (1 / J) Σ_j 1{f_j = 1}.

    Reference: Qu (2024), Contributions to Statistical Theory of Data Privacy, Definition 2.1.1; Dalenius
    (1986), Finding a needle in a haystack, Journal of Official Statistics 2(3), 329-336.
    """
    if table == "population" and pair.population is None:
        return NotAssessed("this release has no population file")
    sizes = pair.class_sizes(keys or pair.roles.quasi_identifiers, Side(table), missing)
    if not sizes.total_records:
        return NotAssessed(f"the {table} has no records")
    unique = sizes.classes_of(1)
    shares = {"share_of_records": sizes.records_below(2) / sizes.total_records}
    return Measurement(
        unique / sizes.total_classes, {**shares, "classes": sizes.total_classes, "unique_classes": unique}
    )
