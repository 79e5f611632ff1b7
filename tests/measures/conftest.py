"""A law over measures that fails names the file of the unit."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from unit_under_law import name_the_unit


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    name_the_unit(item, report)
    return report
