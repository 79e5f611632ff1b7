"""Reads files of SPSS: .sav, .zsav, and portable ones (.por)."""

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


@reader(name="spss", suffixes=(".sav", ".zsav"), order=40, begins=(b"$FL2", b"$FL3"))
def opened_spss(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> AbstractContextManager[OpenedSource]:
    """Labels, values that mean missing, levels of measurement and dates as the file has them."""
    del scratch
    return opened_statistical(Package("read_sav", "spss"), source, path, cursor)


@reader(name="spss_portable", suffixes=(".por",), order=41)
def opened_portable(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> AbstractContextManager[OpenedSource]:
    """A portable file knows no number of records, and each chunk reads it from its beginning."""
    del scratch
    return opened_statistical(
        Package("read_por", "spss", keeps_missing=False, seeks=False), source, path, cursor
    )
