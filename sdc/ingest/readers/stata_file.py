"""Reads files of Stata (.dta), with their kinds of missing values from .a to .z."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader
from sdc.ingest.readers.statistical_file import Package, opened_statistical

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.readers.opened import OpenedSource
    from sdc.profile.plan import Source

OLD_VERSIONS = tuple(bytes([version, order]) for version in (*range(104, 116),) for order in (1, 2))
"""Files before version 117 begin with the version and the order of bytes."""


@reader(name="stata", suffixes=(".dta",), order=50, begins=(b"<stata_dta>", *OLD_VERSIONS))
def opened_stata(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> AbstractContextManager[OpenedSource]:
    """Labels, dates, and the kinds of missing values that occur as the codes .a to .z."""
    del scratch
    return opened_statistical(Package("read_dta", "stata", kinds=True), source, path, cursor)
