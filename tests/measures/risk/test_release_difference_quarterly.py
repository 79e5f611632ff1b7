"""Two quarters of one panel: three per cent of the records changed, each file 3-anonymous by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdc.catalogue.protection import Protection, Step
from sdc.catalogue.registry import find_method
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.risk.release_difference import release_difference

KEYS = ["region", "age", "job", "size"]
ROLES = Roles.of(
    [
        Variable("home", Role.HOUSEHOLD),
        *(Variable(key, Role.QUASI_IDENTIFIER) for key in KEYS),
        Variable("income", Role.SENSITIVE, VariableType.NUMERIC),
        Variable("weight", Role.WEIGHT, VariableType.NUMERIC),
    ]
)
SUPPRESSED = Step("local_suppression", {"k": 3}, Protection.NON_PERTURBATIVE, True, frozenset(KEYS))
ROUNDED = Step("rounding", {}, Protection.NON_PERTURBATIVE, True, frozenset({"income"}))


def panel() -> pd.DataFrame:
    """The first quarter; `person` is the record key, which is never released."""
    rng = np.random.default_rng(11)
    homes = np.repeat(np.arange(700), rng.integers(1, 5, 700))
    columns = {
        key: rng.choice(list(labels), len(homes))
        for key, labels in {"region": "abcdef", "age": "pqrstuvw", "job": "klmno"}.items()
    }
    table = pd.DataFrame({"person": np.arange(len(homes)) + 10_000, "home": homes.astype(str), **columns})
    table["size"] = table.groupby("home")["home"].transform("size").astype(str)
    return table.assign(
        income=rng.integers(500, 9_000_000, len(homes)) / 100, weight=rng.integers(10, 15, len(homes)) * 1.0
    )


def next_quarter(first: pd.DataFrame) -> pd.DataFrame:
    """Three per cent have moved, grown older or changed their work; ten people are others."""
    rng = np.random.default_rng(12)
    second = first.copy()
    moved = rng.choice(len(first), round(0.03 * len(first)), replace=False)
    second.loc[moved, "region"] = rng.choice(list("abcdef"), len(moved))
    second.loc[moved, "job"] = rng.choice(list("klmno"), len(moved))
    second.loc[moved[:10], "person"] += 50_000
    second.loc[moved[:10], "income"] += 0.005
    return second


def released(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    """3-anonymous on the keys, in the order of the table, with the person still beside it."""
    frame = table.drop(columns="person").astype(dict.fromkeys(("home", *KEYS), "category"))
    method = find_method("local_suppression")
    made = method.function(frame, ROLES, np.random.default_rng(seed), **method.arguments({"k": 3})).table
    assert made.groupby(KEYS, dropna=False, observed=True).size().min() >= 3
    return made.astype(dict.fromkeys(("home", *KEYS), object)).assign(person=table["person"])


@pytest.fixture(scope="module")
def quarters() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    first = panel()
    second = next_quarter(first)
    return released(first, 1), second, released(second, 2)


def counted(before: pd.DataFrame, now: pd.DataFrame) -> dict[str, int]:
    """The same by pandas: persons of both files side by side."""
    for table in (before, now):
        table["alone"] = table.groupby(KEYS, dropna=False)["person"].transform("size")
    joined = now.merge(before, on="person", suffixes=("_now", "_then"))
    labels = [f"{key}_{when}" for key in KEYS for when in ("now", "then")]
    size = joined.groupby(labels, dropna=False)["person"].transform("size")
    alone = joined[["alone_now", "alone_then"]].min(axis=1)
    blank = {(key, when): joined[f"{key}_{when}"].isna() for key in KEYS for when in ("now", "then")}
    return {
        "unique": int(((size == 1) & (alone >= 2)).sum()),
        "below_3": int(((size < 3) & (alone >= 3)).sum()),
        "revealed": sum(int((blank[key, "then"] & ~blank[key, "now"]).sum()) for key in KEYS),
        "in_vain": sum(int((blank[key, "now"] & ~blank[key, "then"]).sum()) for key in KEYS),
    }


def pair_of(original, now, before, *steps, aligned=True):
    tables = [table.drop(columns=["person", "alone"], errors="ignore") for table in (original, now, before)]
    return ReleasePair.from_frames(
        *tables[:2], ROLES, aligned=aligned, steps=[SUPPRESSED], earlier=[(tables[2], [SUPPRESSED, *steps])]
    )


def found(outcome, original) -> dict[str, int]:
    parts = outcome.parts
    return {
        "unique": round(outcome.value * len(original)),
        "below_3": parts["records_below_k_in_join"],
        "revealed": parts["newly_revealed_values"],
        "in_vain": parts["suppressed_in_vain"],
    }


def test_persons_are_put_side_by_side_by_the_record_key_whatever_the_order_of_the_files(quarters):
    before, original, now = quarters
    expected = counted(before.copy(), now.copy())
    assert expected["unique"] > 50
    shuffled = before.sample(frac=1, random_state=5).reset_index(drop=True)
    at = (
        pd.Series(shuffled.index, index=shuffled["person"]).reindex(original["person"]).fillna(-1).astype(int)
    )
    pair = pair_of(original, now, shuffled)
    (release,) = pair.earlier
    places = pair.original.database.write("earlier_1_places", pa.table({"place": at.to_numpy()}))
    known = ReleasePair(
        pair.original,
        pair.candidate,
        ROLES,
        aligned=True,
        steps=[SUPPRESSED],
        earlier=lambda: [replace(release, places=places)],
    )
    assert found(release_difference(known), original) == expected


def test_an_outsider_joins_files_of_the_same_order_by_row_number(quarters):
    before, original, now = quarters
    by_row = [table.assign(person=range(len(table))) for table in (before, now)]
    assert found(release_difference(pair_of(original, now, before)), original) == counted(*by_row)


def test_an_outsider_joins_shuffled_files_by_values_no_step_changed(quarters):
    before, original, now = quarters
    shuffled = before.sample(frac=1, random_state=5).reset_index(drop=True)
    outcome = found(release_difference(pair_of(original, now, shuffled)), original)
    expected = counted(before.copy(), now.copy())
    # Incomes to the cent link all but the ten who are others; those are placed by their labels.
    assert outcome["revealed"] == expected["revealed"]
    assert outcome["in_vain"] == expected["in_vain"]
    assert outcome["unique"] == pytest.approx(expected["unique"], abs=10)


def test_an_outsider_joins_shuffled_files_by_household_numbers_that_were_kept(quarters):
    before, original, now = quarters
    coarse = before.sample(frac=1, random_state=5).reset_index(drop=True)
    rounded = [table.assign(income=0.0) for table in (original, now, coarse)]
    kept = release_difference(pair_of(*rounded, ROUNDED))
    assert kept.parts["newly_revealed_values"] > 0
    numbers = dict(
        zip(
            sorted(set(coarse["home"])),
            np.random.default_rng(3).permutation(sorted(set(coarse["home"]))),
            strict=True,
        )
    )
    anew = release_difference(
        pair_of(rounded[0], rounded[1], rounded[2].assign(home=coarse["home"].map(numbers)), ROUNDED)
    )
    assert anew.parts.get("newly_revealed_values", 0) < kept.parts["newly_revealed_values"] / 10
