"""Describes a bundle for machines: a Frictionless Data Package with schema, sizes and hashes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from sdc.catalogue.writers import find_writer
from sdc.data.roles import VariableType
from sdc.data.spreadsheet_cells import escaped
from sdc.profile.publish_plan import SYNTHESIS
from sdc.publish.dictionary import NOTICE, VariableEntry
from sdc.publish.parts import HOUSEHOLDS, PERSONS, synthesis_of
from sdc.run import digest

if TYPE_CHECKING:
    from pathlib import Path

    from sdc.publish.bundle_plan import BundlePlan
    from sdc.publish.parts import BundlePart


def as_json(plan: BundlePlan, entries: tuple[VariableEntry, ...], folder: Path) -> bytes:
    """The package of the data files that lie in the folder."""
    publish = plan.profile.publish
    description = "\n\n".join(
        text for text in (plan.profile.description, NOTICE if plan.synthetic else "") if text
    )
    held = {
        "profile": "data-package",
        "name": plan.bundle.lower(),
        "title": plan.title,
        **({"description": description} if description else {}),
        **({"version": publish.version} if publish.version else {}),
        "created": plan.released.isoformat(timespec="seconds"),
        "synthetic": plan.synthetic,
        **({"contributors": [_publisher(plan)]} if publish.publisher else {}),
        **({"licenses": [_licence(publish.licence)]} if publish.licence else {}),
        "resources": [_resource(plan, part, entries, folder, each) for part, each in plan.files],
    }
    return json.dumps(held, ensure_ascii=False, indent=2).encode() + b"\n"


def _publisher(plan: BundlePlan) -> dict[str, str]:
    publish = plan.profile.publish
    email = {"email": publish.contact} if re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", publish.contact) else {}
    return {"title": publish.publisher, "role": "publisher", **email}


def _licence(licence: str) -> dict[str, str]:
    """An address is a path; anything else a title, with a name that has the signs a name may have."""
    if licence.startswith(("http://", "https://")):
        return {"path": licence}
    return {"name": re.sub(r"[^-a-zA-Z0-9._]+", "-", licence).strip("-") or "other", "title": licence}


def _resource(
    plan: BundlePlan, part: BundlePart, entries: tuple[VariableEntry, ...], folder: Path, file_format: str
) -> dict[str, Any]:
    place = folder / part.data_file(file_format)
    resource = {
        "name": _name(plan, part, file_format),
        **({"description": part.in_words} if part.in_words else {}),
        "path": place.name,
        "format": file_format,
        "mediatype": find_writer(file_format).media_type,
        "bytes": place.stat().st_size,
        "hash": f"sha256:{digest.of_file(place)}",
    }
    if file_format != "csv":
        # as a plain file its size and hash can be checked by any reader, also one that knows only CSV
        return {**resource, "profile": "data-resource", "type": "file"}
    named = {entry.name: entry for entry in entries}
    schema = {
        "fields": [_field(plan, named[name]) for name in part.columns],
        "missingValues": [""],
        **_keys(plan, part, file_format),
    }
    return {
        **resource,
        "profile": "tabular-data-resource",
        "encoding": "utf-8",
        "dialect": {"delimiter": ",", "header": True},
        "schema": schema,
    }


def _name(plan: BundlePlan, part: BundlePart, file_format: str) -> str:
    number = synthesis_of(f"{part.stem}.")
    copy = f"{SYNTHESIS}_{number}" if number else ""
    return "_".join(filter(None, (plan.profile.name, copy, part.name, file_format)))


def _keys(plan: BundlePlan, part: BundlePart, file_format: str) -> dict[str, Any]:
    """Which household a person is of: a number that the table of households has once."""
    if part.name == HOUSEHOLDS:
        return {"primaryKey": [*part.keys]}
    if part.name == PERSONS:
        households = {"resource": _name(plan, plan.households_of(part), file_format), "fields": [*part.keys]}
        return {"foreignKeys": [{"fields": [*part.keys], "reference": households}]}
    return {}


def _field(plan: BundlePlan, entry: VariableEntry) -> dict[str, Any]:
    described = {"title": entry.label} if entry.label else {}
    unit = {"unit": entry.unit} if entry.unit else {}
    noted = {"description": entry.escape} if entry.escape else {}
    cells = map(escaped, entry.categories) if entry.escape else entry.categories
    listed = {"constraints": {"enum": list(cells)}} if entry.categories and plan.is_text(entry.name) else {}
    return {
        "name": entry.name,
        **_type(plan, entry),
        **described,
        **unit,
        **noted,
        **listed,
        **_categories(entry),
    }


def _categories(entry: VariableEntry) -> dict[str, Any]:
    """Codes with their words, as Table Schema has them."""
    if not entry.values:
        return {}
    cells = [escaped(code) if entry.escape else code for code in entry.categories]
    return {
        "categories": [
            {"value": cell, "label": entry.values.get(code, code)}
            for cell, code in zip(cells, entry.categories, strict=True)
        ]
    }


def _type(plan: BundlePlan, entry: VariableEntry) -> dict[str, str]:
    kind = plan.types[entry.name]
    if plan.is_text(entry.name):
        return {"type": "string"}
    if plan.is_whole(entry.name):
        return {"type": "integer"}
    if kind == "DATE":
        return {"type": "date"}
    if kind.startswith("TIMESTAMP"):
        return {"type": "datetime", "format": "any"}
    if kind == "BOOLEAN":
        return {"type": "boolean"}
    return {
        "type": "number" if entry.type == VariableType.NUMERIC.value or plan.is_numeric(entry.name) else "any"
    }
