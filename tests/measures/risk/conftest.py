"""Small pairs from lists of keys and targets, as worked examples write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType


def frame(keys: list[Any], target: list[Any] | None = None) -> pd.DataFrame:
    rows = [key if isinstance(key, list) else [key] for key in keys]
    made = pd.DataFrame(rows, columns=[f"key_{place}" for place in range(len(rows[0]))])
    return made if target is None else made.assign(target=target)


def roles_of(original: pd.DataFrame, order: tuple[str, ...] = ()) -> Roles:
    def variable(name: str) -> Variable:
        role = Role.SENSITIVE if name == "target" else Role.QUASI_IDENTIFIER
        kind = (
            VariableType.NUMERIC
            if pd.api.types.is_numeric_dtype(original[name])
            else VariableType.CATEGORICAL
        )
        return Variable(
            name,
            role,
            VariableType.ORDINAL if name == "target" and order else kind,
            order if name == "target" else (),
        )

    return Roles.of(variable(name) for name in original.columns)


@pytest.fixture(scope="session")
def example_pair() -> Any:
    """A pair from keys and targets: `example_pair(KO, TO, KA, TA)`.

    The candidate is the original where not given.
    """

    def made(
        keys: list[Any],
        target: list[Any] | None = None,
        candidate_keys: list[Any] | None = None,
        candidate_target: list[Any] | None = None,
        *,
        order: tuple[str, ...] = (),
        population: list[Any] | None = None,
        **options: Any,
    ) -> ReleasePair:
        original = frame(keys, target)
        if population is not None:
            options["population"] = frame(population)
        candidate = original if candidate_keys is None else frame(candidate_keys, candidate_target)
        return ReleasePair.from_frames(original, candidate, roles_of(original, order), **options)

    return made


@pytest.fixture(scope="session")
def household_pair(households: pd.DataFrame, household_roles: Roles) -> Any:
    """The demonstration data against themselves, with the keys named: `household_pair(keys)`.

    Rows where a condition holds.
    """

    def made(
        keys: list[str], rows: Any = None, candidate: pd.DataFrame | None = None, **options: Any
    ) -> ReleasePair:
        chosen = households if rows is None else households[rows].reset_index(drop=True)
        listed = [
            Variable(each.name, Role.OTHER, each.type, each.order)
            if each.role is Role.QUASI_IDENTIFIER and each.name not in keys
            else each
            for each in household_roles
        ]
        ordered = sorted(listed, key=lambda each: keys.index(each.name) if each.name in keys else len(keys))
        return ReleasePair.from_frames(
            chosen, chosen if candidate is None else candidate, Roles.of(ordered), **options
        )

    return made


@pytest.fixture(scope="session")
def golden_pair() -> Any:
    """A masked or synthetic table made from the demonstration data by R, by name."""
    return lambda name: pd.read_csv(
        Path(__file__).parents[2] / "golden" / "households" / "pairs" / f"{name}.csv"
    )
