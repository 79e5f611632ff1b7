"""One DuckDB file a run: the tables, what was measured on them, and the candidates as they will leave."""

from sdc.warehouse.candidates import StoredCandidate
from sdc.warehouse.warehouse import KEY_VARIABLE, Warehouse

__all__ = ["KEY_VARIABLE", "StoredCandidate", "Warehouse"]
