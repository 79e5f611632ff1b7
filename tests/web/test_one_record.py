"""What is said of one record is counted in the table of the candidate."""

from __future__ import annotations

import duckdb
import pytest

from sdc.web.one_record import _counts, _remedies, _unique_on

ROWS = [
    ("north", None, "f"),
    ("north", "30-39", "m"),
    ("north", "40-49", "m"),
    ("south", None, "m"),
    ("south", None, "m"),
]


@pytest.fixture
def cursor():
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (region VARCHAR, age VARCHAR, sex VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS)
        yield connection


def test_a_blank_that_is_there_counts_as_a_value_of_its_own(cursor):
    """Of the first: blank age and woman are hers alone, blank age three have, the north three too."""
    first = dict(zip(("region", "age", "sex"), ROWS[0], strict=True))
    asked = [("age",), ("region",), ("age", "sex"), ("region", "age"), ()]
    assert _counts(cursor, "t", first, asked) == [3, 3, 1, 1, 5]


def test_what_would_help_looks_at_the_blanks_that_are_there(cursor):
    """Without her sex she is the only one in the north with a blank age; without region and sex one of three."""
    first = dict(zip(("region", "age", "sex"), ROWS[0], strict=True))
    assert _remedies(cursor, "t", first, 3) == ("without region and sex it is one of 3 on the other keys",)
    assert _remedies(cursor, "t", first, 4) == ("no two keys blanked are enough",)


def test_only_the_smallest_sets_are_named():
    sizes = {("a",): 2, ("b",): 1, ("a", "b"): 1, ("a", "c"): 1, ("a", "b", "c"): 1}
    assert _unique_on(sizes) == ("b", "a + c")
