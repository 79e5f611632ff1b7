"""Strata and syntheses are the same whoever makes them, in whatever order."""

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.protection import Protected
from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.run.pieces import done_by
from sdc.run.randomness import Randomness

ROWS = 300
SEQUENTIAL = [
    {},
    {"m": 3},
    {"m": 3, "proper": True},
    {"m": 2, "model": "parametric", "settings": {"normrank": {"bayes": True}}},
    {"m": 2, "models": {"income": "pmm"}},
    {"strata": ["region"]},
    {"strata": ["region"], "m": 3},
    {"strata": ["region"], "m": 2, "proper": True, "households": "separate"},
    {"strata": ["region"], "rows": 2},
]
PARTIAL = [
    {"variables": ["income", "sex"]},
    {"variables": ["income", "sex"], "m": 3},
    {"variables": ["income", "sex"], "m": 3, "proper": True},
    {"variables": ["income"], "m": 2, "models": {"income": "norm_draw"}},
]
ASKED = [
    *(("sequential", given) for given in SEQUENTIAL),
    *(("partial_synthesis", given) for given in PARTIAL),
]


def people() -> tuple[pd.DataFrame, Roles]:
    rng = np.random.default_rng(5)
    home = np.arange(ROWS) // 3
    table = pd.DataFrame(
        {
            "region": pd.Categorical(rng.choice(["north", "south", "west"], ROWS, p=[0.6, 0.3, 0.1])[home]),
            "sex": pd.Categorical(rng.choice(["f", "m"], ROWS)),
            "age": rng.integers(18, 80, ROWS).astype(float),
            "income": np.where(rng.random(ROWS) < 0.1, np.nan, rng.lognormal(10, 0.5, ROWS).round(2)),
            "home": pd.Categorical([f"H{number:03d}" for number in home]),
        }
    )
    roles = [
        Variable("region", Role.STRATUM),
        Variable("sex", Role.QUASI_IDENTIFIER),
        Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
        Variable("income", Role.SENSITIVE, VariableType.NUMERIC),
        Variable("home", Role.HOUSEHOLD),
    ]
    return table, Roles.of(roles)


def made(name, given) -> Protected:
    entry = find_method(name)
    table, roles = people()
    return entry.function(table, roles, Randomness.from_seed(9).stream("syntheses"), **entry.arguments(given))


@pytest.mark.parametrize(("name", "given"), ASKED)
def test_pieces_made_apart_and_in_another_order_make_the_same_tables(name, given):
    numbers = []

    def apart(count, work):
        """Each by a maker of its own, which knows nothing but its number; the last one first."""
        numbers.append(count)
        return [piece_of(number) for number in reversed(range(count))][::-1]

    class Enough(Exception):
        pass

    def piece_of(wanted):
        kept = []

        def only(_count, work):
            kept.extend(work(wanted))
            raise Enough

        with pytest.raises(Enough), done_by(only):
            made(name, given)
        return kept

    here = made(name, given)
    with done_by(apart):
        there = made(name, given)
    for mine, other in zip((here.table, *here.syntheses), (there.table, *there.syntheses), strict=True):
        pd.testing.assert_frame_equal(mine, other, check_exact=True)
    assert here.record == there.record
    assert len(numbers) == 1
    entry = find_method(name)
    assert (numbers[0] > 1) == entry.in_pieces(entry.arguments(given)), "the catalogue says which have pieces"


def test_a_stratum_is_a_piece_and_so_is_a_synthesis_from_models_of_its_own():
    def counted(**given):
        counts = []

        def count(number, work):
            counts.append(number)
            return [work(place) for place in range(number)]

        with done_by(count):
            made("sequential", given)
        return counts

    assert counted() == [1]
    assert counted(m=4) == [1]
    assert counted(m=4, proper=True) == [4]
    assert counted(strata=["region"]) == [3]
    assert counted(strata=["region"], m=4) == [3]
    assert counted(strata=["region"], m=4, proper=True) == [12]
    assert counted(strata=["region"], rows=2) == [2], "of a stratum without records nothing is made"
