from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from sdc.catalogue.registry import find_measure, find_method
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role
from sdc.errors import BadOption, CannotProtect
from sdc.measures.risk.k_anonymity import k_anonymity
from sdc.measures.risk.l_diversity import l_diversity
from sdc.measures.risk.t_closeness import t_closeness
from sdc.statistics.coarsening.bands import parse_band
from sdc.statistics.lattice import search
from tests.methods.conftest import roles_of

HIERARCHIES = {
    "age": {"widths": [10, 20]},
    "place": {"groups": [{"x": ["a", "b"], "y": ["c", "d"]}]},
    "job": {"digits": [1]},
}


def people(seed, records=40):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, records).astype(float),
            "place": pd.Categorical(rng.choice(list("abcd"), records)),
            "job": pd.Categorical(rng.choice(["11", "12", "21", "22", "23"], records)),
            "ill": pd.Categorical(rng.choice(["no", "flu", "other"], records, p=[0.6, 0.3, 0.1])),
        }
    )


def anonymise(protect, table, **options):
    roles = roles_of(
        table,
        age=Role.QUASI_IDENTIFIER,
        place=Role.QUASI_IDENTIFIER,
        job=Role.QUASI_IDENTIFIER,
        ill=Role.SENSITIVE,
    )
    return protect("k_anonymise", table, {"hierarchies": HIERARCHIES, **options}, roles=roles)


