"""The quick benchmarks fail where a ratio is over three times the recorded one, and nowhere else."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import quick

    monkeypatch.setattr(quick, "ratios", lambda: iter([("counting", 6.0), ("reading", 1.0)]))
    monkeypatch.setattr(sys, "argv", ["quick.py"])
    return quick


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ({"counting": 2.0, "reading": 9.0}, None),
        (
            {"counting": 1.99, "reading": 9.0},
            "counting: 6.00 times its floor, over 3 times the 1.99 recorded",
        ),
        ({"counting": 2.0}, "reading: no ratio is recorded in baseline.json; record it with --record"),
        ({"counting": 2.0, "reading": 9.0, "writing": 1.0}, "writing: recorded, and not measured any more"),
    ],
)
def test_a_ratio_over_three_times_the_recorded_one_is_a_failure(quick, tmp_path, monkeypatch, recorded, said):
    monkeypatch.setattr(quick, "BASELINE", tmp_path / "baseline.json")
    quick.BASELINE.write_text(json.dumps(recorded))
    with pytest.raises(SystemExit) as ended:
        quick.main()
    assert ended.value.code == said


def test_what_is_recorded_is_a_ratio_of_every_kind_of_work():
    recorded = json.loads((BENCHMARKS / "baseline.json").read_text())
    assert {"k_anonymity", "keys numbered", "microaggregation", "propensity, tree", "ingest of csv"} <= {
        *recorded
    }
    assert all(ratio > 0 for ratio in recorded.values())
