"""The audit trail: ledger, sealed records, keys, decisions, recovery, replay and export.

It may import every room below it; it never draws a page.
"""
