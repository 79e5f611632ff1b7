from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from people import ROLES, people, released

from sdc.catalogue.measurement import NotAssessed
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import MissingRule, Role, Roles, Variable, VariableType
from sdc.measures.risk.record_linkage import record_linkage

NUMERIC, ORDINAL, DATE = VariableType.NUMERIC, VariableType.ORDINAL, VariableType.DATE


def one_key(original, candidate, kind=NUMERIC, **further):
    roles = Roles.of([Variable("key", Role.QUASI_IDENTIFIER, kind, further.pop("order", ()))])
    return ReleasePair.from_frames(
        pd.DataFrame({"key": original}), pd.DataFrame({"key": candidate}), roles, aligned=True, **further
    )


def test_a_table_of_different_records_is_linked_completely_to_itself():
    outcome = record_linkage(one_key([1.0, 2.0, 3.0, 7.0], [1.0, 2.0, 3.0, 7.0]))
    assert outcome.value == 1
    assert outcome.parts["baseline"] == 0.25
    assert outcome.by_record["linked"].tolist() == [1, 1, 1, 1]


def test_records_counted_by_hand():
    # 1 is nearest to 1.4 (its own), 2 to 2.9 and 1.4 (own 2.9 at 0.9, 1.4 at 0.6), 3 to 2.9 (own 3.2 at 0.2,
    # 2.9 at 0.1), 8 to its own.
    outcome = record_linkage(one_key([1.0, 2.0, 3.0, 8.0], [1.4, 2.9, 3.2, 7.0]), k=2)
    assert outcome.value == 0.5
    assert outcome.parts["share_within_k"] == 1


def test_a_tie_among_t_counts_one_tth():
    outcome = record_linkage(
        one_key(["a", "a", "a", "b"], ["a", "a", "a", "b"], VariableType.CATEGORICAL), k=2
    )
    assert outcome.by_record["linked"] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1])
    assert outcome.value == pytest.approx(0.5)
    assert outcome.parts["share_within_k"] == pytest.approx((3 * 2 / 3 + 1) / 4)


def test_two_records_at_the_same_distance_are_a_tie_however_their_difference_is_rounded():
    outcome = record_linkage(one_key([0.3, 0.9, 0.0], [0.2, 0.4, 0.1]))
    assert outcome.by_record["linked"][0] == 0.5


def test_ordered_categories_and_dates_are_compared_by_their_difference():
    order = ("none", "low", "middle", "high", "top")
    ordered = record_linkage(one_key(["none", "middle", "top"], ["low", "high", "top"], ORDINAL, order=order))
    # middle is as far from low as from high, its own; top is itself.
    assert ordered.by_record["linked"].tolist() == [1, 0.5, 1]
    days = pd.to_datetime(["2024-01-01", "2024-02-01", "2024-03-01"])
    dated = record_linkage(one_key(days, days + pd.Timedelta(days=10), DATE))
    assert dated.value == 1


def test_generalised_values_are_compared_by_the_label_that_holds_them():
    outcome = record_linkage(one_key([21.0, 27.0, 34.0], ["20-29", "20-29", "30-39"]))
    assert outcome.by_record["linked"].tolist() == [0.5, 0.5, 1]


def test_a_suppressed_value_is_a_category_or_fits_everyone_and_the_worse_rule_is_the_value():
    pair = one_key(["a", "b", "c"], [None, "b", "c"], VariableType.CATEGORICAL)
    outcome = record_linkage(pair)
    # As a category: a is 1 from all three. As a wildcard: the blank is 0 from everyone, tied with b and with
    # c.
    assert outcome.parts["share_own_category"] == pytest.approx((1 / 3 + 1 + 1) / 3)
    assert outcome.parts["share_wildcard"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert outcome.value == outcome.parts["share_own_category"]
    assert record_linkage(pair, missing=MissingRule.WILDCARD).value == pytest.approx(2 / 3)


def gower(one, other, spans):
    """Gower's distance of two records of people, written out; a missing value is a category."""
    total = 0.0
    for name, a in one.items():
        b = other[name]
        if pd.isna(a) or pd.isna(b):
            total += float(pd.isna(a) != pd.isna(b))
        elif name == "education":
            order = ROLES["education"].order
            total += abs(order.index(a) - order.index(b)) / spans[name]
        else:
            total += abs(a - b) / spans[name] if name in spans else float(a != b)
    return total


def test_mixed_data_with_missing_values_agree_with_a_comparison_of_every_pair():
    original = people(60, 1)
    rng = np.random.default_rng(2)
    swapped = {
        name: original[name].sample(frac=1, random_state=3).to_numpy()
        for name in ("job", "sex", "education", "rooms")
    }
    masked = original.assign(
        age=original["age"] + rng.integers(-30, 30, 60),
        income=original["income"] * rng.normal(1, 0.9, 60),
        **swapped,
    )
    masked.loc[rng.random(60) < 0.4, "region"] = None
    spans = {
        name: np.ptp(pd.concat([original[name], masked[name]]).dropna())
        for name in ("age", "income", "spending", "rooms")
    }
    ranks = pd.concat([original, masked])["education"].map(ROLES["education"].order.index)
    spans["education"] = np.ptp(ranks)
    sums = np.array(
        [
            [gower(one, other, spans) for other in masked.to_dict("records")]
            for one in original.to_dict("records")
        ]
    )
    own = np.diagonal(sums)[:, None]
    nearer, as_near = (sums < own - 1e-9).sum(axis=1), (np.abs(sums - own) <= 1e-9).sum(axis=1)
    outcome = record_linkage(
        released(original, masked, aligned=True),
        variables=list(original.columns),
        missing=MissingRule.OWN_CATEGORY,
        k=5,
    )
    assert outcome.value == pytest.approx(np.where(nearer == 0, 1 / as_near, 0).mean())
    assert outcome.parts["share_within_k"] == pytest.approx(np.clip((5 - nearer) / as_near, 0, 1).mean())
    assert 0.1 < outcome.value < 0.9


def test_euclidean_distances_are_in_standard_deviations_of_the_original():
    from scipy.spatial.distance import cdist

    rng = np.random.default_rng(3)
    original = pd.DataFrame(rng.normal(size=(80, 3)) * [1, 100, 0.01], columns=list("abc"))
    masked = original + rng.normal(size=(80, 3)) * [0.5, 50, 0.005]
    roles = Roles.of([Variable(name, Role.QUASI_IDENTIFIER, NUMERIC) for name in "abc"])
    distances = cdist(original / original.std(), masked / original.std())
    outcome = record_linkage(
        ReleasePair.from_frames(original, masked, roles, aligned=True), distance="euclidean"
    )
    assert outcome.value == pytest.approx((distances.argmin(axis=1) == np.arange(80)).mean())


def test_more_noise_links_fewer():
    original = people(300, 4)
    values = []
    for noise in (1, 10, 40):
        masked = original.assign(age=original["age"] + np.random.default_rng(1).normal(0, noise, 300))
        values.append(record_linkage(released(original, masked, aligned=True)).value)
    assert values[0] > values[1] > values[2]


def test_keys_are_compared_unless_variables_are_named():
    original = people(100, 5)
    masked = original.assign(region="north", sex="f", age=40.0, education="none", job="a")
    pair = released(original, masked, aligned=True)
    assert record_linkage(pair).value == pytest.approx(0.01)
    assert record_linkage(pair, variables=["spending"]).value > 0.9


def test_tables_of_different_length_are_not_aligned():
    assert isinstance(record_linkage(released(people(20, 1), people(10, 1), aligned=True)), NotAssessed)
