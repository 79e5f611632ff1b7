"""Shows the variables of a study: role, type, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.study.text_table import TextTable

if TYPE_CHECKING:
    import pandas as pd

    from sdc.profile.plan import VariablePlan


@dataclass(frozen=True, repr=False)
class DeclaredVariables:
    """Every variable of a study with its role, its type and the reason for both.

    >>> told = sdc.Study(households, keys=["region"], types={"household_size": "categorical"}).variables
    >>> told.frame.loc["household_size", "why"]
    'not named; told to be categorical'
    """

    plans: Mapping[str, VariablePlan]
    why: Mapping[str, str]

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each variable.

        >>> list(sdc.Study(households, keys=["region"]).variables.frame.columns)
        ['role', 'type', 'why']
        """
        import pandas as pd

        rows = [(name, plan.role.value, plan.type.value, self.why[name]) for name, plan in self.plans.items()]
        return pd.DataFrame(rows, columns=["variable", "role", "type", "why"]).set_index("variable")

    @property
    def table(self) -> TextTable:
        rows = tuple(
            (name, plan.role.value, plan.type.value, self.why[name]) for name, plan in self.plans.items()
        )
        return TextTable(("variable", "role", "type", "why"), rows)

    def __repr__(self) -> str:
        return str(self.table)

    def _repr_html_(self) -> str:
        return self.table.html()
