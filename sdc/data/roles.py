"""The roles and types of variables, and the rule for missing keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from sdc.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Role(StrEnum):
    """What a variable is in a disclosure scenario."""

    DIRECT_IDENTIFIER = "direct_identifier"
    QUASI_IDENTIFIER = "quasi_identifier"
    SENSITIVE = "sensitive"
    WEIGHT = "weight"
    HOUSEHOLD = "household"
    STRATUM = "stratum"
    OTHER = "other"
    DROPPED = "dropped"


LEFT_BEHIND = (Role.DIRECT_IDENTIFIER, Role.DROPPED)
"""Roles of columns that no candidate has."""


class VariableType(StrEnum):
    """How the values of a variable are to be read."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    ORDINAL = "ordinal"
    DATE = "date"


class MissingRule(StrEnum):
    """What a missing key means to an intruder: a value like any other, or one that matches all."""

    OWN_CATEGORY = "own_category"
    WILDCARD = "wildcard"


@dataclass(frozen=True)
class Variable:
    """One column: its role, its type and the values it may take.

    Without a type it is what the original holds.
    """

    name: str
    role: Role = Role.OTHER
    type: VariableType | None = None
    order: tuple[str, ...] = ()
    household_level: bool = False
    allowed: tuple[str, ...] = ()

    @property
    def levels(self) -> tuple[str, ...]:
        """The declared categories, in order where there is one; None where they are not declared."""
        return self.order or self.allowed

    @property
    def numeric(self) -> bool:
        return self.type is VariableType.NUMERIC


@dataclass(frozen=True)
class Roles:
    """All variables of a release, in the order of the file."""

    variables: tuple[Variable, ...]

    @classmethod
    def of(cls, variables: Iterable[Variable]) -> Roles:
        return cls(tuple(variables))

    @cached_property
    def _by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.variables}

    def __getitem__(self, name: str) -> Variable:
        if name not in self._by_name:
            raise UnknownName("variable", name)
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.variables)

    def as_held(self, numbers: Iterable[str], dates: Iterable[str]) -> Roles:
        """The same roles with a type for every variable.

        A variable without a declared type gets the type of its column: numbers, dates, or categories.
        """
        held = {**dict.fromkeys(numbers, VariableType.NUMERIC), **dict.fromkeys(dates, VariableType.DATE)}
        return Roles.of(
            replace(each, type=held.get(each.name, VariableType.CATEGORICAL)) if each.type is None else each
            for each in self.variables
        )

    def _with(self, role: Role) -> tuple[str, ...]:
        return tuple(variable.name for variable in self.variables if variable.role is role)

    @property
    def direct_identifiers(self) -> tuple[str, ...]:
        return self._with(Role.DIRECT_IDENTIFIER)

    @property
    def dropped(self) -> tuple[str, ...]:
        """Columns that do not leave, without the claim that they identify anybody."""
        return self._with(Role.DROPPED)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        return self._with(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        return self._with(Role.SENSITIVE)

    @property
    def weight(self) -> str | None:
        return next(iter(self._with(Role.WEIGHT)), None)

    @property
    def household(self) -> str | None:
        return next(iter(self._with(Role.HOUSEHOLD)), None)

    @property
    def stratum(self) -> str | None:
        return next(iter(self._with(Role.STRATUM)), None)

    @property
    def released(self) -> tuple[str, ...]:
        """Columns a candidate has: all but those left behind."""
        return tuple(variable.name for variable in self.variables if variable.role not in LEFT_BEHIND)

    @property
    def analysed(self) -> tuple[str, ...]:
        """Columns that a user analyses and a measure of utility compares.

        They are released, and neither weight nor household number.
        """
        return tuple(name for name in self.released if name not in (self.weight, self.household))

    @property
    def numeric(self) -> tuple[str, ...]:
        """Analysed numeric columns."""
        return tuple(name for name in self.analysed if self[name].numeric)
