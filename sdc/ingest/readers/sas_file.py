"""Reads files of SAS: .sas7bdat, and transport files (.xpt)."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader
from sdc.ingest.readers.statistical_file import Package, broken_off, opened_statistical

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.readers.opened import OpenedSource
    from sdc.profile.plan import Source

MAGIC = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
CARD = 80
"""A transport file is made of records of 80 bytes."""


@reader(name="sas", suffixes=(".sas7bdat",), order=60, begins=(MAGIC,))
def opened_sas(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> AbstractContextManager[OpenedSource]:
    """Labels of variables, dates, and the kinds of missing values that occur as the codes .A to .Z and ._."""
    del scratch
    return opened_statistical(Package("read_sas7bdat", "sas", kinds=True), source, path, cursor)


@reader(name="sas_transport", suffixes=(".xpt",), order=61, begins=(b"HEADER RECORD*******",))
def opened_transport(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> AbstractContextManager[OpenedSource]:
    """Labels of variables and dates; kinds of missing values are one. Each chunk reads from the start."""
    del scratch
    if path.stat().st_size % CARD:
        raise broken_off(path)
    return opened_statistical(
        Package("read_xport", "sas", keeps_missing=False, seeks=False), source, path, cursor
    )
