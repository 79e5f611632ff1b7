"""A first profile from a data file, with the reason for every guess.

It may import `sdc.ingest` and the rooms below it.
"""

from sdc.draft.writing import draft

__all__ = ["draft"]
