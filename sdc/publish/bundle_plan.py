"""What is to be published, and the names of its files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.catalogue.protection import Step
from sdc.data import sql
from sdc.data.roles import Role, VariableType
from sdc.data.spreadsheet_cells import escaped_value
from sdc.data.table import WHOLE_TYPES, Table
from sdc.errors import CannotPublish
from sdc.publish.parts import BundlePart, parts_of

if TYPE_CHECKING:
    from sdc.profile import Profile

TEXT_TYPES = ("VARCHAR", "ENUM")


def bundle_name(profile: Profile, run: str) -> str:
    """The folder of a release: profile and version, or profile and run where no version is declared."""
    name = f"{profile.name}-{profile.publish.version or run}"
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}", name):
        raise CannotPublish(
            profile.publish.outbox, "the version may have letters, digits, dots, hyphens and underscores only"
        )
    return name


@dataclass(frozen=True)
class BundlePlan:
    """A judged candidate and what the public reads about it.

    `parquet` is the file the run stored it in, with its SHA-256 and count of rows as they were when it was
    judged; `table` is the same in DuckDB; `report` the public edition; `released` the time of release;
    `anchor` the last entry of the ledger, which the manifest carries.
    """

    profile: Profile
    run: str
    table: Table
    parquet: Path
    sha256: str
    rows: int
    steps: Sequence[Step]
    report: str
    released: datetime
    anchor: Mapping[str, Any] | None = None
    made_with: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of profile and source, and the version of this software."""
    changes: Sequence[str] = ()
    """What is new since the release of the family before this one, in sentences."""

    @property
    def bundle(self) -> str:
        return bundle_name(self.profile, self.run)

    @property
    def title(self) -> str:
        return self.profile.title or self.profile.name

    @property
    def synthetic(self) -> bool:
        return any(step.invents_records for step in self.steps)

    @cached_property
    def parts(self) -> tuple[BundlePart, ...]:
        """The tables that leave; their names say so when the records are synthetic."""
        stem = f"{self.profile.name}.synthetic" if self.synthetic else self.profile.name
        return parts_of(self.profile, self.table, stem)

    @property
    def files(self) -> tuple[tuple[BundlePart, str], ...]:
        """Every data file: a part in a format."""
        return tuple((part, each) for part in self.parts for each in self.profile.publish.formats)

    @property
    def is_linked(self) -> bool:
        return len(self.parts) > 1

    def type_of(self, column: str) -> VariableType:
        """The type by which the published values are to be read.

        A number or date that was recoded into words is categorical.
        """
        declared = self.profile.variables[column].type
        is_text = self.table.types[column].startswith(TEXT_TYPES)
        return (
            VariableType.CATEGORICAL
            if is_text and declared in (VariableType.NUMERIC, VariableType.DATE)
            else declared
        )

    def is_whole(self, column: str) -> bool:
        return self.table.types[column].startswith(WHOLE_TYPES)

    def is_text(self, column: str) -> bool:
        return self.table.types[column].startswith(TEXT_TYPES)

    def is_escaped(self, column: str) -> bool:
        """Whether the CSV file has an apostrophe before cells of this column that a spreadsheet would run."""
        if self.profile.publish.formulas != "escape" or not self.is_text(column):
            return False
        value = f"CAST({sql.name(column)} AS VARCHAR)"
        query = (
            f"SELECT count(*) FROM {sql.name(self.table.name)} WHERE {escaped_value(value)} IS DISTINCT FROM"
            f" {value}"
        )
        return bool(self.table.fetch(query)[0][0])

    def is_number_of_a_unit(self, column: str) -> bool:
        """Whether it is a running number, as of households, whose values mean nothing by themselves."""
        return self.profile.variables[column].role is Role.HOUSEHOLD
