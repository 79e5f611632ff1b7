"""Tells the kind of a file by its first bytes, whatever its name ends in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import readers
from sdc.errors import BadData, Fault

if TYPE_CHECKING:
    from sdc.catalogue.readers import Reader

LONGEST = 64
IN_WORDS = {
    "csv": "CSV",
    "parquet": "Parquet",
    "duckdb": "DuckDB",
    "spss": "SPSS",
    "spss_portable": "portable SPSS",
    "stata": "Stata",
    "sas": "SAS",
    "sas_transport": "SAS transport",
    "excel": "Excel",
    "arrow": "Arrow",
    "jsonl": "JSON lines",
    "fixed_width": "fixed-width text",
    "sqlite": "SQLite",
}
OTHERS = {
    b"PK\x03\x04": "a zip archive",
    b"PK\x05\x06": "an empty zip archive",
    b"\x1f\x8b": "a gzip file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an old Office file, or an Office file with a password",
    b"%PDF": "a PDF file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"7z\xbc\xaf": "a 7z archive",
}


def words_for(name: str) -> str:
    """A format as people call it."""
    return IN_WORDS.get(name, name)


def kind_of(path: Path) -> str | None:
    """What the first bytes say the file is, in words; None where they say nothing."""
    begin = first_bytes(path)
    for each in readers().values():
        if each.name != "excel" and any(begin.startswith(sign) for sign in each.begins):
            return f"a file of {words_for(each.name)}"
    return next((words for sign, words in OTHERS.items() if begin.startswith(sign)), None)


def first_bytes(path: Path) -> bytes:
    """The beginning of a file. That of DuckDB follows its checksum."""
    with path.open("rb") as file:
        begin = file.read(LONGEST)
    return begin[8:] if begin[8:12] == b"DUCK" else begin


def refuse_other_kind(path: Path, reader: Reader) -> None:
    """BadData where a file is of another kind than its name or the profile says."""
    begin = first_bytes(path)
    if any(begin.startswith(sign) for sign in reader.begins):
        return
    kind = kind_of(path)
    if kind is not None:
        problem = f"this is {kind}, not {words_for(reader.name)}"
        raise BadData(
            [Fault(str(path), problem, "give it its own ending, or say what it is in source.format")]
        )
    if reader.begins and reader.name not in ("duckdb", "parquet"):
        problem = f"this is no file of {words_for(reader.name)}"
        raise BadData([Fault(str(path), problem, "say what it is in source.format")])
