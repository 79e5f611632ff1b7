"""The data dictionary of a release, made from the profile and the candidate alone."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from sdc.catalogue.protection import Protection
from sdc.data import sql
from sdc.data.roles import VariableType
from sdc.data.spreadsheet_cells import NOTE, escaped

if TYPE_CHECKING:
    from sdc.publish.bundle_plan import BundlePlan

CATEGORY_LIMIT = 1000
"""A variable with more categories than this has no list of them."""

NOTICE = (
    "Synthetic data: the records were drawn from a statistical model; they describe no real person, household"
    " or business."
)
"""Said wherever the data are described."""


@dataclass(frozen=True)
class VariableEntry:
    """One line of the dictionary.

    `categories` are those of the published file, in order; `values` are the words for those that have words.
    """

    name: str
    label: str
    type: str
    unit: str
    categories: tuple[str, ...]
    done: tuple[str, ...]
    missing: str
    escape: str = ""
    values: dict[str, str] = field(default_factory=dict)


def describe(plan: BundlePlan) -> tuple[VariableEntry, ...]:
    """An entry for each published column, in the order of the file."""
    return tuple(_entry(plan, column) for column in plan.columns)


def as_json(plan: BundlePlan, entries: tuple[VariableEntry, ...]) -> bytes:
    head: dict[str, Any] = {
        "name": plan.profile.name,
        "title": plan.title,
        "synthetic": plan.synthetic,
        "records": sum(copy.rows for copy in plan.copies) if plan.stacked else plan.rows,
        **({"syntheses": len(plan.copies), "layout": plan.profile.publish.syntheses} if plan.further else {}),
    }
    notice = {"notice": NOTICE} if plan.synthetic else {}
    homes: dict[str, list[int]] = {}
    for part in plan.parts:
        if part.name:
            homes.setdefault(part.name, []).append(part.rows)
    listed = [{**asdict(entry), **_of_part(plan, entry.name)} for entry in entries]
    sizes = {name: rows[0] if len(rows) == 1 else rows for name, rows in homes.items()}
    held = {**head, **sizes, **notice, "variables": listed}
    return json.dumps(held, ensure_ascii=False, indent=2).encode() + b"\n"


def as_csv(plan: BundlePlan, entries: tuple[VariableEntry, ...]) -> bytes:
    """One row for each variable; lists have ` | ` between their members.

    Texts that a spreadsheet would run have an apostrophe in front.
    """
    text = io.StringIO(newline="")
    rows = csv.writer(text, lineterminator="\n")
    heads = [
        "name",
        "label",
        "type",
        "unit",
        "categories",
        "done",
        "missing",
        "escape",
        "synthetic",
        "values",
    ]
    rows.writerow([*heads, *(["part"] if plan.is_linked else [])])
    for entry in entries:
        lists = (" | ".join(entry.categories), " | ".join(entry.done))
        cells = [
            entry.name,
            entry.label,
            entry.type,
            entry.unit,
            *lists,
            entry.missing,
            entry.escape,
            "yes" if plan.synthetic else "no",
        ]
        cells.append(" | ".join(f"{code} = {words}" for code, words in entry.values.items()))
        cells.extend(" | ".join(names) for names in _of_part(plan, entry.name).values())
        plain = [cell.replace("\r", " ") for cell in cells]
        rows.writerow([escaped(cell) for cell in plain])
    return text.getvalue().encode()


def _of_part(plan: BundlePlan, column: str) -> dict[str, list[str]]:
    """Where there are two tables, which of them have the variable."""
    held = list(dict.fromkeys(part.name for part in plan.parts if column in part.columns))
    return {"part": held} if plan.is_linked else {}


def _entry(plan: BundlePlan, column: str) -> VariableEntry:
    variable = plan.variables[column]
    done = tuple(dict.fromkeys(step.method for step in plan.steps if step.reached(column)))
    found = categories(plan, column)
    # Words for a category that no published record has would say that it was there.
    words = {code: variable.values[code] for code in found if code in variable.values}
    told = (found, done, _missing(plan, column), NOTE if plan.is_escaped(column) else "", words)
    return VariableEntry(column, variable.label, plan.type_of(column).value, variable.unit, *told)


def categories(plan: BundlePlan, column: str) -> tuple[str, ...]:
    """The values the published column has, in declared order, then by bytes.

    It is None for numbers, dates and running numbers.
    """
    if plan.type_of(column) in (VariableType.NUMERIC, VariableType.DATE) or plan.is_number_of_a_unit(column):
        return ()
    quoted = sql.name(column)
    query = (
        f"SELECT DISTINCT CAST({quoted} AS VARCHAR) FROM {plan.relation} WHERE {quoted} IS NOT"
        f" NULL LIMIT {CATEGORY_LIMIT + 1}"
    )
    found = [row[0] for row in plan.table.fetch(query)]
    if len(found) > CATEGORY_LIMIT:
        return ()
    order = {level: place for place, level in enumerate(plan.variables[column].order)}
    return tuple(sorted(found, key=lambda level: (order.get(level, len(order)), level.encode())))


def _missing(plan: BundlePlan, column: str) -> str:
    """What an empty cell means."""
    steps = [step for step in plan.steps if step.reached(column)]
    if any(step.invents_records for step in steps):
        return "empty: missing in the synthetic record"
    if any(step.protection is Protection.NON_PERTURBATIVE for step in steps):
        return "empty: not recorded, or removed to protect confidentiality"
    return "empty: not recorded"
