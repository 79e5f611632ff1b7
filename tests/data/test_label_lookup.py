from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.protection import Protection, Step
from sdc.data.release_pair import ReleasePair, Side
from sdc.data.roles import Role, Roles, Variable, VariableType


def pair_of(original, candidate, kind=VariableType.CATEGORICAL, steps=(), population=None):
    frames = [
        pd.DataFrame({"key": values}) if values is not None else None
        for values in (original, candidate, population)
    ]
    return ReleasePair.from_frames(
        frames[0],
        frames[1],
        Roles.of([Variable("key", Role.QUASI_IDENTIFIER, kind)]),
        steps=steps,
        population=frames[2],
    )


def grouped(labels):
    return Step(
        "global_recode",
        {},
        Protection.NON_PERTURBATIVE,
        aligned=True,
        touched=frozenset({"key"}),
        labels={"key": labels},
    )


def counts(pair):
    cells = pair.cells(["key"])
    names = [cells.levels[0][code] if code >= 0 else None for code in cells.codes[:, 0]]
    return dict(zip(names, zip(cells.original.tolist(), cells.candidate.tolist(), strict=True), strict=True))


def test_an_age_counts_under_the_band_that_holds_it():
    pair = pair_of(
        [17, 18, 21, 23, 29, 65, 90, None],
        ["<18", "18-21", "18-21", "22-64", "22-64", "65+", "65+", None],
        VariableType.NUMERIC,
    )
    assert counts(pair) == {"18-21": (2, 2), "22-64": (2, 2), "65+": (2, 2), "<18": (1, 1), None: (1, 1)}


def test_a_value_no_label_holds_stays_by_itself():
    assert counts(pair_of([15, 23], ["20-29", "20-29"], VariableType.NUMERIC)) == {
        "15": (1, 0),
        "20-29": (1, 2),
    }


def test_many_labels_are_searched_to_the_right_one():
    ages = np.arange(200)
    pair = pair_of(ages, [f"{age // 3 * 3}-{age // 3 * 3 + 2}" for age in ages], VariableType.NUMERIC)
    assert all(original == candidate for original, candidate in counts(pair).values())


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["2024-03", "2024-03", "2024-04"], {"2024-03": (2, 2), "2024-04": (1, 1)}),
        (["2024"] * 3, {"2024": (3, 3)}),
    ],
)
def test_a_date_counts_under_its_month_or_year(labels, expected):
    days = pd.to_datetime(["2024-03-01", "2024-03-31", "2024-04-01"])
    assert counts(pair_of(days, labels, VariableType.DATE)) == expected


def test_groups_a_step_declared_are_followed():
    step = grouped({"north": "N+S", "south": "N+S"})
    assert counts(pair_of(["north", "south", "east"], ["N+S", "N+S", "east"], steps=[step])) == {
        "N+S": (2, 2),
        "east": (1, 1),
    }


def test_groups_of_groups_are_followed_to_the_last():
    steps = [grouped({"a": "ab", "b": "ab"}), grouped({"ab": "all", "c": "all"})]
    assert counts(pair_of(["a", "b", "c"], ["all"] * 3, steps=steps)) == {"all": (3, 3)}


def test_a_whole_number_is_the_same_number_with_a_point():
    assert counts(pair_of([1, 2], [1.0, 2.0], VariableType.NUMERIC)) == {"1": (1, 1), "2": (1, 1)}


def test_codes_of_records_are_matched_like_counts():
    pair = pair_of([17, 18, 21, None], ["<18", "18-21", "18-21", None], VariableType.NUMERIC)
    assert pair.places("key", Side.ORIGINAL).tolist() == pair.places("key", Side.CANDIDATE).tolist()
    assert pair.places("key", Side.ORIGINAL)[-1] == -1


def test_a_population_is_matched_with_the_candidates_labels():
    pair = pair_of([20, 30], ["20-29", "30-39"], VariableType.NUMERIC, population=[20, 21, 29, 35])
    sizes = pair.paired_sizes(["key"], Side.CANDIDATE, Side.POPULATION)
    assert sorted(zip(sizes.first.tolist(), sizes.second.tolist(), sizes.classes.tolist(), strict=True)) == [
        (1, 1, 1),
        (1, 3, 1),
    ]


def test_labels_that_overlap_or_cannot_be_read_are_said_to_be_incomparable():
    assert pair_of([1], ["1-9"], VariableType.NUMERIC).incomparable(["key"]) is None
    assert "overlap" in pair_of([1, 2], ["1-9", "1-5"], VariableType.NUMERIC).incomparable(["key"]).reason
    assert (
        "cannot be read" in pair_of([1, 2], ["1-9", "few"], VariableType.NUMERIC).incomparable(["key"]).reason
    )
