"""Exact searches for the records nearest to a record, and clusters of records."""
