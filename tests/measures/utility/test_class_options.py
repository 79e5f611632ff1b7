"""The options every measure of tables shares: edges, binning and missing values.

Values are counted by hand.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import jensenshannon

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable
from sdc.measures.assess import assess
from sdc.measures.utility.cell_ks import cell_ks
from sdc.measures.utility.entropy_change import entropy_change
from sdc.measures.utility.jensen_shannon import jensen_shannon
from sdc.measures.utility.table_difference import table_difference
from sdc.measures.utility.voas_williamson import voas_williamson
from sdc.statistics.counts.contingency import TwoCounts

TABLES = [
    "voas_williamson",
    "jensen_shannon",
    "cell_ks",
    "freeman_tukey",
    "table_difference",
    "kl_divergence",
]
SIZE = {**dict.fromkeys(TABLES, "groups"), "kl_divergence": "bins", "entropy_change": "groups"}


def incomes(case, pair_of):
    return pair_of(
        {"income": case["inputs"]["income_original"]}, {"income": case["inputs"]["income_synthetic"]}
    )


def test_below_and_above_sixty_thousand_as_the_lecture_cuts_incomes(worked_examples, pair_of):
    case = worked_examples["K-from-data-strict"]
    found = voas_williamson(
        incomes(case, pair_of), variables=["income"], edges={"income": [0, 60_000, 100_000]}
    )
    assert found.parts["as_printed"] == pytest.approx(case["recomputed"], rel=1e-12)


def test_three_groups_of_the_thesis(worked_examples, pair_of):
    pair = incomes(worked_examples["Q-VW-3grp-from-table"], pair_of)
    edges = {"income": [0, 40_000.01, 80_000.01, 100_000]}
    assert voas_williamson(pair, edges=edges).parts["as_printed"] == pytest.approx(
        worked_examples["Q-VW-3grp-from-table"]["recomputed"], rel=1e-12
    )
    assert cell_ks(pair, edges=edges).value == pytest.approx(
        worked_examples["Q-KS-3grp-from-table"]["recomputed"], rel=1e-12
    )
    assert jensen_shannon(pair, edges=edges).value == pytest.approx(
        worked_examples["Q-JSD-3grp"]["recomputed"], rel=1e-12
    )


@pytest.mark.parametrize("name", TABLES)
def test_the_last_class_has_its_border_and_values_beyond_lie_below_or_above(name, pair_of):
    """Both tables have one value below 0, two from 0 to 10 and one above."""
    same = pair_of({"x": [-1, 0, 10, 11]}, {"x": [-7, 3, 10, 99]})
    assert assess(name, same, {"edges": {"x": [0, 10]}}).value == 0
    moved = pair_of({"x": [-1, 0, 10, 11]}, {"x": [-7, 3, 10.5, 99]})
    assert assess(name, moved, {"edges": {"x": [0, 10]}}).value > 0


@pytest.mark.parametrize("name", TABLES)
def test_classes_of_equal_length_or_equal_frequency(name, pair_of):
    """Cut at 5 both tables have 4 and 1; cut at the pooled median 3 they have 3 and 2 against 1 and 4."""
    pair = pair_of({"x": [0, 1, 2, 3, 10]}, {"x": [0, 3, 4, 4, 10]})
    assert assess(name, pair, {"binning": "equal_length", SIZE[name]: 2}).value == 0
    assert assess(name, pair, {SIZE[name]: 2}).value > 0


def test_cells_of_equal_frequency_are_those_counted(pair_of):
    pair = pair_of({"x": [0, 1, 2, 3, 10]}, {"x": [0, 3, 4, 4, 10]})
    assert jensen_shannon(pair, groups=2).value == pytest.approx(
        jensenshannon([0.6, 0.4], [0.2, 0.8], base=2) ** 2, rel=1e-12
    )


@pytest.mark.parametrize("name", TABLES)
def test_missing_values_are_a_category_or_dropped(name, pair_of):
    pair = pair_of({"a": ["x", "y", None, None]}, {"a": ["x", "y", "x", "y"]})
    assert assess(name, pair, {"missing": "drop"}).value == 0
    assert assess(name, pair).value == assess(name, pair, {"missing": "category"}).value > 0


@pytest.mark.parametrize("name", TABLES)
def test_where_nothing_is_left_nothing_is_assessed(name, pair_of):
    pair = pair_of({"a": ["x", "y"]}, {"a": [None, None]})
    assert (
        assess(name, pair, {"missing": "drop"}).not_assessed
        == "no record of the candidate has a value of all variables compared"
    )


def test_weights_of_records_with_a_gap_are_dropped_too():

    original = pd.DataFrame({"a": ["x", "y", None], "w": [2.0, 3.0, 50.0]})
    candidate = pd.DataFrame({"a": ["x", "y", None], "w": [4.0, 3.0, 9.0]})
    pair = ReleasePair.from_frames(original, candidate, Roles.of([Variable("a"), Variable("w", Role.WEIGHT)]))
    assert table_difference(pair, weighted=True, missing="drop").value == (2 + 0) / 2
    assert table_difference(pair, weighted=True).value == (2 + 0 + 41) / 3


@pytest.mark.parametrize("name", [*TABLES, "entropy_change"])
def test_edges_that_cut_nothing_are_told(name, pair_of):
    pair = pair_of({"x": [1, 2], "y": [1, 2]}, {"x": [1, 2], "y": ["0-1", "2-3"]})
    assert (
        assess(name, pair, {"variables": ["x"], "edges": {"y": [0, 1]}}).not_assessed
        == "edges are given of y, which is not compared"
    )
    found = assess(name, pair, {"edges": {"y": [0, 1]}}).not_assessed
    assert found == "edges are given of y, which does not hold numbers in both tables"


@pytest.mark.parametrize(
    ("case", "unit"), [("Q-JSD-2grp", "bits"), ("K-JSD-2grp", "nats"), ("K-JSD-max", "nats")]
)
def test_divergence_in_bits_or_nats(case, unit, worked_examples, pair_of):
    before, after = (
        [str(place) for place, count in enumerate(worked_examples[case]["inputs"][key]) for _ in range(count)]
        for key in ("td", "ta")
    )
    found = jensen_shannon(pair_of({"a": before}, {"a": after}), unit=unit)
    assert (
        found.value
        == found.parts["divergence.a"]
        == pytest.approx(worked_examples[case]["recomputed"], rel=1e-12)
    )
    assert (
        found.parts["standardised"]
        == TwoCounts.of(*(worked_examples[case]["inputs"][key] for key in ("td", "ta"))).jensen_shannon_scaled
    )


def test_entropy_with_missing_values_as_a_category(worked_examples, pair_of):
    (x, y, z, gaps), found = worked_examples["T-entropy-pb220a-NAcat"]["inputs"]["freqs"], {}
    held = ["x"] * x + ["y"] * y + ["z"] * z + [None] * gaps
    for rule in ("drop", "category"):
        found[rule] = entropy_change(pair_of({"a": held}, {"a": held}), missing=rule).parts["original.a"]
    assert found["drop"] == pytest.approx(
        worked_examples["T-entropy-pb220a-correct"]["recomputed"], rel=1e-12
    )
    assert found["category"] == pytest.approx(
        worked_examples["T-entropy-pb220a-NAcat"]["recomputed"], rel=1e-12
    )


def test_entropy_of_classes_of_numbers(pair_of):
    """Two classes of two before, one class of four after.

    The values themselves are all distinct in both tables.
    """
    pair = pair_of({"x": [1, 2, 11, 12]}, {"x": [11, 12, 13, 14]})
    assert entropy_change(pair).value == 0
    found = entropy_change(pair, edges={"x": [0, 10, 20]})
    assert (found.parts["original.x"], found.parts["candidate.x"], found.value) == (
        pytest.approx(math.log(2)),
        0,
        1,
    )
    equal = entropy_change(pair, groups=2, binning="equal_length")
    assert equal.parts["candidate.x"] == 0
    assert (
        entropy_change(
            pair_of({"x": [1, 2, 11, np.nan]}, {"x": [1, 2, 11, 3]}), groups=1, missing="category"
        ).value
        == 1
    )


def test_a_variable_that_lost_all_values_lost_all_its_detail_even_if_it_was_constant(pair_of):
    assert entropy_change(pair_of({"a": ["x", "y"]}, {"a": [None, None]})).value == 1
    assert entropy_change(pair_of({"a": ["x", "x"]}, {"a": [None, None]})).value == 1
    assert entropy_change(pair_of({"a": [None, None]}, {"a": [None, None]})).value == 0
