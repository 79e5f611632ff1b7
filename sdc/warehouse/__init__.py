"""One DuckDB file a run: the tables, what was measured on them, and the candidates as they will leave."""

from sdc.warehouse.candidates import StoredCandidate
from sdc.warehouse.warehouse import Warehouse

__all__ = ["StoredCandidate", "Warehouse"]
