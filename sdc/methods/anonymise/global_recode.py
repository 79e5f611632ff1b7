"""How coarse may a variable be for everyone?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.catalogue import Protected, Protection, method
from sdc.errors import CannotProtect
from sdc.methods.columns import coded, is_category, known
from sdc.statistics.coarsening.recoding import CannotRecode, Coarser, Domain, Recode

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from sdc.data.roles import Roles


@method(
    protection=Protection.NON_PERTURBATIVE,
    example={
        "age": {"width": 10},
        "region": {"groups": {"East or South": ["East", "South"]}},
        "education": {"groups": {"low": ["none", "primary"]}},
    },
    columnwise=True,
)
def global_recode(
    table: pd.DataFrame, roles: Roles, _rng: np.random.Generator, /, **recodes: Recode
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
    known("global_recode", table, recodes, "with")
    made, labels, record = table.copy(deep=False), {}, {}
    for name, recode in recodes.items():
        codes, values = coded(table[name])
        domain = Domain(values, ordered=not is_category(table[name]) or bool(table[name].cat.ordered))
        try:
            coarser = recode.coarser(domain)
        except CannotRecode as problem:
            raise CannotProtect("global_recode", f"{name}: {problem}") from None
        made[name] = _recoded(codes, coarser)
        record[name] = {"levels_before": len(values), "levels_after": len(set(coarser.codes.tolist()))}
        if is_category(table[name]) or recode.way in ("groups", "hierarchy"):
            labels[name] = {
                text: coarser.labels[code] for text, code in zip(domain.texts, coarser.codes, strict=True)
            }
    return Protected(made, record=record, labels=labels)


def _recoded(codes: np.ndarray, coarser: Coarser) -> pd.Categorical:
    import numpy as np
    import pandas as pd

    places = np.append(coarser.codes, -1)[codes]
    return pd.Categorical.from_codes(places, categories=list(coarser.labels), ordered=coarser.ordered)
