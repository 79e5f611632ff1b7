"""Recoding with a picture: counts as they are, borders moved, categories joined, what results."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.coarsening.recoding import Domain
from sdc.studio import recoding
from sdc.studio.open_profile import OpenProfile
from sdc.studio.recoding_picture import recoding_view
from sdc.studio.value_counts import ValueCounts

AGES = ValueCounts(
    "age", Domain(np.array([3.0, 12.0, 18.0, 25.0, 40.0, 71.0])), np.array([2, 1, 4, 3, 5, 1]), missing=2
)
REGIONS = ValueCounts(
    "region",
    Domain(np.array(["East", "North", "South", "West"], dtype=object), ordered=False),
    np.array([5, 4, 3, 2]),
    missing=0,
)


def results(found, option):
    return {band.label: band.records for band in recoding_view(found, option).result}


def test_the_counts_that_result_are_those_of_the_bands():
    assert results(AGES, {"bands": [18, 65]}) == {"<18": 3, "18-64": 12, "65+": 1}
    assert results(AGES, {"width": 20}) == {"0-19": 7, "20-39": 3, "40-59": 5, "60-79": 1}


def test_a_width_has_borders_that_can_be_moved_one_by_one():
    edges = recoding.borders({"width": 20}, AGES)
    assert edges == [20, 40, 60]
    assert recoding.moved(edges, 0, 18) == {"bands": [18, 40, 60]}
    assert recoding.added(edges, 65) == {"bands": [20, 40, 60, 65]}
    assert recoding.taken_out(edges, 1) == {"bands": [20, 60]}
    assert results(AGES, recoding.moved(edges, 0, 18)) == {"<18": 3, "18-39": 7, "40-59": 5, "60+": 1}


def test_bands_cut_at_their_ends_keep_these_as_borders():
    assert recoding.borders({"width": 20, "bottom": 10, "top": 65}, AGES) == [10, 20, 40, 60, 65]


def test_bands_by_their_labels_have_borders_where_they_begin():
    assert recoding.borders({"bands": ["0-17", "18-64", "65+"]}, AGES) == [18.0, 71.0]


def test_a_border_that_meets_another_takes_the_band_away():
    assert recoding.moved([20, 40], 0, 40) == {"bands": [40]}


def test_the_last_border_stays_and_no_border_is_invented():
    with pytest.raises(recoding.NoSuchRecoding, match="one border at least"):
        recoding.taken_out([20], 0)
    with pytest.raises(recoding.NoSuchRecoding, match="no such border"):
        recoding.moved([20], 3, 10)
    with pytest.raises(recoding.NoSuchRecoding, match="must be a number"):
        recoding.number("many", "a border")


def test_categories_are_joined_and_parted():
    once = recoding.joined({}, REGIONS, ["East", "South"], "")
    assert once == {"groups": {"East or South": ["East", "South"]}}
    assert results(REGIONS, once) == {"East or South": 8, "North": 4, "West": 2}
    twice = recoding.joined(once, REGIONS, ["East or South", "West"], "elsewhere")
    assert twice == {"groups": {"elsewhere": ["East", "South", "West"]}}
    assert results(REGIONS, twice) == {"North": 4, "elsewhere": 10}
    assert recoding.parted(twice, "elsewhere") == {}


def test_what_cannot_be_joined_is_said():
    with pytest.raises(recoding.NoSuchRecoding, match="two categories or more"):
        recoding.joined({}, REGIONS, ["East"], "")
    with pytest.raises(recoding.NoSuchRecoding, match="another category has this name"):
        recoding.joined({}, REGIONS, ["East", "South"], "North")
    with pytest.raises(recoding.NoSuchRecoding, match="not among the values"):
        recoding.joined({}, REGIONS, ["East", "Centre"], "")


def test_a_hierarchy_is_typed_line_by_line():
    lines = "East: lowlands, all\nNorth: hills, all\nSouth: lowlands, all\nWest: hills, all"
    chain = recoding.hierarchy_of(lines, REGIONS)
    assert results(REGIONS, {"hierarchy": chain, "level": 1}) == {"hills": 6, "lowlands": 8}
    assert results(REGIONS, {"hierarchy": chain, "level": 2}) == {"all": 14}
    assert recoding_view(REGIONS, {"hierarchy": chain}).ancestors == 2
    assert recoding.as_lines(chain, REGIONS) == lines
    with pytest.raises(recoding.NoSuchRecoding, match="3 of 4 values have no line"):
        recoding.hierarchy_of("East: lowlands", REGIONS)
    with pytest.raises(recoding.NoSuchRecoding, match="line 1"):
        recoding.hierarchy_of("East", REGIONS)


def test_a_recoding_the_values_do_not_allow_is_said():
    assert recoding_view(REGIONS, {"width": 5}).problem == "width needs a numeric variable"
    assert "exactly one of" in recoding_view(AGES, {"width": 5, "digits": 1}).problem
    with pytest.raises(recoding.NoSuchRecoding, match="4 of its values have no ancestor"):
        recoding.checked({"hierarchy": {"East": ["x"]}, "level": 2}, REGIONS)


def test_the_picture_has_a_bar_for_each_value_and_a_line_for_each_border():
    view = recoding_view(AGES, {"bands": [18, 65]})
    bars = [mark for mark in view.drawing.marks if mark.kind == "rect"]
    assert sum(int(mark.tip.split(": ")[1].split()[0]) for mark in bars) == 16
    assert sum(mark.style == "border" for mark in view.drawing.marks) == 2
    styles = {mark.style for mark in bars if not mark.tip.endswith(" 0 records")}
    assert styles == {"bar band-0", "bar band-1"}
    assert view.drawing.label == "age: 6 values, 18 records; 3 values after recoding"


def test_the_counts_are_those_of_the_file(workbench):
    """5,915 persons of the demonstration, counted with pandas."""
    import pandas as pd

    held = pd.read_csv(workbench.path.parent / "households.csv")
    opened = OpenProfile.of(workbench)
    found = ValueCounts.of(opened.place, opened.reading.profile, "region")
    assert (
        dict(zip(found.texts, found.counts.tolist(), strict=True)) == held["region"].value_counts().to_dict()
    )
    ages = ValueCounts.of(opened.place, opened.reading.profile, "age")
    _, counts = ages.recoded({"width": 10})
    assert counts == (held["age"].dropna() // 10).value_counts().sort_index().tolist()
    assert ages.missing == int(held["age"].isna().sum())
