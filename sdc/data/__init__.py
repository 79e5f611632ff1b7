"""Tables and their variables.

Roles, DuckDB, SQL, counting, classes, the warehouse of a run, and the pair that measures see.

It may import `sdc.catalogue.measurement`, `sdc.catalogue.protection`, `sdc.statistics`, `sdc.run` and
`sdc.errors`.
"""
