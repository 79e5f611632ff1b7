"""Units of one kind by name. Each registers itself when its file is imported; nobody lists them."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Protocol, TypeVar

from sdc.errors import UnknownName
from sdc.spelling import nearest


class Registered(Protocol):
    """What can be registered: it has a name, and stands in a file."""

    @property
    def name(self) -> str: ...
    @property
    def file(self) -> str: ...


Found = TypeVar("Found", bound=Registered)


class NamedUnits(dict[str, Found]):
    """All units of one kind. The files of `package` are imported when somebody first asks for a unit."""

    def __init__(self, kind: str, package: str) -> None:
        super().__init__()
        self.kind, self.package = kind, package

    def add(self, unit: Found) -> None:
        """Register a unit; two files may not use one name."""
        other = self.get(unit.name)
        if other is not None and other.file != unit.file:
            message = f"two files register a {self.kind} {unit.name!r}: {other.file} and {unit.file}"
            raise ValueError(message)
        self[unit.name] = unit

    def all(self) -> dict[str, Found]:
        """All units, in the order of their names."""
        import_files(self.package)
        return dict(sorted(self.items()))

    def find(self, name: str) -> Found:
        """The unit of this name; UnknownName, with the nearest name there is, where there is none."""
        known = self.all()
        if name not in known:
            raise UnknownName(self.kind, name, nearest(name, list(known)))
        return known[name]


@cache
def import_files(package: str) -> None:
    """Import every file of a package, and of the packages in it."""
    module = importlib.import_module(package)
    for found in pkgutil.walk_packages(module.__path__, f"{package}."):
        importlib.import_module(found.name)
