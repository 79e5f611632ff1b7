"""Tables: roles, DuckDB, SQL, counting, classes, the warehouse, and the pair that measures see.

Of `sdc.catalogue` it may import the records only; then `sdc.statistics`, `sdc.run` and `sdc.errors`.
"""
