from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.registry import find_method
from sdc.data.release_pair import ReleasePair, Side
from sdc.data.roles import MissingRule, Role, Roles, Variable
from sdc.errors import BadOption, CannotProtect
from sdc.measures.risk.k_anonymity import k_anonymity

SIX_KEYS = ["region", "sex", "marital_status", "education", "activity", "household_size"]


def suppress(table, **given):
    keys = given.pop("quasi", list(table.columns))
    roles = Roles.of(
        Variable(name, Role.QUASI_IDENTIFIER if name in keys else Role.OTHER) for name in table.columns
    )
    entry = find_method("local_suppression")
    return entry.function(table, roles, np.random.default_rng(0), **entry.arguments(given))


def matches(table, keys, rule):
    """For each record the number of records it matches: every pair compared, key by key."""
    equal = np.ones((len(table), len(table)), dtype=bool)
    for key in keys:
        values = table[key].astype(object).to_numpy()
        gone = pd.isna(values)
        same = (values[:, None] == values[None, :]) & ~gone[:, None] & ~gone[None, :]
        equal &= same | (
            gone[:, None] | gone[None, :] if rule == "wildcard" else gone[:, None] & gone[None, :]
        )
    return equal.sum(axis=1)


def random_table(rng):
    records, keys = int(rng.integers(8, 60)), int(rng.integers(1, 7))
    columns = {}
    for place in range(keys):
        levels = int(rng.integers(1, 8))
        codes = rng.choice(levels, records, p=rng.dirichlet(np.full(levels, 0.7)))
        codes[rng.random(records) < rng.choice([0, 0, 0.1, 0.4])] = -1
        columns[f"k{place}"] = pd.Categorical.from_codes(codes, [f"v{code}" for code in range(levels)])
    return pd.DataFrame(columns)


@pytest.mark.parametrize("rule", ["own_category", "wildcard"])
@pytest.mark.parametrize("block", range(4))
def test_every_record_of_hundreds_of_random_tables_ends_in_a_crowd(rule, block):
    rng = np.random.default_rng([block, 7])
    for _ in range(60):
        table, k = random_table(rng), int(rng.integers(2, 6))
        made = suppress(table, k=k, missing=rule)
        assert matches(made.table, table.columns, rule).min() >= k
        blank = made.table.isna().to_numpy()
        assert made.record["total"] == int((blank & ~table.isna().to_numpy()).sum())
        assert made.table.mask(blank).equals(table.mask(blank))


@pytest.mark.parametrize("rule", ["own_category", "wildcard"])
def test_all_groups_of_keys_hold_together_with_their_own_k(rule):
    rng = np.random.default_rng(11)
    for _ in range(60):
        table = random_table(rng)
        names = list(table.columns)
        groups = [
            sorted(rng.choice(names, int(rng.integers(1, len(names) + 1)), replace=False)) for _ in range(3)
        ]
        sizes = rng.integers(2, 6, 3).tolist()
        asked = [{"keys": list(group), "k": k} for group, k in zip(groups, sizes, strict=True)]
        only, also = (
            suppress(table, k=2, groups=asked, whole=whole, missing=rule).table for whole in (False, True)
        )
        for group, k in zip(groups, sizes, strict=True):
            assert matches(only, group, rule).min() >= k
            assert matches(also, group, rule).min() >= k
        assert matches(also, names, rule).min() >= 2


@pytest.mark.parametrize("rule", ["own_category", "wildcard"])
def test_k_holds_within_every_class_of_by(rule):
    rng = np.random.default_rng(3)
    for _ in range(30):
        table = random_table(rng)
        table["area"] = pd.Categorical(np.where(rng.random(len(table)) < 0.5, "a", "b"))
        if table["area"].value_counts().min() < 3:
            continue
        made = suppress(table, quasi=list(table.columns[:-1]), k=3, by=["area"], missing=rule)
        assert made.table["area"].equals(table["area"])
        for _, part in made.table.groupby("area", observed=True):
            assert matches(part, table.columns[:-1], rule).min() >= 3


