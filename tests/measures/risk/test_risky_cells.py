from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from sdc.data.roles import MissingRule
from sdc.measures.risk.risky_cells import risky_cells
from sdc.statistics.counts.subsets import key_tables

SIX = ["region", "sex", "marital_status", "education", "activity", "household_size"]


@pytest.mark.parametrize("threshold", [1, 2, 4])
def test_small_cells_are_those_of_sdcmicro(household_pair, households, golden, threshold):
    expected = golden("risky_cells")["outputs"][f"threshold_{threshold}"]
    pair = household_pair(SIX, households["education"].notna())
    outcome = risky_cells(pair, k=threshold + 1)
    assert outcome.parts["cells"] == expected["total"]
    names = list(zip(expected["dim1"], expected["dim2"], expected["dim3"], strict=True))
    cells = {
        frozenset(name for name in key if name): count
        for key, count in zip(names, expected["unsafe_cells"], strict=True)
    }
    classes = pair.record_classes(SIX)
    for table in key_tables(classes.codes, classes.count, 3):
        assert (table.records <= threshold).sum() == cells[frozenset(SIX[key] for key in table.keys)]
    for size in (1, 2, 3):
        assert outcome.parts[f"cells.{size}"] == sum(
            count for key, count in cells.items() if len(key) == size
        )


def test_the_share_counts_records_that_are_in_a_small_cell_of_any_table(example_pair):
    rng = np.random.default_rng(4)
    rows = rng.choice(list("abc"), (60, 4)).tolist()
    risky = {
        number
        for chosen in [each for size in (1, 2, 3) for each in combinations(range(4), size)]
        for number, record in enumerate(rows)
        if sum(all(other[key] == record[key] for key in chosen) for other in rows) < 3
    }
    outcome = risky_cells(example_pair(rows), k=3)
    assert outcome.value == pytest.approx(len(risky) / 60)
    assert outcome.parts["share.1"] == 0


def test_a_missing_key_is_a_cell_or_matches_every_one(example_pair):
    pair = example_pair([["a", "x"], ["a", "x"], ["a", None]])
    assert risky_cells(pair, k=2).parts["cells"] == 2
    assert risky_cells(pair, k=2, missing=MissingRule.WILDCARD).parts["cells"] == 0


def test_more_dimensions_than_keys_are_all_keys(example_pair):
    assert risky_cells(example_pair([["a"], ["b"]]), dimension=3).value == 1
