"""Limits on counts over a candidate's table, and how the counts are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.finding import Concerns, Otherwise
from sdc.gate.decision import Limit

if TYPE_CHECKING:
    from sdc.data.table import Table


@dataclass(frozen=True)
class CountedCondition:
    """What is counted in SQL: records, or households, for which a condition holds."""

    condition: str
    of_households: bool = False


@dataclass(frozen=True)
class Rule:
    """A limit on a count, and how the count is made on a table; None where it cannot be made."""

    limit: Limit
    count: Callable[[Table], int | CountedCondition | None]


def present(
    count: Callable[[Table], int | CountedCondition | None], *names: str
) -> Callable[[Table], int | CountedCondition | None]:
    """The count, or none for a column that does not exist."""
    return lambda table: count(table) if set(names) <= set(table.columns) else None


def limit(
    fact: str,
    fault: str,
    *,
    at_least: float,
    at_most: float | None = None,
    otherwise: Otherwise = Otherwise.WITHHOLD,
    of: str = "",
) -> Limit:
    name = f"table.{fact}"
    return Limit(
        name,
        name,
        Concerns.TABLE,
        at_least,
        at_most,
        otherwise,
        "declared in the profile",
        f"variables.{of}" if of else "variables",
        fault,
    )


def none_of(
    fact: str,
    fault: str,
    count: Callable[[Table], int | CountedCondition | None],
    *,
    of: str = "",
    otherwise: Otherwise = Otherwise.WITHHOLD,
) -> Rule:
    """A count that must be zero."""
    return Rule(limit(fact, fault, at_least=0, at_most=0, otherwise=otherwise, of=of), count)
