"""The order in which a sequential synthesis draws its variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sdc.data.roles import Roles
from sdc.errors import BadOption
from sdc.methods import columns
from sdc.methods.sequence_models import METHOD, Settings
from sdc.statistics.synthesis.coded import Coded
from sdc.statistics.synthesis.expression import Expression
from sdc.statistics.synthesis.visit import VisitTest, visit_sequence

if TYPE_CHECKING:
    import pandas as pd


def visit_order(
    table: pd.DataFrame,
    roles: Roles,
    visit: str | list[str],
    test: VisitTest,
    chosen: Settings,
    *,
    weighted: bool,
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The variables in the order in which they are drawn, and the tests that chose it.

    The weight is last unless it is named; household numbers are never drawn.
    """
    first = [] if isinstance(visit, str) else columns.known(METHOD, table, visit, "visit")
    if roles.household in first:
        raise BadOption(
            METHOD, "visit", f"{roles.household} is the household number, which is not drawn from a model"
        )
    rest = [
        name for name in table.columns if name not in first and name not in (roles.household, roles.weight)
    ]
    tests: dict[str, Any] = {}
    if visit == "automatic":
        found = visit_sequence([_as_features(table[name]) for name in rest], test)
        logs = [
            {rest[place]: float(log / np.log(10)) for place, log in each.items()} for each in found.rounds
        ]
        tests, rest = (
            {"visit_test": test, "visit_log10_p_values": logs},
            [rest[place] for place in found.order],
        )
    last = [name for name in table.columns if name == roles.weight and name not in first and not weighted]
    return (
        tuple(
            _after_what_they_need(
                [name for name in (*first, *rest, *last) if not (weighted and name == roles.weight)], chosen
            )
        ),
        tests,
    )


def _as_features(column: pd.Series) -> list[Any]:
    values = columns.as_numbers(column)
    coded = Coded(values) if not columns.is_category(column) else Coded(values, len(column.cat.categories))
    return coded.predictors(values)


def _after_what_they_need(order: list[str], chosen: Settings) -> list[str]:
    """The order with derived variables after those they are derived from, and events right after their times.

    A variable may be derived from variables that are derived too.
    """
    for name, choice in [*chosen.models.items()] * max(len(chosen.models), 1):
        if name in order and choice.model == "passive":
            order.remove(name)
            needed = [
                order.index(other)
                for other in Expression.of(choice.options["formula"]).names
                if other in order
            ]
            order.insert(max(needed, default=-1) + 1, name)
        elif name in order and choice.model == "survival_tree" and choice.options["event"] in order:
            order.remove(str(choice.options["event"]))
            order.insert(order.index(name) + 1, str(choice.options["event"]))
    return order
