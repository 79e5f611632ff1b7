"""Counts: combinations of values, cells of tables, runs of equal rows."""
