"""Any measurement can be drawn: its value, its interval, and the parts it is one of."""

from __future__ import annotations

import pytest

from sdc.catalogue.measurement import Assessment, Interval, Measurement, NotAssessed
from sdc.report.figures.parts import parts_figure


def assessed(value, parts, interval=None):
    return Assessment("ks_distance", "ks_distance", "safe", Measurement(value, parts, interval))


def words(figure):
    return [mark.text for mark in figure.drawing.marks if mark.kind == "text"]


def test_the_parts_of_the_value_are_drawn_the_largest_first_and_others_only_listed():
    parts = {"count.a": 70.0, "count.b": 3.0, "distance.a": 0.1, "distance.b": 0.3, "records": 500.0}
    figure = parts_figure(assessed(0.3, parts))
    assert words(figure) == ["ks_distance", "0.3", "b", "0.3", "a", "0.1"]
    assert figure.caption == "ks_distance is 0.3. Below it 2 parts named distance."
    assert dict(figure.rows)["count.a"] == "70"
    assert dict(figure.rows)["records"] == "500"


def test_bars_are_as_long_as_their_numbers():
    figure = parts_figure(assessed(0.4, {"distance.a": 0.1, "distance.b": -0.4}))
    bars = [dict(mark.attributes) for mark in figure.drawing.marks if mark.kind == "rect"]
    value, negative, small = (float(bar["width"]) for bar in bars)
    assert value == pytest.approx(negative)
    assert small == pytest.approx(value / 4, abs=0.11)


def test_a_value_that_is_none_of_its_parts_stands_alone_with_its_interval():
    figure = parts_figure(assessed(0.2, {"original.1": 900.0}, Interval(0.1, 0.4, 0.95)))
    assert words(figure) == ["ks_distance", "0.2"]
    whisker = next(dict(m.attributes) for m in figure.drawing.marks if m.style == "whisker")
    bar = next(dict(m.attributes) for m in figure.drawing.marks if m.kind == "rect")
    start = float(bar["x"])
    assert (float(whisker["x2"]) - start) / float(bar["width"]) == pytest.approx(2, abs=0.01)
    assert (float(whisker["x1"]) - start) / float(bar["width"]) == pytest.approx(0.5, abs=0.01)


def test_of_many_parts_the_largest_are_drawn_and_the_caption_says_so():
    figure = parts_figure(assessed(20.0, {f"distance.v{number}": float(number) for number in range(21)}))
    assert figure.caption.endswith("Below it the 12 largest of 21 parts named distance.")
    assert words(figure)[2] == "v20"
    assert len(words(figure)) == 2 * 13


def test_what_was_not_measured_is_not_drawn():
    nothing = Assessment("ks_distance", "ks_distance", "safe", NotAssessed("no numbers"))
    assert parts_figure(nothing) is None
