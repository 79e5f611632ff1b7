"""One DuckDB file a run: the tables, what was measured on them, and the candidates as they will leave."""

from sdc.data.warehouse.candidates import StoredCandidate
from sdc.data.warehouse.warehouse import KEY_VARIABLE, Warehouse

__all__ = ["KEY_VARIABLE", "StoredCandidate", "Warehouse"]
