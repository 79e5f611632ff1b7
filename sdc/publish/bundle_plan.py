"""What is to be published, and the names of its files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.catalogue.protection import Step
from sdc.data import sql
from sdc.data.roles import Role, VariableType
from sdc.data.spreadsheet_cells import escaped_value
from sdc.data.table import NUMERIC_TYPES, WHOLE_TYPES, Table
from sdc.errors import CannotPublish
from sdc.profile.plan import VariablePlan
from sdc.profile.publish_plan import SYNTHESIS
from sdc.publish.parts import HOUSEHOLDS, BundlePart, parts_of, stacked, stem_of

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
class JudgedCopy:
    """A further synthesis as it was judged: its table, the file it is stored in, its SHA-256 and rows."""

    table: Table
    parquet: Path
    sha256: str
    rows: int


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
    further: Sequence[JudgedCopy] = ()
    """The second, third, ... synthesis, where several leave."""
    number: int = 0
    """Which of several syntheses this is the plan of."""

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
    def copies(self) -> tuple[BundlePlan, ...]:
        """The plan of each synthesis that leaves; this one alone where there is one."""
        if not self.further:
            return (self,)
        own = JudgedCopy(self.table, self.parquet, self.sha256, self.rows)
        return tuple(
            replace(
                self,
                table=each.table,
                parquet=each.parquet,
                sha256=each.sha256,
                rows=each.rows,
                further=(),
                number=number,
            )
            for number, each in enumerate((own, *self.further), start=1)
        )

    @property
    def stacked(self) -> bool:
        return bool(self.further) and self.profile.publish.syntheses == "stacked"

    @cached_property
    def parts(self) -> tuple[BundlePart, ...]:
        """The tables that leave; their names say so when the records are synthetic."""
        stem = stem_of(self.profile, synthetic=self.synthetic, number=self.number)
        if not self.further:
            told = f"{SYNTHESIS} {self.number}" if self.number else ""
            return parts_of(self.profile, self.table, stem, told)
        each = [copy.parts for copy in self.copies]
        return stacked(each, stem, self.relation) if self.stacked else tuple(chain.from_iterable(each))

    @cached_property
    def relation(self) -> str:
        """All records that leave, in SQL."""
        if not self.further:
            return sql.name(self.table.name)
        number = f"CAST({{}} AS BIGINT) AS {sql.name(SYNTHESIS)}, " if self.stacked else ""
        tables = (
            f"SELECT {number.format(place)}* FROM {sql.name(copy.table.name)}"
            for place, copy in enumerate(self.copies, start=1)
        )
        return f"({' UNION ALL BY NAME '.join(tables)})"

    @cached_property
    def types(self) -> Mapping[str, str]:
        """The types of all columns that leave, in order."""
        if not self.further:
            return self.table.types
        return {row[0]: row[1] for row in self.table.fetch(f"DESCRIBE SELECT * FROM {self.relation}")}

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.types)

    @cached_property
    def variables(self) -> Mapping[str, VariablePlan]:
        """What the profile says of the columns, and of the one that numbers stacked syntheses."""
        if not self.stacked:
            return self.profile.variables
        return {**self.profile.variables, SYNTHESIS: VariablePlan(label="Number of the synthesis")}

    @property
    def files(self) -> tuple[tuple[BundlePart, str], ...]:
        """Every data file: a part in a format."""
        return tuple((part, each) for part in self.parts for each in self.profile.publish.formats)

    def households_of(self, persons: BundlePart) -> BundlePart:
        """The households that the persons of a part belong to."""
        return next(part for part in self.parts if part.name == HOUSEHOLDS and part.stem == persons.stem)

    @property
    def is_linked(self) -> bool:
        return any(part.name for part in self.parts)

    def type_of(self, column: str) -> VariableType:
        """The type by which the published values are to be read.

        A number or date that was recoded into words is categorical.
        """
        declared = self.variables[column].type
        is_text = self.types[column].startswith(TEXT_TYPES)
        return (
            VariableType.CATEGORICAL
            if is_text and declared in (VariableType.NUMERIC, VariableType.DATE)
            else declared
        )

    def is_whole(self, column: str) -> bool:
        return self.types[column].startswith(WHOLE_TYPES)

    def is_numeric(self, column: str) -> bool:
        return self.types[column].startswith(NUMERIC_TYPES)

    def is_text(self, column: str) -> bool:
        return self.types[column].startswith(TEXT_TYPES)

    def is_escaped(self, column: str) -> bool:
        """Whether the CSV file has an apostrophe before cells of this column that a spreadsheet would run."""
        if self.profile.publish.formulas != "escape" or not self.is_text(column):
            return False
        value = f"CAST({sql.name(column)} AS VARCHAR)"
        query = f"SELECT count(*) FROM {self.relation} WHERE {escaped_value(value)} IS DISTINCT FROM {value}"
        return bool(self.table.fetch(query)[0][0])

    def is_number_of_a_unit(self, column: str) -> bool:
        """Whether it is a running number, as of households, whose values mean nothing by themselves."""
        return self.variables[column].role is Role.HOUSEHOLD
