"""How coarse may a variable be for everyone?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sdc.catalogue import Protected, Protection, always, method
from sdc.errors import CannotProtect
from sdc.methods import columns
from sdc.statistics.coarsening.recoding import CannotRecode, Coarser, Domain, Recode

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import pandas as pd

    from sdc.data.long_table import AnyTable
    from sdc.data.roles import Roles


@method(
    protection=Protection.NON_PERTURBATIVE,
    example={
        "age": {"width": 10},
        "region": {"groups": {"East or South": ["East", "South"]}},
        "education": {"groups": {"low": ["none", "primary"]}},
    },
    columnwise=True,
    in_parts=always,
)
def global_recode(
    table: AnyTable, roles: Roles, _rng: np.random.Generator, /, **recodes: Recode
) -> Protected:
    """Values of a variable become coarser in the same way for every record.

    `with` maps a variable to its recoding: width (with start, bottom, top), bands, groups (with others),
    digits, hierarchy (with level) or period. Bands of whole numbers have both ends in them ("20-29", "-10 to
    -1", "65+", "<18"), others are half open ("[20.5,30)"). New labels keep the order of the values they stand
    for; missing stays missing.

    Formula: y = g(x) with one g for all records; with a width: [start + w ⌊(x − start) / w⌋, + w).

    Reference: Hundepool et al. (2012), Statistical Disclosure Control, chapter 3, doi:10.1002/9781118348239.
    """
    del roles
    columns.known("global_recode", table, recodes, "with")
    made, labels, record = table, {}, {}
    for name, recode in recodes.items():
        kind, values = columns.kind(table, name), columns.distinct(table, name)
        domain = Domain(values, ordered=not columns.is_category(kind) or bool(kind.cat.ordered))
        try:
            coarser = recode.coarser(domain)
        except CannotRecode as problem:
            raise CannotProtect("global_recode", f"{name}: {problem}") from None
        placed = columns.places_among(kind, values)
        made = columns.changed(made, [name], partial(_recoded, name, placed, coarser))
        record[name] = {"levels_before": len(values), "levels_after": len(set(coarser.codes.tolist()))}
        if columns.is_category(kind) or recode.way in ("groups", "hierarchy"):
            labels[name] = {
                text: coarser.labels[code] for text, code in zip(domain.texts, coarser.codes, strict=True)
            }
    return Protected(made, record=record, labels=labels)


def _recoded(
    name: str, placed: Callable[[pd.Series], np.ndarray], coarser: Coarser, part: pd.DataFrame
) -> dict[str, pd.Categorical]:
    import numpy as np
    import pandas as pd

    places = np.append(coarser.codes, -1)[placed(part[name])]
    return {name: pd.Categorical.from_codes(places, categories=list(coarser.labels), ordered=coarser.ordered)}