@pytest.mark.parametrize("rule", ["own_category", "wildcard"])
def test_a_cap_is_kept_or_refused_by_name(rule):
    rng = np.random.default_rng(5)
    kept, refused = 0, []
    for _ in range(80):
        table = random_table(rng)
        cap = {name: float(rng.choice([0, 0.2, 1])) for name in table.columns}
        try:
            made = suppress(table, k=2, cap=cap, missing=rule)
        except CannotProtect as end:
            refused.append((str(end), [name for name, share in cap.items() if share < 1]))
            continue
        kept += 1
        assert matches(made.table, table.columns, rule).min() >= 2
        for name, share in cap.items():
            assert made.record["suppressed"][name] <= share * len(table)
    assert kept > 20
    assert len(refused) > 5
    assert all(any(name in words for name in capped) and "v0" not in words for words, capped in refused)


@pytest.mark.parametrize(("k", "place"), [(2, "k_2"), (3, "k_3"), (5, "k_5")])
def test_fewer_values_go_than_in_the_reference_program_on_the_demonstration_data(
    households, golden, k, place
):
    table = (
        households[SIX_KEYS]
        .astype({name: "category" for name in SIX_KEYS if name != "household_size"})
        .astype({"household_size": float})
    )
    made = suppress(table, k=k, missing="wildcard")
    assert made.record["total"] <= golden("local_suppression")["outputs"][place]["total"]
    roles = Roles.of(Variable(name, Role.QUASI_IDENTIFIER) for name in SIX_KEYS)
    pair = ReleasePair.from_frames(table, made.table, roles)
    assert pair.class_sizes(SIX_KEYS, Side.CANDIDATE, MissingRule.WILDCARD).smallest >= k


@pytest.mark.parametrize(("k", "optimum"), [(2, 1363), (3, 2421)])
def test_with_missing_as_a_category_the_result_is_near_the_optimum_of_an_integer_programme(
    households, k, optimum
):
    """The optima were found by scipy.optimize.milp over all sets of at most two keys, without help from safe records."""
    table = (
        households[SIX_KEYS]
        .astype({name: "category" for name in SIX_KEYS if name != "household_size"})
        .astype({"household_size": float})
    )
    made = suppress(table, k=k)
    assert made.record["total"] <= 1.08 * optimum
    pair = ReleasePair.from_frames(
        table, made.table, Roles.of(Variable(name, Role.QUASI_IDENTIFIER) for name in SIX_KEYS)
    )
    assert pair.class_sizes(SIX_KEYS).smallest >= k


def test_one_suppression_serves_a_group_when_missing_matches_everything():
    table = pd.DataFrame({"a": pd.Categorical(list("uvwxyz")), "b": pd.Categorical(["s"] * 6)})
    assert suppress(table, k=2, missing="wildcard").record["suppressed"] == {"a": 1, "b": 0}
    assert suppress(table, k=2).record["suppressed"] == {"a": 6, "b": 0}


def test_the_important_key_is_kept():
    table = pd.DataFrame({"a": pd.Categorical(list("xy") * 3), "b": pd.Categorical(list("uvwuvw"))})
    assert suppress(table, k=2, importance=["a"]).record["suppressed"]["a"] == 0
    assert suppress(table, k=2, importance=["b"]).record["suppressed"]["b"] == 0
    assert suppress(table, k=2, importance={"a": 0.01, "b": 1.0}).record["suppressed"]["b"] == 0


def test_numbers_and_dates_can_be_keys_and_keep_their_types():
    table = pd.DataFrame(
        {
            "age": [30.0, 30.0, 41.0, 41.5],
            "born": pd.to_datetime(["2000-01-01", "2000-01-01", "2001-02-03", "2001-02-03"]),
        }
    )
    made = suppress(table, k=2).table
    assert made["age"].isna().tolist() == [False, False, True, True]
    assert made.dtypes.equals(table.dtypes)
    assert made["born"].equals(table["born"])


