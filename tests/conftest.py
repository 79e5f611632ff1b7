"""Fixtures every test may use: the demonstration data, their roles, the golden values."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from handing_out import LongestFirst, place

from sdc.data.roles import Role, Roles, Variable, VariableType

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"
DEMO = ROOT / "profiles" / "demo"

# Tests draw the same random numbers everywhere; those of the secret itself say otherwise.
os.environ["SDC_SECRET"] = "5d" * 32

KEYS = [
    "region",
    "urbanisation",
    "household_size",
    "sex",
    "age",
    "marital_status",
    "education",
    "activity",
    "occupation",
]
NUMBERS = ["income", "equivalised_income", "spending", "wealth", "unemployment_months"]


@pytest.fixture(autouse=True)
def as_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are as wide as in a pipe, whatever terminal or test set another width before."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session")
def households() -> pd.DataFrame:
    """The demonstration data; not to be written to."""
    return pd.read_csv(DEMO / "households.csv")


@pytest.fixture(scope="session")
def household_roles() -> Roles:
    numeric = VariableType.NUMERIC
    return Roles.of(
        [
            Variable("household_id", Role.HOUSEHOLD),
            *(
                Variable(
                    key,
                    Role.QUASI_IDENTIFIER,
                    numeric if key in ("age", "household_size") else VariableType.CATEGORICAL,
                )
                for key in KEYS
            ),
            *(Variable(number, Role.SENSITIVE, numeric) for number in NUMBERS),
            Variable("health", Role.SENSITIVE),
            Variable("found_work"),
            Variable("weight", Role.WEIGHT, numeric),
        ]
    )


@pytest.fixture(scope="session")
def worked_examples() -> dict[str, dict[str, Any]]:
    """Worked examples of the source documents by id; test against `recomputed`."""
    held = json.loads((GOLDEN / "worked_examples.json").read_text())
    return {case["id"]: case for case in held["cases"]}


@pytest.fixture(scope="session")
def golden() -> Any:
    """Reference values from R on the demonstration data, by file name without ending."""

    def load(name: str) -> dict[str, Any]:
        held: dict[str, Any] = json.loads((GOLDEN / "households" / f"{name}.json").read_text())
        return held

    return load


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="one case of every quick test, for a look while working"
    )


SLOW_FIXTURES = {"workbench", "postgres", "mariadb", "store", "server"}
"""Each opens a workbench on the demonstration data, or starts a server."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LongestFirst | None:
    return LongestFirst(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes long begins first.

    With --quick: no slow test, no flow, and of a test with many cases the first alone.
    """
    if not config.getoption("--quick"):
        if hasattr(config, "workerinput"):
            items.sort(key=lambda item: place(item.nodeid))
        return
    seen: set[str] = set()
    kept, left_out = [], []
    for item in items:
        name = item.nodeid.partition("[")[0]
        is_quick = not any(item.get_closest_marker(marker) for marker in ("slow", "flow"))
        is_quick &= not SLOW_FIXTURES.intersection(getattr(item, "fixturenames", ()))
        (kept if is_quick and name not in seen else left_out).append(item)
        seen.add(name)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept
