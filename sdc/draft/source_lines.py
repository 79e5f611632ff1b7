"""Writes the section `source` of a first profile."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import WITHOUT_ENDING, scheme_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.draft.linked import HouseholdFile
    from sdc.profile.plan import Source

PLAIN = re.compile(r"[^\W\d][\w.\-]*( [\w.\-]+)*")
WORDS_OF_YAML = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def source_lines(
    source: Source,
    path: Path,
    folder: Path | None,
    decimal: str,
    record_key: str | None,
    households: HouseholdFile | None = None,
) -> Iterator[str]:
    """The source of a profile that is kept in `folder`, else in the current one."""
    yield "source:"
    if households is not None:
        yield "  households:"
        for line in _file(households.source, _from(households.path, folder), households.facts.decimal):
            yield f"  {line}"
        if households.twice:
            listed = ", ".join(map(written, (households.key, *sorted(households.names))))
            yield f"    columns: [{listed}]  # without those that persons have too"
        yield "  persons:"
    inset = "" if households is None else "  "
    for line in _file(source, _from(path, folder), decimal):
        yield f"{inset}{line}"
    if households is not None:
        yield f"    key: {written(households.key)}        # another value in every household"
    if record_key:
        yield f"{inset}  record_key: [{written(record_key)}]        # complete and different in every record"
    yield f"{inset}  # holdout_share: 0.1             # set records aside for measures of attacks"
    yield "missing_keys: own_category        # a blank is seen by an intruder too; or wildcard"


def _file(source: Source, path: str, decimal: str) -> Iterator[str]:
    yield f"  path: {written(path)}"
    if source.format != WITHOUT_ENDING:
        yield f"  format: {source.format}"
    for key in ("table", "query", "sheet", "range"):
        if getattr(source, key):
            yield f"  {key}: {written(getattr(source, key))}"
    if source.layout:
        yield "  layout:"
        for column in source.layout:
            yield f"    - {{name: {written(column.name)}, start: {column.start}, width: {column.width}}}"
    if source.encoding != "utf-8":
        yield f"  encoding: {source.encoding}              # not UTF-8"
    if source.separator != ",":
        yield f"  separator: {json.dumps(source.separator)}"
    if decimal != ".":
        yield f"  decimal: {json.dumps(decimal)}"


def _from(path: Path, folder: Path | None) -> str:
    """The way from a folder to a file, written with forward strokes; the address of a database as it is."""
    if scheme_of(path):
        return str(path)
    return Path(os.path.relpath(path, folder or Path.cwd())).as_posix()


def written(text: str) -> str:
    """A text as YAML reads it back."""
    return (
        text
        if PLAIN.fullmatch(text) and text.isprintable() and text.lower() not in WORDS_OF_YAML
        else json.dumps(text, ensure_ascii=False)
    )
