"""Describes the CSV files of a release as CSV on the Web (W3C)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sdc.publish.dictionary import NOTICE
from sdc.publish.parts import HOUSEHOLDS, PERSONS

if TYPE_CHECKING:
    from sdc.publish.bundle_plan import BundlePlan
    from sdc.publish.dictionary import VariableEntry
    from sdc.publish.parts import BundlePart


def name(plan: BundlePlan) -> str:
    """Where those who read the data look: beside the one file, or in the folder of several."""
    several = len(plan.parts) > 1
    return "csv-metadata.json" if several else f"{plan.parts[0].data_file('csv')}-metadata.json"


def as_json(plan: BundlePlan, entries: tuple[VariableEntry, ...]) -> bytes:
    publish = plan.profile.publish
    description = " ".join(
        text for text in (plan.profile.description, NOTICE if plan.synthetic else "") if text
    )
    said = {
        "dc:title": plan.title,
        "dc:description": description,
        "dc:publisher": publish.publisher,
        "dc:license": publish.licence,
        "dc:issued": plan.released.date().isoformat(),
        "dc:replaces": publish.replaces or "",
    }
    tables = [_table(plan, part, {entry.name: entry for entry in entries}) for part in plan.parts]
    alone = tables[0] if len(tables) == 1 else {}
    held = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        **({"url": alone["url"]} if alone else {}),
        **{key: value for key, value in said.items() if value},
        "dialect": {"delimiter": ",", "encoding": "utf-8", "header": True, "doubleQuote": True},
        **({"tableSchema": alone["tableSchema"]} if alone else {"tables": tables}),
    }
    return json.dumps(held, ensure_ascii=False, indent=2).encode() + b"\n"


def _table(plan: BundlePlan, part: BundlePart, entries: dict[str, VariableEntry]) -> dict[str, Any]:
    """A file and its columns; a person refers to the household of its number."""
    schema: dict[str, Any] = {"columns": [_column(plan, entries[name]) for name in part.columns]}
    if part.name == HOUSEHOLDS:
        schema["primaryKey"] = _reference(part)
    if part.name == PERSONS:
        reference = {
            "resource": plan.households_of(part).data_file("csv"),
            "columnReference": _reference(part),
        }
        schema["foreignKeys"] = [{"columnReference": _reference(part), "reference": reference}]
    return {"url": part.data_file("csv"), "tableSchema": schema}


def _reference(part: BundlePart) -> str | list[str]:
    names = list(map(_encoded, part.keys))
    return names[0] if len(names) == 1 else names


def _encoded(column: str) -> str:
    return quote(column, safe="").replace("-", "%2D").replace(".", "%2E").replace("~", "%7E")


def _column(plan: BundlePlan, entry: VariableEntry) -> dict[str, Any]:
    said = {"dc:description": entry.label, "schema:unitText": entry.unit}
    return {
        "name": _encoded(entry.name),
        "titles": entry.name,
        "datatype": _type(plan, entry.name),
        "null": "",
        **{key: value for key, value in said.items() if value},
    }


def _type(plan: BundlePlan, column: str) -> str | dict[str, str]:
    kind = plan.types[column]
    if plan.is_text(column):
        return "string"
    if plan.is_whole(column):
        return "integer"
    if kind == "DATE":
        return "date"
    if kind == "BOOLEAN":
        return {"base": "boolean", "format": "true|false"}
    return "number" if plan.is_numeric(column) else "string"
