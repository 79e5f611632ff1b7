from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest

from sdc.statistics.coarsening.labels import read_date_label, read_labels, read_number_label


@pytest.mark.parametrize(
    ("label", "inside", "outside"),
    [
        ("20-29", [20, 23, 29], [19, 30]),
        ("18-21", [18, 21], [17, 22]),
        ("65+", [65, 120], [64]),
        ("<18", [-1, 17], [18]),
        ("[20,30)", [20, 29.99], [30]),
        ("(20, 30]", [20.01, 30], [20, 30.01]),
        ("[20, inf)", [20, 1e9], [19.9]),
        ("(-inf, 18)", [-1e9, 17.9], [18]),
        ("20 to 29", [20, 29], [30]),
        ("20–29", [20, 29], [30]),
        ("20 - 29", [20, 29], [30]),
        ("over 65", [65.1, 66], [65]),
        ("65 and over", [65], [64]),
        (">=65", [65], [64]),
        (">65", [66], [65]),
        ("≤17", [17], [18]),
        ("under 18", [17], [18]),
        ("1,000-1,999", [1000, 1999], [2000]),
        ("1 000 - 1 999", [1000, 1999], [2000]),
        ("-10--5", [-10, -5], [-4]),
        ("*", [-1e9, 0, 1e9], []),
        ("23", [23], [22, 23.5, 24]),
    ],
)
def test_a_label_holds_what_it_says(label, inside, outside):
    partition = read_labels([label])
    assert partition.sound
    assert (partition.places(np.array(inside, dtype=float)) == 0).all()
    assert (partition.places(np.array([*outside, nan], dtype=float)) == -1).all()


@pytest.mark.parametrize("label", ["young", "20-", "-", "", "20-29-39", "[20,30", "1,2"])
def test_any_other_text_stands_for_nothing(label):
    assert read_number_label(label) is None
    assert read_labels([label, "20-29"]).unreadable == 1


@pytest.mark.parametrize(
    ("label", "first", "last", "beyond"),
    [
        ("2024-03", "2024-03-01", "2024-03-31", "2024-04-01"),
        ("2024-Q1", "2024-01-01", "2024-03-31", "2024-04-01"),
        ("2024", "2024-01-01", "2024-12-31", "2025-01-01"),
        ("2024-03-15", "2024-03-15", "2024-03-15", "2024-03-16"),
        ("2020-2024", "2020-01-01", "2024-12-31", "2025-01-01"),
        ("2024-01 to 2024-03", "2024-01-01", "2024-03-31", "2024-04-01"),
        ("2024-01/2024-03", "2024-01-01", "2024-03-31", "2024-04-01"),
    ],
)
def test_a_period_holds_its_days(label, first, last, beyond):
    days = np.array([first, last, beyond], dtype="datetime64[s]").astype(float)
    assert read_labels([label], dates=True).places(days).tolist() == [0, 0, -1]


def test_open_periods_and_other_texts():
    assert read_date_label("before 2000").high == read_date_label("2000+").low
    assert read_date_label("<2000").low == -inf
    assert read_date_label("spring") is None
    assert read_date_label("2024-13-01") is None
    assert read_date_label("2024-02-30") is None


def test_a_border_two_labels_share_belongs_to_the_upper_one():
    assert read_labels(["165-170", "160-165"]).places(np.array([164.9, 165, 170])).tolist() == [0, 1, 1]
    assert read_labels(["[20,30]", "[30,40]"]).places(np.array([30.0, 40])).tolist() == [1, 1]


def test_a_range_of_whole_numbers_reaches_up_to_the_next():
    partition = read_labels(["<18", "18-21", "22-64", "65+"])
    assert partition.places(np.array([17.9, 18, 21.9, 22, 64.5, 65])).tolist() == [0, 1, 1, 2, 2, 3]
    tenths = read_labels(["0.5-0.9", "1.0-1.4"])
    assert tenths.places(np.array([0.95, 1.0, 1.49, 1.5])).tolist() == [0, 1, 1, -1]


def test_gaps_are_held_by_no_label():
    assert read_labels(["0-9", "20-29"]).places(np.array([9.5, 12, 20])).tolist() == [0, -1, 1]


@pytest.mark.parametrize(
    "labels", [["20-29", "20-24"], ["*", "20-29"], ["5-9", "5"], ["20-29", "25-34"], ["[20,30)", "20-29"]]
)
def test_labels_that_share_values_overlap(labels):
    assert read_labels(labels).overlapping == 1


def test_no_labels_hold_nothing():
    assert read_labels([]).places(np.array([1.0])).tolist() == [-1]
