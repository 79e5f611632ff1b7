"""Does every point stand for its square, and for enough records?"""

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import BadOption

ROLES = Roles.of(Variable(name, Role.QUASI_IDENTIFIER, VariableType.NUMERIC) for name in ("east", "north"))


def gridded(points, **options):
    table = pd.DataFrame(points, columns=["east", "north"], dtype=float)
    entry = find_method("coordinate_grid")
    made = entry.function(
        table, ROLES, np.random.default_rng(1), **entry.arguments({"x": "east", "y": "north", **options})
    )
    return made.table[["east", "north"]].to_numpy().tolist(), made.record


def test_a_record_moves_to_the_centre_of_its_square():
    made, record = gridded([(0, 0), (9.9, 10), (-1, 25), (9, 0), (0, 19), (-9, 29)], size=10, k=2)
    assert made == [[5, 5], [5, 15], [-5, 25]] * 2
    assert record == {"records_by_doublings": [6], "suppressed": 0}


def test_small_crowds_move_to_larger_squares_and_the_last_ones_leave():
    """Two share a square of 10; two more share one of 20 only; one is alone in any square of 20."""
    made, record = gridded([(1, 1), (2, 2), (25, 5), (35, 15), (-70, 0)], size=10, k=2, doublings=1)
    assert made[:4] == [[5, 5], [5, 5], [30, 10], [30, 10]]
    assert np.isnan(made[4]).all()
    assert record == {"records_by_doublings": [2, 2], "suppressed": 1}


def test_every_point_stands_for_enough_records():
    rng = np.random.default_rng(7)
    made, _ = gridded(rng.normal(0, 100, (500, 2)), size=5, k=7, doublings=4)
    counts = pd.DataFrame(made).dropna().value_counts()
    assert counts.min() >= 7
    assert len(counts) > 10


def test_half_a_point_is_no_point():
    made, _ = gridded([(1, np.nan), (1, 1), (2, 2)], size=10, k=2)
    assert np.isnan(made[0]).all()
    assert made[1] == [5, 5]


def test_coordinates_are_numbers():
    table = pd.DataFrame({"east": pd.Categorical(["a"]), "north": [1.0]})
    entry = find_method("coordinate_grid")
    with pytest.raises(BadOption, match="east"):
        entry.function(
            table, ROLES, np.random.default_rng(1), **entry.arguments({"x": "east", "y": "north", "size": 1})
        )
