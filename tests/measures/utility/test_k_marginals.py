"""k_marginals counted by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from sdc.measures.assess import assess
from sdc.measures.utility.k_marginals import k_marginals
from sdc.run.randomness import Randomness


def test_a_thousand_for_equal_tables_and_nothing_for_disjoint_ones(pair_of):
    table = {"a": ["x", "y", "y"], "b": ["u", "u", "v"]}
    assert k_marginals(pair_of(table, table), rng=np.random.default_rng(0)).value == 1000
    other = {"a": ["z", "z", "z"], "b": ["w", "w", "w"]}
    assert k_marginals(pair_of(table, other), rng=np.random.default_rng(0)).value == 0


def test_the_score_is_the_mean_of_what_two_way_tables_share(pair_of):
    rng = np.random.default_rng(5)
    original, candidate = (
        {name: [f"{code}" for code in rng.integers(0, 3, 40)] for name in "abc"} for _ in range(2)
    )
    scores = []
    for one, other in combinations("abc", 2):
        counts = [list(zip(table[one], table[other], strict=True)) for table in (original, candidate)]
        shared = sum(min(counts[0].count(cell), counts[1].count(cell)) for cell in set(counts[0]))
        scores.append(1000 * shared / 40)
    found = k_marginals(pair_of(original, candidate), rng=np.random.default_rng(0))
    assert found.value == pytest.approx(np.mean(scores))
    assert found.parts == {"smallest": pytest.approx(min(scores)), "marginals": 3}


def test_more_tables_than_wanted_are_drawn_by_the_seed(golden_pair):
    pair = golden_pair("synthpop_parametric")
    runs = [
        assess("k_marginals", pair, {"k": 3, "marginals": 10}, randomness=Randomness.from_seed(seed))
        for seed in (1, 1, 2)
    ]
    assert runs[0].value == runs[1].value != runs[2].value
    assert runs[0].outcome.parts["marginals"] == 10
