"""Does the automatic visit find dependence that is not linear, and are its p-values on record?"""

from __future__ import annotations

from math import dist

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.statistics.synthesis.distance_correlation import distance_correlation, log_chance_of_distances
from sdc.statistics.synthesis.feature import CompleteFeature
from sdc.statistics.synthesis.visit import visit_sequence


@pytest.fixture(scope="module")
def parabola():
    """y follows from x, though not linearly; z is on its own."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    return pd.DataFrame({"y": x**2 + rng.normal(0, 0.5, 300), "z": rng.normal(size=300), "x": x})


def visited(table, test):
    return visit_sequence([[CompleteFeature(table[name].to_numpy())] for name in table], test)


def f_test(target, *columns):
    """Log p-value of the F test of a regression, from its coefficient of determination."""
    design = np.column_stack([np.ones(len(target)), *columns])
    left = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
    explained = 1 - (left @ left) / ((target - target.mean()) @ (target - target.mean()))
    degrees = len(target) - len(columns) - 1
    return stats.f.logsf(explained / (1 - explained) * degrees / len(columns), len(columns), degrees)


def test_the_p_values_are_those_of_the_f_tests(parabola):
    y, z, x = (parabola[name].to_numpy() for name in "yzx")
    first = visited(parabola, "linear").rounds[0]
    assert [first[place] for place in range(3)] == pytest.approx(
        [f_test(y, z, x), f_test(z, y, x), f_test(x, y, z)], rel=1e-9
    )
    first = visited(parabola, "cubic").rounds[0]
    assert first[0] == pytest.approx(f_test(y, z, z**2, z**3, x, x**2, x**3), rel=1e-9)
    assert first[1] == pytest.approx(f_test(z, y, y**2, y**3, x, x**2, x**3), rel=1e-6)


def test_a_cubic_test_draws_what_follows_last(parabola):
    """The square follows from the number and not the number from its square."""
    assert visited(parabola, "cubic").order[-1] == 0
    assert visited(parabola, "cubic").rounds[0][0] < -100
    assert min(visited(parabola, "linear").rounds[0].values()) > -7


def test_distances_find_dependence_without_correlation(parabola):
    assert visited(parabola, "distance").order[-1] in (0, 2)
    rounds = visited(parabola, "distance").rounds
    assert rounds[0][0] < -10
    assert rounds[0][1] > -4
    assert len(rounds) == 2


def test_distance_correlation_is_that_of_its_definition():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(7, 2)), rng.normal(size=(7, 1))

    def centred(points):
        held = [[dist(one, two) for two in points] for one in points]
        total = sum(map(sum, held))
        return [
            [
                0.0
                if i == j
                else held[i][j] - sum(held[i]) / 5 - sum(held[k][j] for k in range(7)) / 5 + total / 30
                for j in range(7)
            ]
            for i in range(7)
        ]

    def product(one, two):
        return sum(one[i][j] * two[i][j] for i in range(7) for j in range(7))

    a, b = centred(first.tolist()), centred(second.tolist())
    wanted = product(a, b) / np.sqrt(product(a, a) * product(b, b))
    assert distance_correlation(first, second) == pytest.approx(wanted)
    assert distance_correlation(first, first) == pytest.approx(1.0)
    assert log_chance_of_distances(first, second) == pytest.approx(
        stats.chi2.logsf(max(7 * wanted + 1, 0), 1)
    )


def test_constants_and_few_records_are_not_tested():
    assert distance_correlation(np.zeros((9, 1)), np.arange(9.0)[:, None]) == 0.0
    assert log_chance_of_distances(np.arange(3.0)[:, None], np.arange(3.0)[:, None]) == 0.0


@pytest.mark.parametrize("test", ["linear", "cubic", "distance"])
def test_the_sealed_record_has_the_p_values_of_every_round(parabola, test):
    entry = find_method("sequential")
    roles = Roles.of(Variable(name, Role.OTHER, VariableType.NUMERIC) for name in parabola)
    made = entry.function(
        parabola,
        roles,
        np.random.default_rng(0),
        **entry.arguments({"visit": "automatic", "visit_test": test}),
    )
    first, second = made.sealed["visit_log10_p_values"]
    last = min(first, key=first.get)
    assert made.sealed["visit_test"] == test
    assert set(first) == {"x", "y", "z"}
    assert set(second) == set(first) - {made.record["visit"][-1]}
    assert first[made.record["visit"][-1]] == pytest.approx(first[last])
    assert "visit_log10_p_values" not in made.record
    assert first["y"] == pytest.approx(visited(parabola, test).rounds[0][0] / np.log(10))


def test_a_given_order_is_tested_by_nothing(parabola):
    entry = find_method("sequential")
    roles = Roles.of(Variable(name, Role.OTHER, VariableType.NUMERIC) for name in parabola)
    assert entry.function(parabola, roles, np.random.default_rng(0), **entry.arguments({})).sealed == {}
