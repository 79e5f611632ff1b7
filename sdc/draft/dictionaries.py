"""Reads a dictionary beside the data: DDI-Codebook, a Frictionless schema, a CSV table or SPSS syntax."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sdc.draft.ddi_codebook import of_codebook
from sdc.draft.spss_syntax import of_syntax
from sdc.errors import BadData, Fault
from sdc.ingest.readers.opened import ColumnMetadata, Level

MOST_BYTES = 100_000_000
LEVELS = {
    "integer": Level.SCALE,
    "number": Level.SCALE,
    "numeric": Level.SCALE,
    "scale": Level.SCALE,
    "year": Level.SCALE,
    "string": Level.NOMINAL,
    "boolean": Level.NOMINAL,
    "categorical": Level.NOMINAL,
    "nominal": Level.NOMINAL,
    "ordinal": Level.ORDINAL,
}
KINDS = "a DDI codebook (.xml), a Frictionless schema (.json), a CSV dictionary (.csv) or SPSS syntax (.sps)"


def read_dictionary(path: Path) -> dict[str, ColumnMetadata]:
    """What the file says of each variable, by its name; BadData where it is no dictionary."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadData([Fault(str(path), "a dictionary of more than 100 MB is none", f"give {KINDS}")])
        held = path.read_bytes()
    except OSError:
        raise BadData([Fault(str(path), "there is no such file that can be read")]) from None
    known = {".xml": of_codebook, ".json": _of_schema, ".csv": _of_table, ".sps": _of_sps}
    read = known.get(path.suffix.lower())
    if read is None:
        raise BadData([Fault(str(path), "nobody knows how to read this dictionary", f"give {KINDS}")])
    try:
        found = read(held)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, csv.Error):
        raise BadData([Fault(str(path), "this dictionary cannot be read", f"give {KINDS}")]) from None
    if not found:
        raise BadData([Fault(str(path), "the dictionary has no variables", f"give {KINDS}")])
    return found


def _of_sps(held: bytes) -> dict[str, ColumnMetadata]:
    return of_syntax(_text(held))


def _text(held: bytes) -> str:
    """UTF-8, else the Western code page that syntax files mostly have."""
    try:
        return held.decode("utf-8-sig")
    except UnicodeDecodeError:
        return held.decode("windows-1252")


def _of_schema(held: bytes) -> dict[str, ColumnMetadata]:
    """A table schema, or the first resource with one in a data package.

    https://specs.frictionlessdata.io/table-schema: labels are titles; `enum` and `categories` are domains.
    """
    told = json.loads(held)
    schema = told
    for resource in told.get("resources", ()):
        if isinstance(resource.get("schema"), dict):
            schema = resource["schema"]
            break
    shared = schema.get("missingValues", [""])
    return {field["name"]: _of_field(field, shared) for field in schema["fields"]}


def _of_field(field: Mapping[str, Any], shared: list[Any]) -> ColumnMetadata:
    given = field.get("categories") or field.get("constraints", {}).get("enum") or []
    values = {
        str(each["value"]): str(each.get("label", each["value"])) if isinstance(each, dict) else str(each)
        for each in (each if isinstance(each, dict) else {"value": each} for each in given)
    }
    spoken = {code: words for code, words in values.items() if code != words}
    missing, labels = [], {}
    for each in field.get("missingValues", shared):
        code = str(each["value"] if isinstance(each, dict) else each)
        if isinstance(each, dict) and "label" in each:
            labels[code] = str(each["label"])
        missing.append(code)
    ordered = bool(field.get("categoriesOrdered"))
    level = Level.ORDINAL if ordered else LEVELS.get(field.get("type", ""))
    return ColumnMetadata(
        str(field.get("title") or field.get("description") or ""),
        {**spoken, **labels},
        tuple(code for code in missing if code),
        Level.NOMINAL if values and not ordered else level,
        tuple(values) if ordered else (),
        str(field.get("unit", "")),
    )


def _of_table(held: bytes) -> dict[str, ColumnMetadata]:
    """A line for each variable: name, label, type, values, order, missing, unit; all but name may be absent.

    `values` are `1=good|2=bad`, `order` and `missing` are codes with strokes between them.
    """
    rows = csv.DictReader(io.StringIO(_text(held), newline=""), strict=True)
    if "name" not in (rows.fieldnames or ()):
        raise ValueError("name")
    found = {}
    for row in rows:
        told = {key: (text or "").strip() for key, text in row.items() if isinstance(key, str)}
        pairs = [each.split("=", 1) for each in _split(told.get("values", ""))]
        found[told["name"]] = ColumnMetadata(
            told.get("label", ""),
            {code.strip(): words.strip() for code, words in pairs},
            tuple(_split(told.get("missing", ""))),
            LEVELS.get(told.get("type", "").lower()),
            tuple(_split(told.get("order", ""))),
            told.get("unit", ""),
        )
    return found


def _split(text: str) -> list[str]:
    return [each.strip() for each in text.split("|") if each.strip()]
