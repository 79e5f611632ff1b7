from __future__ import annotations

from math import inf

import numpy as np
import pytest

from sdc.statistics.coarsening.bands import (
    Band,
    bands_between,
    bands_of_width,
    number_text,
    parse_band,
    parse_period,
    periods,
)


@pytest.mark.parametrize(
    ("text", "band"),
    [
        ("20-29", Band(20, 29, closed=True)),
        ("-10--1", Band(-10, -1, closed=True)),
        ("-10 to -1", Band(-10, -1, closed=True)),
        ("65+", Band(65, inf)),
        ("<18", Band(-inf, 18)),
        ("[20.5,30)", Band(20.5, 30)),
        ("[-1.5,-0.5]", Band(-1.5, -0.5, closed=True)),
        ("7", Band(7, 7, closed=True)),
        ("*", Band(-inf, inf, closed=True)),
    ],
)
def test_a_label_is_read_back_as_the_numbers_it_stands_for(text, band):
    assert parse_band(text) == band


@pytest.mark.parametrize("text", ["", "north", "20-", "+", "20–29", "2024-Q1", "[1,2", "1e", "<"])
def test_any_other_text_stands_for_no_numbers(text):
    assert parse_band(text) is None


@pytest.mark.parametrize("width", [0.1, 0.3, 1 / 3, 1, 7, 1000])
def test_every_value_lies_in_its_band_as_the_label_says(width):
    values = np.random.default_rng(1).normal(0, 5, 500).round(2)
    codes, bands = bands_of_width(values, width, start=0.1)
    for value, code in zip(values, codes, strict=True):
        band = parse_band(bands[code].label)
        assert band is not None
        assert band.holds(np.array([value]))[0]


def test_a_band_that_begins_below_nought_is_written_with_to_and_read_back():
    codes, bands = bands_of_width(np.array([-20.0, -11, -10, -1, 0, 9]), 10, 0)
    assert codes.tolist() == [0, 0, 1, 1, 2, 2]
    assert [band.whole_label for band in bands] == ["-20 to -11", "-10 to -1", "0-9"]
    assert [parse_band(band.whole_label) for band in bands] == [
        Band(-20, -11, closed=True),
        Band(-10, -1, closed=True),
        Band(0, 9, closed=True),
    ]


def test_bands_ascend_and_are_cut_at_bottom_and_top():
    _, bands = bands_of_width(np.array([3.0, 18, 25, 84, 85, 99]), 10, 0, bottom=15, top=85)
    assert [band.whole_label for band in bands] == ["<15", "15-19", "20-29", "80-84", "85+"]


def test_outer_bands_between_edges_are_open():
    codes, bands = bands_between(np.array([-1.0, 0, 17, 18, 64, 65]), [0, 18, 65])
    assert [band.whole_label for band in bands] == ["<0", "0-17", "18-64", "65+"]
    assert codes.tolist() == [0, 1, 1, 2, 2, 3]


def test_a_band_of_one_whole_number_is_that_number():
    assert Band(4, 5).whole_label == "4"


def test_numbers_are_written_shortly_and_read_back_exactly():
    assert number_text(20.0) == "20"
    assert number_text(-0.1) == "-0.1"
    tiny = parse_band(number_text(1e-7))
    assert tiny is not None
    assert tiny.low == 1e-7


def test_periods_are_read_back_as_their_first_day_and_the_day_after():
    days = np.array(["1999-12-31", "2024-02-29", "2024-07-01"], dtype="datetime64[ns]")
    assert periods(days, "month") == ["1999-12", "2024-02", "2024-07"]
    assert periods(days, "quarter") == ["1999-Q4", "2024-Q1", "2024-Q3"]
    assert periods(days, "year") == ["1999", "2024", "2024"]
    for unit in ("month", "quarter", "year"):
        for day, text in zip(days, periods(days, unit), strict=True):
            ends = parse_period(text)
            assert ends is not None
            assert ends[0] <= day < ends[1]
    assert parse_period("2024-13") is None
    assert parse_period("2024-Q1") == (np.datetime64("2024-01-01"), np.datetime64("2024-04-01"))
