"""Coefficients and indicators of both tables, drawn with their intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.measurement import Assessment, Measurement
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.profile.plan import VariablePlan
from sdc.report.figures.intervals import MOST_ROWS, Estimates, coefficients, forest, indicators


def test_indicators_are_percent_of_the_originals_value():
    parts = {
        "original.mean.income": 200.0,
        "value.mean.income": 220.0,
        "original_variance.mean.income": 4.0,
        "variance.mean.income": 9.0,
        "figures": 1,
    }
    figure = indicators(Assessment("indicator_change", "change", "a", Measurement(10, parts)), {})
    assert figure.rows == (("mean, income", "100", "110"),)
    lines = [mark.tip for mark in figure.drawing.marks if mark.kind == "line" and mark.tip]
    # 1.96 standard deviations of 2 and 3 are 1.96 and 2.94 percent of 200.
    assert lines == ["mean, income, original: 100, 98 to 102", "mean, income, candidate: 110, 107 to 113"]


def test_a_code_behind_its_variable_is_said_in_words():
    parts = {"original.mean.income.hours.1": 200.0, "value.mean.income.hours.1": 220.0}
    variables = {"income": VariablePlan(), "hours": VariablePlan(values={"1": "full time"})}
    figure = indicators(Assessment("indicator_change", "change", "a", Measurement(10, parts)), variables)
    assert figure.rows == (("mean, income, hours, full time", "100", "110"),)


def test_an_indicator_without_a_size_or_a_partner_is_left_out():
    parts = {"original.mean.a": 0.0, "value.mean.a": 1.0, "original.mean.b": 5.0}
    assert indicators(Assessment("indicator_change", "change", "a", Measurement(0, parts)), {}) is None


def test_the_furthest_apart_come_first_and_the_rest_is_counted():
    held = [Estimates(f"x{number}", 0.0, float(number), 1.0, 1.0) for number in range(MOST_ROWS + 5)]
    figure = forest(held, "t", "Caption.", "units", "a")
    assert figure.rows[0][0] == f"x{MOST_ROWS + 4}"
    assert figure.caption == f"Caption. The {MOST_ROWS} furthest apart of {MOST_ROWS + 5}."
    assert forest([], "t", "c", "u", "a") is None


def test_coefficients_are_in_standard_errors_of_the_original():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=200)})
    frame["y"] = 2 * frame.x + rng.normal(size=200)
    roles = Roles.of(
        [
            Variable("x", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
            Variable("y", Role.SENSITIVE, VariableType.NUMERIC),
        ]
    )
    pair = ReleasePair.from_frames(frame, frame.assign(y=frame.y + frame.x), roles)
    figure = coefficients(
        pair, Assessment("interval_overlap", "overlap", "a", Measurement(0.5), {"models": ["y ~ x"]}), {}
    )
    slope, intercept = np.polyfit(frame.x, frame.y, 1)
    residual = frame.y - slope * frame.x - intercept
    error = np.sqrt(residual @ residual / 198 / ((frame.x - frame.x.mean()) @ (frame.x - frame.x.mean())))
    row = next(row for row in figure.rows if row[0].startswith("x"))
    assert float(row[1].replace(",", "")) == pytest.approx(slope / error, rel=0.01)
    assert float(row[2].replace(",", "")) == pytest.approx((slope + 1) / error, rel=0.01)


def test_coefficients_of_a_category_name_its_level_in_words():
    """Three levels, of which the first is the reference: two coefficients."""
    frame = pd.DataFrame({"hours": ["1", "2", "3"] * 40, "y": np.arange(120.0) % 7})
    roles = Roles.of(
        [Variable("hours", Role.QUASI_IDENTIFIER), Variable("y", Role.SENSITIVE, VariableType.NUMERIC)]
    )
    held = Assessment("interval_overlap", "overlap", "a", Measurement(0.5), {"models": ["y ~ hours"]})
    figure = coefficients(
        ReleasePair.from_frames(frame, frame, roles), held, {"hours": VariablePlan(values={"2": "part time"})}
    )
    assert {row[0] for row in figure.rows} == {"intercept (1)", "hours: part time (1)", "hours: 3 (1)"}
