"""Describes the CSV file of a release as CSV on the Web (W3C)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sdc.publish.dictionary import NOTICE

if TYPE_CHECKING:
    from sdc.publish.bundle_plan import BundlePlan
    from sdc.publish.dictionary import VariableEntry


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
    held = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "url": plan.data_file("csv"),
        **{key: value for key, value in said.items() if value},
        "dialect": {"delimiter": ",", "encoding": "utf-8", "header": True, "doubleQuote": True},
        "tableSchema": {"columns": [_column(plan, entry) for entry in entries]},
    }
    return json.dumps(held, ensure_ascii=False, indent=2).encode() + b"\n"


def _column(plan: BundlePlan, entry: VariableEntry) -> dict[str, Any]:
    said = {"dc:description": entry.label, "schema:unitText": entry.unit}
    return {
        "name": quote(entry.name, safe="").replace("-", "%2D").replace(".", "%2E").replace("~", "%7E"),
        "titles": entry.name,
        "datatype": _type(plan, entry.name),
        "null": "",
        **{key: value for key, value in said.items() if value},
    }


def _type(plan: BundlePlan, column: str) -> str | dict[str, str]:
    kind = plan.table.types[column]
    if plan.is_text(column):
        return "string"
    if plan.is_whole(column):
        return "integer"
    if kind == "DATE":
        return "date"
    if kind == "BOOLEAN":
        return {"base": "boolean", "format": "true|false"}
    return "number" if plan.table.is_numeric(column) else "string"
