"""The type and the labels that a variable may have after its steps."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from sdc.catalogue.protection import Protection
from sdc.data.roles import VariableType
from sdc.data.table import NUMERIC_TYPES, WHOLE_TYPES

if TYPE_CHECKING:
    from sdc.catalogue.protection import Step
    from sdc.profile import VariablePlan


class Kind(StrEnum):
    """What a column's type in the database amounts to."""

    NUMBER = "number"
    LABEL = "label"
    DATE = "date"
    OTHER = "other"


def kind_of(database_type: str) -> Kind:
    if database_type.startswith(NUMERIC_TYPES):
        return Kind.NUMBER
    if database_type.startswith(("VARCHAR", "ENUM", "BOOLEAN")):
        return Kind.LABEL
    return Kind.DATE if database_type.startswith(("DATE", "TIMESTAMP")) else Kind.OTHER


def accepts(declared: VariableType, database_type: str, *, coarsened: bool) -> bool:
    """Whether a variable of a declared type may be held like this.

    A coarser number or date may have become a label. Codes may be whole numbers.
    """
    if database_type.endswith("[]"):
        return False
    kind = kind_of(database_type)
    if declared is VariableType.NUMERIC:
        return kind is Kind.NUMBER or (coarsened and kind is Kind.LABEL)
    if declared is VariableType.DATE:
        return kind is Kind.DATE or (coarsened and kind in (Kind.LABEL, Kind.NUMBER))
    return kind is Kind.LABEL or database_type.startswith(WHOLE_TYPES)


def was_coarsened(name: str, steps: Sequence[Step]) -> bool:
    """Whether a step made this variable coarser, or parts of it missing."""
    return any(name in step.touched and step.protection is Protection.NON_PERTURBATIVE for step in steps)


def labels_after(name: str, plan: VariablePlan, steps: Sequence[Step]) -> frozenset[str] | None:
    """The labels a variable may have: those declared, as the steps regrouped them.

    It is None where none were declared or recorded.
    """
    numeric = plan.type in (VariableType.NUMERIC, VariableType.DATE)
    labels = None if numeric else frozenset(plan.allowed or plan.order) or None
    for step in steps:
        grouped = step.labels.get(name)
        if grouped:
            labels = (
                frozenset(grouped.values())
                if labels is None
                else frozenset(grouped.get(label, label) for label in labels)
            )
    return labels