def test_more_keys_than_can_be_tried_in_every_combination_still_give_a_safe_table():
    rng = np.random.default_rng(8)
    table = pd.DataFrame({f"k{place}": pd.Categorical(rng.choice(list("abcd"), 40)) for place in range(20)})
    for rule in ("own_category", "wildcard"):
        assert matches(suppress(table, k=3, missing=rule).table, table.columns, rule).min() >= 3


def test_keys_with_more_combinations_than_a_word_holds_are_counted_rightly():
    rng = np.random.default_rng(9)
    table = pd.DataFrame({f"k{place}": rng.integers(0, 1500, 1500).astype(float) for place in range(7)})
    table.iloc[::2] = table.iloc[1::2].to_numpy()
    table.iloc[0, 0] = -1.0
    made = suppress(table, k=2)
    assert made.record["total"] in (2, 7 * 4)
    assert matches(made.table, table.columns, "own_category").min() >= 2


def test_a_table_smaller_than_k_is_refused():
    table = pd.DataFrame({"a": pd.Categorical(["x"]), "b": pd.Categorical(["y"])})
    with pytest.raises(CannotProtect, match="k is 3, but the table has fewer records"):
        suppress(table, k=3)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"keys": ["a", "c"]}, "no variable is called 'c'"),
        ({"importance": ["other"]}, "other is not a key"),
        ({"cap": {"other": 0.1}}, "other is not a key"),
        ({"by": ["a"]}, "a is a key too"),
        ({"groups": [["a", "a"]]}, "a is named twice"),
    ],
)
def test_options_that_name_the_wrong_variables_are_refused(given, words):
    table = pd.DataFrame(
        {"a": pd.Categorical(["x"] * 4), "b": pd.Categorical(["y"] * 4), "other": pd.Categorical(["z"] * 4)}
    )
    with pytest.raises(BadOption, match=words):
        suppress(table, quasi=["a", "b"], **given)


def homes(seed, records=400):
    """Two to four members each; region and rooms are the household's, age and sex the member's."""
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(records), rng.integers(2, 5, records))[:records]
    region, rooms = (
        rng.choice(list("abcdef"), records, p=[0.5, 0.2, 0.15, 0.08, 0.05, 0.02]),
        rng.integers(1, 7, records),
    )
    table = pd.DataFrame(
        {
            "home": pd.Categorical(home.astype(str)),
            "region": pd.Categorical(region[home]),
            "rooms": pd.Categorical(rooms[home].astype(str)),
            "age": pd.Categorical((rng.integers(0, 90, records) // 15).astype(str)),
            "sex": pd.Categorical(rng.choice(["f", "m"], records)),
        }
    )
    keys = {
        name: Variable(name, Role.QUASI_IDENTIFIER, household_level=name in ("region", "rooms"))
        for name in table
        if name != "home"
    }
    return table, Roles.of([Variable("home", Role.HOUSEHOLD), *keys.values()])


@pytest.mark.parametrize("missing", ["own_category", "wildcard"])
@pytest.mark.parametrize("seed", range(3))
def test_keys_of_a_household_go_for_all_members_and_k_holds(protect, seed, missing):
    table, roles = homes(seed)
    plain = protect("local_suppression", table, {"missing": missing}, roles=roles).table
    made = protect("local_suppression", table, {"missing": missing, "by_household": True}, roles=roles)
    for name in ("region", "rooms"):
        blank = made.table[name].isna().groupby(table["home"], observed=True).mean()
        assert set(blank) <= {0.0, 1.0}
        assert (made.table[name].isna() | (made.table[name] == table[name])).all()
    assert any(
        (plain[name].isna().groupby(table["home"], observed=True).mean() % 1 > 0).any()
        for name in ("region", "rooms")
    )
    pair = ReleasePair.from_frames(table, made.table, roles, aligned=True, missing=MissingRule(missing))
    assert k_anonymity(pair).value >= 3


def test_suppression_by_household_needs_a_key_of_the_household(protect):
    table, roles = homes(0)
    with pytest.raises(BadOption, match="no key is declared per household"):
        protect("local_suppression", table, {"by_household": True, "keys": ["age", "sex"]}, roles=roles)
