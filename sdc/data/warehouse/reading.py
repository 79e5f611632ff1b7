"""Opens the database of a run that has ended for reading: its bytes stay as the sealed record has them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sdc.data.database import Database
from sdc.data.warehouse import handle
from sdc.data.warehouse.handle import NoLimits

if TYPE_CHECKING:
    from sdc.run.directory import RunDirectory


@contextmanager
def read_only(directory: RunDirectory, key: str | None) -> Iterator[Database]:
    """The tables of a run; WarehouseUnusable where they cannot be opened."""
    connection = handle.attach(
        directory.warehouse, directory.spill, limits=NoLimits(), key=key, readable=(), only_read=True
    )
    database = Database(connection, handle.CATALOGUE)
    try:
        yield database
    finally:
        database.close()
