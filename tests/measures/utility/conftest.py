"""The golden pairs, and pairs made from a few columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType

PAIRS = Path(__file__).parents[2] / "golden" / "households" / "pairs"


def _roles_of(frame: pd.DataFrame, order: dict[str, tuple[str, ...]]) -> Roles:
    def variable(name: str) -> Variable:
        if name in order:
            return Variable(name, Role.OTHER, VariableType.ORDINAL, order[name])
        return Variable(
            name,
            Role.OTHER,
            VariableType.NUMERIC if pd.api.types.is_numeric_dtype(frame[name]) else VariableType.CATEGORICAL,
        )

    return Roles.of([variable(name) for name in frame.columns])


@pytest.fixture(scope="session")
def pair_of() -> Any:
    """A pair from columns.

    Each is numeric or categorical as the original has it, ordinal where an order is given.
    """

    def make(
        original: Any, candidate: Any, *, order: dict[str, tuple[str, ...]] | None = None, **options: Any
    ) -> ReleasePair:
        first, second = pd.DataFrame(original), pd.DataFrame(candidate)
        return ReleasePair.from_frames(first, second, _roles_of(first, order or {}), **options)

    return make


@pytest.fixture(scope="session")
def golden_pair(households: pd.DataFrame, pair_of: Any) -> Any:
    """The demonstration data beside a file of golden/households/pairs, on the columns of that file."""
    made: dict[str, ReleasePair] = {}

    def make(name: str) -> ReleasePair:
        if name not in made:
            candidate = pd.read_csv(PAIRS / f"{name}.csv")
            made[name] = pair_of(
                households[list(candidate.columns)], candidate, aligned=not name.startswith("synthpop")
            )
        return made[name]

    return make
