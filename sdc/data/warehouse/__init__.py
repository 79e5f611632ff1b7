"""One DuckDB file a run: tables, what was measured on them, and candidates as they will leave."""

from sdc.data.warehouse.candidates import StoredTable
from sdc.data.warehouse.reading import read_only
from sdc.data.warehouse.warehouse import KEY_VARIABLE, Warehouse

__all__ = ["KEY_VARIABLE", "StoredTable", "Warehouse", "read_only"]
