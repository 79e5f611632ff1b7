"""grouping_sensitivity: one group hides everything, many exaggerate."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.measures.utility.cell_ks import cell_ks
from sdc.measures.utility.grouping_sensitivity import grouping_sensitivity
from sdc.measures.utility.jensen_shannon import jensen_shannon
from sdc.measures.utility.voas_williamson import voas_williamson


def test_one_group_finds_nothing_whatever_the_data(pair_of):
    found = grouping_sensitivity(
        pair_of({"a": [1, 2, 3, np.nan]}, {"a": [10, 20, np.nan, np.nan]}), groups=[1]
    )
    assert (
        found.parts["jensen_shannon.1"] == found.parts["cell_ks.1"] == found.parts["voas_williamson.1"] == 0
    )
    assert found.value == 0


def test_the_spread_is_the_largest_less_the_smallest(worked_examples, pair_of):
    inputs = worked_examples["Q-4.4.5-from-data"]["inputs"]
    pair = pair_of({"income": inputs["income_original"]}, {"income": inputs["income_synthetic"]})
    found = grouping_sensitivity(pair, groups=[1, 2, 3, 20])
    for statistic in ("voas_williamson", "jensen_shannon", "cell_ks"):
        values = [found.parts[f"{statistic}.{number}"] for number in (1, 2, 3, 20)]
        assert found.parts[f"spread.{statistic}"] == max(values) - min(values)
        assert values[-1] == max(values) > values[0]
    assert found.value == max(found.parts["spread.jensen_shannon"], found.parts["spread.cell_ks"])


def test_each_number_of_groups_is_that_of_the_measure_itself(golden_pair):
    pair = golden_pair("synthpop_parametric")
    found = grouping_sensitivity(pair, groups=[10], variables=["age", "spending"])
    for name, measure in (
        ("jensen_shannon", jensen_shannon),
        ("cell_ks", cell_ks),
        ("voas_williamson", voas_williamson),
    ):
        alone = [measure(pair, variables=[column], groups=10).value for column in ("age", "spending")]
        assert found.parts[f"{name}.10"] == pytest.approx(max(alone), rel=1e-12)
