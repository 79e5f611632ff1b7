"""Compares what a file says of its own columns with what the profile declares of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data.roles import LEFT_BEHIND, VariableType
from sdc.errors import Fault

if TYPE_CHECKING:
    from sdc.ingest.readers.opened import OpenedSource, SourceColumn
    from sdc.profile.plan import Source, VariablePlan

READ_AS_VALUES = (VariableType.NUMERIC, VariableType.DATE)


def what_files_declare(
    variables: Mapping[str, VariablePlan], source: Source, opened: OpenedSource, path: Path
) -> list[Fault]:
    """Numbers and days that the file calls missing and the profile does not; cells of another type.

    A column of the second file is compared with the codes of that file.
    """
    return [
        fault
        for name, plan in variables.items()
        if name in opened.columns and plan.role not in LEFT_BEHIND and plan.type in READ_AS_VALUES
        for fault in _column_faults(name, plan, source, opened.columns[name], path)
    ]


def _column_faults(
    name: str, plan: VariablePlan, source: Source, held: SourceColumn, path: Path
) -> list[Fault]:
    place = f"{held.source.path if held.source else path}, column {name!r}"
    codes = {*(held.source or source).missing_codes, *plan.missing_codes}
    faults = []
    undeclared = [code for code in held.metadata.missing_codes if code not in codes]
    if undeclared:
        said = ", ".join(undeclared)
        problem = f"the file says that {said} stand for missing, and the profile would read them as values"
        faults.append(Fault(place, problem, "list them in missing_codes of the variable"))
    if held.odd and not held.odd.texts <= codes:
        problem = f"{held.odd.place} has another type than most cells of the column"
        faults.append(
            Fault(place, problem, "mend the cells, list codes in missing_codes, or declare it categorical")
        )
    return faults
