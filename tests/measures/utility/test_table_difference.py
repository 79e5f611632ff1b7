"""table_difference against the slides, and counted by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.utility.table_difference import table_difference


def records(counts):
    """Rows of sex by region with these counts."""
    rows = [
        (f"sex{i}", f"region{j}")
        for i, row in enumerate(counts)
        for j, count in enumerate(row)
        for _ in range(count)
    ]
    return pd.DataFrame(rows, columns=["sex", "region"])


def test_gender_by_region_of_the_slides(worked_examples, pair_of):
    inputs = worked_examples["T-UT-golden"]["inputs"]
    found = table_difference(
        pair_of(records(inputs["TX"]), records(inputs["TY"])), variables=["sex", "region"]
    )
    assert sum(map(sum, inputs["TX"])) == sum(map(sum, inputs["TY"]))
    assert found.value == pytest.approx(worked_examples["T-UT-golden"]["recomputed"], rel=1e-12)
    assert found.parts["ut2"] == pytest.approx(worked_examples["T-UT2-golden"]["recomputed"], rel=1e-12)
    assert found.parts["zero_cells_skipped"] == 0


def test_the_slides_table_is_the_one_printed_there(worked_examples):
    """9.22222 over 18 cells is 166 moved records; the table it starts from has 14,827."""
    case = worked_examples["T-UT"]
    assert case["recomputed"] * case["parameters"]["cells"] == pytest.approx(166)
    assert sum(map(sum, case["inputs"]["TX"])) == worked_examples["T-suppress"]["parameters"]["n"]


def test_cells_no_table_has_count_in_the_mean_and_zeros_of_the_original_are_skipped(pair_of):
    original, candidate = records([[2, 0], [0, 2]]), records([[1, 1], [0, 2]])
    found = table_difference(pair_of(original, candidate), variables=["sex", "region"])
    assert found.value == 2 / 4
    assert found.parts["ut2"] == 100 * (1 / 2 + 0) / 2
    assert found.parts["zero_cells_skipped"] == 2


def test_a_candidate_of_another_size_is_brought_to_the_originals(pair_of):
    assert table_difference(pair_of(records([[2, 4]]), records([[1, 2]]))).value == 0


def weighted_pair(weights):
    frame = records([[2, 1], [1, 2]]).assign(weight=weights)
    roles = Roles.of(
        [Variable("sex"), Variable("region"), Variable("weight", Role.WEIGHT, VariableType.NUMERIC)]
    )
    moved = frame.assign(region=frame["region"].iloc[::-1].to_numpy())
    return ReleasePair.from_frames(frame, moved, roles)


def test_weights_of_one_change_nothing():
    pair = weighted_pair(np.ones(6))
    found, plain = (
        table_difference(pair, weighted=True, variables=["sex", "region"]),
        table_difference(pair, variables=["sex", "region"]),
    )
    assert found.value == found.parts["unweighted"] == plain.value
    assert found.parts["ut2"] == plain.parts["ut2"]


def test_weights_are_summed_within_cells():
    found = table_difference(weighted_pair([10, 1, 1, 1, 1, 1]), weighted=True, variables=["region"])
    assert found.value == (10 + 1 + 1 - 3 + abs(3 - 12)) / 2


def test_a_record_without_a_positive_weight_counts_for_nothing():
    """Regions 0 0 1 0 1 1 of the original weigh 7 + 1 and 1 + 1, and 1 1 0 1 0 0 of the candidate 1 + 1 and 7 + 1."""
    found = table_difference(weighted_pair([np.nan, 7, -5, 1, 1, 1]), weighted=True, variables=["region"])
    assert found.value == (abs(8 - 2) + abs(2 - 8)) / 2


def test_without_a_weight_it_says_so(pair_of):
    assert isinstance(table_difference(pair_of({"a": ["x"]}, {"a": ["x"]}), weighted=True), NotAssessed)