GROUPS = {"a": "x", "b": "x", "c": "y", "d": "y"}
NEW = {
    "age": [lambda age: age, lambda age: age // 10, lambda age: age // 20, lambda _: "*"],
    "place": [lambda place: place, GROUPS.get, lambda _: "*"],
    "job": [lambda job: job, lambda job: job[0], lambda _: "*"],
}


def coarse(table, levels):
    """The keys of each record at some levels, and its penalty, by hand."""
    columns, penalty = [], np.zeros(len(table))
    for (name, ways), level in zip(NEW.items(), levels, strict=True):
        old = table[name].tolist()
        new = [ways[level](value) for value in old]
        members = {
            label: {value for value, other in zip(old, new, strict=True) if other == label} for label in new
        }
        if level == len(ways) - 1:
            penalty += 1
        elif name == "age":
            penalty += [(max(members[label]) - min(members[label])) / (max(old) - min(old)) for label in new]
        else:
            penalty += [(len(members[label]) - 1) / (len(set(old)) - 1) for label in new]
        columns.append(new)
    return list(zip(*columns, strict=True)), penalty / 3


def brute_force(table, k, limit, l=1, t=np.inf):  # noqa: E741
    """The least loss over all choices of levels, every class looked at."""
    ill = table["ill"].tolist()
    share = {value: ill.count(value) / len(ill) for value in set(ill)}

    def wrong(records):
        held = [ill[record] for record in records]
        distance = sum(max(held.count(value) / len(held) - share[value], 0) for value in share)
        return len(held) < k or len(set(held)) < l or distance > t

    best = np.inf
    for levels in product(range(4), range(3), range(3)):
        keys, penalty = coarse(table, levels)
        classes = {}
        for record, key in enumerate(keys):
            classes.setdefault(key, []).append(record)
        out = [record for members in classes.values() if wrong(members) for record in members]
        if out and wrong(out):
            able = [members for members in classes.values() if not wrong(members)]
            out += min(able, key=lambda members: sum(1 - penalty[record] for record in members), default=[])
            if wrong(out):
                continue
        if len(out) <= limit:
            best = min(best, (penalty.sum() + sum(1 - penalty[record] for record in out)) / len(table))
    return best


@pytest.mark.parametrize("few", [0, 10_000], ids=["bounded", "evaluated"])
@pytest.mark.parametrize("seed", range(12))
def test_no_choice_of_levels_loses_less(protect, monkeypatch, seed, few):
    monkeypatch.setattr(search, "FEW_OPEN", few)
    table = people(seed)
    for k, suppression in ((2, 0.1), (3, 0.3), (4, 0.0)):
        made = anonymise(protect, table, k=k, suppression=suppression)
        assert made.record["loss"] == pytest.approx(brute_force(table, k, int(suppression * len(table))))
        assert made.record["optimal"]


@pytest.mark.parametrize("seed", range(5))
def test_no_choice_of_levels_loses_less_with_diversity_and_closeness(protect, seed):
    table = people(seed, 50)
    made = anonymise(protect, table, k=2, l=2, suppression=0.4)
    assert made.record["loss"] == pytest.approx(brute_force(table, 2, 20, l=2))
    made = anonymise(protect, table, k=2, t=0.4, distance="equal", suppression=0.4)
    assert made.record["loss"] == pytest.approx(brute_force(table, 2, 20, t=0.4))


def test_the_result_is_k_anonymous_and_l_diverse_and_t_close_by_other_counts(protect):
    table = people(3, 300)
    made = anonymise(protect, table, k=5, l=2, t=0.5, distance="equal").table
    keys = ["age", "place", "job"]
    classes = made.groupby([made[key].astype(object).fillna("missing").astype(str) for key in keys])["ill"]
    assert classes.size().min() >= 5
    assert classes.nunique().min() >= 2
    overall = table["ill"].value_counts(normalize=True)
    for _, ill in classes:
        assert (
            ill.value_counts(normalize=True).reindex(overall.index).fillna(0) - overall
        ).abs().sum() / 2 <= 0.5 + 1e-12


@pytest.mark.parametrize("seed", range(6))
def test_the_result_meets_the_criteria_of_the_measures_without_any_option(protect, seed):
    table = people(seed, 200)
    roles = roles_of(
        table,
        age=Role.QUASI_IDENTIFIER,
        place=Role.QUASI_IDENTIFIER,
        job=Role.QUASI_IDENTIFIER,
        ill=Role.SENSITIVE,
    )
    close = anonymise(protect, table, t=0.2).table
    assert t_closeness(ReleasePair.from_frames(table, close, roles, aligned=True)).value <= 0.2
    diverse = anonymise(protect, table, l=2, diversity="recursive").table
    assert (
        l_diversity(ReleasePair.from_frames(table, diverse, roles, aligned=True), variant="recursive").value
        >= 2
    )
    assert k_anonymity(ReleasePair.from_frames(table, diverse, roles, aligned=True)).value >= 3


def test_an_option_of_method_and_measure_has_one_default():
    ours = find_method("k_anonymise").options.model_fields
    assert ours["distance"].default == find_measure("t_closeness").options.model_fields["distance"].default
    assert ours["c"].default == find_measure("l_diversity").options.model_fields["c"].default
    assert ours["diversity"].default == find_measure("l_diversity").options.model_fields["variant"].default
    assert ours["k"].default == find_measure("k_anonymity").options.model_fields["k"].default


def test_the_measure_agrees_on_the_demonstration_data(protect, households, household_roles):
    names = ["region", "sex", "age", "education"]
    table = households[names].astype(
        {"region": "category", "sex": "category", "education": "category", "age": float}
    )
    roles = roles_of(table, **dict.fromkeys(names, Role.QUASI_IDENTIFIER))
    made = protect("k_anonymise", table, {"k": 5, "suppression": 0.02}, roles=roles)
    pair = ReleasePair.from_frames(table, made.table, roles, aligned=True)
    assert pair.class_sizes(names).smallest >= 5
    assert made.record["suppressed"] <= 0.02 * len(table)


def test_values_lie_in_their_bands_and_labels_say_what_became_of_categories(protect):
    table = people(1, 200)
    made = anonymise(protect, table, k=8)
    assert made.record["levels"]["age"] in (1, 2)
    for before, after in zip(table["age"], made.table["age"], strict=True):
        if not pd.isna(after):
            band = parse_band(after)
            assert band is not None
            assert band.holds(np.array([before]))[0]
    for name, mapping in made.labels.items():
        shown = made.table[name].notna()
        assert (
            table[name][shown].astype(str).map(mapping).tolist()
            == made.table[name][shown].astype(str).tolist()
        )


def test_the_record_says_which_levels_and_why(protect):
    record = anonymise(protect, people(1, 200), k=8).record
    assert set(record["levels"]) == {"age", "place", "job"}
    for name, level in record["levels"].items():
        assert (name in record["one_level_finer"]) == (level > 0)
    for finer in record["one_level_finer"].values():
        assert not finer["allowed"] or finer["loss"] >= record["loss"]


def test_missing_keys_are_a_category_until_the_last_level_and_few_suppressed_are_never_alone(protect):
    table = people(4, 60)
    table.loc[:2, "place"] = None
    for suppression in (0.05, 0.2, 0.9):
        made = anonymise(protect, table, k=3, suppression=suppression)
        keys = [
            made.table[key].astype(object).fillna("missing").astype(str) for key in ("age", "place", "job")
        ]
        assert made.table.groupby(keys).size().min() >= 3
        assert made.record["suppressed"] <= suppression * 60


def test_importance_and_the_height_of_the_hierarchy_steer_the_choice(protect):
    table = people(6, 120)
    kept = anonymise(protect, table, k=4, importance={"job": 100.0}).record["levels"]
    given = anonymise(protect, table, k=4, importance={"job": 0.01}).record["levels"]
    assert kept["job"] <= given["job"]
    height = anonymise(protect, table, k=4, loss="height")
    assert 0 <= height.record["loss"] <= 1


def test_more_than_eight_keys_are_searched_by_climbing(protect):
    rng = np.random.default_rng(9)
    table = pd.DataFrame({f"k{place}": pd.Categorical(rng.choice(list("abc"), 300)) for place in range(10)})
    made = protect(
        "k_anonymise", table, {"k": 3}, roles=roles_of(table, **dict.fromkeys(table, Role.QUASI_IDENTIFIER))
    )
    assert not made.record["optimal"]
    assert made.table.astype(object).fillna("missing").groupby(list(table)).size().min() >= 3


def test_dates_and_numbers_without_a_hierarchy_get_the_usual_one(protect):
    rng = np.random.default_rng(10)
    table = pd.DataFrame(
        {
            "born": pd.to_datetime("2000-01-01") + pd.to_timedelta(rng.integers(0, 3000, 400), "D"),
            "money": rng.gamma(2, 1000, 400),
        }
    )
    made = protect(
        "k_anonymise",
        table,
        {"k": 5},
        roles=roles_of(table, born=Role.QUASI_IDENTIFIER, money=Role.QUASI_IDENTIFIER),
    )
    assert made.record["of_levels"] == {"born": 4, "money": 5}
    assert made.table.astype(object).fillna("missing").groupby(["born", "money"]).size().min() >= 5


def test_what_cannot_be_reached_is_said_with_the_names_of_the_keys(protect):
    table = people(2)
    with pytest.raises(CannotProtect, match="no levels of age, place, job reach k = 2, l = 9"):
        anonymise(protect, table, k=2, l=9)
    with pytest.raises(CannotProtect, match="k is 99, but the table has 40 records"):
        anonymise(protect, table, k=99)
    with pytest.raises(CannotProtect, match="age: level 2 splits groups"):
        anonymise(protect, table, hierarchies={"age": {"widths": [10, 15]}})
    with pytest.raises(BadOption, match="ill is not a key"):
        anonymise(protect, table, hierarchies={"ill": {"digits": [1]}})
    with pytest.raises(BadOption, match="ill has no order"):
        anonymise(protect, table, t=0.5, distance="ordered")
    with pytest.raises(ValidationError):
        anonymise(protect, table, hierarchies={"age": {"widths": [5], "digits": [1]}})
