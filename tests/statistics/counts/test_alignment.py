from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdc.statistics.counts.alignment import _matches, agrees_in_place

ROOT = Path(__file__).parents[3]
ORIGINAL = pd.read_csv(ROOT / "profiles" / "demo" / "households.csv", dtype=object)


def column(name: str, pair: pd.DataFrame, rows: np.ndarray | slice = slice(None)) -> bool | None:
    before, after = ORIGINAL[name], pair[name].iloc[rows]
    try:
        return agrees_in_place(before.astype(float).to_numpy(), after.astype(float).to_numpy())
    except ValueError:
        codes = pd.factorize(pd.concat([before, after]))[0]
        return agrees_in_place(codes[: len(before)], codes[len(before) :])


@pytest.mark.parametrize("name", ["local_suppression_k3", "mdav3", "noise", "pram_region", "rank_swap"])
def test_masked_tables_are_found_in_place_and_the_same_shuffled_are_not(name):
    pair = pd.read_csv(ROOT / "tests" / "golden" / "households" / "pairs" / f"{name}.csv", dtype=object)
    common = [each for each in pair.columns if each in ORIGINAL.columns]
    assert common
    assert all(column(each, pair) for each in common)
    assert not any(column(each, pair, np.random.default_rng(1).permutation(len(pair))) for each in common)


def test_a_synthesis_with_as_many_records_is_not_in_place():
    pair = pd.read_csv(
        ROOT / "tests" / "golden" / "households" / "pairs" / "synthpop_parametric.csv", dtype=object
    )
    assert len(pair) == len(ORIGINAL)
    assert not any(column(each, pair) for each in pair.columns if each in ORIGINAL.columns)


def test_matches_are_compared_with_all_orders_there_are():
    left, right = np.array([0, 0, 1, 2, 2]), np.array([0, 1, 1, 2, 0])
    counts = [np.count_nonzero(left == np.array(order)) for order in permutations(right)]
    assert _matches(left, right) == pytest.approx((3 - np.mean(counts)) / np.std(counts), rel=1e-12)


@pytest.mark.parametrize(
    ("left", "right"), [([0, 0, 0], [0, 0, 0]), ([0, 1, 0], [2, 3, 2]), ([0], [0]), ([-1, -1], [0, 1])]
)
def test_columns_that_would_look_the_same_in_any_order_tell_nothing(left, right):
    assert agrees_in_place(np.array(left), np.array(right)) is None
