"""Figures of two runs are drawn from their sealed records, and from nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Measurement
from sdc.web.two_runs_figures import figures_of


def record(k: float, distances: dict[str, float], share: float | None = 0.05) -> dict[str, Any]:
    """A candidate that demands k of at least 4 and a distance of at most 0.2."""
    largest = max(distances.values())
    found = [
        Finding("k_anonymity", "risk", "coarse", k >= 4, "withhold", k, at_least=4, margin=k - 4),
        Finding(
            "ks_distance",
            "utility",
            "coarse",
            largest <= 0.2,
            "refer",
            largest,
            at_most=0.2,
            margin=0.2 - largest,
        ),
        Finding("rows", "table", "coarse", holds=True, otherwise="withhold"),
    ]
    parts = {f"distance.{name}": value for name, value in distances.items()}
    taken = [Assessment("ks_distance", "ks_distance", "coarse", Measurement(largest, parts))]
    if share is not None:
        taken.append(Assessment("il1s", "il1s", "coarse", Measurement(share)))
    return {
        "candidates": [
            {
                "name": "coarse",
                "findings": [each.as_record() for each in found],
                "measurements": [each.as_record() for each in taken],
            }
        ]
    }


BEFORE = record(5, {"age": 0.1, "income": 0.15, "wealth": 0.01})
AFTER = record(3, {"age": 0.1, "income": 0.05, "wealth": 0.12})


def test_margins_are_shares_of_the_limit_and_the_tightest_stands_first() -> None:
    """k: (5 - 4) / 4 = 25 %, then (3 - 4) / 4 = -25 %. Distance: 0.05 / 0.2 = 25 %, then 0.08 / 0.2 = 40 %."""
    margins = figures_of(BEFORE, AFTER)[0]
    assert margins.rows == (
        ("k_anonymity of coarse", "25 %", "−25 %"),
        ("ks_distance of coarse", "25 %", "40 %"),
    )
    assert "Of 2 margins 1 fell." in margins.caption
    rings = [float(dict(mark.attributes)["cx"]) for mark in margins.drawing.marks if mark.kind == "circle"]
    before, after = rings[0], rings[1]
    assert before > after
    shaded = next(dict(mark.attributes) for mark in margins.drawing.marks if mark.style == "beyond")
    zero = float(shaded["x"]) + float(shaded["width"])
    assert after < zero < before
    assert zero - after == pytest.approx(before - zero, abs=0.2)


def test_of_parts_those_that_moved_are_drawn_the_one_that_moved_most_first() -> None:
    _, distances = figures_of(BEFORE, AFTER)
    assert distances.title == "ks_distance of coarse"
    assert distances.rows == (("wealth", "0.01", "0.12"), ("income", "0.15", "0.05"))
    assert distances.caption == ("2 of 3 parts named distance changed; wealth changed most: 0.01, then 0.12.")


def test_equal_runs_have_margins_and_no_other_figure() -> None:
    (margins,) = figures_of(BEFORE, BEFORE)
    assert "0 fell" in margins.caption


def test_runs_without_a_candidate_in_common_have_no_figure() -> None:
    other = {"candidates": [{**AFTER["candidates"][0], "name": "fine"}]}
    assert figures_of(BEFORE, other) == ()
