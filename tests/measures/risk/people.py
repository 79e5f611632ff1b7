"""Fictitious people of one population, drawn anew for each seed: what attacks are tried on."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType

EDUCATION = ("none", "primary", "secondary", "bachelor", "master")
ROLES = Roles.of(
    [
        Variable("region", Role.QUASI_IDENTIFIER),
        Variable("sex", Role.QUASI_IDENTIFIER),
        Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
        Variable("education", Role.QUASI_IDENTIFIER, VariableType.ORDINAL, EDUCATION),
        Variable("job", Role.QUASI_IDENTIFIER),
        Variable("income", Role.SENSITIVE, VariableType.NUMERIC),
        Variable("health", Role.SENSITIVE),
        Variable("spending", Role.OTHER, VariableType.NUMERIC),
        Variable("rooms", Role.OTHER, VariableType.NUMERIC),
    ]
)


def people(number: int, seed: int) -> pd.DataFrame:
    """Mixed variables that depend on each other, some of them missing."""
    rng = np.random.default_rng(seed)
    age = rng.integers(16, 90, number).astype(float)
    education = rng.choice(5, number, p=[0.1, 0.2, 0.4, 0.2, 0.1])
    income = np.round(np.exp(9.4 + 0.2 * education + 0.004 * age + rng.normal(0, 0.5, number)), 2)
    job = rng.choice(list("abcdefghijkl"), number).astype(object)
    job[rng.random(number) < 0.2] = None
    income[rng.random(number) < 0.03] = np.nan
    return pd.DataFrame(
        {
            "region": rng.choice(["north", "south", "east", "west", "centre"], number),
            "sex": rng.choice(["f", "m"], number),
            "age": age,
            "education": np.array(EDUCATION)[education],
            "job": job,
            "income": income,
            "health": np.where(rng.random(number) < 0.1 + 0.006 * age, "poor", "good"),
            "spending": np.round(np.nan_to_num(income, nan=9000) * rng.uniform(0.4, 0.9, number), 2),
            "rooms": rng.integers(1, 7, number).astype(float),
        }
    )


def released(
    original: pd.DataFrame, candidate: pd.DataFrame, holdout: pd.DataFrame | None = None, **further: object
) -> ReleasePair:
    return ReleasePair.from_frames(original, candidate, ROLES, holdout=holdout, **further)


def independent(seed: int, number: int = 1000, held_out: int = 500) -> ReleasePair:
    """Original, candidate and holdout are three samples of one population.

    The candidate owes the original nothing.
    """
    return released(people(number, 3 * seed), people(number, 3 * seed + 1), people(held_out, 3 * seed + 2))


def leaking(seed: int, leaked: int = 50, number: int = 1000, held_out: int = 500) -> ReleasePair:
    """The same, but the first records of the original are, word for word, among the candidate's."""
    original, others = people(number, 3 * seed), people(number - leaked, 3 * seed + 1)
    candidate = pd.concat([others, original[:leaked]], ignore_index=True).sample(
        frac=1, random_state=seed, ignore_index=True
    )
    return released(original, candidate, people(held_out, 3 * seed + 2))
