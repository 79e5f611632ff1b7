"""What every test of a method needs: a call as the pipeline makes it."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
import pytest
from unit_under_law import name_the_unit

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    name_the_unit(item, report)
    return report


def roles_of(table, **roles):
    """Roles by name, types from the columns."""
    kinds = {"f": VariableType.NUMERIC, "M": VariableType.DATE}
    return Roles.of(
        Variable(
            name, roles.get(name, Role.OTHER), kinds.get(table[name].dtype.kind, VariableType.CATEGORICAL)
        )
        for name in table
    )


@pytest.fixture
def protect():
    """Apply a method by name, with options as a profile has them."""

    def apply(name, table, options=None, *, seed=0, roles=None):
        entry = find_method(name)
        return entry.function(
            table, roles or roles_of(table), np.random.default_rng(seed), **entry.arguments(options or {})
        )

    return apply
