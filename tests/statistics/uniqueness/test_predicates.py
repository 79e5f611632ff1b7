from __future__ import annotations

import numpy as np

from sdc.statistics.neighbours.space import ABSOLUTE, CODE
from sdc.statistics.uniqueness.predicates import (
    AT_LEAST,
    AT_MOST,
    EQUAL,
    Ordered,
    Predicates,
    mixed,
    multivariate,
    univariate,
)

KINDS = np.array([ABSOLUTE, CODE], dtype=np.int8)


def test_every_value_held_once_and_every_end_held_once_is_a_predicate():
    table = np.array([[1.0, 5.0, 5.0, 9.0, 9.0, np.nan], [1.0, 1.0, 2.0, 3.0, 3.0, 1.0]])
    found = univariate(table, KINDS)
    made = sorted(
        (int(np.argmax(row)), int(row.max()), str(bound[np.argmax(row)]))
        for row, bound in zip(found.conditions, found.bounds, strict=True)
    )
    assert made == [(0, EQUAL, "1.0"), (0, EQUAL, "nan"), (0, AT_MOST, "1.0"), (1, EQUAL, "2.0")]
    assert found.matches(Ordered.of(table))[0].tolist() == [1] * 4


def test_matches_are_counted_as_written():
    table = np.array([[1.0, 2.0, 3.0, np.nan], [1.0, 1.0, 2.0, 0.0]])
    conditions = np.array([[AT_LEAST, 0], [AT_MOST, EQUAL], [EQUAL, 0], [0, EQUAL]], dtype=np.int8)
    bounds = np.array([[2.0, 0.0], [2.0, 1.0], [np.nan, 0.0], [0.0, 7.0]])
    counts, last = Predicates(conditions, bounds).matches(Ordered.of(table), enough=10)
    assert counts.tolist() == [2, 2, 1, 0]
    assert last.tolist() == [2, 1, 3, -1]


def test_a_description_means_its_own_record_and_no_other():
    rng = np.random.default_rng(1)
    table = np.vstack([rng.normal(size=200), rng.integers(0, 4, 200)])
    table[0, :20] = np.nan
    rows = np.arange(200)
    found = multivariate(Ordered.of(table), KINDS, rows, rng)
    counts, first = found.matches(Ordered.of(table))
    assert (counts == 1).all()
    assert set(first.tolist()) <= set(rows.tolist())


def test_records_that_are_not_unique_have_no_description():
    table = np.ones((2, 5))
    assert len(multivariate(Ordered.of(table), KINDS, np.arange(5), np.random.default_rng(0))) == 0


def test_mixed_descriptions_use_the_same_variables():
    rng = np.random.default_rng(1)
    table = np.vstack([rng.normal(size=50), rng.integers(0, 4, 50)])
    found = multivariate(Ordered.of(table), KINDS, np.arange(50), rng)
    assert np.array_equal(mixed(found, table, KINDS, rng).conditions > 0, found.conditions > 0)
