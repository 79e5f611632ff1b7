"""Overlapping ranges against a search record by record."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.frequencies import population_sizes
from sdc.measures.key_matching import found_by

KEYS = ["age", "year", "sex"]
ROLES = Roles.of(
    [
        *(Variable(key, Role.QUASI_IDENTIFIER, VariableType.NUMERIC) for key in KEYS[:2]),
        Variable("sex", Role.QUASI_IDENTIFIER),
        Variable("health", Role.SENSITIVE),
    ]
)


def ranges(rng: np.random.Generator, records: int, first: int) -> list[tuple[int, int]]:
    low = rng.integers(first, first + 12, records)
    return list(zip(low.tolist(), (low + rng.integers(0, 6, records)).tolist(), strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_everybody_finds_the_records_whose_ranges_hold_their_keys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = {
        name: pd.DataFrame(
            {
                "age": rng.integers(18, 36, size),
                "year": rng.integers(1998, 2016, size),
                "sex": rng.choice(["f", "m"], size),
                "health": rng.choice(["bad", "good", "fair"], size),
            }
        )
        for name, size in (("original", 60), ("population", 90))
    }
    ages, years = ranges(rng, 40, 20), ranges(rng, 40, 2000)
    candidate = pd.DataFrame(
        {
            "age": [f"{low}-{high}" for low, high in ages],
            "year": [f"{low}-{high}" for low, high in years],
            "sex": rng.choice(["f", "m"], 40),
            "health": rng.choice(["bad", "good"], 40),
        }
    )
    pair = ReleasePair.from_frames(
        people["original"], candidate, ROLES, population=people["population"].drop(columns="health")
    )

    def holds(row: int, person: pd.Series) -> bool:
        inside = all(
            low <= person[key] <= high for key, (low, high) in (("age", ages[row]), ("year", years[row]))
        )
        return inside and candidate["sex"][row] == person["sex"]

    _, released = found_by(pair, KEYS, "health")
    for place, person in people["original"].iterrows():
        found = [row for row in range(40) if holds(row, person)]
        assert released.matches[place] == len(found)
        assert released.hits[place] == sum(candidate["health"][row] == person["health"] for row in found)
    assert released.matched.any()

    sizes = population_sizes(pair, KEYS)
    classes = candidate.groupby(KEYS).indices.values()
    expected = sorted(
        (len(rows), sum(holds(int(rows[0]), person) for _, person in people["population"].iterrows()))
        for rows in classes
    )
    assert sorted(zip(sizes.sample.tolist(), sizes.population.tolist(), strict=True)) == expected
