"""What must be there before a method runs: columns of some role, packages, declared categories."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Condition = Callable[[Mapping[str, Any]], bool]
"""Does something hold of these options, defaults included?"""


def always(options: Mapping[str, Any]) -> bool:
    """Whatever the options are."""
    del options
    return True


def never(options: Mapping[str, Any]) -> bool:
    """Whatever the options are, it does not hold."""
    del options
    return False


def when_told(option: str) -> Condition:
    """When the option is given and says yes."""
    return lambda options: bool(options.get(option))


def unless_told(option: str) -> Condition:
    """When the option names nothing."""
    return lambda options: not options[option]


@dataclass(frozen=True)
class Extra:
    """Packages beyond those of a plain installation, and the name they are installed by."""

    name: str
    packages: tuple[str, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(package for package in self.packages if importlib.util.find_spec(package) is None)

    @property
    def lack(self) -> str:
        return f"it needs {', '.join(self.missing)}, which a plain installation does not have"

    @property
    def remedy(self) -> str:
        return f"pip install 'sdc-release[{self.name}]'"


@dataclass(frozen=True)
class DeclaredCategories:
    """Marks an option that, when given, needs every category of an open release to be declared.

    `because` says why.
    """

    because: str


@dataclass(frozen=True)
class OfEachNumber:
    """Marks an option that must tell something of every number and date of the table; `because` says why.

    Only when the option `given` is given, if one is named.
    """

    because: str
    given: str = ""
